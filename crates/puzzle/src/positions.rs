//! Which boards the reader of boards may take for positions.

use super::{PuzzleId, Values, options};
use gridhunt_boards::{Board, Positions, Puzzles};
use std::sync::Arc;

/// The registry, with the rules of the puzzle that boards are read for.
struct Known(Values);

impl Puzzles for Known {
    fn allow(&self, domain: &str, board: &Board) -> bool {
        domain.parse().is_ok_and(|puzzle: PuzzleId| puzzle.task_of(board, &self.0).is_ok())
    }

    fn rule_of(&self, field: &str) -> Option<(&'static str, &'static str)> {
        let (puzzle, option) = options().find(|(_, option)| option.fields.contains(&field))?;
        Some((puzzle.name(), option.name))
    }
}

/// The positions of a puzzle under the rules of `values`, for the reader of boards. Without a puzzle, files may name
/// one.
#[must_use]
pub fn positions_of(domain: Option<PuzzleId>, values: &Values) -> Positions {
    let domain = domain.map(|domain| domain.name().to_owned());
    Positions { domain, puzzles: Some(Arc::new(Known(values.rules()))) }
}
