//! One iteration: level after level, until no state is left that may lead to a solution of at most f.

use super::expansion::{Expansion, Level, Scratch, Search, View};
use super::maximal::{bytes_to_reduce, maximal};
use super::packed_sets::{Origin, PackedSets, words_for, words_of_key};
use super::sample::Sample;
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

/// States that are expanded before their children are looked at.
const BLOCK: usize = 1 << 13;

/// Children that are collected at least before the maximal ones are sought, unless memory is short.
const BATCH: usize = 1 << 16;

/// How many times as many children as maximal ones are collected.
const SURPLUS: usize = 4;

/// The number of states in a sample.
pub(super) const SAMPLE: usize = 96;

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
pub(super) struct Progress {
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
    /// Whether the states of this g have come from disk.
    pub(super) is_split: bool,
    /// The level before, if a refined bound has memos of it.
    pub(super) before: Option<Level>,
    pub(super) ahead: BTreeMap<Cost, Ahead>,
    pub(super) links: Ways,
    pub(super) progress: Progress,
    pub(super) sample: Sample,
}

impl Search<'_> {
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
        Iteration::at(Level { g: 0, sets, first: 0, memos: Vec::new() }, f)
    }

    /// Runs an iteration to its end. Calls `checkpoint` when a checkpoint is due, or the search is stopped. `None` when the
    /// search is over or to stop.
    pub(super) fn run(&self, iteration: &mut Iteration, checkpoint: &dyn Fn(&Iteration)) -> Option<()> {
        loop {
            let step = self.expand_level(iteration, checkpoint).and_then(|()| self.next_level(iteration));
            match step {
                Some(true) => {}
                Some(false) => return Some(()),
                None => {
                    if self.workers.monitor.stopped().is_some() {
                        checkpoint(iteration);
                    }
                    return None;
                }
            }
        }
    }

    /// Expands all states of the level.
    fn expand_level(&self, iteration: &mut Iteration, checkpoint: &dyn Fn(&Iteration)) -> Option<()> {
        let monitor = self.workers.monitor;
        while iteration.progress.done < iteration.level.sets.len() {
            self.expand_block(iteration);
            self.checkpointer.check(None);
            monitor.gauges.hold(iteration.bytes() + self.bound_bytes);
            self.tell_open(iteration);
            monitor.check_limits();
            if iteration.states() > u32::MAX as usize {
                monitor.end(StopReason::MemoryLimit);
            }
            let pauses = monitor.leaving();
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
        let Progress { done, layer, .. } = iteration.progress;
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
        let part = if self.spill.is_some() { 32 } else { 16 };
        self.memory.map_or(usize::MAX, |memory| (memory / part / like.bytes_of_set()) as usize)
    }

    /// Expands some states.
    fn expand_block(&self, iteration: &mut Iteration) {
        let Iteration { level, before, links, progress, sample, .. } = &*iteration;
        let view = View { before: before.as_ref(), level, links, f: progress.layer.f, sampled_below: sample.limit() };
        // A state has some children.
        let block = BLOCK.min(self.affordable(&level.sets) / 4).max(CHUNK);
        let end = level.sets.len().min(progress.done + block);
        let chunks: Vec<usize> = (progress.done..end).step_by(CHUNK).collect();
        let expand =
            |scratch: &mut Scratch<'_>, &from: &usize| Some(self.expand(view, from..end.min(from + CHUNK), scratch));
        let results = self.workers.map_first(&chunks, 1, || Scratch::new(self), expand);
        results.into_iter().for_each(|expansion| iteration.take(expansion));
    }

    /// Keeps the maximal ones of the children in memory alone. Where memory is short, children go to disk.
    fn keep_maximal(&self, iteration: &mut Iteration) -> Option<()> {
        let mut held = iteration.bytes() + self.bound_bytes;
        for ahead in iteration.ahead.values_mut() {
            let before = ahead.sets.bytes();
            let bytes = held + bytes_to_reduce(&ahead.sets);
            let is_tight = self.memory.is_some_and(|memory| bytes > memory);
            if is_tight && self.spill.is_none() {
                self.workers.monitor.end(StopReason::MemoryLimit);
                return None;
            }
            if ahead.sets.len() > ahead.maximal && !is_tight {
                self.workers.monitor.gauges.hold(bytes);
                ahead.sets = ahead.sets.select(&maximal(&ahead.sets, self.workers)?);
                ahead.maximal = ahead.sets.len();
            }
            if is_tight || self.spill.is_some_and(|spill| ahead.sets.bytes() > spill.in_memory()) {
                self.put_away(ahead)?;
            }
            held = held + ahead.sets.bytes() - before;
        }
        Some(())
    }

    /// Moves children to disk.
    fn put_away(&self, ahead: &mut Ahead) -> Option<()> {
        let spill = self.spill?;
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

    /// Goes on to the next states: those on disk of the same g, or the children of the least g. Returns false if there are
    /// none.
    fn next_level(&self, iteration: &mut Iteration) -> Option<bool> {
        if let Some(spill) = self.spill {
            self.succeeded(iteration.links.relieve(spill))?;
        }
        if let Some(file) = iteration.rest.last() {
            let sets = self.succeeded(file.read(0..file.len()))?;
            iteration.rest.pop();
            self.begin_level(iteration, iteration.level.g, sets);
            return Some(true);
        }
        self.keep_maximal(iteration)?;
        let held = iteration.bytes() + self.bound_bytes;
        let Some(mut first) = iteration.ahead.first_entry() else { return Some(false) };
        if let Some(spill) = self.spill.filter(|_| first.get().parts.is_some()) {
            self.put_away(first.get_mut())?;
            let memory = self.memory.map(|memory| memory.saturating_sub(held));
            let parts = first.get_mut().parts.as_mut()?;
            self.succeeded(parts.settle(memory, (spill, self.workers)))??;
        }
        let (g, Ahead { sets, parts, .. }) = first.remove_entry();
        let is_split = parts.is_some();
        iteration.rest = parts.map_or_else(Vec::new, Parts::into_files);
        let before = self.begin_level(iteration, g, sets);
        iteration.before = Some(before).filter(|_| self.refined.is_some() && !iteration.is_split);
        iteration.is_split = is_split;
        Some(true)
    }

    /// Takes up states of a g. Returns those before.
    fn begin_level(&self, iteration: &mut Iteration, g: Cost, sets: PackedSets) -> Level {
        let first = iteration.links.len() + 1;
        iteration.links.extend(sets.links());
        self.workers.monitor.gauges.stored.store(iteration.links.len() as u64, Relaxed);
        iteration.progress.done = 0;
        std::mem::replace(&mut iteration.level, Level { g, sets, first, memos: Vec::new() })
    }
}

impl Iteration {
    /// An iteration at a level of which nothing is expanded.
    pub(super) fn at(level: Level, f: Cost) -> Self {
        let layer = Layer { f, expanded: 0, generated: 0 };
        let progress = Progress { done: 0, layer, cut: Cost::MAX, work: Work::default() };
        Self {
            level,
            rest: Vec::new(),
            is_split: false,
            before: None,
            ahead: BTreeMap::new(),
            links: Ways::default(),
            progress,
            sample: Sample::new(SAMPLE),
        }
    }

    fn take(&mut self, expansion: Expansion) {
        let Expansion { done, expanded, mut memos, children, counts, cut, sampled } = expansion;
        let progress = &mut self.progress;
        progress.done += done;
        progress.layer.expanded += expanded;
        progress.layer.generated += counts.generated;
        progress.work += Work { expanded, generated: counts.generated, evaluated: counts.evaluated, reopened: 0 };
        progress.cut = progress.cut.min(cut);
        self.level.memos.append(&mut memos);
        sampled.into_iter().for_each(|(hash, key)| self.sample.offer(hash, key));
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
        let levels: u64 = self.before.iter().chain([&self.level]).map(Level::bytes).sum();
        ahead + levels + self.links.bytes()
    }
}
