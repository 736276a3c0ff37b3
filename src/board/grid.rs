//! Collects the cells of a board row by row, with the checks that all formats share.

use super::source::{Line, Source};
use super::symbol::{Problem, SymbolSet};
use super::{Board, BoardError, Cell, EMPTY, MAX_CELLS, Position, Start};
use std::io::BufRead;

/// Adds the cells of a line to a grid and ends the row. An error has its position in the line.
pub(super) type ReadRow = fn(&Line, &mut Grid) -> Result<(), (Position, Problem)>;

#[derive(Debug, Default)]
pub(super) struct Grid {
    pub symbols: SymbolSet,
    /// Values of symbols until [`Grid::finish`] turns them into colours; [`EMPTY`] for an empty cell.
    cells: Vec<u8>,
    /// The lengths of the columns, for a grid that collects columns ([`Grid::of_columns`]).
    lengths: Option<Vec<usize>>,
    rows: usize,
    /// Cells of the current row.
    filled: usize,
    expected_rows: Option<usize>,
    expected_cols: Option<usize>,
}

impl Grid {
    pub fn new(size: Option<(usize, usize)>, colours: Option<usize>) -> Self {
        Self {
            symbols: SymbolSet::new(colours),
            expected_rows: size.map(|s| s.0),
            expected_cols: size.map(|s| s.1),
            ..Self::default()
        }
    }

    /// A grid that collects columns instead of rows, of any lengths; [`Grid::into_rows`] makes rows of them.
    pub fn of_columns() -> Self {
        Self { lengths: Some(Vec::new()), ..Self::default() }
    }

    /// What messages call a row of this grid.
    pub fn row_word(&self) -> &'static str {
        if self.lengths.is_some() { "column" } else { "row" }
    }

    /// Makes rows of the collected columns. There are as many rows as the longest column has cells, and at least
    /// `rows`; empty cells fill short columns at the top. `upwards` says that columns were collected from bottom to
    /// top.
    pub fn into_rows(self, upwards: bool, rows: Option<usize>) -> Result<Self, Problem> {
        let lengths = self.lengths.unwrap_or_default();
        let tallest = lengths.iter().copied().max().unwrap_or(0);
        if tallest == 0 {
            return Problem::fail("columns without cells", "at least one cell");
        }
        let (rows, cols) = (rows.unwrap_or(tallest).max(tallest), lengths.len());
        if rows.saturating_mul(cols) > MAX_CELLS {
            return Problem::fail(format!("{rows} x {cols} cells"), format!("at most {MAX_CELLS} cells"));
        }
        let mut cells = vec![EMPTY; rows * cols];
        let mut values = self.cells.into_iter();
        for (col, length) in lengths.into_iter().enumerate() {
            for (at, value) in values.by_ref().take(length).enumerate() {
                let row = if upwards { rows - 1 - at } else { rows - length + at };
                cells[row * cols + col] = value;
            }
        }
        Ok(Self { cells, rows, lengths: None, expected_cols: Some(cols), ..self })
    }

    /// Reads all further lines of `source`, one row each, and makes the board.
    pub fn fill_from(
        mut self,
        source: &mut Source<impl BufRead>,
        start: Start,
        name: &str,
        read_row: ReadRow,
    ) -> Result<Board, BoardError> {
        let mut first: Option<Position> = None;
        while let Some(line) = source.next_line()? {
            if line.after_blank && first.is_some() {
                return source.fail(line.at(1), "a row after a blank line", "the end of the file: one board");
            }
            first.get_or_insert(line.at(0));
            read_row(&line, &mut self).or_else(|(at, p)| source.fail(at, p.found, p.expected))?;
        }
        let at = if self.is_short() { source.end() } else { first.unwrap_or(source.end()) };
        self.finish(name, start).or_else(|p| source.fail(at, p.found, p.expected))
    }

    /// Adds the value of a symbol, or [`EMPTY`], to the current row.
    pub fn push(&mut self, value: u8) -> Result<(), Problem> {
        if let Some(rows) = self.expected_rows.filter(|&rows| self.rows >= rows) {
            return Problem::fail(format!("row {}", self.rows + 1), format!("no more than {rows} rows"));
        }
        if let Some(cols) = self.expected_cols.filter(|&cols| self.filled >= cols) {
            return Problem::fail(format!("cell {} of the row", self.filled + 1), format!("{cols} cells in every row"));
        }
        if self.cells.len() >= MAX_CELLS {
            return Problem::fail(
                format!("more than {MAX_CELLS} cells"),
                format!("a board of at most {MAX_CELLS} cells"),
            );
        }
        self.cells.push(value);
        self.filled += 1;
        Ok(())
    }

    /// Ends the current row. Without a given width the first row determines the width of all others.
    pub fn end_row(&mut self) -> Result<(), Problem> {
        if let Some(lengths) = &mut self.lengths {
            lengths.push(std::mem::take(&mut self.filled));
            self.rows += 1;
            return Ok(());
        }
        let cols = *self.expected_cols.get_or_insert(self.filled);
        if self.filled != cols || cols == 0 {
            let cells = if cols == 0 { "at least one cell".to_owned() } else { format!("{cols} cells") };
            return Problem::fail(format!("a row of {} cells", self.filled), format!("{cells} in every row"));
        }
        self.rows += 1;
        self.filled = 0;
        Ok(())
    }

    /// Whether fewer rows were read than expected.
    pub fn is_short(&self) -> bool {
        self.expected_rows.is_some_and(|rows| self.rows < rows)
    }

    /// Rows and columns so far.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.expected_cols.unwrap_or(0))
    }

    /// Makes the board. Fails when rows are missing, the colours are wrong or the start lies outside.
    pub fn finish(mut self, name: &str, start: Start) -> Result<Board, Problem> {
        if let Some(rows) = self.expected_rows.filter(|&rows| rows != self.rows) {
            return Problem::fail(format!("the end after {} rows", self.rows), format!("{rows} rows"));
        }
        let symbols = self.symbols.finish(&mut self.cells)?;
        let (rows, cols) = self.size();
        let start = start.cell(rows, cols);
        check_start(start, rows, cols)?;
        Board::new(name, rows, cols, self.cells, symbols, start)
            .or_else(|e| Problem::fail(format!("an invalid board ({e})"), "a valid board"))
    }
}

/// Fails when the start cell lies outside the board.
pub(super) fn check_start(start: Cell, rows: usize, cols: usize) -> Result<(), Problem> {
    if start.row < rows && start.col < cols {
        return Ok(());
    }
    Problem::fail(format!("start cell {start}"), format!("a cell of {rows} rows and {cols} columns, counted from 1"))
}
