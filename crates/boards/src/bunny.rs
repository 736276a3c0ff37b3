//! [`Format::Bunny`]: boards of Hopping Bunny, drawn with one character a square.
//!
//! ```text
//! S##     S  the start square, which is marked
//!   #     #  an unmarked square, O  a marked square
//!  O#     a space or a dot: no square; may be left out at the end of a row
//! ```
//!
//! A blank line ends a board. The format has no comments, because a row may begin with `#`.

use crate::formats::cells::grid::check_size;
use crate::formats::cells::writing::unrepresentable;
use crate::formats::input::board_source::BoardSource;
use crate::formats::input::line_source::{Line, LineSource};
use crate::formats::mismatch::{Mismatch, show_char};
use crate::{Board, BoardError, Cell, EMPTY, Entry, Format, MAX_CELLS, ReadOptions, WriteError};
use std::io::{BufRead, Write};

/// The colour of an unmarked square.
pub const UNMARKED: u8 = 0;

/// The colour of a marked square. A start square is always marked.
pub const MARKED: u8 = 1;

/// The symbols of [`UNMARKED`] and [`MARKED`].
const SYMBOLS: [&str; 2] = ["#", "O"];

const START: char = 'S';

/// The colour symbols of a Hopping Bunny board.
#[must_use]
pub fn bunny_symbols() -> Vec<String> {
    SYMBOLS.map(str::to_owned).to_vec()
}

impl Board {
    /// Whether this is a Hopping Bunny board: its colours are [`UNMARKED`] and [`MARKED`], and its start is marked.
    #[must_use]
    pub fn is_bunny(&self) -> bool {
        self.symbols() == SYMBOLS && self.cells()[self.index(self.start())] == MARKED
    }
}

/// Reads the next board; `None` at the end of the file.
pub(crate) fn read<R: BufRead>(source: &mut BoardSource<'_, R>) -> Result<Option<Entry>, BoardError> {
    skip_blank(source.lines)?;
    let mut rows: Vec<Line> = Vec::new();
    while let Some(line) = source.lines.next_line()?.filter(|line| !is_blank(line)) {
        rows.push(line);
        if rows.len() > MAX_CELLS {
            let mismatch = Mismatch::new("more than 10000 rows", format!("at most {MAX_CELLS} cells"));
            return source.fail(rows[0].at(0), mismatch);
        }
    }
    let Some(first) = rows.first() else { return Ok(None) };
    skip_blank(source.lines)?;
    let name = source.name();
    let board = parse_squares(rows.iter().map(|line| line.text.trim_end_matches([' ', '\t'])))
        .map_err(|(row, column, mismatch)| (rows.get(row).unwrap_or(first).at(column), mismatch))
        .and_then(|squares| squares.into_board(source.options, &name).map_err(|mismatch| (first.at(0), mismatch)));
    let entry = board.map(|board| Entry { board, published_optimum: None });
    entry.map(Some).or_else(|(at, mismatch)| source.fail(at, mismatch))
}

/// Whether a JSON object comes next, not a drawn board.
pub(crate) fn is_json<R: BufRead>(source: &mut LineSource<R>) -> Result<bool, BoardError> {
    skip_blank(source)?;
    Ok(source.peek_line().is_some_and(|line| line.text.trim_start().starts_with('{')))
}

fn is_blank(line: &Line) -> bool {
    line.text.trim_matches([' ', '\t']).is_empty()
}

/// Skips blank lines.
fn skip_blank<R: BufRead>(source: &mut LineSource<R>) -> Result<(), BoardError> {
    while source.peek_line().is_some_and(is_blank) {
        source.next_line()?;
    }
    Ok(())
}

/// The squares of a board whose rows may differ in length.
pub(crate) struct Squares {
    rows: Vec<Vec<u8>>,
    start: Cell,
}

/// Parses rows of symbols into squares.
///
/// # Errors
/// For an unknown symbol, a second start, or no start. The error names the row, counted from 0, and the column, counted
/// from 1; column 0 stands for the whole board.
pub(crate) fn parse_squares<'a>(rows: impl Iterator<Item = &'a str>) -> Result<Squares, (usize, usize, Mismatch)> {
    let (mut start, mut all_squares) = (None, Vec::new());
    for (row, text) in rows.enumerate() {
        let mut squares = Vec::new();
        for (col, symbol) in text.chars().enumerate() {
            let fail = |found, expected: &str| Err((row, col + 1, Mismatch { found, expected: expected.into() }));
            squares.push(match symbol {
                ' ' | '.' => EMPTY,
                '#' => UNMARKED,
                'O' => MARKED,
                START => match start.replace(Cell { row, col }) {
                    Some(first) => return fail(format!("a second S, after the one at {first}"), "one S"),
                    None => MARKED,
                },
                _ => return fail(show_char(symbol), "S, #, O, or a space or a dot for no square"),
            });
        }
        all_squares.push(squares);
    }
    match start {
        Some(start) => Ok(Squares { rows: all_squares, start }),
        None => Err((0, 0, Mismatch { found: "a board without a start".into(), expected: "one S".into() })),
    }
}

impl Squares {
    /// Makes the board: short rows are filled up with [`EMPTY`].
    ///
    /// # Errors
    /// When the options name a start cell or another size, or the board would have too many cells.
    pub(crate) fn into_board(self, options: &ReadOptions, name: &str) -> Result<Board, Mismatch> {
        if options.start.is_some() {
            return Mismatch::fail("a start option for a board of Hopping Bunny", "no start option: S marks the start");
        }
        let rows = self.rows.len();
        let cols = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        check_size((rows, cols), options.size)?;
        let padded = |row: Vec<u8>| row.into_iter().chain(std::iter::repeat(EMPTY)).take(cols);
        let cells: Vec<u8> = self.rows.into_iter().flat_map(padded).collect();
        Board::new(name, rows, cols, cells, bunny_symbols(), self.start)
            .map_err(|e| Mismatch { found: e.to_string(), expected: "a board of Hopping Bunny".into() })
    }
}

/// Writes the rows of a board as text that [`parse_squares`] reads back.
pub(crate) fn row_texts(board: &Board) -> Vec<String> {
    let start = board.index(board.start());
    let last_column = board.cols() - 1;
    let symbol = |(index, cell): (usize, Option<u8>)| match cell {
        _ if index == start => START,
        Some(UNMARKED) => '#',
        Some(_) => 'O',
        None => ' ',
    };
    let reaches_last_column = board.contents().skip(last_column).step_by(board.cols()).any(|cell| cell.is_some());
    let symbols: Vec<char> = board.contents().enumerate().map(symbol).collect();
    let row = |(row, symbols): (usize, &[char])| {
        let mut text = String::from_iter(symbols);
        // Trailing spaces are trimmed. If no row reaches the last column, a dot in the first row shows the width.
        // A row without squares gets a dot too, because a blank line would end the board.
        if row == 0 && !reaches_last_column {
            text.replace_range(last_column.., ".");
        }
        let text = text.trim_end();
        if text.is_empty() { ".".to_owned() } else { text.to_owned() }
    };
    symbols.chunks(board.cols()).enumerate().map(row).collect()
}

pub(crate) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    if !board.is_bunny() {
        return Err(unrepresentable(board, Format::Bunny, "a board that is none of Hopping Bunny"));
    }
    for row in row_texts(board) {
        writeln!(out, "{row}")?;
    }
    // A blank line separates this board from the next one.
    writeln!(out)?;
    Ok(())
}
