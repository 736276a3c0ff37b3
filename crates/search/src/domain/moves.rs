//! Costs, moves and children.

/// A cost. Every objective minimises a cost. A score becomes a loss: the difference to its maximum.
pub type Cost = u32;

/// The index of a move, at most 4,095. The domain defines what an index means; a solution is a list of indices.
pub type MoveIndex = u16;

/// A set of move classes, as a bit mask: bit `i` stands for the domain's `i`-th class. At most 63 classes.
///
/// Engines use such sets for partial-order reduction with sleep sets (Godefroid 1996). A move in the *sleep set* of a
/// state need not be expanded there, because an equally cheap solution leads through another state.
pub type MoveMask = u64;

/// A generated child with the move that leads to it.
#[derive(Clone, Debug)]
pub struct Successor<S> {
    /// The move that leads to the child.
    pub mv: MoveIndex,
    /// The cost of the move.
    pub cost: Cost,
    /// The sleep set: the moves that this parent proves superfluous at the child. 0 is always valid.
    pub sleep_set: MoveMask,
    /// The child.
    pub state: S,
}
