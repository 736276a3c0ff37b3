//! Writing boards.

use super::symbol::{quote, value_of_name};
use super::write_common::unrepresentable;
use super::{Board, Entry, Format, WriteError, bunny, csv, json, lines, numbers, text};
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
            let found = format!("the colour {}", quote(name));
            return Err(unrepresentable(board, format, &found));
        }
        last = value;
    }
    Ok(())
}
