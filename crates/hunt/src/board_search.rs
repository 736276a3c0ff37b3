//! The input and the output of the search of one board.

use super::{BoardRecord, KnownRange, Request};
use gridhunt_boards::Board;
use gridhunt_search::engine::{CheckpointConfig, RefutedSets, Solution};
use gridhunt_search::runtime::{Observer, StopToken};

/// A search of one board.
#[derive(Clone, Copy)]
pub(super) struct BoardSearch<'a> {
    pub(super) board: &'a Board,
    pub(super) request: &'a Request,
    /// A solution from which the search starts.
    pub(super) known_solution: Option<&'a Solution>,
    /// The range from earlier sessions of the run.
    pub(super) known_range: &'a KnownRange,
    pub(super) observer: &'a dyn Observer,
    pub(super) stop: &'a StopToken,
    pub(super) checkpoints: Option<&'a CheckpointConfig>,
}

/// The record of a board, and the sets that the search has refuted, for a certificate.
pub(super) type SearchOutput = (BoardRecord, RefutedSets);

pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
