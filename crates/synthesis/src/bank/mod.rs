//! The term bank: program fragments, one for each semantics, by the number of tokens they take.
//!
//! **Level** `k` has each semantics that a program of `k` tokens has and no program of fewer tokens has. A fragment is
//! a sequence of an *atom* (an instruction or a loop) and a rest, or a loop around a body. Of equivalent fragments of
//! one level the lexically smallest represents all. The atom, the rest and the body of a representative are
//! representatives themselves: a smaller equivalent in their place would make the whole smaller. So compositions of
//! representatives give every semantics of the level.
//!
//! **Loop counts.** All counts that differ are covered: see [`LoopCounts`](super::orbits::LoopCounts).
//!
//! **Memory.** The bank holds a recipe for each fragment and an index of fingerprints. It caches the semantics of the
//! lower levels as far as memory allows, and computes other semantics from recipes. Equality is decided on whole
//! semantics, never on fingerprints.
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
use fragments::{chunk, is_large};
use gridhunt_search::engine::Workers;
use gridhunt_search::runtime::{Event, Stage, StopReason, Stopped};
use growth::{Unit, Workspaces, candidates_of, count_units, instructions, units};
use recipe::ROW_BYTES;
use saved::Growth;
use std::sync::atomic::Ordering::Relaxed;

/// The most fragments. Each has a number and a place in the index, and a block may end behind the last number.
const MOST_FRAGMENTS: usize = Id::MAX as usize - (1 << 16);

/// The most units of a batch: enough to keep all threads busy, few enough for memory to hold their candidates. Few in
/// tests, so that levels have several batches.
const BATCH: usize = if cfg!(test) { 1 << 7 } else { 1 << 12 };

/// The most bytes of semantics of a batch, if each unit counts as one semantics. The candidates of a larger batch would
/// take longer to compare.
const BATCH_BYTES: u64 = 1 << 29;

/// The most bytes of rows in a checkpoint. Levels beyond that are computed again.
const MOST_SAVED: usize = 1 << 27;

/// The limits of a bank.
#[derive(Debug)]
pub(crate) struct BankLimits {
    /// Bytes of cached semantics.
    pub(crate) cache: u64,
    /// Number of fragments.
    pub(crate) fragments: usize,
}

impl BankLimits {
    /// Limits of `cache` bytes of cached semantics, and of as many fragments as there are numbers.
    pub(crate) fn with_cache(cache: u64) -> Self {
        Self { cache, fragments: MOST_FRAGMENTS }
    }
}

/// All fragments so far, and the level under construction.
pub(crate) struct Bank<'m> {
    fragments: Fragments<'m>,
    limits: BankLimits,
    /// The progress of the level above the highest complete one.
    growth: Option<Growth>,
    /// Whether this session has completed a unit.
    has_grown: bool,
    /// Whether a loop has more counts than are tried.
    pub(crate) truncated: bool,
    /// The number of candidates so far, and the number when each level was complete.
    pub(crate) tried: u64,
    tried_at_ends: Vec<u64>,
}

impl<'m> Bank<'m> {
    /// A bank of level 0. `bits` has the bit number of each goal in sets of goals.
    pub(crate) fn new(machine: &'m dyn Machine, bits: Vec<u16>, limits: BankLimits) -> Self {
        let fragments = Fragments::new(machine, bits);
        Self { fragments, limits, growth: None, has_grown: false, truncated: false, tried: 0, tried_at_ends: vec![0] }
    }

    pub(crate) fn fragments(&self) -> &Fragments<'m> {
        &self.fragments
    }

    /// Completes the next level, and calls `between` after each batch. A call continues where a stopped call has ended.
    pub(crate) fn grow(&mut self, workers: &Workers<'_>, mut between: impl FnMut(&Self)) -> Result<(), Stopped> {
        let tokens = self.fragments.depth() + 1;
        let Growth { units: mut done, mut most } = self.growth.unwrap_or_default();
        most = most.max(self.fragments.most_marks(self.fragments.depth()));
        if tokens == 1 {
            let generated = instructions(&self.fragments, 0);
            most = generated.most;
            self.store_new(&generated.candidates, &[generated.candidates.len()], false, workers);
        }
        let total = count_units(&self.fragments, tokens);
        let mut units = units(&self.fragments, tokens).skip(done as usize);
        let of_batch = (BATCH_BYTES / self.fragments.shape.bytes()).clamp(1, BATCH as u64) as usize;
        loop {
            let batch: Vec<Unit> = units.by_ref().take(of_batch).collect();
            if batch.is_empty() {
                break;
            }
            // A session completes a unit, however short it is, unless a unit takes long. So short sessions make
            // progress too.
            let has_to_grow = !self.has_grown && !is_large(self.fragments.shape);
            let (first, others) = batch.split_at(usize::from(has_to_grow));
            let mut is_stopped = false;
            for (units, may_stop) in [(first, false), (others, true)] {
                let stored = self.store_units(units, may_stop, &mut most, workers)?;
                done += stored as u64;
                is_stopped |= stored < units.len();
                self.growth = Some(Growth { units: done, most });
            }
            self.has_grown = true;
            workers.monitor.send(&Event::Stage { stage: Stage::Fragments(tokens), done, total });
            self.update_gauges(workers);
            workers.monitor.gauges.generated.store(self.tried, Relaxed);
            if is_stopped {
                return Err(Stopped);
            }
            between(self);
        }
        self.growth = None;
        self.complete_level(most, workers);
        Ok(())
    }

    /// Generates and stores the fragments of the first units: of all, or with `may_stop` of as many as are done before
    /// the search is to stop. Returns their number, and raises `most` to the most goals that a fragment of these units
    /// marks. Stops the search if the memory for fragments does not suffice.
    fn store_units(
        &mut self,
        units: &[Unit],
        may_stop: bool,
        most: &mut u32,
        workers: &Workers<'_>,
    ) -> Result<usize, Stopped> {
        let (fragments, monitor, known) = (&self.fragments, workers.monitor, *most);
        let stops = || may_stop && monitor.stop_reason().is_some();
        let generate =
            |workspaces: &mut Workspaces, unit: &Unit| candidates_of(fragments, unit, known, workspaces, &stops).ok();
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
            of_units.push((generated.most, generated.truncated));
        }
        if self.fragments.len() + candidates.len() > self.limits.fragments {
            monitor.stop(StopReason::MemoryLimit);
            return Err(Stopped);
        }
        let stored = self.store_new(&candidates, &ends, may_stop, workers);
        self.truncated |= of_units[..stored].iter().any(|&(_, truncated)| truncated);
        *most = of_units[..stored].iter().fold(*most, |most, &(of_unit, _)| most.max(of_unit));
        Ok(stored)
    }

    /// Stores the candidates of the first units: of all, or with `may_stop` of as many as are done before the search is
    /// to stop. Returns their number.
    fn store_new(&mut self, candidates: &[Candidate], ends: &[usize], may_stop: bool, workers: &Workers<'_>) -> usize {
        let units = store_new(&mut self.fragments, candidates, ends, may_stop, workers);
        self.tried += units.checked_sub(1).map_or(0, |last| ends[last]) as u64;
        units
    }

    fn complete_level(&mut self, most: u32, workers: &Workers<'_>) {
        self.tried_at_ends.push(self.tried);
        self.fragments.complete_level(most);
        self.fragments.fill_cache(self.limits.cache, workers);
    }

    fn update_gauges(&self, workers: &Workers<'_>) {
        let gauges = &workers.monitor.gauges;
        gauges.stored.store(self.fragments.len() as u64, Relaxed);
        gauges.set_bytes(self.fragments.bytes());
    }

    /// The bank as a checkpoint holds it, and the rows of as many levels as there is room for.
    pub(crate) fn save(&self) -> (SavedBank, Vec<u8>) {
        let (ends, most) = self.fragments.levels();
        let fits = |end: usize| end * ROW_BYTES <= MOST_SAVED;
        let is_whole = fits(self.fragments.len());
        let levels = ends.partition_point(|&end| fits(end as usize));
        let saved = SavedBank {
            ends: ends[..levels].to_vec(),
            most: most[..levels].to_vec(),
            tried: if is_whole { self.tried } else { self.tried_at_ends[levels - 1] },
            tried_at_ends: self.tried_at_ends[..levels].to_vec(),
            truncated: self.truncated,
            growth: self.growth.filter(|_| is_whole),
        };
        let fragments = if is_whole { self.fragments.len() as Id } else { ends[levels - 1] };
        (saved, self.fragments.first_rows(fragments))
    }

    /// Whether saved levels and their rows fit together, so that [`Bank::restore`] may read them.
    pub(crate) fn accepts(&self, saved: &SavedBank, bytes: &[u8]) -> bool {
        let (rows, rest) = bytes.as_chunks::<ROW_BYTES>();
        rest.is_empty() && saved.is_sound(rows, self.fragments.machine.instructions())
    }

    /// Restores saved levels into a new bank, which [accepts](Bank::accepts) them.
    pub(crate) fn restore(&mut self, saved: SavedBank, bytes: &[u8], workers: &Workers<'_>) -> Result<(), Stopped> {
        let (rows, _) = bytes.as_chunks::<ROW_BYTES>();
        let SavedBank { ends, most, tried, tried_at_ends, truncated, growth } = saved;
        let mut begin = 1;
        for (level, end) in ends[1..].iter().map(|&end| end as usize).chain([rows.len()]).enumerate() {
            let fragments = &self.fragments;
            let fingerprints = workers.map(
                &rows[begin..end],
                chunk(fragments.shape),
                || Workspace::new(fragments.shape.projected()),
                |workspace, row| {
                    let recipe = Recipe::from_row(row).map_or(Recipe::Empty, |(recipe, _)| recipe);
                    let semantics = fragments.compute(recipe, workspace);
                    let fingerprint = semantics.fingerprint();
                    workspace.give(semantics);
                    fingerprint
                },
            )?;
            fingerprints.iter().zip(&rows[begin..end]).for_each(|(&of, row)| self.fragments.add(of, row));
            begin = end;
            if level + 1 < ends.len() {
                self.tried = tried_at_ends[level + 1];
                self.complete_level(most[level + 1], workers);
            }
            self.update_gauges(workers);
        }
        (self.tried, self.truncated, self.growth) = (tried, truncated, growth);
        Ok(())
    }
}
