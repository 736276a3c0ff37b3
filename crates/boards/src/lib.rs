#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod bunny;
mod cell;
mod corner;
mod drawing;
mod entry;
mod error;
mod file_settings;
mod format;
mod formats;
pub mod generator;
mod names;
mod origin;
mod program;
mod solutions;
mod whole_number;

pub use bunny::{MARKED, UNMARKED, bunny_symbols};
pub use cell::Cell;
pub use corner::Corner;
pub use drawing::frame::{Frame, Mark};
pub use drawing::render::{Style, cell_colours, cell_labels, is_light};
pub use entry::Entry;
pub use error::{BoardError, Position, PossibleReading, WriteError};
pub use file_settings::{FileSetting, FileSettings};
pub use format::{Format, Start, parse_size};
pub use formats::mismatch::{plural, visible};
pub use formats::notations::game_id::looks_like_game_id;
pub use formats::notations::json::is_cells_field;
pub use formats::options::{JsonLayout, PuzzleContext, PuzzleRules, ReadOptions};
pub use formats::reader::BoardReader;
pub use formats::writer::{BoardWriter, write_board, write_entry};
pub use generator::{GenerateSpec, generate};
pub use names::{OptionError, closest_name, did_you_mean};
pub use origin::Origin;
pub use program::{INSTRUCTIONS, MAX_LOOP_COUNT, Program, ProgramError, Token};
pub use solutions::moves::write_solution;
pub use solutions::solution::{SolutionReader, UncheckedSolution};
pub use whole_number::{digits_only, parse_whole_number, whole_number_parser};

use formats::cells::grid::{check_size, check_start};
use formats::mismatch::Mismatch;

/// The most colours of a board: one for each value of a cell but [`EMPTY`].
pub const MAX_COLOURS: usize = 255;

/// The most cells of a board.
pub const MAX_CELLS: usize = 10_000;

/// The value of an empty cell in [`Board::cells`].
pub const EMPTY: u8 = u8::MAX;

/// A rectangular board of coloured cells with a start cell. Any cells may be empty, even all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    name: String,
    rows: usize,
    cols: usize,
    cells: Vec<u8>,
    start: Cell,
    symbols: Vec<String>,
}

impl Board {
    /// Makes a board from its cells, row by row. A cell is an index into `symbols`, the names of the colours, or
    /// [`EMPTY`].
    ///
    /// # Errors
    /// * The size is zero, exceeds [`MAX_CELLS`] cells, or differs from the number of cells.
    /// * There is no colour, there are more than [`MAX_COLOURS`], or two have the same name.
    /// * A cell is neither the index of a colour nor [`EMPTY`].
    /// * The start lies outside the board.
    pub fn new(
        name: impl Into<String>,
        rows: usize,
        cols: usize,
        cells: Vec<u8>,
        symbols: Vec<String>,
        start: Cell,
    ) -> Result<Self, BoardError> {
        let name = visible(&name.into());
        let refuse = |Mismatch { found, expected }| BoardError::at(&name, Position::default(), found, expected);
        let fail = |found: String, expected: String| Err(refuse(Mismatch { found, expected }));
        if rows == 0 || cols == 0 {
            return fail(format!("{rows} x {cols} cells"), "at least one row and one column".into());
        }
        check_size((rows, cols), None).map_err(refuse)?;
        if cells.len() != rows * cols {
            return fail(plural(cells.len(), "cell"), format!("{} ({rows} x {cols})", plural(rows * cols, "cell")));
        }
        if !(1..=MAX_COLOURS).contains(&symbols.len()) {
            return fail(format!("{} colours", symbols.len()), format!("1 to {MAX_COLOURS} colours"));
        }
        let mut coloured = cells.iter().filter(|&&cell| cell != EMPTY);
        if let Some(cell) = coloured.find(|&&cell| usize::from(cell) >= symbols.len()) {
            return fail(format!("colour {cell}"), format!("a colour below {}", symbols.len()));
        }
        if let Some(repeated) = symbols.iter().enumerate().find_map(|(i, s)| symbols[..i].contains(s).then_some(s)) {
            return fail(format!("two colours named {repeated}"), "a different name for every colour".into());
        }
        check_start(start, rows, cols).map_err(refuse)?;
        Ok(Self { name, rows, cols, cells, start, symbols })
    }

    /// The name in reports: the file name, followed by `#N` if the file has several boards. It has no characters that a
    /// terminal would obey ([`visible`]).
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of colours that a move may name. There may be colours that no cell has.
    #[must_use]
    pub fn colours(&self) -> usize {
        self.symbols.len()
    }

    /// The colour of each cell, row by row, as an index into [`Board::symbols`]; [`EMPTY`] for an empty cell.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The colour of each cell, row by row; `None` for an empty cell.
    pub fn contents(&self) -> impl Iterator<Item = Option<u8>> {
        self.cells.iter().map(|&cell| (cell != EMPTY).then_some(cell))
    }

    /// Whether another board has the same cells, compared by the names of their colours, and the same start cell. The
    /// names of the boards and colours without cells may differ.
    #[must_use]
    pub(crate) fn is_same_position(&self, other: &Self) -> bool {
        let name = |board: &Self, cell: u8| board.symbols.get(usize::from(cell)).cloned();
        let is_same = |(one, two): (&u8, &u8)| name(self, *one) == name(other, *two);
        (self.rows, self.cols, self.start) == (other.rows, other.cols, other.start)
            && self.cells.iter().zip(&other.cells).all(is_same)
    }

    /// Whether at least one cell is empty.
    #[must_use]
    pub fn has_empty(&self) -> bool {
        self.first_empty().is_some()
    }

    /// The first empty cell in row order, if there is one.
    #[must_use]
    pub fn first_empty(&self) -> Option<Cell> {
        self.cells.iter().position(|&cell| cell == EMPTY).map(|index| self.cell(index))
    }

    /// The start cell.
    #[must_use]
    pub fn start(&self) -> Cell {
        self.start
    }

    /// Returns the same board with another start cell.
    ///
    /// # Errors
    /// When the cell lies outside the board.
    pub fn with_start(self, start: Cell) -> Result<Self, BoardError> {
        Self::new(self.name, self.rows, self.cols, self.cells, self.symbols, start)
    }

    /// The names of the colours, as the file of the board writes them.
    #[must_use]
    pub fn symbols(&self) -> &[String] {
        &self.symbols
    }

    /// The index of a cell in [`Board::cells`].
    #[must_use]
    pub fn index(&self, cell: Cell) -> usize {
        cell.row * self.cols + cell.col
    }

    /// The cell with this index in [`Board::cells`].
    #[must_use]
    pub fn cell(&self, index: usize) -> Cell {
        Cell { row: index / self.cols, col: index % self.cols }
    }

    /// The indices of the cells above, left, right and below, without those outside the board.
    pub fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        neighbours(index, self.rows, self.cols)
    }
}

/// The indices of the cells beside the cell at `index`, of a rectangle of `rows` and `cols`.
pub fn neighbours(index: usize, rows: usize, cols: usize) -> impl Iterator<Item = usize> {
    let (row, col) = (index / cols, index % cols);
    [
        (row > 0).then(|| index - cols),
        (col > 0).then(|| index - 1),
        (col + 1 < cols).then(|| index + 1),
        (row + 1 < rows).then(|| index + cols),
    ]
    .into_iter()
    .flatten()
}

/// The usual symbols of `n` colours: `1` to `9`, then `A` to `Z`; numbers if there are more than 35. At most
/// [`MAX_COLOURS`] symbols.
#[must_use]
pub fn usual_symbols(n: usize) -> Vec<String> {
    let last = n.min(MAX_COLOURS) as u8;
    (1..=last).map(|value| formats::cells::symbol::usual_name(value, last)).collect()
}
