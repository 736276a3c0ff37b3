//! Boards under a header of whole numbers: the size, perhaps the number of colours and the start cell. The first line
//! of the file may have the number of boards, and a published optimum may follow the cells.
//!
//! Programs differ in what their headers say, in the order of height and width, and in whether they count cells from 0
//! or from 1. Each combination of these is a [`HeadedGrammar`]. A reading is right only if it explains the whole file.

use crate::formats::cells::grid::{Grid, check_size, check_start};
use crate::formats::cells::palette::{DeclaredColours, value_or_number};
use crate::formats::cells::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL, number, whole_number};
use crate::formats::cells::writing::{refuse_unsorted, tokens_of, unrepresentable, write_header};
use crate::formats::input::board_source::{BoardSource, Part};
use crate::formats::input::line_source::{Line, LineSource};
use crate::formats::input::row::{Number, Separator, cells, whole_numbers};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural, quote};
use crate::{Board, BoardError, Cell, Entry, Format, MAX_CELLS, MAX_COLOURS, Position, ReadOptions, Start, WriteError};
use std::io::{BufRead, Write};
use std::iter;

/// One number of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Rows,
    Cols,
    /// Both the rows and the columns.
    Side,
    Colours,
    StartRow,
    StartCol,
}

use Field::{Colours, Cols, Rows, Side, StartCol, StartRow};

impl Field {
    fn check(self, value: usize, options: &ReadOptions) -> Result<(), Mismatch> {
        let (what, most) = match self {
            Rows | Side => ("the number of rows", MAX_CELLS),
            Cols => ("the number of columns", MAX_CELLS),
            Colours => ("the number of colours", MAX_COLOURS),
            StartRow | StartCol => return Ok(()),
        };
        // A side of 1 is more likely a cell than a header.
        let least = if self == Side && options.format != Some(Format::Numbers) { 2 } else { 1 };
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Mismatch::fail(quote(&value.to_string()), format!("{what}, {least} to {most}"))
    }
}

/// The numbers of a header: on its first line, and on a second line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub first: &'static [Field],
    pub second: &'static [Field],
}

const fn form(first: &'static [Field], second: &'static [Field]) -> Form {
    Form { first, second }
}

/// Every form, the most usual one first.
pub(crate) const FORMS: [Form; 16] = [
    form(&[Rows, Cols, Colours], &[]),
    form(&[Cols, Rows, Colours], &[]),
    form(&[Rows, Cols], &[]),
    form(&[Cols, Rows], &[]),
    form(&[Side], &[]),
    form(&[Side, Colours], &[]),
    form(&[Rows, Cols, StartRow, StartCol], &[]),
    form(&[Cols, Rows, StartCol, StartRow], &[]),
    form(&[Rows, Cols, Colours, StartRow, StartCol], &[]),
    form(&[Cols, Rows, Colours, StartCol, StartRow], &[]),
    form(&[Rows, Cols], &[StartRow, StartCol]),
    form(&[Cols, Rows], &[StartCol, StartRow]),
    form(&[Side], &[StartRow, StartCol]),
    form(&[Side, Colours], &[StartRow, StartCol]),
    form(&[Rows, Cols, Colours], &[StartRow, StartCol]),
    form(&[Cols, Rows, Colours], &[StartCol, StartRow]),
];

impl Form {
    /// Whether the width comes before the height.
    pub fn is_width_first(&self) -> bool {
        self.first[0] == Cols
    }

    /// Whether the header names a start cell.
    pub fn has_start(&self) -> bool {
        self.first.contains(&StartRow) || !self.second.is_empty()
    }

    /// Whether the header names the number of colours.
    pub fn has_colours(&self) -> bool {
        self.first.contains(&Colours)
    }

    /// The names of the numbers in messages.
    pub fn describe(&self) -> String {
        let word = |field: &Field| match field {
            Rows => "rows",
            Cols => "columns",
            Side => "rows = columns",
            Colours => "colours",
            StartRow => "start row",
            StartCol => "start column",
        };
        self.first.iter().chain(self.second).map(word).collect::<Vec<_>>().join(", ")
    }
}

/// One way to read boards under headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadedGrammar {
    pub form: &'static Form,
    /// The number of the first row and of the first column, for a start cell of two numbers: 0 or 1.
    pub base: usize,
    /// Whether the first line of the file is the number of boards.
    pub has_board_count: bool,
    /// Whether each line under the header is a row. Otherwise lines may be broken anywhere between numbers.
    pub is_row_per_line: bool,
    /// Whether the cells are on the line of the header.
    pub is_inline: bool,
}

/// A header as it was read.
struct Header {
    rows: usize,
    cols: usize,
    colours: Option<usize>,
    start: Option<Start>,
}

impl HeadedGrammar {
    /// Reads the next board; `None` at the end of the input.
    ///
    /// # Errors
    /// When the header or the cells are wrong. Then no further board can be read.
    pub fn read<R: BufRead>(self, source: &mut BoardSource<'_, R>) -> Result<Option<Entry>, BoardError> {
        if self.has_board_count && source.number == 1 {
            let line = expect_line(source.lines, "the number of boards")?;
            let count = whole_numbers(&line, 1).and_then(|numbers| Some(numbers.first()?.value));
            source.findings.boards_left = count;
            if count.is_none_or(|count| count == 0) {
                return source.lines.fail(line.at(1), quote(line.trimmed()), "the number of boards in the file");
            }
        }
        let (is_over, end) = (source.lines.is_over(), source.lines.end());
        match &mut source.findings.boards_left {
            Some(left) if is_over && *left > 0 => {
                let expected = format!("{} more", plural(*left, "board"));
                return source.fail(end, Mismatch::new("the end of the file", expected));
            }
            _ if is_over => return Ok(None),
            Some(0) => return source.fail(end, Mismatch::new("one more board", "the end of the file")),
            Some(left) => *left -= 1,
            None => {}
        }
        let header = self.read_header(source)?;
        let body = self.read_body(source, &header)?;
        let published_optimum = self.read_optimum(source, &body)?;
        let entry = source.finish(body.grid, body.first_line, header.start)?;
        source.findings.format = Some(body.format.unwrap_or(Format::Numbers));
        Ok(Some(Entry { published_optimum, ..entry }))
    }

    fn read_header<R: BufRead>(self, source: &mut BoardSource<'_, R>) -> Result<Header, BoardError> {
        let mut line = expect_line(source.lines, "a header")?;
        if self.is_inline {
            line = self.split_inline(line, source.lines);
        }
        let (mut numbers, start) = self.read_numbers(&line).map_err(|located| source.lines.error(located))?;
        if !self.form.second.is_empty() {
            let second = expect_line(source.lines, "the start cell")?;
            let Some(more) = whole_numbers(&second, 2).filter(|more| more.len() == 2) else {
                return source.lines.fail(second.at(1), quote(second.trimmed()), "the start cell: two whole numbers");
            };
            numbers.extend(more);
        }
        self.make_header(&line, &numbers, start, source.options).map_err(|located| source.lines.error(located))
    }

    /// Makes the header from these numbers, and checks it. `start` is the start cell that a word names.
    fn make_header(
        self,
        line: &Line,
        numbers: &[Number],
        start: Option<Start>,
        options: &ReadOptions,
    ) -> Result<Header, LocatedMismatch> {
        let fields = self.form.first.iter().chain(self.form.second);
        let numbers: Vec<(Field, Number)> = fields.copied().zip(numbers.iter().copied()).collect();
        for (field, number) in &numbers {
            field.check(number.value, options).map_err(|mismatch| mismatch.at(line.at(number.column)))?;
        }
        let value = |wanted: Field| numbers.iter().find(|(field, _)| *field == wanted).map(|(_, number)| number.value);
        let side = value(Side);
        let (rows, cols) = (value(Rows).or(side).unwrap_or(0), value(Cols).or(side).unwrap_or(0));
        let start = || {
            check_size((rows, cols), options.size)?;
            let start = match value(StartRow).zip(value(StartCol)) {
                Some((row, col)) => Some(self.start_cell(row, col)?),
                None => start,
            };
            start.map_or(Ok(()), |start| check_start(start.cell(rows, cols), rows, cols)).map(|()| start)
        };
        let at = line.at(numbers.first().map_or(1, |(_, number)| number.column));
        let start = start().map_err(|mismatch| mismatch.at(at))?;
        Ok(Header { rows, cols, colours: value(Colours), start })
    }

    fn start_cell(self, row: usize, col: usize) -> Result<Start, Mismatch> {
        let cell = row.checked_sub(self.base).zip(col.checked_sub(self.base));
        cell.map(|(row, col)| Start::At(Cell { row, col }))
            .ok_or_else(|| Mismatch::new(format!("start cell {row} {col}"), "cells counted from 1"))
    }

    /// Splits a line of header and cells: returns the header, and puts the cells back as the next line. They keep their
    /// columns; blanks replace other separators.
    fn split_inline<R: BufRead>(self, line: Line, source: &mut LineSource<R>) -> Line {
        let numbers = whole_numbers(&line, usize::MAX).unwrap_or_default();
        let Some(first_cell) = numbers.get(self.form.first.len()) else { return line };
        let before = first_cell.column - 1;
        let separated = |c: char| if [',', ';', '|'].contains(&c) { ' ' } else { c };
        let header = line.text.chars().take(before).map(separated).collect();
        let cells = iter::repeat_n(' ', before).chain(line.text.chars().skip(before).map(separated)).collect();
        source.unread(Line { text: cells, ..line.clone() });
        Line { text: header, ..line }
    }

    /// The numbers of the first line, and the start cell if a word after them names it.
    fn read_numbers(self, line: &Line) -> Result<(Vec<Number>, Option<Start>), LocatedMismatch> {
        let are_all = |numbers: &Vec<Number>| numbers.len() == self.form.first.len();
        if let Some(numbers) = whole_numbers(line, self.form.first.len()).filter(are_all) {
            return Ok((numbers, None));
        }
        let mut tokens: Vec<(usize, &str)> = line.tokens().collect();
        let start = tokens.pop().filter(|_| !self.form.has_start()).and_then(|(_, word)| word.parse().ok());
        let number = |&(column, token): &(usize, &str)| Some(Number { column, value: whole_number(token)? });
        match tokens.iter().map(number).collect::<Option<_>>().filter(are_all) {
            Some(numbers) if start.is_some() => Ok((numbers, start)),
            _ => {
                Err(Mismatch::new(quote(line.trimmed()), format!("a header: {}", self.form.describe())).at(line.at(1)))
            }
        }
    }

    fn read_body<R: BufRead>(self, source: &mut BoardSource<'_, R>, header: &Header) -> Result<Body, BoardError> {
        let &Header { rows, cols, colours, .. } = header;
        let declared = DeclaredColours::of_count(colours.or(source.options.colours));
        let grid = Grid::new(Some((rows, cols)), declared, source.options);
        let mut body = Body { grid, first_line: Position::default(), format: None, trailing: Vec::new() };
        while !body.grid.is_full() {
            let Some(line) = source.lines.next_line()? else {
                let found = format!("the end of the file after {}", plural(body.grid.len(), "cell"));
                let expected = format!("{} ({rows} x {cols})", plural(rows * cols, "cell"));
                return source.lines.fail(source.lines.end(), found, expected);
            };
            if body.first_line == Position::default() {
                body.first_line = line.at(0);
            }
            let read = if self.is_row_per_line { body.read_row(&line) } else { body.read_cells(&line) };
            read.map_err(|located| source.lines.error(located))?;
            if self.is_row_per_line || body.grid.len() >= cols {
                source.part = Part::Cells;
            }
        }
        Ok(body)
    }

    /// Reads the published optimum, which may follow the last cell or be alone on the next line. Fails when anything
    /// else follows the last cell, or when the rows do not have the format that the options name.
    fn read_optimum<R: BufRead>(self, source: &mut BoardSource<'_, R>, body: &Body) -> Result<Option<u32>, BoardError> {
        let has_colours = self.form.has_colours();
        let optimum = match &body.trailing[..] {
            [] => None,
            [(at, text)] if has_colours => parse_optimum(text).or_else(|mismatch| source.fail(*at, mismatch))?,
            [.., (at, text)] => return source.lines.fail(*at, quote(text), "the end of the line after the last cell"),
        };
        let format = body.format.unwrap_or(Format::Numbers);
        let may_be_text = format == Format::Numbers && self.is_row_per_line;
        let is_wanted = |wanted| wanted == format || (wanted == Format::Text && may_be_text);
        if !source.options.format.is_none_or(is_wanted) {
            let found = format!("rows of the format {format}");
            return source.lines.fail(body.first_line, found, "rows of the format asked for");
        }
        let may_follow = optimum.is_none() && has_colours && format == Format::Numbers;
        if !may_follow || source.lines.peek_line().is_none_or(|line| whole_numbers(line, 1).is_none()) {
            return Ok(optimum);
        }
        let Some(line) = source.lines.next_line()? else { return Ok(None) };
        parse_optimum(line.trimmed()).or_else(|mismatch| source.fail(line.at(1), mismatch))
    }
}

/// The published optimum in a text; `None` for 0, which means that it is not known.
fn parse_optimum(text: &str) -> Result<Option<u32>, Mismatch> {
    let value = text.parse().ok().filter(|n| *n <= MAX_CELLS as u32);
    let expected = || format!("the published optimum, 1 to {MAX_CELLS}, 0 if it is not known, or the end of the file");
    value.map(|value| (value > 0).then_some(value)).ok_or_else(|| Mismatch::new(quote(text), expected()))
}

fn expect_line<R: BufRead>(source: &mut LineSource<R>, expected: &str) -> Result<Line, BoardError> {
    match source.next_line()? {
        Some(line) => Ok(line),
        None => source.fail(source.end(), "the end of the file", expected),
    }
}

/// The cells under a header.
struct Body {
    grid: Grid,
    /// Where the first line of cells begins.
    first_line: Position,
    /// The format of the lines so far; `None` if they were read as numbers that may be broken anywhere.
    format: Option<Format>,
    /// The texts after the last cell, on its line.
    trailing: Vec<(Position, String)>,
}

impl Body {
    /// Reads a line that is a row.
    fn read_row(&mut self, line: &Line) -> Result<(), LocatedMismatch> {
        let separator = Separator::of(line);
        let (_, cols) = self.grid.size();
        let mut texts = cells(line, separator);
        if texts.len() == cols + 1 && texts.last().is_some_and(|(_, text)| text.is_empty()) {
            texts.pop();
        }
        let is_column = cols == 1 && separator == Separator::None;
        if is_column {
            texts = line.tokens().collect();
        }
        let is_empty = |text: &str| text == EMPTY_NUMBER || (is_column && text.chars().eq([EMPTY_SYMBOL]));
        let is_number = |(_, text): &(usize, &str)| number(text).is_some() || is_empty(text);
        let format = match separator {
            Separator::Mark(_) => Format::Csv,
            Separator::Blank if texts.iter().all(is_number) => Format::Numbers,
            Separator::None if is_column && texts.iter().all(is_number) => Format::Numbers,
            Separator::None | Separator::Blank => Format::Text,
        };
        // Rows of numbers and rows with a letter may follow each other; rows with other separators may not.
        let earlier = *self.format.get_or_insert(format);
        let is_spaced = |format| format == Format::Numbers || separator == Separator::Blank;
        if earlier != format && !is_column && !(is_spaced(earlier) && is_spaced(format)) {
            let expected = format!("rows of the format {earlier}, as before");
            return Err(Mismatch::new(separator.describe(), expected).at(line.at(0)));
        }
        if format == Format::Text {
            self.format = Some(format);
        }
        for (column, text) in texts {
            self.grid.push(text, line.at(column), separator == Separator::None && !is_column)?;
        }
        self.grid.end_row(line.end())
    }

    /// Reads the numbers of a line. A row may end anywhere.
    fn read_cells(&mut self, line: &Line) -> Result<(), LocatedMismatch> {
        for (column, text) in line.tokens() {
            if self.grid.is_full() {
                self.trailing.push((line.at(column), text.to_owned()));
            } else {
                self.grid.push_wrapping(text, line.at(column), false)?;
            }
        }
        Ok(())
    }
}

/// Writes a header, the cells as numbers, and the published optimum.
pub(crate) fn write(board: &Board, published_optimum: Option<u32>, out: &mut impl Write) -> Result<(), WriteError> {
    let values: Option<Vec<u8>> = board.symbols().iter().map(|name| value_or_number(name)).collect();
    let Some(values) = values.filter(|values| values.is_sorted_by(|a, b| a < b)) else {
        return refuse_unsorted(board, Format::Numbers);
    };
    if values.contains(&0) {
        return Err(unrepresentable(board, Format::Numbers, "the symbol 0"));
    }
    write_header(board, values.last().copied().unwrap_or(1).into(), out)?;
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", tokens_of(row, " ", |colour| values[colour].to_string()))?;
    }
    if let Some(optimum) = published_optimum {
        writeln!(out, "{optimum}")?;
    }
    Ok(())
}
