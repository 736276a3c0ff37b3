//! The results of several runs as those of one: a board that several runs have counts once.
//!
//! Boards of two runs are the same if name and identity are equal. Their bounds and solutions hold for both, so the
//! greatest lower bound and the cheapest solution are joined. Boards of one run are never joined.

use super::state::RunState;
use crate::{BoardRecord, RunError};
use gridhunt_search::domain::Cost;
use std::collections::HashMap;

/// The results of one run or of several.
#[derive(Debug, Default)]
pub struct MergedResults {
    /// Boards with a result, in the order in which the runs name them. Their numbers count all boards, each once.
    pub records: Vec<BoardRecord>,
    /// The names of the boards without a result.
    pub missing: Vec<String>,
}

impl MergedResults {
    /// Joins the results of runs.
    ///
    /// # Errors
    /// When two runs contradict each other about a board.
    pub fn of(states: &[RunState]) -> Result<Self, RunError> {
        // The boards of all runs, each once, with what is recorded about it.
        let (mut boards, mut places) = (Vec::new(), HashMap::new());
        for state in states {
            let mut alike = HashMap::new();
            for (number, [name, identity, _]) in (1..).zip(&state.identities.boards) {
                let before = alike.entry((name, identity)).or_insert(0);
                let place = *places.entry((name, identity, *before)).or_insert(boards.len());
                *before += 1;
                if place == boards.len() {
                    boards.push((name, None));
                }
                let found = state.results.records().get(&number).cloned();
                let (_, held) = &mut boards[place];
                *held = match (held.take(), found) {
                    (Some(held), Some(found)) => Some(join(held, found)?),
                    (held, found) => held.or(found),
                };
            }
        }
        let mut joined = Self::default();
        for (number, (name, held)) in (1..).zip(boards) {
            match held {
                Some(record) => joined.records.push(BoardRecord { number, ..record }),
                None => joined.missing.push(name.clone()),
            }
        }
        Ok(joined)
    }
}

/// Returns the record that proves more, with the cheaper solution of the two.
fn join(held: BoardRecord, found: BoardRecord) -> Result<BoardRecord, RunError> {
    // No lower bound means that there is no solution.
    let proven = |record: &BoardRecord| record.lower_bound.unwrap_or(Cost::MAX);
    let (best, other) = if proven(&found) > proven(&held) { (found, held) } else { (held, found) };
    let board = best.board.clone();
    best.with_range_of(&other).map_err(|contradiction| RunError::Contradiction { board, contradiction })
}
