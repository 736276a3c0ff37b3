//! [`Format::Bunny`]: boards of Hopping Bunny, drawn with one character a square.
//!
//! ```text
//! S##     S  a start square, which is marked
//!   #     #  an unmarked square, O  a marked square
//!  O#     a space or a dot: no square; may be left out at the end of a row
//! ```
//!
//! A blank line ends a board. The format has no comments, because a row may begin with `#`.
//!
//! A board may have several starts, at most one in each connected part of squares. One program then moves a bunny on
//! every start. [`join_bunny_boards`] makes such a board of several boards.

use crate::formats::board_source::BoardSource;
use crate::formats::problem::{Problem, show_char};
use crate::formats::source::{Line, Source};
use crate::formats::write_common::unrepresentable;
use crate::{Board, BoardError, Cell, EMPTY, Entry, Format, MAX_CELLS, Position, ReadOptions, WriteError};
use std::io::{BufRead, Write};
use std::ops::Range;

/// The colour of an unmarked square.
pub const UNMARKED: u8 = 0;

/// The colour of a marked square. A start square is always marked.
pub const MARKED: u8 = 1;

/// The colour of the start squares on a board with several starts. They are marked.
const ONE_OF_STARTS: u8 = 2;

/// The symbols of [`UNMARKED`] and [`MARKED`], and of [`ONE_OF_STARTS`] on a board with several starts.
const SYMBOLS: [&str; 3] = ["#", "O", "S"];

const START: char = 'S';

/// The colour symbols of a Hopping Bunny board with so many starts.
pub(crate) fn symbols(starts: usize) -> Vec<String> {
    SYMBOLS[..if starts > 1 { 3 } else { 2 }].iter().map(|&symbol| symbol.to_owned()).collect()
}

impl Board {
    /// Whether this is a Hopping Bunny board: its colours are [`UNMARKED`] and [`MARKED`], and its start is marked. A
    /// board with several starts has a third colour `S` for the start squares, the first of which is its start.
    #[must_use]
    pub fn is_bunny(&self) -> bool {
        let start = self.cells()[self.index(self.start())];
        match self.symbols() {
            symbols if symbols == &SYMBOLS[..2] => start == MARKED,
            symbols if symbols == SYMBOLS => {
                self.bunny_starts().first() == Some(&self.start()) && start == ONE_OF_STARTS
            }
            _ => false,
        }
    }

    /// The start squares of a Hopping Bunny board, from left to right, and from top to bottom in a column.
    #[must_use]
    pub fn bunny_starts(&self) -> Vec<Cell> {
        if self.symbols() != SYMBOLS {
            return vec![self.start()];
        }
        let is_start = |&index: &usize| self.cells()[index] == ONE_OF_STARTS;
        let mut starts: Vec<Cell> = (0..self.cells().len()).filter(is_start).map(|index| self.cell(index)).collect();
        starts.sort_by_key(|cell| (cell.col, cell.row));
        starts
    }
}

/// One board of several boards of Hopping Bunny, side by side with a column without squares between two of them: a
/// program solves it if the program solves each of the boards.
///
/// # Errors
/// When there is no board, one is not a board of Hopping Bunny, or they have more than [`MAX_CELLS`] cells together.
pub fn join_bunny_boards(boards: &[Board]) -> Result<Board, BoardError> {
    let name = joined_name(&boards.iter().map(Board::name).collect::<Vec<_>>());
    let fail = |found: String, expected: String| Err(BoardError::at(&name, Position::default(), found, expected));
    if boards.is_empty() {
        return fail("no boards".to_owned(), "at least one board to join".to_owned());
    }
    if let Some(other) = boards.iter().find(|board| !board.is_bunny()) {
        let (other, colours) = (other.name(), other.symbols().join(" "));
        return fail(
            format!("the board {other} with the colours {colours}"),
            "boards of Hopping Bunny, because only these can be joined".to_owned(),
        );
    }
    let rows = boards.iter().map(Board::rows).max().unwrap_or(0);
    let cols = boards.iter().map(|board| board.cols() + 1).sum::<usize>() - 1;
    if rows.saturating_mul(cols) > MAX_CELLS {
        return fail(
            format!("{} boards that take {rows} x {cols} cells side by side", boards.len()),
            format!("at most {MAX_CELLS} cells; --boards selects some boards"),
        );
    }
    let mut cells = vec![EMPTY; rows * cols];
    let (mut left, mut starts) = (0, Vec::new());
    for board in boards {
        for (index, &cell) in board.cells().iter().enumerate() {
            let Cell { row, col } = board.cell(index);
            cells[row * cols + left + col] = cell;
        }
        starts.extend(board.bunny_starts().into_iter().map(|Cell { row, col }| Cell { row, col: left + col }));
        left += board.cols() + 1;
    }
    mark_starts(&mut cells, cols, &starts);
    let symbols = symbols(starts.len());
    Board::new(name, rows, cols, cells, symbols, starts.first().copied().unwrap_or_default())
}

/// Gives the start squares their colour, if there are several.
fn mark_starts(cells: &mut [u8], cols: usize, starts: &[Cell]) {
    if starts.len() > 1 {
        starts.iter().for_each(|start| cells[start.row * cols + start.col] = ONE_OF_STARTS);
    }
}

/// The name of joined boards: `twelve.txt#1-6,9` for boards of one file, and otherwise their names joined by `+`.
fn joined_name(names: &[&str]) -> String {
    let mut parts: Vec<(&str, Vec<Range<usize>>)> = Vec::new();
    for name in names {
        let (file, number) = match name.rsplit_once('#') {
            Some((file, number)) => (file, number.parse().ok()),
            None => (*name, None),
        };
        let Some(number) = number else {
            parts.push((name, Vec::new()));
            continue;
        };
        match parts.last_mut() {
            Some((last, ranges)) if *last == file && !ranges.is_empty() => match ranges.last_mut() {
                Some(range) if range.end == number => range.end += 1,
                _ => ranges.push(number..number + 1),
            },
            _ => parts.push((file, std::iter::once(number..number + 1).collect())),
        }
    }
    let numbers = |range: &Range<usize>| match range.len() {
        1 => range.start.to_string(),
        _ => format!("{}-{}", range.start, range.end - 1),
    };
    let of_part = |(file, ranges): &(&str, Vec<Range<usize>>)| match ranges.len() {
        0 => (*file).to_owned(),
        _ => format!("{file}#{}", ranges.iter().map(numbers).collect::<Vec<_>>().join(",")),
    };
    parts.iter().map(of_part).collect::<Vec<_>>().join("+")
}

/// Reads the next board; `None` at the end of the file.
pub(crate) fn read<R: BufRead>(source: &mut BoardSource<'_, R>) -> Result<Option<Entry>, BoardError> {
    skip_blank(source.lines)?;
    let mut rows: Vec<Line> = Vec::new();
    while let Some(line) = source.lines.next_line()?.filter(|line| !is_blank(line)) {
        rows.push(line);
        if rows.len() > MAX_CELLS {
            return source
                .fail(rows[0].at(0), Problem::new("more than 10000 rows", format!("at most {MAX_CELLS} cells")));
        }
    }
    let Some(first) = rows.first() else { return Ok(None) };
    skip_blank(source.lines)?;
    let name = source.name();
    let board = squares(rows.iter().map(|line| line.text.trim_end_matches([' ', '\t'])))
        .map_err(|(row, column, problem)| (rows.get(row).unwrap_or(first).at(column), problem))
        .and_then(|squares| squares.board(source.options, &name).map_err(|problem| (first.at(0), problem)));
    let entry = board.map(|board| Entry { board, published: None });
    entry.map(Some).or_else(|(at, problem)| source.fail(at, problem))
}

/// Whether the next content is a JSON object instead of a drawn board.
pub(crate) fn is_json<R: BufRead>(source: &mut Source<R>) -> Result<bool, BoardError> {
    skip_blank(source)?;
    Ok(source.peek(|_| false).0.first().is_some_and(|line| line.text.trim_start().starts_with('{')))
}

fn is_blank(line: &Line) -> bool {
    line.text.trim_matches([' ', '\t']).is_empty()
}

/// Skips blank lines.
fn skip_blank<R: BufRead>(source: &mut Source<R>) -> Result<(), BoardError> {
    while source.peek(|_| false).0.first().is_some_and(|line| is_blank(line)) {
        source.next_line()?;
    }
    Ok(())
}

/// The squares of a board whose rows may differ in length.
pub(crate) struct Squares {
    rows: Vec<Vec<u8>>,
    starts: Vec<Cell>,
}

/// Parses rows of symbols.
///
/// # Errors
/// For an unknown symbol, a second start in a connected part, or no start. The error names the row, counted from 0, and
/// the column, counted from 1; column 0 stands for the whole board.
pub(crate) fn squares<'a>(rows: impl Iterator<Item = &'a str>) -> Result<Squares, (usize, usize, Problem)> {
    let (mut starts, mut all) = (Vec::new(), Vec::new());
    for (row, text) in rows.enumerate() {
        let mut squares = Vec::new();
        for (col, symbol) in text.chars().enumerate() {
            let fail =
                |found: String, expected: &str| Err((row, col + 1, Problem { found, expected: expected.into() }));
            squares.push(match symbol {
                ' ' | '.' => EMPTY,
                '#' => UNMARKED,
                'O' => MARKED,
                START => {
                    starts.push(Cell { row, col });
                    MARKED
                }
                _ => return fail(show_char(symbol), "S, #, O, or a space or a dot where there is no square"),
            });
        }
        all.push(squares);
    }
    if starts.is_empty() {
        return Err((0, 0, Problem { found: "a board without a start".into(), expected: "one S".into() }));
    }
    let squares = Squares { rows: all, starts };
    match squares.second_start() {
        None => Ok(squares),
        Some((first, second)) => {
            let found = format!("a second start in the part of squares with the start {first}");
            let expected = "one S in each part of squares that hang together: S only once, or void between the parts";
            Err((second.row, second.col + 1, Problem { found, expected: expected.into() }))
        }
    }
}

impl Squares {
    /// Two starts in the same connected part.
    fn second_start(&self) -> Option<(Cell, Cell)> {
        if self.starts.len() < 2 {
            return None;
        }
        let mut is_open: Vec<Vec<bool>> =
            self.rows.iter().map(|row| row.iter().map(|&square| square != EMPTY).collect()).collect();
        let mut take =
            |Cell { row, col }: Cell| is_open.get_mut(row).and_then(|row| row.get_mut(col)).is_some_and(std::mem::take);
        for (number, &first) in self.starts.iter().enumerate() {
            let mut open = vec![first];
            while let Some(Cell { row, col }) = open.pop() {
                let around = [(row + 1, col), (row, col + 1), (row.wrapping_sub(1), col), (row, col.wrapping_sub(1))];
                let new = around.into_iter().map(|(row, col)| Cell { row, col }).filter(|&cell| take(cell));
                open.extend(new);
                let is_here = |start: &&Cell| **start == Cell { row, col };
                if let Some(&second) = self.starts[number + 1..].iter().find(is_here) {
                    return Some((first, second));
                }
            }
        }
        None
    }

    /// Makes the board: short rows are filled up with [`EMPTY`].
    ///
    /// # Errors
    /// When the options name a start cell or another size, or the board would have too many cells.
    pub(crate) fn board(self, options: &ReadOptions, name: &str) -> Result<Board, Problem> {
        if options.start.is_some() {
            return Problem::fail("a start option for a board of Hopping Bunny", "no start option: S marks the start");
        }
        let rows = self.rows.len();
        let cols = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if rows.saturating_mul(cols) > MAX_CELLS {
            return Problem::fail(format!("{rows} x {cols} cells"), format!("at most {MAX_CELLS} cells"));
        }
        if let Some((wanted_rows, wanted_cols)) = options.size.filter(|size| *size != (rows, cols)) {
            return Problem::fail(
                format!("{rows} x {cols} cells"),
                format!("{wanted_rows} x {wanted_cols}, the size that was asked for"),
            );
        }
        let padded = |row: Vec<u8>| row.into_iter().chain(std::iter::repeat(EMPTY)).take(cols);
        let mut cells: Vec<u8> = self.rows.into_iter().flat_map(padded).collect();
        mark_starts(&mut cells, cols, &self.starts);
        let start = self.starts.iter().min_by_key(|cell| (cell.col, cell.row)).copied().unwrap_or_default();
        Board::new(name, rows, cols, cells, symbols(self.starts.len()), start)
            .map_err(|e| Problem { found: e.to_string(), expected: "a board of Hopping Bunny".into() })
    }
}

/// The rows of a board as text that [`squares`] reads back.
pub(crate) fn rows(board: &Board) -> impl Iterator<Item = String> {
    let start = board.index(board.start());
    let last = board.cols() - 1;
    let symbol = move |(index, cell): (usize, Option<u8>)| match cell {
        _ if index == start => START,
        Some(ONE_OF_STARTS) => START,
        Some(UNMARKED) => '#',
        Some(_) => 'O',
        None => ' ',
    };
    let is_wide = board.contents().skip(last).step_by(board.cols()).any(|cell| cell.is_some());
    board
        .contents()
        .enumerate()
        .map(symbol)
        .collect::<Vec<_>>()
        .chunks(board.cols())
        .map(String::from_iter)
        .enumerate()
        .map(move |(row, mut text)| {
            // Trailing spaces are trimmed. If no row reaches the last column, a dot in the first row shows the width.
            // A row without squares gets a dot too, because a blank line would end the board.
            if row == 0 && !is_wide {
                text.replace_range(last.., ".");
            }
            let text = text.trim_end();
            if text.is_empty() { ".".to_owned() } else { text.to_owned() }
        })
        .collect::<Vec<_>>()
        .into_iter()
}

pub(crate) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    if !board.is_bunny() {
        return Err(unrepresentable(board, Format::Bunny, "a board without squares of the bunny"));
    }
    for row in rows(board) {
        writeln!(out, "{row}")?;
    }
    // A blank line separates this board from the next one.
    writeln!(out)?;
    Ok(())
}
