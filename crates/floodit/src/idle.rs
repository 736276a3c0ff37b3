//! Idle regions, which count as flooded.
//!
//! A region is *seen* when it is flooded or beside the flood. Call a region beside the flood *closed* when all its
//! neighbours are seen. A closed region is *idle* when its colour has a region left that is neither flooded nor closed.
//! A state is *settled* when no region is idle. The search meets settled states alone: idle regions join the flood
//! without a turn. Floods that differ in idle regions alone are then one state.
//!
//! **Why no optimum is lost.** Let the idle regions I join the flood of `s`, which gives `t`. Then OPT(s) = OPT(t), and
//! every word that solves `t` solves `s`. For `t` floods more, so OPT(t) <= OPT(s). Conversely let a word solve `t`,
//! and play it at `s`. After each letter, what it has flooded from `t` is flooded from `s` too, except for regions of
//! I. This is so because the neighbours of I are seen at `s`, so no region needs one of I to be reached. And each
//! region v of I is flooded in the end: another region of its colour is left that does not belong to I. The word floods
//! that region from `t` by a letter of this colour, and this letter floods v, which was beside the flood all the time.
//!
//! **One step suffices.** The same regions are seen when idle regions join the flood. So no other region becomes
//! closed.
//!
//! **Where to look.** Let a move lead from a settled state to one that sees more regions N. A region that is closed
//! now, but neither belongs to N nor has a neighbour there, was closed before and not idle. So every region left of its
//! colour was closed. All of them are closed or flooded now, and none is idle. No region of such a colour belongs to N
//! or has a neighbour there. So it suffices to look for closed regions in N and beside it.
//!
//! **Bounds.** `layers` and `elimination` say the same with and without idle regions: an idle
//! region is at distance 1, opens nothing, and is neither alone the farthest nor the last of its colour.

use super::bits::{self, Bits};
use super::puzzle::{Flood, FloodIt};

impl<const W: usize> FloodIt<W> {
    /// The state after flooding the regions of `add`, which are beside the flood of the settled `state`; settled.
    #[inline(always)]
    pub(super) fn settled_after(&self, state: &Flood<W>, add: &Bits<W>) -> Flood<W> {
        let set = bits::or(&state.set, add);
        let near = bits::or(&state.near, &self.beside(add));
        let newly_seen = bits::minus(&near, &state.seen());
        settle(self, Flood { set, near: bits::minus(&near, &set) }, &newly_seen)
    }
}

/// `state` with its idle regions in the flood. It follows from a settled state that saw all but the `newly_seen`
/// regions; at the beginning these are all regions beside the flood.
#[inline(always)]
pub(super) fn settle<const W: usize>(puzzle: &FloodIt<W>, mut state: Flood<W>, newly_seen: &Bits<W>) -> Flood<W> {
    let suspects = bits::and(&bits::or(newly_seen, &puzzle.beside(newly_seen)), &state.near);
    let seen = state.seen();
    let mut closed = bits::empty();
    for region in bits::elements(&suspects) {
        if bits::is_subset(&puzzle.neighbours[region], &seen) {
            bits::set(&mut closed, region);
        }
    }
    if bits::is_empty(&closed) {
        return state;
    }
    let set_or_closed = bits::or(&state.set, &closed);
    for regions in &puzzle.of_colour {
        if !bits::is_subset(regions, &set_or_closed) {
            state.set = bits::or(&state.set, &bits::and(regions, &closed));
        }
    }
    state.near = bits::minus(&state.near, &state.set);
    state
}
