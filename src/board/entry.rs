//! A board with what its file says of it.

use super::Board;

/// A board as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The board.
    pub board: Board,
    /// The optimum that the file claims.
    pub published: Option<u32>,
}
