//! Boards without search: reading, writing, drawing and generating them.

mod bunny;
mod cell;
mod clearable;
mod clicks;
mod csv;
mod detect;
mod document;
mod entry;
mod error;
mod format;
mod generate;
mod generate_bunny;
mod grid;
mod header;
mod json;
mod json_layout;
mod lines;
pub(crate) mod names;
mod numbers;
mod program;
mod reader;
mod render;
mod rules;
mod solution;
mod source;
mod symbol;
mod text;
mod write;
mod write_common;
mod written_program;

pub use bunny::{MARKED, UNMARKED};
pub use cell::Cell;
pub use clearable::generate_clearable;
pub use clicks::WrittenClicks;
pub use entry::Entry;
pub use error::{BoardError, Position, WriteError};
pub use format::{Format, ReadOptions, Start, parse_size};
pub use generate::{GenerateSpec, generate};
pub use generate_bunny::{BunnyBoardKind, generate_bunny_board};
pub use json_layout::JsonLayout;
pub use names::OptionError;
pub use program::{INSTRUCTIONS, MAX_COUNT, MAX_NESTING, MAX_TOKENS, Program, ProgramError, Token};
pub use reader::BoardReader;
pub use render::{Style, render, render_cells};
pub use rules::{Columns, Corner, Objective, Rules};
pub use solution::{SolutionReader, WrittenSolution, write_solution};
pub use write::{write_board, write_entry};
pub use written_program::WrittenProgram;

/// The most colours that a board may have: the symbols `1` to `9` and `A` to `Z`.
pub const MAX_COLOURS: usize = 35;

/// The most cells that a board may have.
pub const MAX_CELLS: usize = 10_000;

/// What stands in [`Board::cells`] for a cell without a colour.
pub const EMPTY: u8 = u8::MAX;

/// A rectangular board of coloured cells with a start cell. Cells may be empty, but not all of them.
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
    /// A board from its cells, row by row; a cell is an index into `symbols`, the names of the colours, or
    /// [`EMPTY`].
    ///
    /// # Errors
    /// When the board has no cell with a colour or too many cells, the number of cells does not fit, the colours are fewer than two or more
    /// than [`MAX_COLOURS`] or two of them have one name, a cell names no colour, or the start lies outside.
    pub fn new(
        name: impl Into<String>,
        rows: usize,
        cols: usize,
        cells: Vec<u8>,
        symbols: Vec<String>,
        start: Cell,
    ) -> Result<Self, BoardError> {
        let name = name.into();
        let fail = |found: String, expected: String| Err(BoardError::at(&name, Position::default(), found, expected));
        if rows == 0 || cols == 0 {
            return fail(format!("{rows} rows and {cols} columns"), "at least one row and one column".into());
        }
        if rows.saturating_mul(cols) > MAX_CELLS {
            return fail(format!("{rows} x {cols} cells"), format!("at most {MAX_CELLS} cells"));
        }
        if cells.len() != rows * cols {
            return fail(format!("{} cells", cells.len()), format!("{} cells ({rows} x {cols})", rows * cols));
        }
        if !(2..=MAX_COLOURS).contains(&symbols.len()) {
            return fail(format!("{} colours", symbols.len()), format!("2 to {MAX_COLOURS} colours"));
        }
        let mut coloured = cells.iter().filter(|&&cell| cell != EMPTY).peekable();
        if coloured.peek().is_none() {
            return fail("empty cells alone".into(), "at least one cell with a colour".into());
        }
        if let Some(cell) = coloured.find(|&&cell| usize::from(cell) >= symbols.len()) {
            return fail(format!("colour {cell}"), format!("a colour below {}", symbols.len()));
        }
        if let Some(twice) = symbols.iter().enumerate().find_map(|(i, s)| symbols[..i].contains(s).then_some(s)) {
            return fail(format!("two colours {twice}"), "a name of its own for every colour".into());
        }
        if start.row >= rows || start.col >= cols {
            return fail(
                format!("start cell {start}"),
                format!("a cell of {rows} rows and {cols} columns, counted from 1"),
            );
        }
        Ok(Self { name, rows, cols, cells, start, symbols })
    }

    /// How reports call it: the file name, with `#N` behind it in a file of many boards.
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

    /// Number of colours that a move may name (a colour may have no cell).
    #[must_use]
    pub fn colours(&self) -> usize {
        self.symbols.len()
    }

    /// The colours of the cells, row by row, from 0; [`EMPTY`] where there is none.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The colour of each cell, row by row; `None` where it is empty.
    pub fn contents(&self) -> impl Iterator<Item = Option<u8>> {
        self.cells.iter().map(|&cell| (cell != EMPTY).then_some(cell))
    }

    /// Whether a cell is empty.
    #[must_use]
    pub fn has_empty(&self) -> bool {
        self.first_empty().is_some()
    }

    /// The first empty cell, row by row.
    #[must_use]
    pub fn first_empty(&self) -> Option<Cell> {
        self.cells.iter().position(|&cell| cell == EMPTY).map(|index| self.cell(index))
    }

    /// The start cell.
    #[must_use]
    pub fn start(&self) -> Cell {
        self.start
    }

    /// The same board with another start cell.
    ///
    /// # Errors
    /// When the cell lies outside.
    pub fn with_start(self, start: Cell) -> Result<Self, BoardError> {
        Self::new(self.name, self.rows, self.cols, self.cells, self.symbols, start)
    }

    /// The names of the colours, as the board's file writes them.
    #[must_use]
    pub fn symbols(&self) -> &[String] {
        &self.symbols
    }

    /// Index of a cell in [`Board::cells`].
    #[must_use]
    pub fn index(&self, cell: Cell) -> usize {
        cell.row * self.cols + cell.col
    }

    /// The cell with that index in [`Board::cells`].
    #[must_use]
    pub fn cell(&self, index: usize) -> Cell {
        Cell { row: index / self.cols, col: index % self.cols }
    }

    /// Indices of the cells above, left, right and below, as far as they exist.
    pub fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        let (row, col, rows, cols) = (index / self.cols, index % self.cols, self.rows, self.cols);
        [
            (row > 0).then(|| index - cols),
            (col > 0).then(|| index - 1),
            (col + 1 < cols).then(|| index + 1),
            (row + 1 < rows).then(|| index + cols),
        ]
        .into_iter()
        .flatten()
    }
}

/// The usual symbols of `n` colours: `1` to `9`, then `A` to `Z`.
#[must_use]
pub fn usual_symbols(n: usize) -> Vec<String> {
    ('1'..='9').chain('A'..='Z').take(n).map(String::from).collect()
}
