//! The contract of a puzzle.
//!
//! A puzzle on one board implements two traits, and every engine for states can search it:
//!
//! * [`Domain`]: states, moves, the packed key of a state, and the cost of stopping at a state.
//! * [`LowerBound`]: an admissible heuristic for the domain. A bound of 0 everywhere is valid.
//!
//! [`Problem`](crate::expand::Problem) joins both into what engines take. The head of this [crate] has an example;
//! `examples/` has the 15-puzzle, pancakes, and set cover.

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
/// costs of its moves, plus [`Domain::terminal`] of the last state. Engines look for a cheapest solution.
///
/// # Contract
/// Engines do not check these rules. If a domain breaks one, a search may return a wrong optimum or not end.
///
/// * **Keys.** [`Domain::pack`] is canonical: two states are equal if and only if their keys are equal bytes, and
///   [`Domain::unpack`] after `pack` gives an equal state. Engines identify states by their keys alone.
/// * **Pure.** Every method is a function of its arguments. [`Domain::successors`] has a fixed order of children. Among
///   equally promising children, depth-first search takes the first one first.
/// * **Cycles.** A path may come to the same state twice only if every move costs something. A beam that goes in a
///   circle ends; `anneal`, and beams of [lazy states](LazyState), end such a path after
///   [`Guidance::max_played_moves`].
/// * **Costs.** If the board has a solution, it has one of cost at most [`crate::store::MAX_G`]. Engines that store
///   states look for no dearer solution.
/// * **Sleep sets.** Take the moves that are asleep at a state by *every* parent that reaches the state with its least
///   g. The search may leave out these moves and still finds an optimum. [`Successor::asleep`] depends on the parent
///   and the move alone. A domain without sleep sets returns 0 in [`Domain::mask_bits`] and in [`Successor::asleep`].
///
/// # Cost
/// These methods are the inner loop of a search. For each expansion, best-first search calls `unpack` and `successors`
/// once, for each child `terminal` and `pack` once, and for each new child the lower bound once. All calls are
/// dispatched statically.
pub trait Domain: Send + Sync {
    /// A state in the form that moves and lower bounds work on. It may hold more than the key, if the key determines
    /// it.
    type State: Clone + Send + Sync;

    /// Length of a packed key in bytes. It is the same for every state of the board. Memory grows with it.
    fn key_len(&self) -> usize;

    /// Number of move classes in a [`MoveMask`], at most 63. 0 (the default) for a domain without sleep sets.
    fn mask_bits(&self) -> u32 {
        0
    }

    /// The revision of the keys and of the rules by which moves are pruned or put to sleep, at most 127. A search that
    /// stopped under another revision is not continued, because the proofs of both revisions may exclude each other: it
    /// begins anew, and keeps its proven range.
    fn revision(&self) -> u8 {
        0
    }

    /// The moves as moves on sets, if states are sets and a larger set is never worse. Such a domain can be searched by
    /// `learning`.
    fn sets(&self) -> Option<&dyn SetMoves<Self::State>> {
        None
    }

    /// The state in which the search starts.
    fn root(&self) -> Self::State;

    /// Writes the canonical key of `state`. `key` is [`Domain::key_len`] bytes long; every byte is to be written.
    fn pack(&self, state: &Self::State, key: &mut [u8]);

    /// Sets `state` to the state of a key that `pack` wrote. `state` holds an arbitrary other state before, so that its
    /// memory can be reused.
    fn unpack(&self, key: &[u8], state: &mut Self::State);

    /// Appends the children of `state` to `out`, except those by moves of the classes in `skip`. A child may be left
    /// out if a cheapest solution from `state` remains without it. No two children have the same move.
    fn successors(&self, state: &Self::State, skip: MoveMask, out: &mut Vec<Successor<Self::State>>);

    /// Appends the children of `state` by all moves of the rules, also those that [`Domain::successors`] always leaves
    /// out. A move that changes nothing may be missing. Views of a state call this; searches do not.
    ///
    /// By default these are the children that [`Domain::successors`] gives without a sleep set.
    fn all_successors(&self, state: &Self::State, out: &mut Vec<Successor<Self::State>>) {
        self.successors(state, 0, out);
    }

    /// The ordering heuristic: engines prefer the state with the higher value among states of the same f. It influences
    /// the time of a search, and which solution is found first. It influences no proof. By default all are equal.
    fn promise(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }

    /// The cost of stopping at `state`, or `None` where stopping is not allowed. Moves may go on from a state where
    /// stopping is allowed, to a cheaper end.
    fn terminal(&self, state: &Self::State) -> Option<Cost>;

    /// Returns what engines that find solutions without a proof may use, if there is anything.
    fn guidance(&self) -> Option<&dyn Guidance<Self::State>> {
        None
    }
}

/// A lower bound (admissible heuristic) for a domain.
///
/// # Contract
/// * **Admissible.** [`LowerBound::evaluate`] never exceeds the cost of the cheapest way from the state to a stop: the
///   moves that are left plus [`Domain::terminal`] at the end. A bound that is too high makes a search claim a wrong
///   optimum.
/// * **Pure.** The value at a state is a function of the state (and of `enough`, see below), not of the path to the
///   state, of earlier evaluations or of the thread. The scratch memory may save time; it must not change a value.
/// * **Consistent** if [`LowerBound::consistent`] says so. Then best-first search expands no state twice. An
///   inconsistent bound is valid too; best-first search may then reopen states.
///
/// [`try_bound`](crate::engine::try_bound) tests these rules on a board whose exact costs are known.
pub trait LowerBound<D: Domain>: Send + Sync {
    /// Working memory of one worker, reused between evaluations. `()` if the bound needs none.
    type Scratch: Default + Send;

    /// The name in reports.
    fn name(&self) -> String;

    /// The bound at `state`.
    ///
    /// The evaluation may stop early as soon as it has proven `enough`; the result is then at least `enough`. A result
    /// below `enough` is the value that `enough = Cost::MAX` would give. A state that is a dead end with
    /// `enough = Cost::MAX` is a dead end with every other `enough` too: otherwise iterative deepening would return to
    /// it with each threshold.
    fn evaluate(&self, state: &D::State, enough: Cost, scratch: &mut Self::Scratch) -> Bound;

    /// Removes children of `parent` through which every solution costs `enough` or more, counted from `parent` on.
    /// `children` are what [`Domain::successors`] gave. The order of the remaining children stays the same.
    ///
    /// It is for bounds that can refute many children together faster than one by one. Engines call it only when the
    /// bound at `parent` leaves no slack below the incumbent. The default removes nothing.
    #[inline]
    fn dismiss(
        &self,
        parent: &D::State,
        enough: Cost,
        children: &mut Vec<Successor<D::State>>,
        scratch: &mut Self::Scratch,
    ) {
        let _ = (parent, enough, children, scratch);
    }

    /// Explains why the bound at `state` is at least `need`, for domains whose states are [sets](SetMoves): writes a
    /// set to `out` that contains the state and is no goal. At each state that lies within this set, the bound must be
    /// at least `need`. It should hold as many of the elements of `wanted` as possible. Returns false, and may leave
    /// anything in `out`, if the bound is below `need`, or has no explanation (the default).
    ///
    /// If the bound is at least `need` but has no explanation, a search that learns takes the state itself as the
    /// reason.
    fn explain(
        &self,
        state: &D::State,
        need: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut Self::Scratch,
    ) -> bool {
        let _ = (state, need, wanted, out, scratch);
        false
    }

    /// Whether [`LowerBound::explain`] returns false only where the bound is below `need`. Then searches save an
    /// evaluation.
    fn explains_all(&self) -> bool {
        false
    }

    /// Bytes that the bound holds during the whole search, tables included. They count against the memory limit.
    fn bytes(&self) -> u64 {
        0
    }

    /// Whether the bound claims to be consistent: `h(s) <= cost + h(t)` for every move from `s` to `t` with this cost.
    /// Engines find the optimum with either answer. [`try_bound`](crate::engine::try_bound) tests the claim.
    fn consistent(&self) -> bool;
}
