//! Replays solutions with the plain rules on cells.

use gridhunt_boards::{Board, Cell, EMPTY, plural};

/// A move: an area gets a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// A cell of the area.
    pub cell: Cell,
    /// The colour, as an index into [`Board::symbols`].
    pub colour: u8,
}

/// Why a list of moves is not a solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// A move names a cell or a colour that the board does not have.
    #[error("move {number}: found {found}, expected {expected}")]
    Unknown {
        /// The move, from 1.
        number: usize,
        /// The cell or the colour.
        found: String,
        /// The cells or the colours that the board has.
        expected: String,
    },
    /// A move gives an area the colour that it has.
    #[error("move {number}: found colour {symbol} at {cell}, expected a colour that the area does not have")]
    NoChange {
        /// The move, from 1.
        number: usize,
        /// The cell.
        cell: Cell,
        /// The colour.
        symbol: String,
    },
    /// The cells do not have one colour at the end.
    #[error("after {}: found {left} left of another colour than {symbol}, expected none", plural(*moves, "move"))]
    Incomplete {
        /// The number of moves.
        moves: usize,
        /// The cells of other colours.
        left: String,
        /// The target, or the colour of most cells.
        symbol: String,
    },
    /// The number of moves differs from the claimed cost.
    #[error("found {}, expected {claimed}, the cost that the solution claims", plural(*moves, "move"))]
    WrongCost {
        /// The number of moves.
        moves: usize,
        /// The claimed cost.
        claimed: u32,
    },
}

impl MoveError {
    /// The number, from 1, of the invalid move; `None` if every move is valid.
    #[must_use]
    pub fn failed_move(&self) -> Option<usize> {
        match self {
            Self::Unknown { number, .. } | Self::NoChange { number, .. } => Some(*number),
            Self::Incomplete { .. } | Self::WrongCost { .. } => None,
        }
    }
}

/// A game in progress.
#[derive(Clone, Debug)]
pub struct FreePlay<'b> {
    board: &'b Board,
    cells: Vec<u8>,
}

impl<'b> FreePlay<'b> {
    /// The game before its first move. Empty cells stay empty: nothing grows over them.
    #[must_use]
    pub fn new(board: &'b Board) -> Self {
        Self { board, cells: board.cells().to_vec() }
    }

    /// The colours of the cells, as [`Board::cells`].
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The cells of the area at an index, in row order.
    #[must_use]
    pub fn area(&self, index: usize) -> Vec<usize> {
        let (mut area, mut at) = (vec![index], 0);
        let mut seen = vec![false; self.cells.len()];
        seen[index] = true;
        while let Some(&cell) = area.get(at) {
            for neighbour in self.board.neighbours(cell) {
                if !seen[neighbour] && self.cells[neighbour] == self.cells[index] {
                    seen[neighbour] = true;
                    area.push(neighbour);
                }
            }
            at += 1;
        }
        area.sort_unstable();
        area
    }

    /// Makes move `number`.
    ///
    /// # Errors
    /// When the move names no cell or no colour of the board, or changes nothing.
    pub fn play(&mut self, number: usize, Move { cell, colour }: Move) -> Result<(), MoveError> {
        let (rows, cols, colours) = (self.board.rows(), self.board.cols(), self.board.colours());
        if cell.row >= rows || cell.col >= cols {
            let (found, expected) = (format!("the cell {cell}"), format!("one of {rows} x {cols}"));
            return Err(MoveError::Unknown { number, found, expected });
        }
        let Some(symbol) = self.board.symbols().get(usize::from(colour)) else {
            let (found, expected) = (format!("colour number {colour}"), format!("a number below {colours}"));
            return Err(MoveError::Unknown { number, found, expected });
        };
        let index = self.board.index(cell);
        if self.cells[index] == EMPTY {
            let (found, expected) = (format!("the empty cell {cell}"), "a cell with a colour".to_owned());
            return Err(MoveError::Unknown { number, found, expected });
        }
        if self.cells[index] == colour {
            return Err(MoveError::NoChange { number, cell, symbol: symbol.clone() });
        }
        self.area(index).into_iter().for_each(|cell| self.cells[cell] = colour);
        Ok(())
    }

    /// The number of cells that do not have the goal colour, and the goal colour: the target or, without one, the
    /// colour of most cells.
    #[must_use]
    pub fn cells_left(&self, target: Option<u8>) -> (usize, u8) {
        let count = |colour: u8| self.cells.iter().filter(|&&cell| cell == colour).count();
        let coloured = || self.cells.iter().copied().filter(|&cell| cell != EMPTY);
        let most_common = || coloured().max_by_key(|&colour| (count(colour), u8::MAX - colour));
        let colour = target.or_else(most_common).unwrap_or_default();
        (coloured().count() - count(colour), colour)
    }
}

/// Replays moves, and compares their number with the claimed cost, if there is one. Returns the cost.
///
/// # Errors
/// When a move is invalid, the cells do not have one colour at the end, the target if there is one, or the claimed cost
/// differs.
pub fn verify_moves(board: &Board, target: Option<u8>, moves: &[Move], claimed: Option<u32>) -> Result<u32, MoveError> {
    let mut play = FreePlay::new(board);
    (1..).zip(moves).try_for_each(|(number, &mv)| play.play(number, mv))?;
    let (left, colour) = play.cells_left(target);
    if left > 0 {
        let symbol = board.symbols().get(usize::from(colour)).cloned().unwrap_or_default();
        return Err(MoveError::Incomplete { moves: moves.len(), left: plural(left, "cell"), symbol });
    }
    let cost = moves.len() as u32;
    match claimed.filter(|&claimed| claimed != cost) {
        Some(claimed) => Err(MoveError::WrongCost { moves: moves.len(), claimed }),
        None => Ok(cost),
    }
}
