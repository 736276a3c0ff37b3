//! Boards that are not positions of the game.

use super::game::{MAX_SIDE, to_cell, to_col_height};
use super::score::ScoreError;
use crate::{Columns, Rules};
use gridhunt_boards::{Board, Cell, Corner, EMPTY};

/// Why a board is not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The board is larger than [`MAX_SIDE`] allows.
    #[error("{board}: found {rows} x {cols} cells, expected at most {MAX_SIDE} x {MAX_SIDE} for clickomania")]
    TooLarge {
        /// The board's name.
        board: String,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// A cell has not fallen.
    #[error("{board}: found cell {cell} over the empty cell {empty}, expected cells that have fallen to the {corner}")]
    Hanging {
        /// The board's name.
        board: String,
        /// The first such cell, row by row from the top left.
        cell: Cell,
        /// The cell beneath it.
        empty: Cell,
        /// Where cells fall.
        corner: Corner,
    },
    /// A column has not closed up.
    #[error("{board}: found cell {cell} behind an empty column, expected columns that have closed up to the {corner}")]
    Unclosed {
        /// The board's name.
        board: String,
        /// The first such cell, row by row from the top left.
        cell: Cell,
        /// Where columns close up.
        corner: Corner,
    },
    /// The scoring cannot be used on the board.
    #[error("{board}: {reason}")]
    Score {
        /// The board's name.
        board: String,
        /// The reason.
        reason: ScoreError,
    },
}

/// Refuses a board on which a cell would move before the first click.
///
/// # Errors
/// At the first cell, counted row by row, that could still fall, or is behind an empty column that the rules close up.
pub fn check_fallen(board: &Board, rules: Rules) -> Result<(), Refusal> {
    let (corner, size) = (rules.corner, (board.rows(), board.cols()));
    if !board.has_empty() {
        return Ok(());
    }
    let is_empty = |place| board.cells()[board.index(to_cell(corner, size, place))] == EMPTY;
    let heights = 0..board.rows() as u32;
    let has_cells: Vec<bool> = (0..size.1).map(|col| heights.clone().any(|height| !is_empty((col, height)))).collect();
    for (index, _) in board.contents().enumerate().filter(|(_, colour)| colour.is_some()) {
        let cell = board.cell(index);
        let (col, height) = to_col_height(corner, size, cell);
        let name = || board.name().to_owned();
        if let Some(beneath) = height.checked_sub(1).filter(|&beneath| is_empty((col, beneath))) {
            let empty = to_cell(corner, size, (col, beneath));
            return Err(Refusal::Hanging { board: name(), cell, empty, corner });
        }
        match rules.columns {
            Columns::Close if col > 0 && !has_cells[col - 1] => {
                return Err(Refusal::Unclosed { board: name(), cell, corner });
            }
            Columns::Close | Columns::Stay => {}
        }
    }
    Ok(())
}
