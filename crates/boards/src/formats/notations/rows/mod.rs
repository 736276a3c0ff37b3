//! Boards as rows of cells, one row a line, without a header that gives their size.
//!
//! A blank line or a comment ends a board, so a file may hold several. With a size, a board also ends after that many
//! rows.

mod row_names;

use crate::formats::cells::grid::Grid;
use crate::formats::cells::palette::Declared;
use crate::formats::cells::symbol::{EMPTY_NUMBER, number, number_with_point};
use crate::formats::cells::writing::{refuse_start, symbols_of, tokens_of, write_header};
use crate::formats::input::board_source::{BoardSource, Part};
use crate::formats::input::row::{Separator, cells};
use crate::formats::input::source::{Line, Source};
use crate::formats::problem::{Problem, quote};
use crate::{Board, BoardError, Entry, Format, ReadOptions, WriteError, usual_symbols};
use row_names::RowNames;
use std::io::{BufRead, Write};

/// A line of a table above its cells, and a column left of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Labels {
    /// The table has neither.
    #[default]
    Nothing,
    /// The first line names the columns.
    Columns,
    /// The first line names the columns, and the first field of every other line is the name of the row.
    ColumnsAndRows,
    /// The first field of every line is the name of the row.
    Rows,
}

/// What ends a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Gap {
    /// A blank line or a comment.
    #[default]
    Any,
    /// A blank line: comments may stand inside a board.
    Blank,
    /// The end of the file: every second line may be blank.
    Nothing,
}

impl Labels {
    fn name_columns(self) -> bool {
        matches!(self, Self::Columns | Self::ColumnsAndRows)
    }

    fn name_rows(self) -> bool {
        matches!(self, Self::Rows | Self::ColumnsAndRows)
    }
}

impl Gap {
    /// Whether a board ends before this line.
    pub fn is_before(self, line: &Line) -> bool {
        match self {
            Self::Any => line.after_blank || line.after_comment,
            Self::Blank => line.after_blank,
            Self::Nothing => false,
        }
    }
}

/// One way to read rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub labels: Labels,
    pub gap: Gap,
    /// Each line is one cell, which may be a number of several digits.
    pub is_cell_per_line: bool,
}

impl Rows {
    /// Reads the next board, with the format of its rows; `None` at the end of the input.
    ///
    /// # Errors
    /// When the rows are no board. With `skips`, the rest of the board is skipped then.
    pub fn read<R: BufRead>(
        self,
        source: &mut BoardSource<'_, R>,
        skips: bool,
    ) -> Result<Option<(Format, Entry)>, BoardError> {
        let Some(first) = source.lines.next_line()? else { return Ok(None) };
        let read = self.read_from(first, source);
        if read.is_err() && skips {
            self.skip(source.lines);
        }
        read.map(Some)
    }

    fn read_from<R: BufRead>(
        self,
        first: Line,
        source: &mut BoardSource<'_, R>,
    ) -> Result<(Format, Entry), BoardError> {
        let separator = if self.is_cell_per_line { Separator::Blank } else { Separator::of(&first) };
        let format = self.format(separator);
        if let Some(wanted) = source.options.format.filter(|&wanted| wanted != format) {
            let found = separator.describe();
            return source.lines.fail(first.at(0), found, format!("rows of the format {wanted}"));
        }
        let mut table = Table::new(self, separator, source.options);
        source.part = Part::Cells;
        let mut line = if !self.labels.name_columns() {
            first.clone()
        } else {
            source.part = Part::Header;
            table.read_names(&first).or_else(|p| source.lines.fail(first.at(0), p.found, p.expected))?;
            match self.next_row(source) {
                Some(line) => line?,
                None => return source.lines.fail(source.lines.end(), "the end after one line", "rows under the names"),
            }
        };
        loop {
            table.read_row(&line).or_else(|(column, p)| source.lines.fail(line.at(column), p.found, p.expected))?;
            if table.grid.is_full() && self.labels == Labels::Nothing {
                break;
            }
            match self.next_row(source) {
                Some(next) => line = next?,
                None => break,
            }
        }
        table.check_names().or_else(|p| source.lines.fail(first.at(0), p.found, p.expected))?;
        source.finish(table.grid, first.at(0), None).map(|entry| (format, entry))
    }

    fn format(self, separator: Separator) -> Format {
        match separator {
            Separator::Mark(_) => Format::Csv,
            _ if self.is_cell_per_line => Format::Csv,
            Separator::None | Separator::Blank => Format::Text,
        }
    }

    /// The next line of the same board, if there is one.
    fn next_row<R: BufRead>(self, source: &mut BoardSource<'_, R>) -> Option<Result<Line, BoardError>> {
        let goes_on = match source.lines.peek(|_| false).0.first() {
            Some(line) => !self.gap.is_before(line),
            // The line that cannot be read has an error, which `next_line` returns.
            None => true,
        };
        if goes_on { source.lines.next_line().transpose() } else { None }
    }

    /// Skips the rest of a board.
    fn skip<R: BufRead>(self, source: &mut Source<R>) {
        while source.peek(|_| false).0.first().is_some_and(|line| !self.gap.is_before(line)) {
            if source.next_line().is_err() {
                return;
            }
        }
    }
}

/// What stands above the numbers of the rows.
const CORNERS: [&str; 5] = ["", "index", "row", "id", "#"];

/// Whether a text is a whole number, as cells write them.
fn is_numeric(text: &str) -> bool {
    number(text).or_else(|| number_with_point(text)).is_some() || text == EMPTY_NUMBER
}

/// A board that is being read row by row.
struct Table {
    grid: Grid,
    labels: Labels,
    is_cell_per_line: bool,
    separator: Separator,
    /// The number of separators behind the last cell of each row; `None` before the first row.
    closing: Option<usize>,
    /// Whether an empty text is an empty cell.
    has_empty_text: bool,
    names: Vec<String>,
    /// A cell with a decimal comma.
    decimal: Option<String>,
    /// Whether every cell so far is a whole number, and the largest of these.
    all_numbers: bool,
    largest: i64,
    row_names: RowNames,
}

impl Table {
    fn new(rows: Rows, separator: Separator, options: &ReadOptions) -> Self {
        let declared = options.colours.map_or(Declared::Nothing, Declared::Count);
        Self {
            grid: Grid::new(options.size, declared, options),
            labels: rows.labels,
            is_cell_per_line: rows.is_cell_per_line,
            separator,
            closing: None,
            has_empty_text: options.empty.as_deref() == Some(""),
            names: Vec::new(),
            decimal: None,
            all_numbers: true,
            largest: 0,
            row_names: RowNames::default(),
        }
    }

    fn read_names(&mut self, line: &Line) -> Result<(), Problem> {
        let mut names: Vec<String> = cells(line, self.separator).into_iter().map(|(_, text)| text.to_owned()).collect();
        while names.len() > 1 && names[names.len() - 1].is_empty() {
            names.pop();
        }
        let Some(first) = names.first().cloned() else {
            return Problem::fail("a line without names", "the names of the columns");
        };
        if self.labels == Labels::ColumnsAndRows {
            let has_corner = self.separator != Separator::Blank || CORNERS.contains(&first.to_lowercase().as_str());
            let are_names = RowNames::are(&names) || !names.iter().any(|name| is_numeric(name));
            if !has_corner && !are_names {
                return Problem::fail(quote(&first), "the names of the columns: 0, 1, 2 or words");
            }
            let corner = if has_corner { names.remove(0) } else { String::new() };
            if !CORNERS.contains(&corner.to_lowercase().as_str()) {
                return Problem::fail(quote(&corner), "an empty field above the numbers of the rows");
            }
        } else if ["", "index"].contains(&first.to_lowercase().as_str()) {
            return Problem::fail(quote(&first), "the name of a column of cells");
        } else if names.len() > 1 && names.iter().enumerate().all(|(i, name)| *name == i.to_string()) {
            // The numbers of the columns: a data frame without names writes them. They may be cells, too.
        } else if let Some(cell) = names.iter().find(|name| name.is_empty() || is_numeric(name)) {
            return Problem::fail(quote(cell), "the name of a column");
        }
        let is_twice = |(i, name): (usize, &String)| names[..i].contains(name);
        if names.iter().enumerate().any(is_twice) {
            return Problem::fail("a name twice", "a different name for each column");
        }
        self.names = names;
        Ok(())
    }

    /// Refuses names that could as well be cells of the board: the cells must be numbers, or a name must be no cell. So
    /// it does with a decimal comma that could as well part cells.
    fn check_names(&self) -> Result<(), Problem> {
        let is_cell = |name: &String| crate::formats::cells::palette::is_cell(name);
        if let Some(cell) = self.decimal.as_ref().filter(|_| self.grid.size().0 == 1) {
            // In a single line, semicolons may part rows of cells with commas between them.
            return Problem::fail(
                format!("{} in the only line", quote(cell)),
                "each row on a line, or cells without commas",
            );
        }
        if self.labels == Labels::Columns && !self.all_numbers && self.names.iter().all(is_cell) {
            return Problem::fail("a first row of cells", "the names of columns");
        }
        if self.labels.name_rows() && !self.row_names.are_whole() {
            return Problem::fail("rows with other numbers", "rows down to 1 or 0");
        }
        if self.labels == Labels::Rows && !(self.all_numbers && self.row_names.are_telling(self.largest)) {
            return Problem::fail("a first column of cells", "the names of rows");
        }
        Ok(())
    }

    fn read_row(&mut self, line: &Line) -> Result<(), (usize, Problem)> {
        let separator = if self.is_cell_per_line { Separator::Blank } else { Separator::of(line) };
        if separator != self.separator {
            let (found, expected) = (separator.describe(), self.separator.describe());
            return Err((1, Problem::new(found, format!("{expected}, as in the rows before"))));
        }
        let mut fields = cells(line, separator);
        let is_last_empty = |fields: &[(usize, &str)]| fields.len() > 1 && fields[fields.len() - 1].1.is_empty();
        let mut closing = 0;
        while !self.has_empty_text && is_last_empty(&fields) {
            fields.pop();
            closing += 1;
        }
        let wanted = *self.closing.get_or_insert(closing);
        if closing != wanted {
            let number = |count: usize, none: &str, one: &str| match count {
                0 => none.to_owned(),
                1 => one.to_owned(),
                _ => format!("{count} separators"),
            };
            let found = number(closing, "no separator", "a separator");
            let expected = format!("{} behind the last cell, as in the rows before", number(wanted, "none", "one"));
            return Err((line.end().column, Problem::new(found, expected)));
        }
        if fields.is_empty() {
            return Err((line.end().column, Problem::new("a row without cells", "cells")));
        }
        if self.labels.name_rows() {
            let (column, name) = fields.remove(0);
            self.row_names.take(name).map_err(|problem| (column, problem))?;
        }
        for (column, text) in fields {
            if text.contains(',') {
                self.decimal.get_or_insert_with(|| text.to_owned());
            }
            self.all_numbers &= is_numeric(text);
            self.largest = self.largest.max(number(text).unwrap_or(0).into());
            let is_symbol = separator == Separator::None;
            self.grid.push(text, line.at(column), is_symbol).map_err(|problem| (column, problem))?;
        }
        let end = line.end().column;
        self.grid.end_row().map_err(|problem| (end, problem))?;
        let names = self.names.len();
        if self.labels.name_columns() && self.grid.size().1 != names {
            let found = format!("a row of {} cells", self.grid.size().1);
            return Err((end, Problem::new(found, format!("{names}, as many as names of columns"))));
        }
        Ok(())
    }
}

/// Writes a board as rows without separators, under a header where the colours have the usual symbols.
pub(crate) fn write_text(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    if board.symbols() == usual_symbols(board.colours()) {
        write_header(board, board.colours(), out)?;
    } else {
        refuse_start(board, Format::Text)?;
    }
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", symbols_of(board, row))?;
    }
    Ok(())
}

/// Writes a board as rows with commas between the cells.
pub(crate) fn write_csv(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", tokens_of(row, ",", |colour| board.symbols()[colour].clone()))?;
    }
    Ok(())
}
