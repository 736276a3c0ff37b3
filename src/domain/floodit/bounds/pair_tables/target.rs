//! Targets: the regions that two walkers have to reach.

/// Two regions, the lower one first; twice the same region for a single walker.
pub(super) type Target = [u16; 2];

/// Two regions, or twice the same one, as a target.
pub(super) fn target(u: usize, v: usize) -> Target {
    [u.min(v) as u16, u.max(v) as u16]
}
