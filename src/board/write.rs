//! Writing boards.

use super::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL, value_of_name};
use super::{Board, Cell, EMPTY, Entry, Format, WriteError, bunny, csv, json, lines, numbers, text};
use std::io::Write;

/// Writes a board.
///
/// Reading it back gives the same cells, colours and start. Two things change: a colour without a cell is kept by
/// `json`, and by `text` and `numbers` where the colours are the usual ones, but not by `csv` and `lines`; `numbers`
/// renames colours to the usual symbols. Where one colour comes back, beside empty cells, another one without cells joins
/// it. The name is kept by `json` alone.
///
/// # Errors
/// When the output fails, or the format has no place for what the board holds: a start cell other than the top left in
/// `csv`, `lines` and in `text` without header; names of colours that are not single digits or letters in their order.
pub fn write_board(board: &Board, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    write_published(board, None, format, out)
}

/// Writes a board with the published optimum, which `numbers` and `json` alone can hold.
///
/// # Errors
/// As [`write_board`], and when there is an optimum that the format cannot hold.
pub fn write_entry(entry: &Entry, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    write_published(&entry.board, entry.published, format, out)
}

fn write_published(
    board: &Board,
    published: Option<u32>,
    format: Format,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    if !board.is_bunny() {
        check_symbols(board, format)?;
    } else if format.holds_colours() && format != Format::Json {
        return Err(unrepresentable(board, format, "squares of the bunny"));
    }
    match format {
        Format::Numbers => numbers::write(board, published, out),
        Format::Json => json::write(board, published, out),
        _ if published.is_some() => Err(unrepresentable(board, format, "a published optimum")),
        Format::Text => text::write(board, out),
        Format::Csv => csv::write(board, out),
        Format::Lines => lines::write(board, out),
        Format::Bunny => bunny::write(board, out),
    }
}

/// Readers know colours as single symbols and order them; other boards would come back changed.
fn check_symbols(board: &Board, format: Format) -> Result<(), WriteError> {
    let mut last = None;
    for name in board.symbols() {
        let value = value_of_name(name);
        if value.is_none() || value <= last {
            let found = format!("the colour {}", super::symbol::clip(name));
            return Err(unrepresentable(board, format, &found));
        }
        last = value;
    }
    Ok(())
}

/// A row as symbols, one character a cell.
pub(super) fn symbols_of(board: &Board, cells: &[u8]) -> String {
    let symbol = |&cell: &u8| board.symbols().get(usize::from(cell)).and_then(|name| name.chars().next());
    cells.iter().map(|cell| symbol(cell).unwrap_or(EMPTY_SYMBOL)).collect()
}

/// A row as numbers, or whatever `name` calls each colour.
pub(super) fn tokens_of(cells: &[u8], separator: &str, name: impl Fn(usize) -> String) -> String {
    let token = |&cell: &u8| if cell == EMPTY { EMPTY_NUMBER.to_owned() } else { name(cell.into()) };
    cells.iter().map(token).collect::<Vec<_>>().join(separator)
}

pub(super) fn refuse_start(board: &Board, format: Format) -> Result<(), WriteError> {
    if board.start() == Cell::default() {
        return Ok(());
    }
    Err(unrepresentable(board, format, &format!("the start cell {}", board.start())))
}

pub(super) fn unrepresentable(board: &Board, format: Format, found: &str) -> WriteError {
    WriteError::Unrepresentable { board: board.name().to_owned(), format, found: found.to_owned() }
}
