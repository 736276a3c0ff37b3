//! Lets the reader of boards drop readings that are not positions of a puzzle.

use super::{OptionValues, PuzzleId, options};
use gridhunt_boards::{Board, Positions, Puzzles};
use std::sync::Arc;

/// The puzzles of the registry, under these rules of play.
struct PuzzlesUnderRules(OptionValues);

impl Puzzles for PuzzlesUnderRules {
    fn allow(&self, domain: &str, board: &Board) -> bool {
        domain.parse().is_ok_and(|puzzle: PuzzleId| puzzle.checked_task(board, &self.0).is_ok())
    }

    fn rule_of(&self, field: &str) -> Option<(&'static str, &'static str)> {
        let (puzzle, option) = options().find(|(_, option)| option.fields.contains(&field))?;
        Some((puzzle.name(), option.name))
    }
}

/// The filter for positions of a puzzle under the rules of `values`. If `domain` is `None`, each file may name its
/// puzzle.
#[must_use]
pub fn position_filter(domain: Option<PuzzleId>, values: &OptionValues) -> Positions {
    let domain = domain.map(|domain| domain.name().to_owned());
    Positions { domain, puzzles: Some(Arc::new(PuzzlesUnderRules(values.rules()))) }
}
