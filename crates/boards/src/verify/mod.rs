//! Verifies solutions by replaying them with the plain rules, cell by cell.
//!
//! This crate knows no search. A solution that this module accepts is therefore valid, even if a domain, a lower bound
//! or an engine has a fault.

mod clicks;
mod program;
mod replay;

pub use clicks::{ClickError, ClickPlay, ClickReplay, replay_clicks, verify_clicks};
pub use program::{Direction, MAX_STEPS, ProgramFault, ProgramPlay, ProgramReplay, verify_program};
pub use replay::{FloodPlay, LeftoverCells, Replay, ReplayError, replay};

use crate::Board;

/// What the replay of a valid Flood-It solution has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The name of the board.
    pub board: String,
    /// The cost of the solution: its number of moves.
    pub cost: u32,
    /// The numbers (from 1) of the moves that added no cell. Such moves are legal; an optimal solution has none.
    pub wasted: Vec<usize>,
    /// The number of flooded cells after each move.
    pub flooded_after: Vec<usize>,
}

/// Replays a Flood-It solution and compares its cost with the claimed cost, if there is one.
///
/// ```
/// use gridhunt_boards::{Board, Cell, usual_symbols};
/// use gridhunt_boards::verify::verify_solution;
///
/// let board = Board::new("small", 2, 2, vec![0, 1, 1, 0], usual_symbols(2), Cell::default())?;
/// assert_eq!(verify_solution(&board, &[1, 0], Some(2)).unwrap().cost, 2);
/// let error = verify_solution(&board, &[1], None).unwrap_err();
/// assert_eq!(error.to_string(), "after 1 move: found 1 cell left (1 of colour 1), expected none");
/// # Ok::<(), gridhunt_boards::BoardError>(())
/// ```
///
/// # Errors
/// When a move is invalid, the board is not solved at the end, or the claimed cost differs from the number of moves.
pub fn verify_solution(board: &Board, moves: &[u16], claimed_cost: Option<u32>) -> Result<Certificate, ReplayError> {
    let replay = replay(board, moves)?;
    if !replay.solved {
        return Err(ReplayError::Incomplete { moves: moves.len(), left: replay.left });
    }
    let too_many = ReplayError::WrongCost { claimed: claimed_cost.unwrap_or(u32::MAX), moves: moves.len() };
    let cost = u32::try_from(moves.len()).ok().filter(|cost| claimed_cost.is_none_or(|claimed| claimed == *cost));
    let cost = cost.ok_or(too_many)?;
    Ok(Certificate { board: board.name().to_owned(), cost, wasted: replay.wasted, flooded_after: replay.flooded_after })
}

#[cfg(test)]
mod tests;
