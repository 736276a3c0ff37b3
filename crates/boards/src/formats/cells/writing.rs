//! What the writers of several notations share: rows of cells as text, and refusals.

use super::palette::{DeclaredColours, reads_back};
use super::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL, value_of_name};
use crate::formats::mismatch::quote;
use crate::{Board, Cell, EMPTY, Format, WriteError};
use std::io::{self, Write};

/// Writes a row of cells as text, with one symbol for each cell.
pub(crate) fn symbols_of(board: &Board, cells: &[u8]) -> String {
    let symbol = |&cell: &u8| board.symbols().get(usize::from(cell)).and_then(|name| name.chars().next());
    cells.iter().map(|cell| symbol(cell).unwrap_or(EMPTY_SYMBOL)).collect()
}

/// Writes a row of cells as tokens with `separator` between them. `name` gives the token of a colour.
pub(crate) fn tokens_of(cells: &[u8], separator: &str, name: impl Fn(usize) -> String) -> String {
    let token = |&cell: &u8| if cell == EMPTY { EMPTY_NUMBER.to_owned() } else { name(cell.into()) };
    cells.iter().map(token).collect::<Vec<_>>().join(separator)
}

/// Fails when the start is not the top left cell, for formats that do not store the start.
pub(crate) fn refuse_start(board: &Board, format: Format) -> Result<(), WriteError> {
    if board.start() == Cell::default() {
        return Ok(());
    }
    Err(unrepresentable(board, format, &format!("the start cell {}", board.start())))
}

/// The error for a board that `format` cannot hold because the board has `found`.
pub(crate) fn unrepresentable(board: &Board, format: Format, found: &str) -> WriteError {
    WriteError::Unrepresentable { board: board.name().to_owned(), format, found: found.to_owned() }
}

/// Writes the header `rows columns colours`, with the start cell unless it is the top left one.
pub(crate) fn write_header(board: &Board, colours: usize, out: &mut impl Write) -> io::Result<()> {
    let start = if board.start() == Cell::default() { String::new() } else { format!(" {}", board.start()) };
    writeln!(out, "{} {} {colours}{start}", board.rows(), board.cols())
}

/// Refuses colour names that a reader would change. A board of Hopping Bunny is written without names.
pub(crate) fn refuse_names(board: &Board, format: Format, declared: &DeclaredColours) -> Result<(), WriteError> {
    if board.is_bunny() || reads_back(board.symbols(), declared) {
        return Ok(());
    }
    Err(unrepresentable(board, format, &format!("the colours {}", quote(&board.symbols().join(" ")))))
}

/// Refuses colour names that are not single symbols in rising order: a reader sorts colours by symbol, so the board
/// would come back changed.
pub(crate) fn refuse_unsorted(board: &Board, format: Format) -> Result<(), WriteError> {
    let mut last = None;
    for name in board.symbols() {
        let value = value_of_name(name);
        if value.is_none() || value <= last {
            return Err(unrepresentable(board, format, &format!("the colour {}", quote(name))));
        }
        last = value;
    }
    Ok(())
}
