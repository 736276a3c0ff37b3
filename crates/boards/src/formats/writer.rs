//! Writes boards in every format.

use super::cells::writing::unrepresentable;
use super::input::head::head_of;
use super::notations::{headed, json, lines, rows};
use crate::{Board, Cell, Entry, Format, WriteError, bunny};
use std::io::Write;

/// Writes a board. Reading the output back gives the same cells, colours and start cell, with these exceptions:
///
/// * Only `json` keeps the name.
/// * `csv` and `lines` lose a colour that no cell has, and the start cell, unless a head says them ([`BoardWriter`]).
///   `text` and `numbers` keep both if the board has the usual symbols ([`usual_symbols`](crate::usual_symbols)).
/// * `numbers` renames the colours to the usual symbols.
///
/// # Errors
/// When the output fails, or when the format cannot hold the board. `text` and `lines` need colour names that are
/// single digits or letters in rising order; `numbers` needs these or numbers.
pub fn write_board(board: &Board, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    write_entry(&Entry { board: board.clone(), published_optimum: None }, format, out)
}

/// Writes a board with its published optimum, if it has one. Only `numbers` and `json` can hold an optimum.
///
/// # Errors
/// As [`write_board`], and when the format cannot hold the published optimum.
pub fn write_entry(entry: &Entry, format: Format, out: &mut impl Write) -> Result<(), WriteError> {
    BoardWriter { format, domain: None, has_head: false }.write(entry, 0, out)
}

/// Writes boards that belong together. Each board says how to read it, or a head before the first board does, so a
/// reader needs no options.
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
        let has_start_in_head = self.has_head && matches!(self.format, Format::Lines | Format::Csv);
        let without_start = has_start_in_head.then(|| entry.board.clone().with_start(Cell::default()).ok()).flatten();
        let (board, optimum) = (without_start.as_ref().unwrap_or(&entry.board), entry.published_optimum);
        if board.is_bunny() && !matches!(self.format, Format::Bunny | Format::Json) {
            return Err(unrepresentable(board, self.format, "squares of the bunny"));
        }
        if optimum.is_some() && !matches!(self.format, Format::Numbers | Format::Json) {
            return Err(unrepresentable(board, self.format, "a published optimum"));
        }
        match self.format {
            Format::Json => json::write(entry, self.domain, out),
            Format::Numbers => headed::write(board, optimum, out),
            Format::Text => rows::write_text(board, out),
            Format::Lines => lines::write(board, out),
            Format::Csv => rows::write_csv(board, out),
            Format::Bunny => bunny::write(board, out),
            Format::GameId | Format::Picture => Err(unrepresentable(board, self.format, "a board to write")),
        }
    }
}
