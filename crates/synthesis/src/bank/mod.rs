//! The term bank: one program fragment for each semantics, in levels by number of tokens.
//!
//! **Level** `k` has each semantics whose shortest programs have `k` tokens. A fragment is an instruction, a sequence
//! of an *atom* (an instruction or a loop) and a rest, or a loop around a body. The lexically smallest of equivalent
//! fragments represents all. The atom, the rest and the body of a representative are representatives: with a smaller
//! equivalent, the fragment itself would be smaller. So compositions of representatives have every semantics of the
//! level.
//!
//! **Loop counts.** The tried counts cover all semantics: see [`LoopCounts`](super::orbits::LoopCounts).
//!
//! **Memory.** The bank holds a recipe for each fragment and an index of fingerprints. It caches the semantics of the
//! lower levels as far as memory allows, and computes other semantics from recipes. It compares complete semantics,
//! never only fingerprints.
//!
//! Reference: Udupa et al. (2013), TRANSIT; Albarghouthi, Gulwani and Kincaid (2013), recursive program synthesis:
//! bottom-up enumeration modulo observational equivalence.

mod candidates;
mod fragments;
mod growth;
mod recipe;
mod saved;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use fragments::Fragments;
pub(crate) use recipe::{Id, Recipe};
pub(crate) use saved::SavedBank;

use crate::machine::Machine;
use crate::workspace::Workspace;
use candidates::{Candidate, store_new};
use fragments::{chunk_len, is_large};
use gridhunt_search::engine::Workers;
use gridhunt_search::runtime::{Event, Stage, StopReason, Stopped};
use growth::{Unit, Workspaces, candidates_of, count_units, instructions, units};
use recipe::ROW_BYTES;
use saved::LevelProgress;
use std::sync::atomic::Ordering::Relaxed;

/// The largest number of fragments. The margin keeps the ends of blocks below `Id::MAX`.
const MAX_FRAGMENTS: usize = Id::MAX as usize - (1 << 16);

/// The largest number of units of a batch: enough for all threads, few enough for their candidates to fit in memory.
/// Few in tests, so that levels have several batches.
const MAX_BATCH_UNITS: usize = if cfg!(test) { 1 << 7 } else { 1 << 12 };

/// The limit of the semantics of a batch, one for each unit. Comparing the candidates of a larger batch takes longer.
const MAX_BATCH_BYTES: u64 = 1 << 29;

/// The limit of rows in a checkpoint. Levels beyond it are computed again.
const MAX_SAVED_BYTES: usize = 1 << 27;

/// The limits of a bank.
#[derive(Debug)]
pub(crate) struct BankLimits {
    /// The limit of cached semantics, in bytes.
    pub(crate) cache_bytes: u64,
    /// The largest number of fragments.
    pub(crate) max_fragments: usize,
}

impl BankLimits {
    /// Limits of `cache_bytes` of cached semantics and of [`MAX_FRAGMENTS`] fragments.
    pub(crate) fn with_cache(cache_bytes: u64) -> Self {
        Self { cache_bytes, max_fragments: MAX_FRAGMENTS }
    }
}

/// All fragments so far, and the level under construction.
pub(crate) struct Bank<'m> {
    fragments: Fragments<'m>,
    limits: BankLimits,
    level_progress: Option<LevelProgress>,
    /// Whether this session has finished a unit.
    has_grown: bool,
    /// Whether a loop has untried counts.
    pub(crate) has_untried_counts: bool,
    /// The number of candidates so far, and at the end of each complete level.
    pub(crate) candidate_count: u64,
    candidate_counts_by_level: Vec<u64>,
}

impl<'m> Bank<'m> {
    /// A bank of level 0. `bits` has the bit number of each goal in sets of goals.
    pub(crate) fn new(machine: &'m dyn Machine, bits: Vec<u16>, limits: BankLimits) -> Self {
        let fragments = Fragments::new(machine, bits);
        Self {
            fragments,
            limits,
            level_progress: None,
            has_grown: false,
            has_untried_counts: false,
            candidate_count: 0,
            candidate_counts_by_level: vec![0],
        }
    }

    pub(crate) fn fragments(&self) -> &Fragments<'m> {
        &self.fragments
    }

    /// Completes the next level, and calls `after_batch` after each batch. Continues a call that was stopped.
    pub(crate) fn grow(&mut self, workers: &Workers<'_>, mut after_batch: impl FnMut(&Self)) -> Result<(), Stopped> {
        let tokens = self.fragments.depth() + 1;
        let LevelProgress { units: mut done, mut max_marks } = self.level_progress.unwrap_or_default();
        max_marks = max_marks.max(self.fragments.max_marks(self.fragments.depth()));
        if tokens == 1 {
            let generated = instructions(&self.fragments, 0);
            max_marks = generated.max_marks;
            self.store_new(&generated.candidates, &[generated.candidates.len()], false, workers);
        }
        let total = count_units(&self.fragments, tokens);
        let mut units = units(&self.fragments, tokens).skip(done as usize);
        let batch_len = (MAX_BATCH_BYTES / self.fragments.shape.bytes()).clamp(1, MAX_BATCH_UNITS as u64) as usize;
        loop {
            let batch: Vec<Unit> = units.by_ref().take(batch_len).collect();
            if batch.is_empty() {
                break;
            }
            // A session finishes at least one unit, unless a unit takes long. So short sessions make progress too.
            let has_to_grow = !self.has_grown && !is_large(self.fragments.shape);
            let (first, others) = batch.split_at(usize::from(has_to_grow));
            let mut is_stopped = false;
            for (units, may_stop) in [(first, false), (others, true)] {
                let stored = self.store_units(units, may_stop, &mut max_marks, workers)?;
                done += stored as u64;
                is_stopped |= stored < units.len();
                self.level_progress = Some(LevelProgress { units: done, max_marks });
            }
            self.has_grown = true;
            workers.monitor.send(&Event::Stage { stage: Stage::Fragments(tokens), done, total });
            self.update_gauges(workers);
            workers.monitor.gauges.generated.store(self.candidate_count, Relaxed);
            if is_stopped {
                return Err(Stopped);
            }
            after_batch(self);
        }
        self.level_progress = None;
        self.complete_level(max_marks, workers);
        Ok(())
    }

    /// Generates and stores the fragments of all units; with `may_stop`, of the units that are finished when the search
    /// is to stop. Returns the number of these units, and raises `max_marks` to the largest number of goals that one of
    /// their fragments marks. Stops the search if there are too many fragments.
    fn store_units(
        &mut self,
        units: &[Unit],
        may_stop: bool,
        max_marks: &mut u32,
        workers: &Workers<'_>,
    ) -> Result<usize, Stopped> {
        let (fragments, monitor, known_max_marks) = (&self.fragments, workers.monitor, *max_marks);
        let should_stop = || may_stop && monitor.stop_reason().is_some();
        let generate = |workspaces: &mut Workspaces, unit: &Unit| {
            candidates_of(fragments, unit, known_max_marks, workspaces, &should_stop).ok()
        };
        let scratch = || Workspaces::new(fragments.shape);
        let generated = if may_stop {
            workers.map_first(units, 1, scratch, generate)
        } else {
            workers.map_all(units, 1, scratch, generate).into_iter().flatten().collect()
        };
        let (mut candidates, mut ends, mut of_units) = (Vec::new(), Vec::new(), Vec::new());
        for generated in generated {
            candidates.extend(generated.candidates);
            ends.push(candidates.len());
            of_units.push((generated.max_marks, generated.has_untried_counts));
        }
        if self.fragments.len() + candidates.len() > self.limits.max_fragments {
            monitor.stop(StopReason::MemoryLimit);
            return Err(Stopped);
        }
        let stored = self.store_new(&candidates, &ends, may_stop, workers);
        self.has_untried_counts |= of_units[..stored].iter().any(|&(_, has_untried_counts)| has_untried_counts);
        *max_marks = of_units[..stored].iter().fold(*max_marks, |max, &(of_unit, _)| max.max(of_unit));
        Ok(stored)
    }

    /// Stores the new candidates ([`store_new`]). Returns the number of processed units.
    fn store_new(&mut self, candidates: &[Candidate], ends: &[usize], may_stop: bool, workers: &Workers<'_>) -> usize {
        let units = store_new(&mut self.fragments, candidates, ends, may_stop, workers);
        self.candidate_count += units.checked_sub(1).map_or(0, |last| ends[last]) as u64;
        units
    }

    fn complete_level(&mut self, max_marks: u32, workers: &Workers<'_>) {
        self.candidate_counts_by_level.push(self.candidate_count);
        self.fragments.complete_level(max_marks);
        self.fragments.fill_cache(self.limits.cache_bytes, workers);
    }

    fn update_gauges(&self, workers: &Workers<'_>) {
        let gauges = &workers.monitor.gauges;
        gauges.stored.store(self.fragments.len() as u64, Relaxed);
        gauges.set_bytes(self.fragments.bytes());
    }

    /// The bank for a checkpoint, and the rows of the levels that fit in it.
    pub(crate) fn save(&self) -> (SavedBank, Vec<u8>) {
        let (ends, max_marks) = self.fragments.levels();
        let fits = |end: usize| end * ROW_BYTES <= MAX_SAVED_BYTES;
        let fits_whole = fits(self.fragments.len());
        let levels = ends.partition_point(|&end| fits(end as usize));
        let saved = SavedBank {
            level_ends: ends[..levels].to_vec(),
            max_marks_by_level: max_marks[..levels].to_vec(),
            candidate_count: if fits_whole { self.candidate_count } else { self.candidate_counts_by_level[levels - 1] },
            candidate_counts_by_level: self.candidate_counts_by_level[..levels].to_vec(),
            has_untried_counts: self.has_untried_counts,
            level_progress: self.level_progress.filter(|_| fits_whole),
        };
        let fragments = if fits_whole { self.fragments.len() as Id } else { ends[levels - 1] };
        (saved, self.fragments.first_rows(fragments))
    }

    /// Whether saved levels and rows are consistent, so that [`Bank::restore`] may read them.
    pub(crate) fn accepts(&self, saved: &SavedBank, bytes: &[u8]) -> bool {
        let (rows, tail) = bytes.as_chunks::<ROW_BYTES>();
        tail.is_empty() && saved.is_sound(rows, self.fragments.machine.instructions())
    }

    /// Restores saved levels into a new bank, which [accepts](Bank::accepts) them.
    pub(crate) fn restore(&mut self, saved: SavedBank, bytes: &[u8], workers: &Workers<'_>) -> Result<(), Stopped> {
        let (rows, _) = bytes.as_chunks::<ROW_BYTES>();
        let SavedBank { level_ends: ends, max_marks_by_level, candidate_counts_by_level, .. } = saved;
        let mut begin = 1;
        for (level, end) in ends[1..].iter().map(|&end| end as usize).chain([rows.len()]).enumerate() {
            let fragments = &self.fragments;
            let fingerprints = workers.map(
                &rows[begin..end],
                chunk_len(fragments.shape),
                || Workspace::new(fragments.shape.projected()),
                |workspace, row| {
                    let recipe = Recipe::from_row(row).map_or(Recipe::Empty, |(recipe, _)| recipe);
                    let semantics = fragments.compute(recipe, workspace);
                    let fingerprint = semantics.fingerprint();
                    workspace.recycle(semantics);
                    fingerprint
                },
            )?;
            fingerprints.iter().zip(&rows[begin..end]).for_each(|(&of, row)| self.fragments.rows.add(of, row));
            begin = end;
            if level + 1 < ends.len() {
                self.candidate_count = candidate_counts_by_level[level + 1];
                self.complete_level(max_marks_by_level[level + 1], workers);
            }
            self.update_gauges(workers);
        }
        self.candidate_count = saved.candidate_count;
        (self.has_untried_counts, self.level_progress) = (saved.has_untried_counts, saved.level_progress);
        Ok(())
    }
}
