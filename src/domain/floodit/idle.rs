//! Idle regions, which count as flooded.
//!
//! A region beside the flood is *idle* when all its neighbours are flooded or beside the flood, and its colour has a
//! region left that is neither flooded nor such a region. A state is *settled* when no region is idle. The search meets
//! settled states alone: idle regions join the flood without a turn. Floods that differ in idle regions alone are then
//! one state.
//!
//! **Why no optimum is lost.** Let the idle regions I join the flood of `s`, which gives `t`. Then OPT(s) = OPT(t), and
//! every word that solves `t` solves `s`. For `t` floods more, so OPT(t) <= OPT(s). Conversely let a word solve `t`, and
//! play it at `s`. After each letter, what it has flooded from `t` is flooded from `s` too, except for regions of I: the
//! neighbours of I are flooded or beside the flood at `s`, so no region needs one of I to be reached. And each region v
//! of I is flooded in the end: another region of its colour is left that does not belong to I, the word floods that
//! region from `t` by a letter of this colour, and this letter floods v, which was beside the flood all the time.
//!
//! **One step suffices.** What is flooded or beside the flood stays the same when idle regions join the flood. So no
//! other region becomes idle.
//!
//! **Where to look.** Let a move lead from a settled state to one that sees more regions N. A region that is idle now
//! belongs to N, or had a neighbour that was not seen; then this neighbour belongs to N. Otherwise it opened nothing
//! before either, and was not idle because its colour could be finished. Then nothing else of its colour is left now.
//!
//! **Bounds.** `layers`, `release`, `critical` and `elimination` say the same with and without idle regions: an idle
//! region is at distance 1, opens nothing, and is never the farthest or the last of its colour. `pair_tables` has a proof
//! of its own.

use super::bits::{self, Bits};
use super::puzzle::{Flood, FloodIt};

impl<const W: usize> FloodIt<W> {
    /// `state` after flooding the regions of `add`, which are neighbours of the flood, settled.
    #[inline(always)]
    pub(super) fn flooded(&self, state: &Flood<W>, add: &Bits<W>) -> Flood<W> {
        let set = bits::or(&state.set, add);
        let mut near = state.near;
        bits::for_each(add, |r| near = bits::or(&near, &self.neighbours[r]));
        let new = bits::minus(&near, &state.seen());
        settled(self, Flood { set, near: bits::minus(&near, &set) }, &new)
    }
}

/// `state` with its idle regions in the flood. They are among the `new` regions that it sees, or beside one of these.
#[inline(always)]
pub(super) fn settled<const W: usize>(puzzle: &FloodIt<W>, mut state: Flood<W>, new: &Bits<W>) -> Flood<W> {
    let mut suspects = *new;
    bits::for_each(new, |region| suspects = bits::or(&suspects, &puzzle.neighbours[region]));
    let (suspects, seen) = (bits::and(&suspects, &state.near), state.seen());
    let mut closed = bits::empty();
    bits::for_each(&suspects, |region| {
        if bits::is_subset(&puzzle.neighbours[region], &seen) {
            bits::set(&mut closed, region);
        }
    });
    if bits::is_empty(&closed) {
        return state;
    }
    let done = bits::or(&state.set, &closed);
    for regions in &puzzle.of_colour {
        if !bits::is_subset(regions, &done) {
            state.set = bits::or(&state.set, &bits::and(regions, &closed));
        }
    }
    state.near = bits::minus(&state.near, &state.set);
    state
}
