//! The contract of a puzzle.
//!
//! A puzzle on one board implements two traits, and every engine for states can search it:
//!
//! * [`Domain`]: states, moves, the packed key of a state, and the cost of stopping at a state.
//! * [`LowerBound`]: an admissible heuristic for the domain. A bound of 0 everywhere is valid.
//!
//! [`Problem`](crate::expand::Problem) joins both into the search space of an engine. The [crate] documentation has an
//! example; `examples/` has the 15-puzzle, pancakes, and set cover.

mod guidance;
mod moves;
mod sets;

pub use guidance::{
    GoalCost, Guidance, LazyChild, LazyState, LocalSearchPath, MoveLabel, StagedEstimate, default_temperature,
};
pub use moves::{Cost, MoveIndex, MoveMask, Successor};
pub use sets::SetMoves;

/// A lower bound on the cost from a state to the end of a cheapest solution through the state (h).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound(pub Cost);

impl Bound {
    /// The state is a dead end: no solution leads through it.
    pub const DEAD_END: Bound = Bound(Cost::MAX);
}

/// The rules of one puzzle on one board.
///
/// A solution is a sequence of moves from the root to a state where stopping is allowed. Its cost is the sum of the
/// costs of its moves, plus [`Domain::terminal_cost`] of the last state. Engines look for a cheapest solution.
///
/// # Contract
/// Engines do not check these rules. If a domain breaks one, a search may return a wrong optimum or not end.
///
/// * **Keys.** [`Domain::pack`] is canonical: two states are equal if and only if their keys are equal bytes, and
///   [`Domain::unpack`] after `pack` gives an equal state. Engines identify states by their keys alone.
/// * **Pure.** Every method is a function of its arguments. [`Domain::successors`] has a fixed order of children. Among
///   equally promising children, depth-first search takes the first one first.
/// * **Cycles.** A path may revisit a state only if every move costs something. A beam ends when it detects a cycle;
///   `anneal`, and beams of [lazy states](LazyState), end such a path after [`Guidance::max_played_moves`].
/// * **Costs.** If the board has a solution, it has one of cost at most [`crate::store::MAX_G`]. Engines that store
///   states ignore more expensive solutions.
/// * **Sleep sets.** A move may be pruned at a state if it is in the sleep set from *every* parent that reaches the
///   state with its least g; an optimum remains. [`Successor::sleep_set`] depends on the parent and the move alone. A
///   domain without sleep sets returns 0 in [`Domain::mask_bits`] and in [`Successor::sleep_set`].
///
/// # Cost
/// These methods are the inner loop of a search. For each expansion, best-first search calls `unpack` and `successors`
/// once, for each child `terminal_cost` and `pack` once, and for each new child the lower bound once. All calls are
/// dispatched statically.
pub trait Domain: Send + Sync {
    /// An unpacked state. It may hold data that the key determines but does not contain.
    type State: Clone + Send + Sync;

    /// Length of a packed key in bytes. It is the same for every state of the board. Memory grows with it.
    fn key_len(&self) -> usize;

    /// Number of move classes in a [`MoveMask`], at most 63. 0 (the default) for a domain without sleep sets.
    fn mask_bits(&self) -> u32 {
        0
    }

    /// The revision of the keys, the pruning rules and the sleep sets, at most 127. A resume under another revision
    /// keeps the proven range and restarts the search, because the prunings of two revisions may contradict each other.
    fn revision(&self) -> u8 {
        0
    }

    /// The moves of sets, if states are sets and a larger set is never worse. The engine `learning` needs them.
    fn set_moves(&self) -> Option<&dyn SetMoves<Self::State>> {
        None
    }

    /// The state in which the search starts.
    fn root(&self) -> Self::State;

    /// Writes the canonical key of `state`. `key` is [`Domain::key_len`] bytes long; every byte must be written.
    fn pack(&self, state: &Self::State, key: &mut [u8]);

    /// Sets `state` to the state of a key that `pack` wrote. `state` is an arbitrary state whose memory can be reused.
    fn unpack(&self, key: &[u8], state: &mut Self::State);

    /// Appends the children of `state` to `out`, except those by moves of the classes in `skip`. A child may be left
    /// out if a cheapest solution from `state` remains without it. No two children have the same move.
    fn successors(&self, state: &Self::State, skip: MoveMask, out: &mut Vec<Successor<Self::State>>);

    /// Appends the children of `state` by all moves of the rules, also those that [`Domain::successors`] prunes. A move
    /// that changes nothing may be missing. Views and certificates call this; searches do not. The default is
    /// [`Domain::successors`] without a sleep set.
    fn all_successors(&self, state: &Self::State, out: &mut Vec<Successor<Self::State>>) {
        self.successors(state, 0, out);
    }

    /// The ordering heuristic: among states of the same f, engines prefer the state with the higher value. It
    /// influences the time of a search and the first solution, but no proof. By default all values are equal.
    fn promise(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }

    /// The cost of stopping at `state`, or `None` where stopping is not allowed. A state where stopping is allowed may
    /// have children with a cheaper end.
    fn terminal_cost(&self, state: &Self::State) -> Option<Cost>;

    /// The support for engines that find solutions without a proof, if the domain has any.
    fn guidance(&self) -> Option<&dyn Guidance<Self::State>> {
        None
    }
}

/// A lower bound (admissible heuristic) for a domain.
///
/// # Contract
/// * **Admissible.** [`LowerBound::evaluate`] never exceeds the cheapest cost from the state to the end of a solution:
///   the remaining moves plus [`Domain::terminal_cost`]. With a bound that is too high, a search may claim a wrong
///   optimum.
/// * **Pure.** The value at a state is a function of the state (and of `cutoff`, see below). It does not depend on the
///   path to the state, on earlier evaluations or on the thread. Scratch memory must not change a value.
/// * **Consistent** if [`LowerBound::is_consistent`] says so. Then best-first search expands no state twice. An
///   inconsistent bound is valid too; best-first search may then reopen states.
///
/// [`try_bound`](crate::engine::try_bound) tests these rules on a board whose exact costs are known.
pub trait LowerBound<D: Domain>: Send + Sync {
    /// Scratch memory of one worker, reused between evaluations. `()` if the bound needs none.
    type Scratch: Default + Send;

    /// The name in reports.
    fn name(&self) -> String;

    /// The bound at `state`.
    ///
    /// The evaluation may stop as soon as the bound is at least `cutoff`; the result is then at least `cutoff`. A
    /// result below `cutoff` is the value for `cutoff = Cost::MAX`. A dead end for `cutoff = Cost::MAX` is a dead end
    /// for every `cutoff`: otherwise iterative deepening would return to it with each threshold.
    fn evaluate(&self, state: &D::State, cutoff: Cost, scratch: &mut Self::Scratch) -> Bound;

    /// Removes children of `parent` through which every solution costs `cutoff` or more, counted from `parent` on.
    /// `children` come from [`Domain::successors`]. The order of the remaining children stays the same.
    ///
    /// This method is for bounds that refute many children together faster than one by one. Engines call it only when
    /// the bound at `parent` leaves no slack below the incumbent. The default removes nothing.
    #[inline]
    fn dismiss(
        &self,
        parent: &D::State,
        cutoff: Cost,
        children: &mut Vec<Successor<D::State>>,
        scratch: &mut Self::Scratch,
    ) {
        let _ = (parent, cutoff, children, scratch);
    }

    /// Explains why the bound at `state` is at least `min_bound`, for domains whose states are [sets](SetMoves): writes
    /// a superset of the state to `out` that is no goal, such that the bound is at least `min_bound` at each of its
    /// subsets that are states. The superset should contain as many elements of `wanted` as possible. Returns false,
    /// with `out` unspecified, if the bound is below `min_bound`, or has no explanation (the default).
    ///
    /// If the bound is at least `min_bound` but has no explanation, `learning` takes the state itself as the reason.
    fn explain(
        &self,
        state: &D::State,
        min_bound: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut Self::Scratch,
    ) -> bool {
        let _ = (state, min_bound, wanted, out, scratch);
        false
    }

    /// Whether [`LowerBound::explain`] returns false only if the bound is below `min_bound`. Then `learning` saves an
    /// evaluation.
    fn explains_all(&self) -> bool {
        false
    }

    /// Bytes of the bound during the whole search, tables included. They count against the memory limit.
    fn bytes(&self) -> u64 {
        0
    }

    /// Whether the bound claims to be consistent: `h(s) <= cost + h(t)` for every move from `s` to `t` with this cost.
    /// Engines find the optimum with either answer. [`try_bound`](crate::engine::try_bound) tests the claim.
    fn is_consistent(&self) -> bool;
}
