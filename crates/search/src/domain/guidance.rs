//! Optional support for engines that find solutions without a proof: beams, annealing, first paths.

use super::{Cost, MoveIndex};

/// Guides a search for solutions. It influences no proof. Every method has a default. Methods are deterministic.
pub trait Guidance<S> {
    /// The largest number of moves of a path in `beam`, `anneal` or the first path of `auto`. Beams with a [staged
    /// estimate](Guidance::staged_estimate) have no such limit. If paths of a puzzle can revisit a state, this should
    /// be a number that some optimal solution does not exceed. Without such a limit, a beam ends when it detects a
    /// cycle, unless its states are [lazy](Guidance::lazy_root).
    fn max_played_moves(&self) -> usize {
        crate::store::MAX_G as usize
    }

    /// A variation of the ordering heuristic. `auto` tries the variations in beam searches when the default heuristic
    /// finds no goal. Either `None` for every state and number (the default), or `Some` for all of them.
    fn varied_promise(&self, state: &S, variation: u32) -> Option<u32> {
        let _ = (state, variation);
        None
    }

    /// The root as a lazy state. Beam searches for goals use it and evaluate no lower bound. `None` (the default) if
    /// the puzzle has no lazy states.
    fn lazy_root(&self) -> Option<Box<dyn LazyState<'_> + '_>> {
        None
    }

    /// The cost of a solution that ends at a goal of lazy states. Without [`lazy_root`](Self::lazy_root) it has no
    /// meaning.
    fn goal_cost(&self) -> GoalCost {
        GoalCost::Any
    }

    /// The staged estimate of a state. With an estimate, beam search ranks the states of a stage by g plus the expected
    /// cost. Without one, it ranks the states of a depth by f, and lazy states by the ordering heuristic. Variation 0
    /// is the default estimate. Either `None` for every state and number (the default), or `Some` for all of them.
    fn staged_estimate(&self, state: &S, variation: u32) -> Option<StagedEstimate> {
        let _ = (state, variation);
        None
    }

    /// Makes a good move fast: changes `state` to the child, and returns the move and its cost. The first solution of a
    /// search consists of such moves, so they should lead to a goal. `None` (the default) leaves `state` as it is; the
    /// search then makes the move to the most promising child, if there is one.
    fn greedy_step(&self, state: &mut S) -> Option<(MoveIndex, Cost)> {
        let _ = state;
        None
    }

    /// A path for annealing, without moves at first. With `None`, the default, its moves are those of
    /// [`Domain::successors`](super::Domain::successors), and the label of a move is its index.
    fn local_search_path(&self) -> Option<Box<dyn LocalSearchPath + '_>> {
        None
    }
}

/// The cost of a solution that ends at a goal of [`LazyState`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalCost {
    /// It may cost more than another solution.
    Any,
    /// Nothing, so it is optimal; every other solution costs more.
    Optimal,
    /// Nothing, and there are no other solutions: each one is optimal, and beams need no lower bound.
    EverySolution,
}

/// The expected cost of a state. It is for puzzles whose lower bound hardly distinguishes good states from bad ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagedEstimate {
    /// Beam search compares only states of the same stage. Each child has a greater stage than its parent.
    pub stage: u32,
    /// The expected cost from the state to the end of a solution. It proves nothing.
    pub cost: Cost,
}

/// Identifies a move across states, wherever it is available.
pub type MoveLabel = u32;

/// The current path of simulated annealing, and a candidate. The candidate begins with the first moves of the current
/// path and continues with other moves. If it is accepted, it becomes the current path.
///
/// A change early in a path may make later moves impossible. So moves are identified by labels: a later move is made if
/// a move with its label is available, and skipped otherwise.
pub trait LocalSearchPath: Send {
    /// Begins a candidate with the first `shared_len` moves of the current path. `shared_len` is 0, or less than
    /// [`current_len`](Self::current_len).
    fn begin_candidate(&mut self, shared_len: usize);

    /// Adds the move of `label` to the candidate. Returns false, and adds nothing, if there is no such move.
    fn try_move(&mut self, label: MoveLabel) -> bool;

    /// The label of a move that can extend the candidate; `None` at its end. `random` selects one.
    fn random_label(&mut self, random: u32) -> Option<MoveLabel>;

    /// The energy of the candidate; less is better. Among paths with a solution it is close to the cost.
    fn energy(&self) -> Cost;

    /// The temperature at which annealing begins: the rise of the energy that is accepted with probability 1/e.
    /// `excess` is the energy of the random first path of a round minus the lower bound of the root, at least 1.
    fn first_temperature(&self, excess: Cost) -> f64 {
        default_temperature(excess)
    }

    /// The least cost of stopping on the candidate; `None` if it contains no solution.
    fn cost(&self) -> Option<Cost>;

    /// The moves of the candidate up to its cheapest stop; unspecified if [`cost`](Self::cost) is `None`.
    fn moves(&self) -> Vec<MoveIndex>;

    /// Makes the candidate the current path.
    fn accept(&mut self);

    /// The number of moves of the current path.
    fn current_len(&self) -> usize;

    /// The label of move number `index` of the current path.
    fn current_label(&self, index: usize) -> MoveLabel;

    /// Bytes of the states on both paths.
    fn bytes(&self) -> u64;
}

/// The [`LocalSearchPath::first_temperature`] if nothing is known about the domain: a share of the excess.
#[must_use]
pub fn default_temperature(excess: Cost) -> f64 {
    f64::from(excess) / 64.0
}

/// A child that is not generated yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LazyChild {
    /// The number of the child among its siblings. The numbering depends on the parent alone.
    pub number: MoveIndex,
    /// The cost of the move.
    pub cost: Cost,
    /// The cost of stopping at the child, if it is a goal.
    pub terminal_cost: Option<Cost>,
    /// How promising the child is; more is better.
    pub promise: u32,
    /// A hash of the child's key. Equal states have equal digests.
    pub digest: u64,
}

/// A state that ranks its children before it generates them. A beam search rejects nearly all children by their rank,
/// and generates only the children that it keeps. A child copies from its parent the data that the move leaves
/// unchanged.
///
/// # Contract
/// The children are those of [`Domain::successors`](super::Domain::successors), with the same moves and costs, but
/// children through which no goal is reached may be missing. Stopping at a goal costs the same. The promise is a
/// function of the child's key and of the variation; it may differ from the ordering heuristic of the puzzle.
pub trait LazyState<'a>: Send + Sync {
    /// The number of moves.
    fn move_count(&self) -> usize;

    /// Appends the children. Children with a promise below `min_promise` may be missing. `variation` is that of
    /// [`Guidance::varied_promise`]; `None` for the default ordering heuristic.
    fn children(&self, variation: Option<u32>, min_promise: u32, out: &mut Vec<LazyChild>);

    /// The move that leads to the child with this number.
    fn move_to(&self, number: MoveIndex) -> MoveIndex;

    /// Generates the child with this number.
    fn child(&self, number: MoveIndex) -> Box<dyn LazyState<'a> + 'a>;

    /// The bytes of this state.
    fn bytes(&self) -> usize;
}
