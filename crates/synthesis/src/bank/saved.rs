//! A bank in a checkpoint.

use super::recipe::{Id, Recipe, Row};

/// The progress of the level under construction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct LevelProgress {
    /// The number of finished units of work ([`Unit`](super::growth::Unit)).
    pub(super) units: u64,
    /// The largest number of goals that a fragment marks so far.
    pub(super) max_marks: u32,
}

/// A bank in a checkpoint, without its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedBank {
    pub(super) level_ends: Vec<Id>,
    pub(super) max_marks_by_level: Vec<u32>,
    pub(super) candidate_count: u64,
    pub(super) candidate_counts_by_level: Vec<u64>,
    pub(super) has_untried_counts: bool,
    pub(super) level_progress: Option<LevelProgress>,
}

impl SavedBank {
    /// Whether the levels are consistent and every fragment is composed of fragments of lower levels.
    pub(super) fn is_sound(&self, rows: &[Row], instructions: u8) -> bool {
        let ends = &self.level_ends;
        let has_valid_ends =
            ends.first() == Some(&1) && ends.is_sorted() && ends.last().is_some_and(|&end| end as usize <= rows.len());
        let is_complete = [self.max_marks_by_level.len(), self.candidate_counts_by_level.len()] == [ends.len(); 2]
            && (self.level_progress.is_some() || ends.last().map(|&end| end as usize) == Some(rows.len()));
        let level = |id: Id| ends.partition_point(|&end| end <= id);
        let is_valid = |(id, row): (usize, &Row)| {
            let tokens = level(id as Id);
            let Some((recipe, _)) = Recipe::from_row(row) else { return false };
            match recipe {
                Recipe::Empty => id == 0,
                Recipe::Instruction(instruction) => tokens == 1 && instruction < instructions,
                Recipe::Sequence { first, rest } => first > 0 && rest > 0 && level(first) + level(rest) == tokens,
                Recipe::Loop { body, count } => body > 0 && count > 1 && level(body) + 1 == tokens,
            }
        };
        has_valid_ends && is_complete && rows.iter().enumerate().all(is_valid)
    }
}
