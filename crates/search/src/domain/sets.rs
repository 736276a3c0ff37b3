//! Domains whose states are sets, and in which a larger set is never worse: what the search that learns needs of them.

use super::{Cost, MoveIndex};

/// The moves of a domain whose states are sets, for `learning`.
///
/// The *set* of a state is its packed key: element `i` is bit `i`. Sets are passed as words of 64 bits, lowest first;
/// the bits behind the key are 0.
///
/// # Contract
/// Beside the contract of [`Domain`](super::Domain):
///
/// * **More is never worse.** A cheapest solution from a superset of a state costs no more than one from the state.
/// * **Moves add elements.** Each child contains its parent; a move costs 1 at least and the same at each state. The
///   child of a union of two states is the union of their children by the same move.
/// * **Every set is a state**, if it contains the root: [`Domain::unpack`](super::Domain::unpack) takes it.
/// * **Goals cost nothing.** [`Domain::terminal`](super::Domain::terminal) is 0 or `None`.
pub trait SetMoves<S>: Sync {
    /// The number of elements.
    fn elements(&self) -> usize;

    /// Appends moves of which one begins a cheapest solution, from `state` and from each larger set: from each set that
    /// contains `state` and is no goal, one of these moves begins a cheapest solution. A move may be among them that
    /// changes nothing at `state`.
    ///
    /// With true, the promise holds only for larger sets that lack an element of `pins`, to which one or more elements
    /// that `state` lacks are added here. `pins` is empty before, and stays empty with false. It is called at no goal.
    fn choices(&self, state: &S, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool;

    /// The cost of a move.
    fn cost(&self, mv: MoveIndex) -> Cost {
        let _ = mv;
        1
    }

    /// Makes the child of `state` by a move.
    fn child(&self, state: &S, mv: MoveIndex) -> S;

    /// Adds elements to a state from which the same moves lead to a goal. By default it adds none.
    fn raise(&self, state: &mut S) {
        let _ = state;
    }

    /// Sets `out` to the largest set whose child by `mv` lies within `set`; to the empty set if there is none.
    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]);
}
