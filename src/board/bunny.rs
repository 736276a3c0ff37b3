//! Boards of Hopping Bunny: squares that exist, some of them marked, and where the bunny starts.
//!
//! ```text
//! S##     S  the start, which is marked
//!   #     #  a square that is not marked, O  one that is
//!  O#     a space or a dot: nothing; at the end of a row it may be left out
//! ```
//!
//! A blank line ends a board. There are no comments: `#` begins many a row.

use super::source::{Line, Source};
use super::symbol::{Problem, show_char};
use super::write_common::unrepresentable;
use super::{Board, BoardError, Cell, EMPTY, Format, MAX_CELLS, ReadOptions, WriteError};
use std::io::{BufRead, Write};

/// The colour of a square that is not marked.
pub const UNMARKED: u8 = 0;

/// The colour of a square that is marked, the start among them.
pub const MARKED: u8 = 1;

/// Their names.
const SYMBOLS: [&str; 2] = ["#", "O"];

const START: char = 'S';

/// The colours of such a board.
pub(super) fn symbols() -> Vec<String> {
    SYMBOLS.map(String::from).to_vec()
}

impl Board {
    /// Whether it is one of Hopping Bunny: [`UNMARKED`] and [`MARKED`] squares, and a start that is marked.
    #[must_use]
    pub fn is_bunny(&self) -> bool {
        self.symbols() == SYMBOLS && self.cells()[self.index(self.start())] == MARKED
    }
}

/// The board with that number, from 1, of a file: it is called after the file, with its number where there are more.
pub(super) fn read<R: BufRead>(
    source: &mut Source<R>,
    options: &ReadOptions,
    name: &str,
    number: usize,
) -> Result<Option<Board>, BoardError> {
    skip_blank(source)?;
    let mut rows: Vec<Line> = Vec::new();
    while let Some(line) = source.next_line()?.filter(|line| !is_blank(line)) {
        rows.push(line);
        if rows.len() > MAX_CELLS {
            return source.fail(rows[0].at(0), "more than 10000 rows", format!("at most {MAX_CELLS} cells"));
        }
    }
    let Some(first) = rows.first() else { return Ok(None) };
    let is_alone = number == 1 && skip_blank(source)?;
    let name = if is_alone { name.to_owned() } else { format!("{name}#{number}") };
    let board = squares(rows.iter().map(|line| line.text.trim_end_matches([' ', '\t'])))
        .map_err(|(row, column, problem)| (rows.get(row).unwrap_or(first).at(column), problem))
        .and_then(|squares| squares.board(options, &name).map_err(|problem| (first.at(0), problem)));
    board.map(Some).or_else(|(at, p)| source.fail(at, p.found, p.expected))
}

/// Whether what comes is JSON instead.
pub(super) fn is_json<R: BufRead>(source: &mut Source<R>) -> Result<bool, BoardError> {
    skip_blank(source)?;
    Ok(source.peek(|_| false).0.first().is_some_and(|line| line.text.trim_start().starts_with('{')))
}

fn is_blank(line: &Line) -> bool {
    line.text.trim_matches([' ', '\t']).is_empty()
}

/// Skips blank lines; whether nothing comes behind them.
fn skip_blank<R: BufRead>(source: &mut Source<R>) -> Result<bool, BoardError> {
    while source.peek(|_| false).0.first().is_some_and(|line| is_blank(line)) {
        source.next_line()?;
    }
    Ok(source.peek(|_| false) == (Vec::new(), true))
}

/// The squares of a board.
pub(super) struct Squares {
    rows: Vec<Vec<u8>>,
    start: Cell,
}

/// The squares that rows of symbols stand for. An error names the row, from 0, and the column, from 1; column 0 is the whole board.
pub(super) fn squares<'a>(rows: impl Iterator<Item = &'a str>) -> Result<Squares, (usize, usize, Problem)> {
    let mut start = None;
    let mut all = Vec::new();
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
                    if let Some(Cell { row, col }) = start.replace(Cell { row, col }) {
                        return fail(format!("a second start, behind that at {},{}", row + 1, col + 1), "one S");
                    }
                    MARKED
                }
                _ => return fail(show_char(symbol), "S, #, O, or a space or a dot where there is nothing"),
            });
        }
        all.push(squares);
    }
    match start {
        Some(start) => Ok(Squares { rows: all, start }),
        None => Err((0, 0, Problem { found: "a board without a start".into(), expected: "one S".into() })),
    }
}

impl Squares {
    pub(super) fn board(self, options: &ReadOptions, name: &str) -> Result<Board, Problem> {
        if options.start.is_some() {
            return Problem::fail("a start cell for a board of the bunny", "its S alone");
        }
        let rows = self.rows.len();
        let cols = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if rows.saturating_mul(cols) > MAX_CELLS {
            return Problem::fail(format!("{rows} x {cols} cells"), format!("at most {MAX_CELLS} cells"));
        }
        if let Some((wanted_rows, wanted_cols)) = options.size.filter(|size| *size != (rows, cols)) {
            return Problem::fail(
                format!("{rows} x {cols} cells"),
                format!("{wanted_rows} x {wanted_cols}, as asked for"),
            );
        }
        let padded = |row: Vec<u8>| row.into_iter().chain(std::iter::repeat(EMPTY)).take(cols);
        let cells = self.rows.into_iter().flat_map(padded).collect();
        Board::new(name, rows, cols, cells, symbols(), self.start)
            .map_err(|e| Problem { found: e.to_string(), expected: "a board of the bunny".into() })
    }
}

/// The rows of a board as they are read.
pub(super) fn rows(board: &Board) -> impl Iterator<Item = String> {
    let start = board.index(board.start());
    let last = board.cols() - 1;
    let symbol = move |(index, cell): (usize, Option<u8>)| match cell {
        _ if index == start => START,
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
            // Somewhere the width has to show, and no row may look like the end of the board.
            if row == 0 && !is_wide {
                text.replace_range(last.., ".");
            }
            let text = text.trim_end();
            if text.is_empty() { ".".to_owned() } else { text.to_owned() }
        })
        .collect::<Vec<_>>()
        .into_iter()
}

pub(super) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    if !board.is_bunny() {
        return Err(unrepresentable(board, Format::Bunny, "no squares of the bunny"));
    }
    for row in rows(board) {
        writeln!(out, "{row}")?;
    }
    // The next board begins behind a blank line.
    writeln!(out)?;
    Ok(())
}
