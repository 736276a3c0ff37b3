//! Boards as rows of cells, one row per line, without a header that gives their size.
//!
//! A blank line or a comment ends a board, so a file may hold several. With a size, a board also ends after that many
//! rows.

mod row_names;

use crate::formats::cells::colour_names::first_repeat;
use crate::formats::cells::grid::Grid;
use crate::formats::cells::palette::{DeclaredColours, is_cell};
use crate::formats::cells::symbol::{EMPTY_NUMBER, number, number_with_point};
use crate::formats::cells::writing::{
    refuse_names, refuse_start, refuse_unsorted, symbols_of, tokens_of, write_header,
};
use crate::formats::input::board_source::{BoardSource, Part};
use crate::formats::input::line_source::{Line, LineSource};
use crate::formats::input::row::{Separator, cells};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural, quote};
use crate::{Board, BoardError, Entry, Format, ReadOptions, WriteError, usual_symbols};
use row_names::RowNames;
use std::io::{BufRead, Write};

/// Which names a table has: in a line above its cells, and in a column to the left of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Labels {
    /// The table has no names.
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
    /// A blank line: there may be comments inside a board.
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
pub(crate) struct RowsGrammar {
    pub labels: Labels,
    pub gap: Gap,
    /// Each line is one cell, which may be a number of several digits.
    pub is_cell_per_line: bool,
}

impl RowsGrammar {
    /// Reads the next board; `None` at the end of the input.
    ///
    /// # Errors
    /// When the rows are no board. Then [`RowsGrammar::skip`] skips the rest of the board.
    pub fn read<R: BufRead>(self, source: &mut BoardSource<'_, R>) -> Result<Option<Entry>, BoardError> {
        let Some(first) = source.lines.next_line()? else { return Ok(None) };
        let separator = self.separator(&first);
        let format = self.format(separator);
        if let Some(wanted) = source.options.format.filter(|&wanted| wanted != format) {
            let found = separator.describe();
            return source.lines.fail(first.at(0), found, format!("rows of the format {wanted}"));
        }
        let mut table = Table::new(self, separator, source.options);
        source.part = Part::Cells;
        let mut next = Some(first.clone());
        if self.labels.name_columns() {
            source.part = Part::Header;
            table.read_names(&first).or_else(|mismatch| source.fail(first.at(0), mismatch))?;
            next = self.next_row(source)?;
            if next.is_none() {
                return source.lines.fail(source.lines.end(), "the end after one line", "rows under the names");
            }
        }
        while let Some(line) = next {
            table.read_row(&line).map_err(|located| source.lines.error(located))?;
            let is_over = table.grid.is_full() && self.labels == Labels::Nothing;
            next = if is_over { None } else { self.next_row(source)? };
        }
        table.check_names().or_else(|mismatch| source.fail(first.at(0), mismatch))?;
        let entry = source.finish(table.grid, first.at(0), None)?;
        source.findings.format = Some(format);
        Ok(Some(entry))
    }

    fn separator(self, line: &Line) -> Separator {
        if self.is_cell_per_line { Separator::Blank } else { Separator::of(line) }
    }

    fn format(self, separator: Separator) -> Format {
        match separator {
            Separator::Mark(_) => Format::Csv,
            _ if self.is_cell_per_line => Format::Csv,
            Separator::None | Separator::Blank => Format::Text,
        }
    }

    /// The next line of the same board, if there is one.
    fn next_row<R: BufRead>(self, source: &mut BoardSource<'_, R>) -> Result<Option<Line>, BoardError> {
        match source.lines.peek_line() {
            Some(line) if self.gap.is_before(line) => Ok(None),
            // If the next line cannot be read, `next_line` returns the error.
            _ => source.lines.next_line(),
        }
    }

    /// Skips the rest of a board.
    pub fn skip<R: BufRead>(self, source: &mut LineSource<R>) {
        while source.peek_line().is_some_and(|line| !self.gap.is_before(line)) {
            if source.next_line().is_err() {
                return;
            }
        }
    }
}

/// The names that the column with the numbers of the rows may have.
const CORNER_NAMES: [&str; 5] = ["", "index", "row", "id", "#"];

/// Whether a text is a whole number, as cells write them.
fn is_numeric(text: &str) -> bool {
    number(text).or_else(|| number_with_point(text)).is_some() || text == EMPTY_NUMBER
}

/// A board that is being read row by row.
struct Table {
    grid: Grid,
    grammar: RowsGrammar,
    separator: Separator,
    /// The number of separators after the last cell of each row; `None` before the first row.
    trailing_count: Option<usize>,
    /// Whether an empty text is an empty cell.
    has_empty_text: bool,
    column_names: Vec<String>,
    /// The first cell with a decimal comma.
    decimal_comma_cell: Option<String>,
    /// Whether every cell so far is a whole number.
    are_numbers: bool,
    /// The largest whole number among the cells.
    largest_number: i64,
    row_names: RowNames,
}

impl Table {
    fn new(grammar: RowsGrammar, separator: Separator, options: &ReadOptions) -> Self {
        Self {
            grid: Grid::new(options.size, DeclaredColours::of_count(options.colours), options),
            grammar,
            separator,
            trailing_count: None,
            has_empty_text: options.empty_symbol.as_deref() == Some(""),
            column_names: Vec::new(),
            decimal_comma_cell: None,
            are_numbers: true,
            largest_number: 0,
            row_names: RowNames::default(),
        }
    }

    fn read_names(&mut self, line: &Line) -> Result<(), Mismatch> {
        let mut names: Vec<String> = cells(line, self.separator).into_iter().map(|(_, text)| text.to_owned()).collect();
        while names.len() > 1 && names[names.len() - 1].is_empty() {
            names.pop();
        }
        let Some(first) = names.first().cloned() else {
            return Mismatch::fail("a line without names", "the names of the columns");
        };
        if self.grammar.labels == Labels::ColumnsAndRows {
            let has_corner = self.separator != Separator::Blank || CORNER_NAMES.contains(&&*first.to_lowercase());
            let are_names = RowNames::are_sequence(&names) || !names.iter().any(|name| is_numeric(name));
            if !has_corner && !are_names {
                return Mismatch::fail(quote(&first), "the names of the columns: 0, 1, 2 or words");
            }
            let corner = if has_corner { names.remove(0) } else { String::new() };
            if !CORNER_NAMES.contains(&corner.to_lowercase().as_str()) {
                return Mismatch::fail(quote(&corner), "an empty field above the numbers of the rows");
            }
        } else if ["", "index"].contains(&first.to_lowercase().as_str()) {
            return Mismatch::fail(quote(&first), "the name of a column of cells");
        } else if names.len() > 1 && names.iter().enumerate().all(|(i, name)| *name == i.to_string()) {
            // These are the numbers of the columns, as a data frame without names writes them. They may also be cells.
        } else if let Some(cell) = names.iter().find(|name| name.is_empty() || is_numeric(name)) {
            return Mismatch::fail(quote(cell), "the name of a column");
        }
        if first_repeat(&names).is_some() {
            return Mismatch::fail("a name twice", "a different name for each column");
        }
        self.column_names = names;
        Ok(())
    }

    /// Refuses names that may be cells (unless the cells are numbers or a name is no cell), and a decimal comma that
    /// may separate cells.
    fn check_names(&self) -> Result<(), Mismatch> {
        if let Some(cell) = self.decimal_comma_cell.as_ref().filter(|_| self.grid.size().0 == 1) {
            // In a single line, semicolons may separate rows, and commas the cells of a row.
            let expected = "each row on a line, or cells without commas";
            return Mismatch::fail(format!("{} in the only line", quote(cell)), expected);
        }
        let labels = self.grammar.labels;
        if labels == Labels::Columns && !self.are_numbers && self.column_names.iter().all(|name| is_cell(name)) {
            return Mismatch::fail("a first row of cells", "the names of columns");
        }
        if labels.name_rows() && !self.row_names.include_first() {
            return Mismatch::fail("rows with other numbers", "rows down to 1 or 0");
        }
        if labels == Labels::Rows && !(self.are_numbers && self.row_names.are_convincing(self.largest_number)) {
            return Mismatch::fail("a first column of cells", "the names of rows");
        }
        Ok(())
    }

    fn read_row(&mut self, line: &Line) -> Result<(), LocatedMismatch> {
        let separator = self.grammar.separator(line);
        if separator != self.separator {
            let expected = format!("{}, as in the rows before", self.separator.describe());
            return Err(Mismatch::new(separator.describe(), expected).at(line.at(1)));
        }
        let mut fields = cells(line, separator);
        self.drop_trailing(&mut fields).map_err(|mismatch| mismatch.at(line.end()))?;
        if self.grammar.labels.name_rows() {
            let (column, name) = fields.remove(0);
            self.row_names.push(name).map_err(|mismatch| mismatch.at(line.at(column)))?;
        }
        for (column, text) in fields {
            if text.contains(',') {
                self.decimal_comma_cell.get_or_insert_with(|| text.to_owned());
            }
            self.are_numbers &= is_numeric(text);
            self.largest_number = self.largest_number.max(number(text).unwrap_or(0).into());
            self.grid.push(text, line.at(column), separator == Separator::None)?;
        }
        self.grid.end_row(line.end())?;
        let (names, cols) = (self.column_names.len(), self.grid.size().1);
        if self.grammar.labels.name_columns() && cols != names {
            let found = format!("a row of {}", plural(cols, "cell"));
            return Err(Mismatch::new(found, format!("{names}, as many as names of columns")).at(line.end()));
        }
        Ok(())
    }

    /// Drops the empty texts after the last cell. Fails when the row before had a different number of empty texts, or
    /// when no cell is left.
    fn drop_trailing(&mut self, fields: &mut Vec<(usize, &str)>) -> Result<(), Mismatch> {
        let mut trailing = 0;
        while !self.has_empty_text && fields.len() > 1 && fields[fields.len() - 1].1.is_empty() {
            fields.pop();
            trailing += 1;
        }
        let wanted = *self.trailing_count.get_or_insert(trailing);
        if trailing != wanted {
            let number = |count: usize, none: &str, one: &str| match count {
                0 => none.to_owned(),
                1 => one.to_owned(),
                _ => format!("{count} separators"),
            };
            let found = number(trailing, "no separator", "a separator");
            let expected = format!("{} after the last cell, as in the rows before", number(wanted, "none", "one"));
            return Mismatch::fail(found, expected);
        }
        if fields.is_empty() { Mismatch::fail("a row without cells", "cells") } else { Ok(()) }
    }
}

/// Writes a board as rows without separators, under a header if the colours have the usual symbols.
pub(crate) fn write_text(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    refuse_unsorted(board, Format::Text)?;
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
    refuse_start(board, Format::Csv)?;
    refuse_names(board, Format::Csv, &DeclaredColours::Nothing)?;
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", tokens_of(row, ",", |colour| board.symbols()[colour].clone()))?;
    }
    Ok(())
}
