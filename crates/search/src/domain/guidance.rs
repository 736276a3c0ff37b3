//! What a puzzle may offer to engines that find solutions without a proof: beams, annealing, first paths.

use super::{Cost, MoveIndex};

/// What guides a search for solutions. It influences no proof. Every method has a default: a puzzle implements what it
/// can offer. Methods are deterministic.
pub trait Guidance<S> {
    /// The most moves of a path that `beam`, `anneal` or the first path of `auto` plays. Beams that go by a [staged
    /// estimate](Guidance::staged_estimate) have no such limit. If paths of a puzzle can come to the same state again,
    /// this should be a number that some optimal solution does not exceed: it spares useless moves. Without such a
    /// limit, a beam that goes in a circle ends when it notices the circle, unless its states are
    /// [lazy](Guidance::lazy_root).
    fn max_played_moves(&self) -> usize {
        crate::store::MAX_G as usize
    }

    /// A variation of the ordering heuristic. `auto` tries one after the other in beam searches when the usual
    /// heuristic finds no goal. Either `None` for every state and number (the default), or `Some` for all of them.
    fn varied_promise(&self, state: &S, variation: u32) -> Option<u32> {
        let _ = (state, variation);
        None
    }

    /// The root as a state that ranks its children before they are made, for beam searches that look for goals. These
    /// evaluate no lower bound. `None` (the default) if the puzzle has no such states.
    fn lazy_root(&self) -> Option<Box<dyn LazyState<'_> + '_>> {
        None
    }

    /// The cost of a solution that ends at a goal of lazy states. Without [`lazy_root`](Self::lazy_root) it has no
    /// meaning.
    fn goal_cost(&self) -> GoalCost {
        GoalCost::Any
    }

    /// The staged estimate of a state. If there is one, beam search ranks the states of a stage by their cost so far
    /// plus the expected cost. Otherwise it ranks the states of a depth by f, and lazy states by the ordering
    /// heuristic. 0 is the usual staged estimate; other numbers are variations of it. Either `None` for every state and
    /// number (the default), or `Some` for all of them.
    fn staged_estimate(&self, state: &S, variation: u32) -> Option<StagedEstimate> {
        let _ = (state, variation);
        None
    }

    /// Makes a good move fast, and returns the move and its cost. Afterwards `state` is the child. The first solution
    /// of a search consists of such moves, so they should lead to a goal. `None` (the default) leaves `state` as it is:
    /// then the move to the most promising child is made, if there is one.
    fn step(&self, state: &mut S) -> Option<(MoveIndex, Cost)> {
        let _ = state;
        None
    }

    /// A path that annealing changes. It has no moves at first. With `None`, the default, its moves are those of
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

/// What beam search expects of a state. It is for puzzles whose lower bound hardly tells good states from bad ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagedEstimate {
    /// How far the state has come. Beam search compares states of one stage. Each child has a greater stage than its
    /// parent.
    pub stage: u32,
    /// The expected cost from the state to the end. It proves nothing.
    pub cost: Cost,
}

/// Identifies a move across states, wherever it is available.
pub type MoveLabel = u32;

/// Two paths: a kept one, and a new one. The new path begins with the first moves of the kept path, goes on with other
/// moves, and may be kept in turn.
///
/// A change early in a path may take away the board that later moves were meant for. So moves are named by labels: a
/// later move is made if there is still a move with its label, and left out otherwise.
pub trait LocalSearchPath: Send {
    /// Begins a new path with the first `shared` moves of the kept one. `shared` is 0, or less than the length of the
    /// kept path.
    fn branch(&mut self, shared: usize);

    /// Adds the move of `label` to the new path. Returns false, and adds nothing, if there is no such move.
    fn play(&mut self, label: MoveLabel) -> bool;

    /// The label of a move that can continue the new path; `None` at its end. `random` selects one.
    fn draw(&mut self, random: u32) -> Option<MoveLabel>;

    /// Returns what the end of the new path is worth; less is better. Among paths that lead to a solution this is about
    /// the cost.
    fn energy(&self) -> Cost;

    /// The temperature at which annealing begins: the rise of the energy that is accepted with probability 1/e.
    /// `excess` is the energy of the first path of a round, a random one, less the lower bound of the root; at least 1.
    fn first_temperature(&self, excess: Cost) -> f64 {
        default_temperature(excess)
    }

    /// The least cost at which the new path can stop; `None` if it leads to no solution.
    fn cost(&self) -> Option<Cost>;

    /// The moves of the new path up to where it stops at the least cost; unspecified if [`cost`](Self::cost) is `None`.
    fn moves(&self) -> Vec<MoveIndex>;

    /// Keeps the new path.
    fn keep(&mut self);

    /// The number of moves of the kept path.
    fn kept(&self) -> usize;

    /// The label of move number `at` of the kept path.
    fn label(&self, at: usize) -> MoveLabel;

    /// Bytes of the states on both paths.
    fn bytes(&self) -> u64;
}

/// The [`LocalSearchPath::first_temperature`] if nothing is known about the domain: a share of the excess.
#[must_use]
pub fn default_temperature(excess: Cost) -> f64 {
    f64::from(excess) / 64.0
}

/// A child that has not been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LazyChild {
    /// Its number among the children of its parent. The numbers may have any order that depends on the parent alone.
    pub number: MoveIndex,
    /// The cost of the move.
    pub cost: Cost,
    /// The cost of stopping at the child, if it is a goal.
    pub terminal: Option<Cost>,
    /// How promising the child is; more is better.
    pub promise: u32,
    /// A hash of the child's key. Equal states have equal digests.
    pub digest: u64,
}

/// A state that knows what each move would change. So a beam search, which refuses nearly all children by their rank,
/// makes only those that it keeps. A child takes over from its parent what the move has not touched.
///
/// # Contract
/// The children are those of [`Domain::successors`](super::Domain::successors), with the same moves and costs, but
/// children through which no goal is reached may be missing. Stopping at a goal costs the same. The promise is a
/// function of the child's key and of the variation; it may take more into account than the ordering heuristic of the
/// puzzle.
pub trait LazyState<'a>: Send + Sync {
    /// The number of moves.
    fn moves(&self) -> usize;

    /// Appends the children. Those with a promise below `least` may be missing. `variation` is that of
    /// [`Guidance::varied_promise`]; `None` for the usual ordering heuristic.
    fn children(&self, variation: Option<u32>, least: u32, out: &mut Vec<LazyChild>);

    /// The move that leads to the child with this number.
    fn move_to(&self, number: MoveIndex) -> MoveIndex;

    /// Makes the child with this number.
    fn child(&self, number: MoveIndex) -> Box<dyn LazyState<'a> + 'a>;

    /// The bytes of this state.
    fn bytes(&self) -> usize;
}
