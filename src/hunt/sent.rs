//! A board as it is sent to another rank, and what becomes of a panic there.

use super::HuntError;
use super::task::panic_message;
use gridhunt_boards::{Board, BoardReader, Entry, Format, ReadOptions, write_board};
use gridhunt_search::runtime::Exchange;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The board in the format `json`.
///
/// # Errors
/// When the format cannot hold the board.
pub(super) fn written(board: &Board) -> Result<Vec<u8>, HuntError> {
    let mut bytes = Vec::new();
    write_board(board, Format::Json, &mut bytes).map_err(|error| HuntError::Ranks { reason: error.to_string() })?;
    Ok(bytes)
}

/// Reads what [`written`] has written.
///
/// # Errors
/// When the bytes are no board.
pub(super) fn entry_of(bytes: &[u8]) -> Result<Entry, HuntError> {
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    let entry = BoardReader::new("order", bytes, options).map(|mut boards| boards.next())?;
    Ok(entry.ok_or_else(|| HuntError::Ranks { reason: "found no board".to_owned() })??)
}

/// Does work on this rank. A panic ends all ranks: the others would wait for this one.
pub(super) fn or_end<T>(exchange: &Exchange, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        exchange.abort(&format!("rank {}: {}", exchange.rank(), panic_message(&*panic)));
        // Reached only where ranks are threads of one process.
        resume_unwind(panic)
    })
}
