//! Writes boards in every format.

use super::symbol::{quote, value_of_name};
use super::write_common::unrepresentable;
use super::{Board, Entry, Format, WriteError, bunny, csv, json, lines, numbers, text};
use std::io::Write;

/// Writes a board. Reading the output back gives the same cells, colours and start cell, with these exceptions:
///
/// * Only `json` keeps the name.
/// * `csv` and `lines` lose a colour that no cell has. `json` keeps such a colour; `text` and `numbers` keep it when
///   the board has the usual symbols ([`usual_symbols`](super::usual_symbols)).
/// * `numbers` renames the colours to the usual symbols.
/// * If only one colour and empty cells come back, the reader adds a second colour that no cell has.
///
/// # Errors
/// When the output fails, or when the format cannot hold the board:
/// `csv`, `lines` and `text` without header hold no start cell but the top left one, and every format but `bunny` needs
/// colour names that are single digits or letters in rising order.
pub fn write_board(board: &Board, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    write_published(board, None, format, out)
}

/// Writes a board with its published optimum, if it has one. Only `numbers` and `json` can hold an optimum.
///
/// # Errors
/// As [`write_board`], and when the format cannot hold the published optimum.
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

/// Refuses colour names that are not single symbols in rising order: a reader sorts colours by symbol, so the board
/// would come back changed.
fn check_symbols(board: &Board, format: Format) -> Result<(), WriteError> {
    let mut last = None;
    for name in board.symbols() {
        let value = value_of_name(name);
        if value.is_none() || value <= last {
            let found = format!("the colour {}", quote(name));
            return Err(unrepresentable(board, format, &found));
        }
        last = value;
    }
    Ok(())
}
