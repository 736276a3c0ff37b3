//! Targets: the regions that two walkers have to touch.

use super::deadlines::SLOTS;
use crate::puzzles::floodit::puzzle::SPARE;

/// The positions of walkers that have touched their targets, behind the regions: one for each slot, and one for the
/// second walker where both targets have the same colour.
pub(super) const HOMES: usize = SLOTS + 1;

const _: () = assert!(HOMES <= SPARE, "sets of positions have room for all");

/// Two regions, the lower one first; twice the same region for a single walker.
pub(super) type Target = [u16; 2];

/// Two regions, or twice the same one, as a target.
pub(super) fn target(u: usize, v: usize) -> Target {
    [u.min(v) as u16, u.max(v) as u16]
}
