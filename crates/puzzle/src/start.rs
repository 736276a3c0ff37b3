//! Positions within a solution, from which a search may start.

use super::PuzzleError;
use gridhunt_boards::{Board, Entry};
use gridhunt_search::engine::Solution;

/// A board with what is known of it before its search.
#[derive(Clone, Debug)]
pub struct Start {
    /// The board.
    pub entry: Entry,
    /// A solution of the board, if one is known.
    pub known: Option<Solution>,
}

impl From<Entry> for Start {
    fn from(entry: Entry) -> Self {
        Self { entry, known: None }
    }
}

impl Start {
    /// Plays the first `after` of `moves` on `board`. Returns the position, with the other moves as its solution.
    /// `cells` plays moves on the board, and returns its cells. `known` replays the other moves at the position, and
    /// returns the solution, or why the goal is not reached. Not to reach the goal is allowed only if `after` is not 0;
    /// the start then has no solution. `what` is the word for moves.
    ///
    /// # Errors
    /// When there are fewer moves than `after`, when the rules refuse one, or when `after` is 0 and the moves do not
    /// reach the goal.
    pub fn after<M>(
        board: &Board,
        (after, what): (usize, &str),
        moves: &[M],
        cells: impl FnOnce(&[M]) -> Result<Vec<u8>, PuzzleError>,
        known: impl FnOnce(&Board, &[M]) -> Result<Result<Solution, String>, PuzzleError>,
    ) -> Result<Self, PuzzleError> {
        let Some((played, rest)) = moves.split_at_checked(after) else {
            let found = format!("found a solution of {} {what}", moves.len());
            return Err(PuzzleError::solution(board, format!("{found}, expected at least {after} for --after")));
        };
        let position = position(board, after, cells(played)?)?;
        let known = match known(&position, rest)? {
            Err(reason) if after == 0 => {
                let reason = format!("{reason}; --after N starts from the position after N moves");
                return Err(PuzzleError::solution(board, reason));
            }
            known => known.ok(),
        };
        Ok(Self { entry: Entry { board: position, published: None }, known })
    }
}

/// Makes the position with these cells, which `after` moves on `board` lead to. Its name contains `after`, unless that
/// is 0.
pub fn position(board: &Board, after: usize, cells: Vec<u8>) -> Result<Board, PuzzleError> {
    let name = match after {
        0 => board.name().to_owned(),
        _ => format!("{} after move {after}", board.name()),
    };
    let symbols = board.symbols().to_vec();
    Ok(Board::new(name, board.rows(), board.cols(), cells, symbols, board.start())?)
}
