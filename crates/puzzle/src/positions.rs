//! Which boards the reader of boards may take for positions.

use super::{PuzzleId, Values};
use gridhunt_boards::{Board, Positions};
use std::sync::Arc;

/// The positions of a puzzle under the rules of `values`, for the reader of boards. Without a puzzle, files may name
/// one.
#[must_use]
pub fn positions_of(domain: Option<PuzzleId>, values: &Values) -> Positions {
    let rules = values.rules();
    let is_allowed = move |domain: &str, board: &Board| {
        domain.parse().is_ok_and(|puzzle: PuzzleId| puzzle.task_of(board, &rules).is_ok())
    };
    Positions { domain: domain.map(|domain| domain.name().to_owned()), are_allowed: Some(Arc::new(is_allowed)) }
}
