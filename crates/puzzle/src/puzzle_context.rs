//! Tells the reader of boards which boards are positions of a puzzle.

use super::{OptionValues, PuzzleId, options};
use gridhunt_boards::{Board, PuzzleContext, PuzzleRules};
use std::sync::Arc;

/// The puzzles of the registry, under the rules for which boards are read.
struct PuzzlesUnderRules(OptionValues);

impl PuzzleRules for PuzzlesUnderRules {
    fn is_position(&self, domain: &str, board: &Board) -> bool {
        domain.parse().is_ok_and(|puzzle: PuzzleId| puzzle.checked_task(board, &self.0).is_ok())
    }

    fn rule_of_field(&self, field: &str) -> Option<(&'static str, &'static str)> {
        let (puzzle, option) = options().find(|(_, option)| option.fields.contains(&field))?;
        Some((puzzle.name(), option.name))
    }
}

/// The positions of a puzzle under the rules of `values`, for the reader of boards. If `domain` is `None`, each file
/// may name its puzzle.
#[must_use]
pub fn puzzle_context(domain: Option<PuzzleId>, values: &OptionValues) -> PuzzleContext {
    let domain = domain.map(|domain| domain.name().to_owned());
    PuzzleContext { domain, rules: Some(Arc::new(PuzzlesUnderRules(values.rules()))) }
}
