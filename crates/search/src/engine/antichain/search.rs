//! One iteration: level after level, until no state is left that may lead to a solution of at most f.

use super::expansion::{Expansion, IterationContext, Level, Scratch, View};
use super::maximal::{by_falling_size, bytes_to_reduce, maximal};
use super::packed_sets::{Origin, PackedSets, words_for, words_of_key};
use super::spill::{Parts, SpilledSets};
use super::ways::Ways;
use crate::domain::Cost;
use crate::engine::links::Link;
use crate::engine::work::Work;
use crate::expand::Slot;
use crate::runtime::{Layer, StopReason};
use crate::store::StorageError;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// States that a thread expands between two looks at the limits.
const CHUNK: usize = 32;

/// States that are expanded before the children are looked at.
const BLOCK: usize = 1 << 13;

/// Children that are collected at least before the maximal ones are sought, unless memory is short.
const BATCH: usize = 1 << 16;

/// How many times as many children as maximal ones are collected.
const SURPLUS: usize = 4;

/// Children of one g.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    pub(super) sets: PackedSets,
    /// The first so many are maximal among themselves.
    pub(super) maximal: usize,
    /// Further children, on disk.
    pub(super) parts: Option<Parts>,
}

/// The work in an iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct IterationWork {
    /// States of the level that are done.
    pub(super) done: usize,
    /// The threshold, with the counts of the iteration.
    pub(super) layer: Layer,
    /// The least f of a state that was cut off; [`Cost::MAX`] if there is none.
    pub(super) cut: Cost,
    pub(super) work: Work,
}

/// The search for a solution that costs at most f.
pub(super) struct Iteration {
    /// The states of the least g, or those of one file of them.
    pub(super) level: Level,
    /// Further states of this g, on disk.
    pub(super) rest: Vec<SpilledSets>,
    pub(super) ahead: BTreeMap<Cost, Ahead>,
    pub(super) links: Ways,
    pub(super) progress: IterationWork,
}

impl IterationContext<'_> {
    /// An iteration at its beginning.
    pub(super) fn begin(&self, f: Cost) -> Iteration {
        let mut expander = self.space.expander();
        let mut key = vec![0; self.space.key_len()];
        let frame = expander.place(None);
        expander.pack(Slot { frame, at: 0 }, &mut key);
        let words = words_for(key.len());
        let mut root = vec![0; words];
        words_of_key(&key, &mut root);
        let mut sets = PackedSets::new(words);
        // Nothing is known of the f of the root but that it is at most the threshold.
        sets.push(&root, Origin { link: Link { parent: 0, mv: 0 }, most_f: f });
        Iteration::at(Level { g: 0, sets, first: 0 }, f)
    }

    /// Runs an iteration to its end. Calls `checkpoint` when a checkpoint is due, or the search is stopped. `None` when
    /// the search is over or to stop.
    pub(super) fn run(&self, iteration: &mut Iteration, checkpoint: &dyn Fn(&Iteration)) -> Option<()> {
        loop {
            let step = self.expand_level(iteration, checkpoint).and_then(|()| self.next_level(iteration));
            if step == Some(true) {
                continue;
            }
            if step.is_none() && self.workers.monitor.stopped().is_some() {
                checkpoint(iteration);
            }
            return step.map(drop);
        }
    }

    /// Expands all states of the level.
    fn expand_level(&self, iteration: &mut Iteration, checkpoint: &dyn Fn(&Iteration)) -> Option<()> {
        let monitor = self.workers.monitor;
        let mut pauses = false;
        while iteration.progress.done < iteration.level.sets.len() {
            // A pause cuts the block short. After one, a block is expanded before the next look: else checkpoints might
            // be all that is done.
            if !pauses {
                self.checkpointer.check(None);
            }
            self.expand_block(iteration);
            monitor.gauges.hold(iteration.bytes());
            self.tell_open(iteration);
            monitor.check_limits();
            if iteration.states() > u32::MAX as usize {
                monitor.end(StopReason::MemoryLimit);
            }
            pauses = monitor.leaving();
            if monitor.is_finished() || monitor.stopped().is_some() {
                return None;
            }
            monitor.go_on();
            let is_full = |ahead: &Ahead| ahead.sets.len() - ahead.maximal > self.batch(ahead);
            if pauses || iteration.ahead.values().any(is_full) {
                self.keep_maximal(iteration)?;
                if pauses {
                    checkpoint(iteration);
                }
            }
        }
        Some(())
    }

    /// Tells the progress how many states of the level are left.
    fn tell_open(&self, iteration: &Iteration) {
        let gauges = &self.workers.monitor.gauges;
        let IterationWork { done, layer, .. } = iteration.progress;
        gauges.g.store(iteration.level.g, Relaxed);
        let rest = iteration.rest.iter().map(SpilledSets::len).sum::<usize>();
        let left = || vec![(layer.f, (iteration.level.sets.len() - done + rest) as u64)];
        gauges.survey.worker(0).into_iter().for_each(|worker| worker.answer(left));
    }

    /// How many children may come together beside the maximal ones before they are filtered.
    fn batch(&self, ahead: &Ahead) -> usize {
        let batch = BATCH.max(SURPLUS * ahead.maximal);
        // No less than half of those at hand, or most of the time would go into seeking the maximal ones.
        batch.min(self.affordable(&ahead.sets)).max(ahead.maximal / 2 + 8 * CHUNK)
    }

    /// How many sets like these may come together: a part of the memory, because seeking the maximal ones takes more.
    fn affordable(&self, like: &PackedSets) -> usize {
        let part = if self.spill().is_some() { 32 } else { 16 };
        self.memory.map_or(usize::MAX, |memory| (memory / part / like.bytes_of_set()) as usize)
    }

    /// Expands some states.
    fn expand_block(&self, iteration: &mut Iteration) {
        let Iteration { level, links, progress, .. } = &*iteration;
        let view = View { level, links, f: progress.layer.f };
        // As many states as have children that may come together, if they have as many as those before.
        let of_each = (progress.layer.generated / progress.layer.expanded.max(1)).max(4) as usize;
        let block = BLOCK.min(self.affordable(&level.sets) / of_each).max(CHUNK);
        let allowed = self.workers.monitor.allowance(block as u64, 1) as usize;
        let end = level.sets.len().min(progress.done + allowed);
        let chunks: Vec<usize> = (progress.done..end).step_by(CHUNK).collect();
        let expand = |scratch: &mut Scratch<'_>, &from: &usize| self.expand(view, from..end.min(from + CHUNK), scratch);
        let gauges = &self.workers.monitor.gauges;
        for expansion in self.workers.map_first(&chunks, 1, || Scratch::new(self), |s, from| Some(expand(s, from))) {
            gauges.expanded.fetch_add(expansion.expanded as u64, Relaxed);
            gauges.generated.fetch_add(expansion.counts.generated, Relaxed);
            iteration.take(expansion);
        }
    }

    /// Keeps of the children in memory the maximal ones alone. Where memory is short, children go to disk.
    fn keep_maximal(&self, iteration: &mut Iteration) -> Option<()> {
        let of_all: Vec<Cost> = iteration.ahead.keys().copied().collect();
        for g in of_all {
            let Some(Ahead { sets, maximal, .. }) = iteration.ahead.get(&g) else { continue };
            let bytes = iteration.bytes() + bytes_to_reduce(sets);
            let is_tight = self.memory.is_some_and(|memory| bytes > memory);
            if is_tight && self.spill().is_none() {
                self.workers.monitor.end(StopReason::MemoryLimit);
                return None;
            }
            let reduced = if sets.len() > *maximal && !is_tight {
                self.workers.monitor.gauges.hold(bytes);
                Some(self.reduce(sets)?)
            } else {
                None
            };
            let Some(ahead) = iteration.ahead.get_mut(&g) else { continue };
            if let Some(kept) = reduced {
                (ahead.maximal, ahead.sets) = (kept.len(), kept);
            }
            if is_tight || self.spill().is_some_and(|spill| ahead.sets.bytes() > spill.in_memory()) {
                self.put_away(ahead)?;
            }
        }
        Some(())
    }

    /// The maximal ones of some children.
    fn reduce(&self, sets: &PackedSets) -> Option<PackedSets> {
        let order = by_falling_size(sets, self.workers)?;
        Some(sets.select(&maximal(sets, &order, self.workers)?))
    }

    /// Moves children to disk.
    fn put_away(&self, ahead: &mut Ahead) -> Option<()> {
        let spill = self.spill()?;
        if ahead.parts.is_none() {
            ahead.parts = Some(self.succeeded(Parts::new(&ahead.sets, spill))?);
        }
        ahead.maximal = 0;
        self.succeeded(ahead.parts.as_mut()?.take(&mut ahead.sets, spill))
    }

    /// The result of work with the disk; `None` if it failed, which ends the search.
    fn succeeded<T>(&self, result: Result<T, StorageError>) -> Option<T> {
        result.map_err(|error| self.checkpointer.fail(&error.into())).ok()
    }

    /// Goes on to the next states: those on disk of the same g, or the children of the least g. Returns false if there
    /// are none.
    fn next_level(&self, iteration: &mut Iteration) -> Option<bool> {
        if let Some(spill) = self.spill() {
            self.succeeded(iteration.links.relieve(spill))?;
        }
        if iteration.rest.last().is_some() {
            return self.load(iteration).map(|()| true);
        }
        self.keep_maximal(iteration)?;
        let held = iteration.bytes();
        let Some(mut first) = iteration.ahead.first_entry() else { return Some(false) };
        if let Some(spill) = self.spill().filter(|_| first.get().parts.is_some()) {
            self.put_away(first.get_mut())?;
            let memory = self.memory.map(|memory| memory.saturating_sub(held));
            let parts = first.get_mut().parts.as_mut()?;
            self.succeeded(parts.settle(memory, (spill, self.workers)))??;
        }
        let (g, Ahead { sets, parts, .. }) = first.remove_entry();
        iteration.rest = parts.map_or_else(Vec::new, Parts::into_files);
        self.begin_level(iteration, g, sets);
        Some(true)
    }

    /// Takes up further states of the same g from disk.
    fn load(&self, iteration: &mut Iteration) -> Option<()> {
        let file = iteration.rest.last()?;
        let sets = self.succeeded(file.read(0..file.len()))?;
        iteration.rest.pop();
        self.begin_level(iteration, iteration.level.g, sets);
        Some(())
    }

    /// Takes up states of a g.
    fn begin_level(&self, iteration: &mut Iteration, g: Cost, sets: PackedSets) {
        let first = iteration.links.len() + 1;
        iteration.links.extend(sets.links());
        self.workers.monitor.gauges.stored.store(iteration.links.len() as u64, Relaxed);
        iteration.level = Level { g, sets, first };
        iteration.progress.done = 0;
    }
}

impl Iteration {
    /// An iteration at a level of which nothing is expanded.
    pub(super) fn at(level: Level, f: Cost) -> Self {
        let layer = Layer { f, expanded: 0, generated: 0 };
        let progress = IterationWork { done: 0, layer, cut: Cost::MAX, work: Work::default() };
        Self { level, rest: Vec::new(), ahead: BTreeMap::new(), links: Ways::default(), progress }
    }

    fn take(&mut self, expansion: Expansion) {
        let Expansion { expanded: done, children, counts, cut } = expansion;
        let (expanded, progress) = (done as u64, &mut self.progress);
        progress.done += done;
        progress.layer.expanded += expanded;
        progress.layer.generated += counts.generated;
        progress.work += Work { expanded, generated: counts.generated, evaluated: counts.evaluated, reopened: 0 };
        progress.cut = progress.cut.min(cut);
        for (g, mut sets) in children {
            let empty = || Ahead { sets: PackedSets::new(sets.words()), ..Ahead::default() };
            self.ahead.entry(g).or_insert_with(empty).sets.append(&mut sets);
        }
    }

    /// All states so far and their children. Their numbers have 32 bits.
    fn states(&self) -> usize {
        let of_ahead = |ahead: &Ahead| ahead.sets.len() + ahead.parts.as_ref().map_or(0, Parts::len);
        self.links.len()
            + self.rest.iter().map(SpilledSets::len).sum::<usize>()
            + self.ahead.values().map(of_ahead).sum::<usize>()
    }

    pub(super) fn bytes(&self) -> u64 {
        let ahead: u64 = self.ahead.values().map(|ahead| ahead.sets.bytes()).sum();
        ahead + self.level.sets.bytes() + self.links.bytes()
    }
}
