//! The form of a bank in a checkpoint: rows of fragments, and the ends of the levels.

use super::recipe::{Id, Recipe, Row};

/// The progress of the level under construction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Growth {
    /// Units of work of this level (`growth::Unit`) that are done.
    pub(super) units: u64,
    /// The most goals that a fragment marks so far.
    pub(super) most: u32,
}

/// A bank as a checkpoint holds it, beside the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedBank {
    pub(super) ends: Vec<Id>,
    pub(super) most: Vec<u32>,
    pub(super) tried: u64,
    pub(super) tried_at_ends: Vec<u64>,
    pub(super) truncated: bool,
    pub(super) growth: Option<Growth>,
}

impl SavedBank {
    /// Whether the levels fit together and every fragment is composed of fragments of lower levels.
    pub(super) fn is_sound(&self, rows: &[Row], instructions: u8) -> bool {
        let ends = &self.ends;
        let is_rising =
            ends.first() == Some(&1) && ends.is_sorted() && ends.last().is_some_and(|&end| end as usize <= rows.len());
        let is_whole = [self.most.len(), self.tried_at_ends.len()] == [ends.len(); 2]
            && (self.growth.is_some() || ends.last().map(|&end| end as usize) == Some(rows.len()));
        let level = |id: Id| ends.partition_point(|&end| end <= id);
        let is_composed = |(id, row): (usize, &Row)| {
            let tokens = level(id as Id);
            let Some((recipe, _)) = Recipe::from_row(row) else { return false };
            match recipe {
                Recipe::Empty => id == 0,
                Recipe::Instruction(instruction) => tokens == 1 && instruction < instructions,
                Recipe::Sequence { first, rest } => first > 0 && rest > 0 && level(first) + level(rest) == tokens,
                Recipe::Loop { body, count } => body > 0 && count > 1 && level(body) + 1 == tokens,
            }
        };
        is_rising && is_whole && rows.iter().enumerate().all(is_composed)
    }
}
