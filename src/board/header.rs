//! The header line `rows cols colours [start]` of `numbers` and, optionally, of `text`.
//!
//! Some files give the width before the height: `width height colours`. The reader recognises them by the rows that
//! follow.

use super::grid::check_start;
use super::source::{Line, Source};
use super::symbol::quote;
use super::{Board, BoardError, Cell, MAX_CELLS, MAX_COLOURS, ReadOptions, Start};
use std::io::{self, BufRead, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub rows: usize,
    pub cols: usize,
    pub colours: usize,
    pub start: Start,
}

/// Whether a line has the form of a header: three whole numbers, optionally a start cell. A row of cells may have this
/// form too.
pub(super) fn is_header(line: &Line) -> bool {
    let mut tokens = line.tokens().map(|(_, token)| token);
    let numbers = tokens.by_ref().take(3).filter(|t| t.bytes().all(|b| b.is_ascii_digit())).count();
    numbers == 3 && tokens.next().is_none_or(|t| t.parse::<Start>().is_ok()) && tokens.next().is_none()
}

/// The size and the number of colours that a line names, read as a header. A missing or invalid number is `usize::MAX`.
pub(super) fn named_size(line: &Line) -> ((usize, usize), usize) {
    let mut numbers = line.tokens().map(|(_, token)| token.parse().unwrap_or(usize::MAX));
    let mut next = || numbers.next().unwrap_or(usize::MAX);
    ((next(), next()), next())
}

impl Header {
    /// Reads the header. The start of the options overrides the start of the header. `width` gives the number of cells
    /// of a line that may be a row, to recognise a header with width before height.
    ///
    /// # Errors
    /// When the line is no header, a number is out of range, or the options have another size.
    pub fn read<R: BufRead>(
        source: &mut Source<R>,
        options: &ReadOptions,
        width: fn(&Line) -> Option<usize>,
    ) -> Result<Self, BoardError> {
        let Some(line) = source.next_line()? else {
            return source.fail(source.end(), "the end of the file", HEADER);
        };
        let mut tokens = line.tokens();
        let mut number = |what: &str, most: usize| match tokens.next() {
            None => source.fail(line.end(), "the end of the line", format!("{what} ({HEADER})")),
            Some((column, token)) => match token.parse::<usize>() {
                Ok(n) if (1..=most).contains(&n) && token.bytes().all(|b| b.is_ascii_digit()) => Ok((column, n)),
                _ => source.fail(line.at(column), quote(token), format!("{what}, 1 to {most}")),
            },
        };
        let (column, rows) = number("the number of rows", MAX_CELLS)?;
        let (_, cols) = number("the number of columns", MAX_CELLS)?;
        let (colours_at, colours) = number("the number of colours", MAX_COLOURS)?;
        let (rows, cols) = if is_width_first(source, (rows, cols), width) { (cols, rows) } else { (rows, cols) };
        if rows * cols > MAX_CELLS {
            return source.fail(
                line.at(column),
                format!("{rows} x {cols} cells"),
                format!("at most {MAX_CELLS} cells"),
            );
        }
        if let Some((r, c)) = options.size.filter(|&size| size != (rows, cols)) {
            return source.fail(
                line.at(column),
                format!("{rows} x {cols} cells"),
                format!("{r} x {c}, the size that was asked for"),
            );
        }
        if colours == 1 {
            return source.fail(line.at(colours_at), "one colour", format!("2 to {MAX_COLOURS} colours"));
        }
        let mut start = options.start.unwrap_or_default();
        if let Some((column, token)) = tokens.next() {
            let named = token.parse::<Start>().or_else(|e| source.fail(line.at(column), quote(token), e.expected))?;
            check_start(named.cell(rows, cols), rows, cols)
                .or_else(|p| source.fail(line.at(column), p.found, p.expected))?;
            start = options.start.unwrap_or(named);
        }
        if let Some((column, token)) = tokens.next() {
            return source.fail(line.at(column), quote(token), "the end of the header");
        }
        Ok(Self { rows, cols, colours, start })
    }
}

/// Whether the header gives the width before the height: all rows that follow have `width` cells.
fn is_width_first<R: BufRead>(
    source: &mut Source<R>,
    (width, height): (usize, usize),
    width_of: fn(&Line) -> Option<usize>,
) -> bool {
    let mut left = height;
    let (lines, _) = source.peek(|_| {
        left -= 1;
        left > 0
    });
    width != height && !lines.is_empty() && lines.iter().take(height).all(|line| width_of(line) == Some(width))
}

/// Writes the header, with the start cell unless it is the top left one.
pub(super) fn write(board: &Board, colours: usize, out: &mut impl Write) -> io::Result<()> {
    let start = if board.start() == Cell::default() { String::new() } else { format!(" {}", board.start()) };
    writeln!(out, "{} {} {colours}{start}", board.rows(), board.cols())
}

const HEADER: &str = "a header: rows, columns, colours";
