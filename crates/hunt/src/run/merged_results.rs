//! Merges the results of several runs: a board of several runs counts once.
//!
//! Boards of two runs are the same if name and identity are equal. The merged record has the greatest lower bound and
//! the cheapest solution. Boards of one run are never merged.

use super::state::RunState;
use crate::{BoardRecord, RunError};
use gridhunt_search::domain::Cost;
use std::collections::HashMap;

/// The results of one run or of several.
#[derive(Debug, Default)]
pub struct MergedResults {
    /// The boards with a result, in the order of the runs. Numbered anew, each board once.
    pub records: Vec<BoardRecord>,
    /// The names of the boards without a result.
    pub missing: Vec<String>,
}

impl MergedResults {
    /// Merges the results of runs.
    ///
    /// # Errors
    /// When two runs contradict each other about a board.
    pub fn of(states: &[RunState]) -> Result<Self, RunError> {
        // The boards of all runs, each once, with the merged record.
        let (mut boards, mut indices) = (Vec::new(), HashMap::new());
        for state in states {
            let mut occurrences = HashMap::new();
            for (number, [name, identity, _]) in (1..).zip(&state.identities.boards) {
                let occurrence = occurrences.entry((name, identity)).or_insert(0);
                let index = *indices.entry((name, identity, *occurrence)).or_insert(boards.len());
                *occurrence += 1;
                if index == boards.len() {
                    boards.push((name, None));
                }
                let record = state.results.records().get(&number).cloned();
                let (_, merged) = &mut boards[index];
                *merged = match (merged.take(), record) {
                    (Some(merged), Some(record)) => Some(merge(merged, record)?),
                    (merged, record) => merged.or(record),
                };
            }
        }
        let mut results = Self::default();
        for (number, (name, record)) in (1..).zip(boards) {
            match record {
                Some(record) => results.records.push(BoardRecord { number, ..record }),
                None => results.missing.push(name.clone()),
            }
        }
        Ok(results)
    }
}

/// Returns the record with the greater lower bound, and gives it the cheaper of the two solutions.
fn merge(first: BoardRecord, second: BoardRecord) -> Result<BoardRecord, RunError> {
    // No lower bound means that there is no solution.
    let bound = |record: &BoardRecord| record.lower_bound.unwrap_or(Cost::MAX);
    let (best, other) = if bound(&second) > bound(&first) { (second, first) } else { (first, second) };
    let board = best.board.clone();
    best.merge_range(&other).map_err(|contradiction| RunError::Contradiction { board, contradiction })
}
