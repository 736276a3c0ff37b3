//! Idle regions, which count as flooded.
//!
//! A region is *seen* when it is flooded or beside the flood. Call a region beside the flood *closed* when all its
//! neighbours are seen. A closed region is *idle* when its colour has a region left that is neither flooded nor closed.
//! A state is *saturated* when no region is idle. The search visits only saturated states: idle regions join the flood
//! without a turn. So floods that differ only in idle regions are one state.
//!
//! **Why no optimum is lost.** Let the idle regions I join the flood of `s`, which gives `t`. Then OPT(s) = OPT(t), and
//! every sequence of moves that solves `t` solves `s`. `t` floods more, so OPT(t) <= OPT(s). Conversely, let a sequence
//! of moves solve `t`, and play it at `s`. After each move, the regions that are flooded from `t` are flooded from `s`
//! too, except for regions of I. This is so because the neighbours of I are seen at `s`, so no region needs one of I to
//! be reached. And each region v of I is flooded in the end: another region of its colour is left that does not belong
//! to I. From `t`, a move of this colour floods that region. From `s`, the same move floods v, which was beside the
//! flood all the time.
//!
//! **One step suffices.** The same regions are seen when idle regions join the flood. So no other region becomes
//! closed.
//!
//! **Where to look.** Let a move lead from a saturated state to a state that also sees the regions N. Take a region
//! that is closed now, but neither belongs to N nor has a neighbour in N. It was closed before the move and not idle.
//! So every region of its colour outside the flood was closed. All of them are closed or flooded now, and none is idle.
//! No region of such a colour belongs to N or has a neighbour in N. So it suffices to look for closed regions in N and
//! beside it.
//!
//! **Bounds.** `layers` and `elimination` have the same value whether idle regions are flooded or not: an idle region
//! is at distance 1, opens no other region, and is neither the only farthest region nor the last region of its colour.

use super::bits::{self, Bits};
use super::puzzle::{Flood, FloodIt};

impl<const W: usize> FloodIt<W> {
    /// Floods the regions of `add`, which are beside the flood of the saturated `state`, and saturates the new state.
    #[inline(always)]
    pub(super) fn saturated_after(&self, state: &Flood<W>, add: &Bits<W>) -> Flood<W> {
        let flooded = bits::union(&state.flooded, add);
        let reached = bits::union(&state.adjacent, &self.adjacent_to(add));
        let newly_seen = bits::difference(&reached, &state.seen());
        saturate(self, Flood { flooded, adjacent: bits::difference(&reached, &flooded) }, &newly_seen)
    }
}

/// Saturates `state`: its idle regions join the flood. `newly_seen` are the regions that `state` sees and the saturated
/// state before it did not see; at the beginning, these are all regions beside the flood.
#[inline(always)]
pub(super) fn saturate<const W: usize>(puzzle: &FloodIt<W>, mut state: Flood<W>, newly_seen: &Bits<W>) -> Flood<W> {
    let candidates = bits::intersection(&bits::union(newly_seen, &puzzle.adjacent_to(newly_seen)), &state.adjacent);
    let seen = state.seen();
    let mut closed = bits::empty();
    for region in bits::elements(&candidates) {
        if bits::is_subset(&puzzle.neighbours[region], &seen) {
            bits::insert(&mut closed, region);
        }
    }
    if bits::is_empty(&closed) {
        return state;
    }
    let flooded_or_closed = bits::union(&state.flooded, &closed);
    for regions in &puzzle.of_colour {
        if !bits::is_subset(regions, &flooded_or_closed) {
            state.flooded = bits::union(&state.flooded, &bits::intersection(regions, &closed));
        }
    }
    state.adjacent = bits::difference(&state.adjacent, &state.flooded);
    state
}
