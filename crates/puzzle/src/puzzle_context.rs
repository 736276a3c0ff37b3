//! Tells the reader of boards which boards are positions of a puzzle.

use super::{OptionValues, PuzzleId, PuzzleOption, options};
use gridhunt_boards::{Board, PuzzleContext, PuzzleRules};
use std::sync::Arc;

/// The puzzles of the registry, under the rules for which boards are read.
struct PuzzlesUnderRules(OptionValues);

impl PuzzleRules for PuzzlesUnderRules {
    fn is_position(&self, domain: &str, board: &Board) -> bool {
        domain.parse().is_ok_and(|puzzle: PuzzleId| puzzle.checked_task(board, &self.0).is_ok())
    }

    fn rule_of_field(&self, domain: Option<&str>, field: &str, value: &str) -> Option<(&'static str, &'static str)> {
        if ["domain", "game", "puzzle"].contains(&field) {
            let puzzle = value.to_lowercase().replace(' ', "-").parse::<PuzzleId>();
            return puzzle.ok().map(|puzzle| (puzzle.name(), "domain"));
        }
        let is_meant = |option: &PuzzleOption| option.fields.contains(&field) || option.name.replace('-', "") == field;
        let (puzzle, option) = options().find(|(_, option)| is_meant(option))?;
        // A puzzle with one objective has no option for the objective.
        let is_value = option.name != "objective" || domain == Some(puzzle.name()) || (option.check)(value).is_ok();
        is_value.then_some((puzzle.name(), option.name))
    }
}

/// The positions of a puzzle under the rules of `values`, for the reader of boards. If `domain` is `None`, each file
/// may name its puzzle.
#[must_use]
pub fn puzzle_context(domain: Option<PuzzleId>, values: &OptionValues) -> PuzzleContext {
    let domain = domain.map(|domain| domain.name().to_owned());
    PuzzleContext { domain, rules: Some(Arc::new(PuzzlesUnderRules(values.rules()))) }
}
