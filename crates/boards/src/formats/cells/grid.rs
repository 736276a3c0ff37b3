//! Collects the cells of a board row by row, with the checks that all formats share.

use super::palette::{Colouring, DeclaredColours, Palette};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural};
use crate::{Board, Cell, MAX_CELLS, Position, ReadOptions, Start};

/// The cells of a board that is being read.
#[derive(Debug)]
pub(crate) struct Grid {
    palette: Palette,
    /// The id of each cell in the palette.
    ids: Vec<u16>,
    rows: usize,
    /// The number of cells of the current row.
    cells_in_row: usize,
    expected_rows: Option<usize>,
    expected_cols: Option<usize>,
    declared: DeclaredColours,
}

impl Grid {
    /// Makes an empty grid. If `size` is `None`, the first row decides how many cells each row has.
    pub fn new(size: Option<(usize, usize)>, declared: DeclaredColours, options: &ReadOptions) -> Self {
        Self {
            palette: Palette::new(options.empty_symbol.clone()),
            ids: Vec::new(),
            rows: 0,
            cells_in_row: 0,
            expected_rows: size.map(|s| s.0),
            expected_cols: size.map(|s| s.1),
            declared,
        }
    }

    /// Adds a cell to the current row. `is_character` says whether an error expects a single character, not a word.
    pub fn push(&mut self, text: &str, at: Position, is_character: bool) -> Result<(), LocatedMismatch> {
        self.check_room().map_err(|mismatch| mismatch.at(at))?;
        self.ids.push(self.palette.intern(text, at, is_character).map_err(|mismatch| mismatch.at(at))?);
        self.cells_in_row += 1;
        Ok(())
    }

    /// Fails when there is no room for a further cell.
    fn check_room(&self) -> Result<(), Mismatch> {
        if let Some(rows) = self.expected_rows.filter(|&rows| self.rows >= rows) {
            return Mismatch::fail(format!("row {}", self.rows + 1), format!("no more than {}", plural(rows, "row")));
        }
        if let Some(cols) = self.expected_cols.filter(|&cols| self.cells_in_row >= cols) {
            let found = format!("cell {} of the row", self.cells_in_row + 1);
            return Mismatch::fail(found, format!("{} in every row", plural(cols, "cell")));
        }
        if self.ids.len() >= MAX_CELLS {
            let expected = format!("a board of at most {MAX_CELLS} cells");
            return Mismatch::fail(format!("more than {MAX_CELLS} cells"), expected);
        }
        Ok(())
    }

    /// Ends the current row. `end` is where the row ends.
    pub fn end_row(&mut self, end: Position) -> Result<(), LocatedMismatch> {
        let cols = *self.expected_cols.get_or_insert(self.cells_in_row);
        if self.cells_in_row != cols || cols == 0 {
            let cells = if cols == 0 { "at least one cell".to_owned() } else { plural(cols, "cell") };
            let found = format!("a row of {}", plural(self.cells_in_row, "cell"));
            return Err(Mismatch::new(found, format!("{cells} in every row")).at(end));
        }
        self.rows += 1;
        self.cells_in_row = 0;
        Ok(())
    }

    /// Adds a cell, and ends the row if this is the last cell of the row. For grids whose size is known.
    pub fn push_wrapping(&mut self, text: &str, at: Position, is_character: bool) -> Result<(), LocatedMismatch> {
        self.push(text, at, is_character)?;
        if self.expected_cols == Some(self.cells_in_row) { self.end_row(at) } else { Ok(()) }
    }

    /// Whether all expected rows are complete.
    pub fn is_full(&self) -> bool {
        self.expected_rows == Some(self.rows)
    }

    /// The number of cells so far.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number of complete rows, and the number of columns, 0 if it is not known yet.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.expected_cols.unwrap_or(0))
    }

    /// Makes the board. Fails when rows are missing, the colours are wrong or the start lies outside. A mismatch that
    /// no single cell causes has the position `board_at`.
    pub fn finish(self, name: &str, start: Start, board_at: Position) -> Result<Board, LocatedMismatch> {
        if let Some(rows) = self.expected_rows.filter(|&rows| rows != self.rows) {
            let found = format!("the end after {}", plural(self.rows, "row"));
            return Err(Mismatch::new(found, plural(rows, "row")).at(board_at));
        }
        let (rows, cols) = self.size();
        let Colouring { cells, names } = self.palette.finish(&self.ids, &self.declared, board_at)?;
        let start = start.cell(rows, cols);
        check_start(start, rows, cols).map_err(|mismatch| mismatch.at(board_at))?;
        Board::new(name, rows, cols, cells, names, start)
            .map_err(|error| Mismatch::new(format!("an invalid board ({error})"), "a valid board").at(board_at))
    }
}

/// Fails when a board of this size has too many cells, or does not have the wanted size.
pub(crate) fn check_size(size @ (rows, cols): (usize, usize), wanted: Option<(usize, usize)>) -> Result<(), Mismatch> {
    let found = format!("{rows} x {cols} cells");
    match wanted {
        _ if rows.saturating_mul(cols) > MAX_CELLS => Mismatch::fail(found, format!("at most {MAX_CELLS} cells")),
        Some((r, c)) if (r, c) != size => Mismatch::fail(found, format!("{r} x {c}, the size that was asked for")),
        _ => Ok(()),
    }
}

/// The size of a board with this number of cells: `size` if it has this number of cells; if no size is given, a square.
/// `None` when there is no such size.
pub(crate) fn size_of_board(cells: usize, size: Option<(usize, usize)>) -> Option<(usize, usize)> {
    let side = cells.isqrt();
    match size {
        Some((rows, cols)) => (rows.checked_mul(cols) == Some(cells)).then_some((rows, cols)),
        None => (side * side == cells && cells > 0).then_some((side, side)),
    }
}

/// Fails when the start cell lies outside the board.
pub(crate) fn check_start(start: Cell, rows: usize, cols: usize) -> Result<(), Mismatch> {
    if start.row < rows && start.col < cols {
        return Ok(());
    }
    Mismatch::fail(format!("start cell {start}"), format!("one of {rows} x {cols} cells, counted from 1"))
}
