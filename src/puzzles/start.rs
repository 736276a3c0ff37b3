//! Positions within a solution, from which a search may start.

use super::PuzzleError;
use gridhunt_boards::{Board, Entry, Frame};
use gridhunt_search::engine::Solution;

/// A board with what is known of it before its search.
#[derive(Clone, Debug)]
pub struct Start {
    /// The board.
    pub entry: Entry,
    /// A solution of the board.
    pub known: Option<Solution>,
}

impl From<Entry> for Start {
    fn from(entry: Entry) -> Self {
        Self { entry, known: None }
    }
}

/// A position that moves of a search lead to, as the plain rules make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The position as a board, from which a search may start.
    pub board: Board,
    /// The position, to be drawn.
    pub frame: Frame,
    /// The moves as text.
    pub moves: Vec<String>,
}

/// The position with these cells, after `after` moves on `board`. The name says so.
pub(super) fn position(board: &Board, after: usize, cells: Vec<u8>) -> Result<Board, PuzzleError> {
    let name = match after {
        0 => board.name().to_owned(),
        _ => format!("{} after move {after}", board.name()),
    };
    let symbols = board.symbols().to_vec();
    Ok(Board::new(name, board.rows(), board.cols(), cells, symbols, board.start())?)
}

/// The error for a solution with fewer moves than are to be played.
pub(super) fn too_short(board: &Board, found: usize, after: usize, moves: &str) -> PuzzleError {
    PuzzleError::solution(board, format!("found a solution of {found} {moves}, expected at least {after} for --after"))
}

/// The error for a solution that does not reach the goal, although no position within it was asked for.
pub(super) fn incomplete(board: &Board, reason: impl ToString) -> PuzzleError {
    let reason = reason.to_string();
    PuzzleError::solution(board, format!("{reason}; --after N starts from the position after N moves"))
}
