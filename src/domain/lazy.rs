//! States whose children are ranked before they are made.

use super::{Cost, MoveIndex};

/// A child that has not been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LazyChild {
    /// Its number among the children of its parent. Any order, which depends on the parent alone.
    pub number: MoveIndex,
    /// The cost of the move.
    pub cost: Cost,
    /// The cost of stopping at the child, or `None` where stopping is not allowed.
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
/// The children are those of [`Domain::successors`](super::Domain::successors), with the same moves, costs and costs of
/// stopping, except dead ends, which may be missing. The promise is a function of the child's key and of the variation;
/// it may weigh more than the ordering heuristic of the puzzle.
pub trait LazyState<'a>: Send + Sync {
    /// The number of moves.
    fn moves(&self) -> usize;

    /// Appends the children. Those with a promise below `least` may be missing. `variation` is that of
    /// [`Domain::varied_promise`](super::Domain::varied_promise); `None` for the usual ordering heuristic.
    fn children(&self, variation: Option<u32>, least: u32, out: &mut Vec<LazyChild>);

    /// The move that leads to the child with this number.
    fn move_to(&self, number: MoveIndex) -> MoveIndex;

    /// Makes the child with this number.
    fn child(&self, number: MoveIndex) -> Box<dyn LazyState<'a> + 'a>;

    /// The bytes of this state.
    fn bytes(&self) -> usize;
}
