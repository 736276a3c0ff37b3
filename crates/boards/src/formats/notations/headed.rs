//! Boards under a header of whole numbers: the size, perhaps the number of colours and the start cell. The number of
//! boards may stand in the first line of the file, and a published optimum behind the cells.
//!
//! Programs differ in what their headers say, in the order of height and width, and in whether they count cells from 0
//! or from 1. Each combination is one [`Headed`]. A reading is right only if it explains the whole file.

use crate::formats::cells::grid::{Grid, check_size, check_start};
use crate::formats::cells::palette::Declared;
use crate::formats::cells::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL, number};
use crate::formats::input::board_source::{BoardSource, Part};
use crate::formats::input::row::{Separator, cells, whole_numbers};
use crate::formats::input::source::{Line, Source};
use crate::formats::problem::{Problem, plural, quote};
use crate::{BoardError, Cell, Entry, Format, MAX_CELLS, MAX_COLOURS, Position, ReadOptions, Start};
use std::io::BufRead;

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

    /// The numbers as messages name them.
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
pub(crate) struct Headed {
    pub form: &'static Form,
    /// Whether a start cell of two numbers counts rows and columns from 0 or from 1.
    pub base: usize,
    /// Whether the first line of the file is the number of boards.
    pub has_board_count: bool,
    /// Whether each line under the header is a row. Otherwise lines may be broken anywhere between numbers.
    pub is_row_per_line: bool,
    /// Whether the cells stand on the line of the header.
    pub is_inline: bool,
}

/// The numbers of a line as (column, value) pairs, and the start cell that a word names.
type Numbers = (Vec<(usize, usize)>, Option<Start>);

/// A header as it was read.
struct Header {
    rows: usize,
    cols: usize,
    colours: Option<usize>,
    start: Option<Start>,
}

/// The boards of a file that are announced and not read yet; `None` if the file does not announce their number.
pub(crate) type Announced = Option<usize>;

impl Headed {
    /// Reads the next board, with the format of its rows; `None` at the end of the input.
    ///
    /// # Errors
    /// When the header or the cells are wrong. What follows cannot be read then.
    pub fn read<R: BufRead>(
        self,
        source: &mut BoardSource<'_, R>,
        announced: &mut Announced,
    ) -> Result<Option<(Format, Entry)>, BoardError> {
        if self.has_board_count && source.number == 1 {
            let line = next(source.lines, "the number of boards")?;
            let count = whole_numbers(&line, 1).and_then(|numbers| numbers.first().map(|&(_, count)| count));
            let Some(count) = count.filter(|&count| count > 0) else {
                return source.lines.fail(line.at(1), quote(line.trimmed()), "the number of boards in the file");
            };
            *announced = Some(count);
        }
        if source.lines.is_over() {
            return match announced {
                Some(left) if *left > 0 => {
                    let (found, expected) =
                        ("the end of the file".to_owned(), format!("{} more", plural(*left, "board")));
                    source.fail(source.lines.end(), Problem::new(found, expected))
                }
                _ => Ok(None),
            };
        }
        if let Some(left) = announced {
            *left = match left.checked_sub(1) {
                Some(left) => left,
                None => return source.fail(source.lines.end(), Problem::new("one more board", "the end of the file")),
            };
        }
        source.part = Part::Header;
        let header = self.header(source)?;
        let Cells { format, grid, first, published } = self.body(source, &header)?;
        let published = match published {
            None if self.form.has_colours() && format == Format::Numbers => Self::published(source)?,
            on_the_last_line => on_the_last_line,
        };
        let entry = source.finish(grid, first, header.start)?;
        Ok(Some((format, Entry { published, ..entry })))
    }

    fn header<R: BufRead>(self, source: &mut BoardSource<'_, R>) -> Result<Header, BoardError> {
        let mut line = next(source.lines, "a header")?;
        if self.is_inline {
            line = self.cut(line, source.lines);
        }
        let (mut numbers, start) = self.numbers_of(&line).or_else(|(at, problem)| source.fail(at, problem))?;
        if !self.form.second.is_empty() {
            let second = next(source.lines, "the start cell")?;
            let more = whole_numbers(&second, 2).filter(|more| more.len() == 2);
            let Some(more) = more else {
                return source.lines.fail(second.at(1), quote(second.trimmed()), "the start cell: two whole numbers");
            };
            numbers.extend(more);
        }
        let fields = self.form.first.iter().chain(self.form.second);
        let values: Vec<(Field, usize, usize)> =
            fields.zip(&numbers).map(|(&field, &(column, value))| (field, column, value)).collect();
        let value = |wanted: Field| values.iter().find(|(field, ..)| *field == wanted).map(|&(.., value)| value);
        for &(field, column, value) in &values {
            Self::check(field, value, source.options).or_else(|problem| source.fail(line.at(column), problem))?;
        }
        let side = value(Side);
        let (rows, cols) = (value(Rows).or(side).unwrap_or(0), value(Cols).or(side).unwrap_or(0));
        let at = line.at(numbers.first().map_or(1, |&(column, _)| column));
        check_size((rows, cols), source.options.size).or_else(|problem| source.fail(at, problem))?;
        let cell = |(row, col): (usize, usize)| {
            Some(Start::At(Cell { row: row.checked_sub(self.base)?, col: col.checked_sub(self.base)? }))
        };
        let start = match (value(StartRow), value(StartCol)) {
            (Some(row), Some(col)) => match cell((row, col)) {
                Some(start) => Some(start),
                None => {
                    return source.fail(at, Problem::new(format!("start cell {row} {col}"), "cells counted from 1"));
                }
            },
            _ => start,
        };
        if let Some(start) = start {
            check_start(start.cell(rows, cols), rows, cols).or_else(|problem| source.fail(at, problem))?;
        }
        Ok(Header { rows, cols, colours: value(Colours), start })
    }

    /// Splits an inline line: returns the header, and puts the cells back as the next line, in the same columns and
    /// with blanks instead of other separators.
    fn cut<R: BufRead>(self, line: Line, source: &mut Source<R>) -> Line {
        let Some(&(column, _)) =
            whole_numbers(&line, usize::MAX).as_deref().unwrap_or_default().get(self.form.first.len())
        else {
            return line;
        };
        let separated = |c: char| if [',', ';', '|'].contains(&c) { ' ' } else { c };
        let header = line.text.chars().take(column - 1).map(separated).collect();
        let blank = std::iter::repeat_n(' ', column - 1);
        let cells = blank.chain(line.text.chars().skip(column - 1).map(separated)).collect();
        source.put_front(Line { text: cells, ..line.clone() });
        Line { text: header, ..line }
    }

    /// The numbers of the first line as (column, value) pairs, and the start cell behind them if a word names it.
    fn numbers_of(self, line: &Line) -> Result<Numbers, (Position, Problem)> {
        let wanted = self.form.first.len();
        if let Some(numbers) = whole_numbers(line, wanted).filter(|numbers| numbers.len() == wanted) {
            return Ok((numbers, None));
        }
        let mut tokens: Vec<(usize, &str)> = line.tokens().collect();
        let start = tokens.pop().filter(|_| !self.form.has_start()).and_then(|(_, word)| word.parse().ok());
        let is_number = |token: &str| token.bytes().all(|byte| byte.is_ascii_digit());
        let number =
            |&(column, token): &(usize, &str)| Some((column, token.parse().ok().filter(|_| is_number(token))?));
        match (tokens.iter().map(number).collect::<Option<Vec<_>>>(), start) {
            (Some(numbers), Some(start)) if numbers.len() == wanted => Ok((numbers, Some(start))),
            _ => Err((line.at(1), Problem::new(quote(line.trimmed()), format!("a header: {}", self.form.describe())))),
        }
    }

    fn check(field: Field, value: usize, options: &ReadOptions) -> Result<(), Problem> {
        let (what, most) = match field {
            Rows | Side => ("the number of rows", MAX_CELLS),
            Cols => ("the number of columns", MAX_CELLS),
            Colours => ("the number of colours", MAX_COLOURS),
            StartRow | StartCol => return Ok(()),
        };
        // A side of 1 is more likely a cell than a header.
        let least = if field == Side && options.format != Some(Format::Numbers) { 2 } else { 1 };
        if (least..=most).contains(&value) {
            Ok(())
        } else {
            Problem::fail(quote(&value.to_string()), format!("{what}, {least} to {most}"))
        }
    }

    fn body<R: BufRead>(self, source: &mut BoardSource<'_, R>, header: &Header) -> Result<Cells, BoardError> {
        let declared = header.colours.or(source.options.colours).map_or(Declared::Nothing, Declared::Count);
        let grid = Grid::new(Some((header.rows, header.cols)), declared, source.options);
        let mut body = Body { grid, header, format: None, rest: Vec::new() };
        let mut first = None;
        while !body.grid.is_full() {
            let Some(line) = source.lines.next_line()? else {
                let (at, read) = (source.lines.end(), body.grid.len());
                let (rows, cols) = (header.rows, header.cols);
                let found = format!("the end of the file after {}", plural(read, "cell"));
                return source.fail(at, Problem::new(found, format!("{} cells ({rows} x {cols})", rows * cols)));
            };
            first.get_or_insert(line.at(0));
            let read = if self.is_row_per_line { body.read_row(&line) } else { body.read_numbers(&line) };
            read.or_else(|(column, problem)| source.fail(line.at(column), problem))?;
            if self.is_row_per_line || body.grid.len() >= header.cols {
                source.part = Part::Cells;
            }
        }
        let Body { grid, format, rest, .. } = body;
        let published = match &rest[..] {
            [] => None,
            [(at, text)] if self.form.has_colours() => optimum(text).or_else(|problem| source.fail(*at, problem))?,
            [.., (at, text)] => return source.lines.fail(*at, quote(text), "the end of the line behind the last cell"),
        };
        let format = format.unwrap_or(Format::Numbers);
        let allowed = source.options.format.is_none_or(|wanted| {
            wanted == format || (wanted == Format::Text && format == Format::Numbers && self.is_row_per_line)
        });
        let at = first.unwrap_or_default();
        if !allowed {
            return source.lines.fail(at, format!("rows of the format {format}"), "rows of the format asked for");
        }
        Ok(Cells { format, grid, first: at, published })
    }

    /// The published optimum, alone on a line behind the cells, if it is there.
    fn published<R: BufRead>(source: &mut BoardSource<'_, R>) -> Result<Option<u32>, BoardError> {
        let is_number = |line: &&Line| whole_numbers(line, 1).is_some();
        if !source.lines.peek(|_| false).0.first().is_some_and(is_number) {
            return Ok(None);
        }
        let Some(line) = source.lines.next_line()? else { return Ok(None) };
        optimum(line.trimmed()).or_else(|problem| source.fail(line.at(1), problem))
    }
}

/// The published optimum that a text writes; 0 says that it is not known.
fn optimum(text: &str) -> Result<Option<u32>, Problem> {
    let value = text.parse().ok().filter(|n| *n <= MAX_CELLS as u32);
    let expected = || format!("the published optimum, 1 to {MAX_CELLS}, 0 if it is not known, or the end of the file");
    value.map(|value| (value > 0).then_some(value)).ok_or_else(|| Problem::new(quote(text), expected()))
}

/// The cells under a header.
struct Cells {
    format: Format,
    grid: Grid,
    /// Where the first line of cells begins.
    first: Position,
    /// The published optimum, if it stands on the line of the last cell.
    published: Option<u32>,
}

fn next<R: BufRead>(source: &mut Source<R>, expected: &str) -> Result<Line, BoardError> {
    match source.next_line()? {
        Some(line) => Ok(line),
        None => source.fail(source.end(), "the end of the file", expected),
    }
}

/// The cells under a header while they are read.
struct Body<'a> {
    grid: Grid,
    header: &'a Header,
    format: Option<Format>,
    /// Texts behind the last cell, on the same line.
    rest: Vec<(Position, String)>,
}

impl Body<'_> {
    /// Reads a line that is a row.
    fn read_row(&mut self, line: &Line) -> Result<(), (usize, Problem)> {
        let separator = Separator::of(line);
        let mut texts = cells(line, separator);
        if texts.len() == self.header.cols + 1 && texts.last().is_some_and(|(_, text)| text.is_empty()) {
            texts.pop();
        }
        let is_column = self.header.cols == 1 && separator == Separator::None;
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
        let before = *self.format.get_or_insert(format);
        let is_spaced = |format| format == Format::Numbers || separator == Separator::Blank;
        if before != format && !is_column && !(is_spaced(before) && is_spaced(format)) {
            return Err((0, Problem::new(separator.describe(), format!("rows of the format {before}, as before"))));
        }
        if format == Format::Text {
            self.format = Some(format);
        }
        for (column, text) in texts {
            let is_symbol = separator == Separator::None && !is_column;
            self.grid.push(text, line.at(column), is_symbol).map_err(|problem| (column, problem))?;
        }
        self.grid.end_row().map_err(|problem| (line.end().column, problem))
    }

    /// Reads numbers, wherever rows end.
    fn read_numbers(&mut self, line: &Line) -> Result<(), (usize, Problem)> {
        for (column, text) in line.tokens() {
            if self.grid.is_full() {
                self.rest.push((line.at(column), text.to_owned()));
                continue;
            }
            self.grid.push_on(text, line.at(column), false).map_err(|problem| (column, problem))?;
        }
        Ok(())
    }
}
