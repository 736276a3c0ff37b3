//! Levels in a checkpoint: the recipes, and what they do is made again.

use super::recipe::{RECIPE, Row};
use super::{Bench, CHUNK, Growth, Id, Levels, Machine, Recipe, Workers};
use std::sync::atomic::Ordering::Relaxed;

/// The most bytes of recipes in a checkpoint; levels beyond that are made again.
const MOST_SAVED: usize = 1 << 27;

/// Levels as a checkpoint holds them.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::engine::synthesis) struct SavedLevels {
    ends: Vec<Id>,
    most: Vec<u32>,
    tried: u64,
    tried_before: Vec<u64>,
    left_out: bool,
    growth: Option<Growth>,
}

impl<M: Machine> Levels<'_, M> {
    /// What a checkpoint holds of them, and the recipes: of as many levels as there is room for.
    pub(in crate::engine::synthesis) fn save(&self) -> (SavedLevels, Vec<u8>) {
        let fits = |end: usize| end * RECIPE <= MOST_SAVED;
        let is_whole = fits(self.len());
        let levels = self.ends.partition_point(|&end| fits(end as usize));
        let recipes = if is_whole { self.fragments.len() } else { self.ends[levels - 1] };
        let saved = SavedLevels {
            ends: self.ends[..levels].to_vec(),
            most: self.most[..levels].to_vec(),
            tried: if is_whole { self.tried } else { self.tried_before[levels - 1] },
            tried_before: self.tried_before[..levels].to_vec(),
            left_out: self.left_out,
            growth: self.growth.filter(|_| is_whole),
        };
        (saved, self.fragments.rows().take(recipes as usize).flatten().copied().collect())
    }

    /// Puts levels back that were saved, into new ones. `None` when the search is to stop.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(in crate::engine::synthesis) fn restore(
        &mut self,
        saved: SavedLevels,
        bytes: &[u8],
        workers: &Workers<'_>,
    ) -> Option<Result<(), String>> {
        let (rows, rest) = bytes.as_chunks::<RECIPE>();
        if !rest.is_empty() || !self.are_sound(&saved, rows) {
            return Some(Err("levels of fragments that do not fit together".to_owned()));
        }
        let SavedLevels { ends, most, tried, tried_before, left_out, growth } = saved;
        let mut begin = 1;
        for (level, end) in ends[1..].iter().map(|&end| end as usize).chain([rows.len()]).enumerate() {
            let shape = self.shape;
            let fingerprints = workers.each(
                &rows[begin..end],
                CHUNK,
                || Bench::new(shape.in_short()),
                |bench, row| {
                    let made = self.make(Recipe::from_row(row).map_or(Recipe::Nothing, |(recipe, _)| recipe), bench);
                    let fingerprint = made.fingerprint();
                    bench.give(made);
                    fingerprint
                },
            )?;
            fingerprints.iter().zip(&rows[begin..end]).for_each(|(&of, row)| self.fragments.add(of, row));
            begin = end;
            if level + 1 < ends.len() {
                self.tried = tried_before[level + 1];
                self.end_level(most[level + 1], workers);
            }
            workers.monitor.gauges.stored.store(self.len() as u64, Relaxed);
            workers.monitor.gauges.hold(self.bytes());
        }
        (self.tried, self.left_out, self.growth) = (tried, left_out, growth);
        Some(Ok(()))
    }

    /// Whether every recipe is made of fragments of lower levels.
    fn are_sound(&self, saved: &SavedLevels, rows: &[Row]) -> bool {
        let ends = &saved.ends;
        let is_rising =
            ends.first() == Some(&1) && ends.is_sorted() && ends.last().is_some_and(|&end| end as usize <= rows.len());
        let lengths = [saved.most.len(), saved.tried_before.len()] == [ends.len(); 2]
            && (saved.growth.is_some() || ends.last().map(|&end| end as usize) == Some(rows.len()));
        let level = |id: Id| ends.partition_point(|&end| end <= id);
        let fits = |(id, row): (usize, &Row)| {
            let own = level(id as Id);
            let Some((recipe, _)) = Recipe::from_row(row) else { return false };
            match recipe {
                Recipe::Nothing => id == 0,
                Recipe::Instruction(instruction) => own == 1 && instruction < self.machine.instructions(),
                Recipe::Sequence { first, rest } => first > 0 && rest > 0 && level(first) + level(rest) == own,
                Recipe::Loop { body, count, .. } => body > 0 && count > 1 && level(body) + 1 == own,
            }
        };
        is_rising && lengths && rows.iter().enumerate().all(fits)
    }
}
