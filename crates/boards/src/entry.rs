//! A board together with the optimum that its file states.

use crate::Board;

/// A board as it was read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The board.
    pub board: Board,
    /// The optimum that the file states, if any. It has not been checked.
    pub published_optimum: Option<u32>,
}
