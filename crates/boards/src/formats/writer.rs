//! Writes boards in every format.

use super::notations::{json, lines, rows};
use super::problem::quote;
use crate::formats::cells::palette::{Declared, reads_back};
use crate::formats::cells::symbol::value_of_name;
use crate::formats::cells::writing::{refuse_start, tokens_of, unrepresentable, write_header};
use crate::formats::input::head::head_of;
use crate::{Board, Entry, Format, WriteError, bunny};
use std::io::Write;

/// Writes a board. Reading the output back gives the same cells, colours and start cell, with these exceptions:
///
/// * Only `json` keeps the name.
/// * `csv` and `lines` lose a colour that no cell has, and the start cell, unless a head says them
///   ([`BoardWriter`]). `text` and `numbers` keep both where the board has the usual symbols
///   ([`usual_symbols`](crate::usual_symbols)).
/// * `numbers` renames the colours to the usual symbols.
///
/// # Errors
/// When the output fails, or when the format cannot hold the board. `text` and `lines` need colour names that are
/// single digits or letters in rising order; `numbers` needs these or numbers.
pub fn write_board(board: &Board, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    write_entry(&Entry { board: board.clone(), published: None }, format, out)
}

/// Writes a board with its published optimum, if it has one. Only `numbers` and `json` can hold an optimum.
///
/// # Errors
/// As [`write_board`], and when the format cannot hold the published optimum.
pub fn write_entry(entry: &Entry, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    write_with(entry, format, None, out)
}

/// Writes boards that belong together: every board says what it is, or a head before the first one does. A reader needs
/// no options then.
#[derive(Clone, Debug)]
pub struct BoardWriter<'a> {
    /// The format.
    pub format: Format,
    /// The puzzle that the file names, if the boards are not those of the default puzzle.
    pub domain: Option<&'a str>,
    /// Whether a head comes before the first board, in formats other than `json`.
    pub has_head: bool,
}

impl BoardWriter<'_> {
    /// Writes board `index`, counted from 0.
    ///
    /// # Errors
    /// As [`write_entry`].
    pub fn write(&self, entry: &Entry, index: u64, out: &mut impl Write) -> Result<(), WriteError> {
        if self.format != Format::Json && self.has_head && index == 0 {
            out.write_all(head_of(&entry.board, self.format, self.domain).as_bytes())?;
        }
        if index > 0 && self.format == Format::Csv {
            writeln!(out)?;
        }
        let keeps_start = self.has_head && matches!(self.format, Format::Lines | Format::Csv);
        if keeps_start && entry.board.start() != crate::Cell::default() {
            // The head says the start.
            let board = entry.board.clone().with_start(crate::Cell::default()).unwrap_or_else(|_| entry.board.clone());
            return write_with(&Entry { board, ..entry.clone() }, self.format, self.domain, out);
        }
        write_with(entry, self.format, self.domain, out)
    }
}

fn write_with(entry: &Entry, format: Format, domain: Option<&str>, out: &mut impl Write) -> Result<(), WriteError> {
    let Entry { board, published } = entry;
    if board.is_bunny() && !matches!(format, Format::Bunny | Format::Json) {
        return Err(unrepresentable(board, format, "squares of the bunny"));
    }
    if published.is_some() && !matches!(format, Format::Numbers | Format::Json) {
        return Err(unrepresentable(board, format, "a published optimum"));
    }
    match format {
        Format::Json => {
            check_names(board, format, &Declared::Names(board.symbols().to_vec()))?;
            json::write(entry, domain, out)
        }
        Format::Numbers => write_numbers(board, *published, out),
        Format::Text | Format::Lines => {
            check_symbols(board, format)?;
            if format == Format::Text { rows::write_text(board, out) } else { lines::write(board, out) }
        }
        Format::Csv => {
            refuse_start(board, format)?;
            check_names(board, format, &Declared::Nothing)?;
            rows::write_csv(board, out)
        }
        Format::Bunny => bunny::write(board, out),
        Format::GameId | Format::Picture => Err(unrepresentable(board, format, "a board that is written")),
    }
}

/// Writes a header, the cells as numbers, and the published optimum.
fn write_numbers(board: &Board, published: Option<u32>, out: &mut impl Write) -> Result<(), WriteError> {
    let values: Option<Vec<u8>> =
        board.symbols().iter().map(|name| crate::formats::cells::palette::value_or_number(name)).collect();
    let Some(values) = values.filter(|values| values.is_sorted_by(|a, b| a < b)) else {
        return check_symbols(board, Format::Numbers);
    };
    if values.contains(&0) {
        return Err(unrepresentable(board, Format::Numbers, "the symbol 0"));
    }
    write_header(board, values.last().copied().unwrap_or(1).into(), out)?;
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", tokens_of(row, " ", |colour| values[colour].to_string()))?;
    }
    if let Some(optimum) = published {
        writeln!(out, "{optimum}")?;
    }
    Ok(())
}

/// Refuses colour names that a reader does not give back.
fn check_names(board: &Board, format: Format, declared: &Declared) -> Result<(), WriteError> {
    if board.is_bunny() || reads_back(board.symbols(), declared) {
        return Ok(());
    }
    Err(unrepresentable(board, format, &format!("the colours {}", quote(&board.symbols().join(" ")))))
}

/// Refuses colour names that are not single symbols in rising order: a reader sorts colours by symbol, so the board
/// would come back changed.
fn check_symbols(board: &Board, format: Format) -> Result<(), WriteError> {
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
