//! Replays solutions of Flood-It with the plain rules on a grid of cells.

use gridhunt_boards::{Board, Cell, plural};
use std::fmt;

/// The result of a replay of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The number of flooded cells before the first move.
    pub flooded_at_start: usize,
    /// The number of flooded cells after each move.
    pub flooded_after: Vec<usize>,
    /// The numbers (from 1) of the moves that added no cell: their colour is the flood's own, or no cell of the colour
    /// touches the flood. The rules allow such moves.
    pub wasted: Vec<usize>,
    /// Whether the flood covers the board at the end.
    pub is_solved: bool,
    /// The cells outside the flood at the end.
    pub leftover: LeftoverCells,
}

/// The cells that a solution leaves outside the flood: for each colour its symbol and the number of cells, in the order
/// of colours and without colours that have no such cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftoverCells(pub Vec<(String, usize)>);

impl LeftoverCells {
    /// The number of cells of all colours.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.0.iter().map(|(_, cells)| cells).sum()
    }
}

impl fmt::Display for LeftoverCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = self.cells();
        write!(f, "{} left", plural(cells, "cell"))?;
        for (i, (symbol, n)) in self.0.iter().enumerate() {
            write!(f, "{}{n} of colour {symbol}", if i == 0 { " (" } else { ", " })?;
        }
        if self.0.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

/// Why a list of moves is not a solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The board has an empty cell; this is the first.
    #[error("found an empty cell at {0}, expected a colour in every cell")]
    EmptyCell(Cell),
    /// A move names a colour that the board lacks.
    #[error("move {number}: found colour number {colour}, expected a number below {colours}")]
    UnknownColour {
        /// The move, from 1.
        number: usize,
        /// The colour that it names.
        colour: u16,
        /// The number of colours of the board.
        colours: usize,
    },
    /// A move comes after the board is solved.
    #[error("move {number} (colour {symbol}): found a move after the board is solved, expected the end")]
    AlreadySolved {
        /// The move, from 1.
        number: usize,
        /// The symbol of its colour.
        symbol: String,
    },
    /// The moves end before the board is solved.
    #[error("after {}: found {left}, expected none", plural(*moves, "move"))]
    Incomplete {
        /// The number of moves.
        moves: usize,
        /// The cells that they leave.
        left: LeftoverCells,
    },
    /// The moves solve the board, but their number differs from the claimed cost.
    #[error("found {}, expected {claimed}, the cost that the solution claims", plural(*moves, "move"))]
    WrongCost {
        /// The claimed cost.
        claimed: u32,
        /// The number of moves.
        moves: usize,
    },
}

impl ReplayError {
    /// The number, from 1, of the invalid move. `None` when every move is valid and the error is about the board, the
    /// cells left or the claimed cost.
    #[must_use]
    pub fn failed_move(&self) -> Option<usize> {
        match self {
            Self::UnknownColour { number, .. } | Self::AlreadySolved { number, .. } => Some(*number),
            Self::EmptyCell(_) | Self::Incomplete { .. } | Self::WrongCost { .. } => None,
        }
    }
}

/// Plays `moves` (colours, as indices into [`Board::symbols`]) from the start cell.
///
/// # Errors
/// When the board has an empty cell, a move names a colour that the board lacks, or a move comes after the board is
/// solved.
pub fn replay(board: &Board, moves: &[u16]) -> Result<Replay, ReplayError> {
    let mut play = FloodPlay::new(board)?;
    let flooded_at_start = play.flooded_count();
    let mut flooded_after = Vec::with_capacity(moves.len());
    let mut wasted = Vec::new();
    for (&colour, number) in moves.iter().zip(1..) {
        let before = play.flooded_count();
        play.play(number, colour)?;
        if play.flooded_count() == before {
            wasted.push(number);
        }
        flooded_after.push(play.flooded_count());
    }
    Ok(Replay { flooded_at_start, flooded_after, wasted, is_solved: play.is_solved(), leftover: play.leftover() })
}

/// A game of Flood-It in progress.
#[derive(Clone, Debug)]
pub struct FloodPlay<'a> {
    board: &'a Board,
    /// The current colours of the cells.
    cells: Vec<u8>,
    /// Whether each cell belongs to the flood: those reachable from the start over cells of the start's colour.
    flooded: Vec<bool>,
    /// The cells of the flood beside cells outside it.
    edge: Vec<usize>,
}

impl<'a> FloodPlay<'a> {
    /// The game before the first move.
    ///
    /// # Errors
    /// When the board has an empty cell.
    pub fn new(board: &'a Board) -> Result<Self, ReplayError> {
        if let Some(cell) = board.first_empty() {
            return Err(ReplayError::EmptyCell(cell));
        }
        let start = board.index(board.start());
        let mut flooded = vec![false; board.cells().len()];
        flooded[start] = true;
        let mut play = Self { board, cells: board.cells().to_vec(), flooded, edge: vec![start] };
        play.spread(play.cells[start]);
        Ok(play)
    }

    /// The current colour of each cell, in the order of [`Board::cells`].
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Whether each cell belongs to the flood, in the order of [`Board::cells`].
    #[must_use]
    pub fn flooded(&self) -> &[bool] {
        &self.flooded
    }

    /// The number of cells of the flood.
    fn flooded_count(&self) -> usize {
        self.flooded.iter().filter(|&&flooded| flooded).count()
    }

    /// Makes move `number`: paints the flood in a colour. Neighbouring cells of that colour then belong to the flood.
    ///
    /// # Errors
    /// When the board lacks the colour, or is solved.
    pub fn play(&mut self, number: usize, colour: u16) -> Result<(), ReplayError> {
        let unknown = || ReplayError::UnknownColour { number, colour, colours: self.board.colours() };
        let symbol = self.board.symbols().get(usize::from(colour)).ok_or_else(unknown)?;
        if self.is_solved() {
            return Err(ReplayError::AlreadySolved { number, symbol: symbol.clone() });
        }
        let painted = u8::try_from(colour).map_err(|_| unknown())?;
        for (cell, _) in self.cells.iter_mut().zip(&self.flooded).filter(|(_, flooded)| **flooded) {
            *cell = painted;
        }
        self.spread(painted);
        Ok(())
    }

    /// Adds to the flood all cells that its edge reaches over cells of `colour`. The edge has this colour already.
    fn spread(&mut self, colour: u8) {
        let mut next = 0;
        while let Some(&cell) = self.edge.get(next) {
            next += 1;
            for neighbour in self.board.neighbours(cell) {
                if !self.flooded[neighbour] && self.cells[neighbour] == colour {
                    self.flooded[neighbour] = true;
                    self.edge.push(neighbour);
                }
            }
        }
        self.edge.retain(|&cell| self.board.neighbours(cell).any(|neighbour| !self.flooded[neighbour]));
    }

    /// Whether the flood covers the board: then it has no edge.
    fn is_solved(&self) -> bool {
        self.edge.is_empty()
    }

    fn leftover(&self) -> LeftoverCells {
        let count = |colour| (0..self.cells.len()).filter(|&i| !self.flooded[i] && self.cells[i] == colour).count();
        let counts = self.board.symbols().iter().zip(0..).map(|(symbol, colour)| (symbol.clone(), count(colour)));
        LeftoverCells(counts.filter(|(_, cells)| *cells > 0).collect())
    }
}

/// The result of the replay of a valid Flood-It solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidReplay {
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
/// use gridhunt_floodit::replay::verify_solution;
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
pub fn verify_solution(board: &Board, moves: &[u16], claimed_cost: Option<u32>) -> Result<ValidReplay, ReplayError> {
    let replay = replay(board, moves)?;
    if !replay.is_solved {
        return Err(ReplayError::Incomplete { moves: moves.len(), left: replay.leftover });
    }
    let wrong_cost = ReplayError::WrongCost { claimed: claimed_cost.unwrap_or(u32::MAX), moves: moves.len() };
    let cost = u32::try_from(moves.len()).ok().filter(|cost| claimed_cost.is_none_or(|claimed| claimed == *cost));
    let cost = cost.ok_or(wrong_cost)?;
    Ok(ValidReplay { board: board.name().to_owned(), cost, wasted: replay.wasted, flooded_after: replay.flooded_after })
}

#[cfg(test)]
mod tests;
