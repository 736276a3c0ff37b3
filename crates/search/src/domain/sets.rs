//! The interface of the engine `learning` to a domain whose states are sets, and in which a larger set is never worse.

use super::{Cost, MoveIndex};

/// The moves of a domain whose states are sets, for `learning`.
///
/// The *set* of a state is its packed key: element `i` is bit `i`. Sets are passed as words of 64 bits, lowest first;
/// the bits behind the key are 0.
///
/// # Contract
/// In addition to the contract of [`Domain`](super::Domain):
///
/// * **More is never worse.** A cheapest solution from a superset of a state costs no more than one from the state.
/// * **Moves add elements.** Each child contains its parent; a move costs at least 1, and the same at each state. The
///   child of a union of two states is the union of their children by the same move.
/// * **Every set is a state**, if it contains the root: [`Domain::unpack`](super::Domain::unpack) takes it.
/// * **Goals cost nothing.** [`Domain::terminal_cost`](super::Domain::terminal_cost) is 0 or `None`.
pub trait SetMoves<S>: Sync {
    /// The number of elements.
    fn element_count(&self) -> usize;

    /// Whether there are so few states that a search which visits them is faster than one that learns from sets. By
    /// default there are not.
    fn has_few_states(&self) -> bool {
        false
    }

    /// Appends the moves that a search tries at `state`. From each superset of `state` that is no goal, one of these
    /// moves must begin a cheapest solution. A move that changes nothing at `state` may be among them.
    ///
    /// Returns true if this holds only for supersets that lack an element of `pins`. Then the method adds one or more
    /// elements that `state` lacks to `pins`, which is empty before. It is not called at goals.
    fn choices(&self, state: &S, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool;

    /// The cost of a move.
    fn cost(&self, mv: MoveIndex) -> Cost {
        let _ = mv;
        1
    }

    /// The child of `state` by a move.
    fn child(&self, state: &S, mv: MoveIndex) -> S;

    /// Adds elements to a state such that the same moves lead to a goal as before. By default it adds none.
    fn saturate(&self, state: &mut S) {
        let _ = state;
    }

    /// Sets `out` to the largest set whose child by `mv` is a subset of `set`; to the empty set if there is none.
    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]);
}
