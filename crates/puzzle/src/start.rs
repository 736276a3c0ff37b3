//! Positions from which a search may start.

use super::PuzzleError;
use gridhunt_boards::{Board, Entry};
use gridhunt_search::engine::Solution;

/// A board, and a known solution of it.
#[derive(Clone, Debug)]
pub struct StartPosition {
    /// The board.
    pub entry: Entry,
    /// A known solution of the board.
    pub solution: Option<Solution>,
}

impl From<Entry> for StartPosition {
    fn from(entry: Entry) -> Self {
        Self { entry, solution: None }
    }
}

impl StartPosition {
    /// Plays the first `after` of `moves` on `board`. Returns the position, with the remaining moves as its solution.
    /// `play` plays moves on the board, and returns its cells. `replay` replays the remaining moves at the position,
    /// and returns the solution, or why the moves do not reach the goal. If `after` is not 0, the moves need not reach
    /// the goal; the position then has no solution. `move_noun` is the plural word for moves.
    ///
    /// # Errors
    /// When there are fewer moves than `after`, when the rules refuse one, or when `after` is 0 and the moves do not
    /// reach the goal.
    pub fn after_moves<M>(
        board: &Board,
        (after, move_noun): (usize, &str),
        moves: &[M],
        play: impl FnOnce(&[M]) -> Result<Vec<u8>, PuzzleError>,
        replay: impl FnOnce(&Board, &[M]) -> Result<Result<Solution, String>, PuzzleError>,
    ) -> Result<Self, PuzzleError> {
        let Some((played, remaining)) = moves.split_at_checked(after) else {
            let found = format!("found a solution of {} {move_noun}", moves.len());
            let reason = format!("{found}, expected at least {after} for --after");
            return Err(PuzzleError::invalid_solution(board, reason));
        };
        let position = position_after(board, after, play(played)?)?;
        let solution = match replay(&position, remaining)? {
            Err(reason) if after == 0 => {
                let reason = format!("{reason}; --after N starts from the position after N moves");
                return Err(PuzzleError::invalid_solution(board, reason));
            }
            replayed => replayed.ok(),
        };
        Ok(Self { entry: Entry { board: position, published_optimum: None }, solution })
    }
}

/// Makes the position after `after` moves on `board`, which has these cells. The name of the position contains `after`,
/// unless `after` is 0.
pub fn position_after(board: &Board, after: usize, cells: Vec<u8>) -> Result<Board, PuzzleError> {
    let name = if after == 0 { board.name().to_owned() } else { format!("{} after move {after}", board.name()) };
    let symbols = board.symbols().to_vec();
    Ok(Board::new(name, board.rows(), board.cols(), cells, symbols, board.start())?)
}
