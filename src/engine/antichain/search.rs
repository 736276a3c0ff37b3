//! One iteration: level after level, until no state is left that may lead to a solution of at most f.

use super::expansion::{Expansion, Level, Scratch, Search, View};
use super::maximal::{by_falling_size, bytes_to_reduce, maximal};
use super::packed_sets::{Origin, PackedSets, words_for, words_of_key};
use super::refutation::{Refuted, refute};
use super::sample::Sample;
use crate::domain::Cost;
use crate::engine::links::Link;
use crate::engine::work::Work;
use crate::expand::{Slot, StateSpace};
use crate::runtime::{Layer, StopReason};
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

/// The most bytes of unfiltered children that a checkpoint holds.
const MOST_LEFT: u64 = 32 << 20;

/// The number of states in a sample.
pub(super) const SAMPLE: usize = 96;

/// Children of one g.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    pub(super) sets: PackedSets,
    /// The first so many are maximal among themselves, and not refuted by the refined bound.
    pub(super) maximal: usize,
    /// The number of sets at the last commit.
    pub(super) committed: usize,
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
///
/// An iteration *commits* when the children of the states that are done are the maximal ones alone. Where it is stopped
/// with many other children, it goes back to the last commit, so that a checkpoint stays small.
pub(super) struct Iteration {
    pub(super) level: Level,
    pub(super) ahead: BTreeMap<Cost, Ahead>,
    /// How each state was reached but the root.
    pub(super) links: Vec<Link>,
    pub(super) progress: Progress,
    pub(super) committed: Progress,
    pub(super) sample: Sample,
    /// What the refined bound has refuted of the children of the level, and of the level before.
    refuted: Refuted,
    refuted_before: Refuted,
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
        Iteration::at(Level { g: 0, sets, first: 0 }, f)
    }

    /// Runs an iteration to its end. Calls `checkpoint` when it has committed and a checkpoint is due, or the search is
    /// stopped. `None` when the search is over or to stop.
    pub(super) fn run(&self, iteration: &mut Iteration, checkpoint: &dyn Fn(&Iteration)) -> Option<()> {
        iteration.set_memo_len(self.refined.map_or(0, StateSpace::memo_len));
        loop {
            let step = self.expand_level(iteration, checkpoint).and_then(|()| self.next_level(iteration));
            match step {
                Some(true) => {}
                Some(false) => return Some(()),
                None => {
                    if self.workers.monitor.stopped().is_some() {
                        iteration.commit_or_roll_back();
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
        let left = || vec![(layer.f, (iteration.level.sets.len() - done) as u64)];
        gauges.survey.worker(0).into_iter().for_each(|worker| worker.answer(left));
    }

    /// How many children may come together beside the maximal ones before they are filtered.
    fn batch(&self, ahead: &Ahead) -> usize {
        let batch = BATCH.max(SURPLUS * ahead.maximal);
        // A sixteenth of the memory, because seeking the maximal ones takes more; but no less than half of those at hand,
        // or most of the time would go into seeking.
        let affordable = self.memory.map_or(usize::MAX, |memory| (memory / 16 / ahead.sets.bytes_of_set()) as usize);
        batch.min(affordable).max(ahead.maximal / 2 + 1_024)
    }

    /// Expands some states.
    fn expand_block(&self, iteration: &mut Iteration) {
        let Iteration { level, links, progress, sample, .. } = &*iteration;
        let refutes = iteration.refuted_before.is_most() && self.refined.is_some_and(StateSpace::is_antitone);
        let view = View { level, links, f: progress.layer.f, refutes, sampled_below: sample.limit() };
        let end = level.sets.len().min(progress.done + BLOCK);
        let chunks: Vec<usize> = (progress.done..end).step_by(CHUNK).collect();
        let expand =
            |scratch: &mut Scratch<'_>, &from: &usize| Some(self.expand(view, from..end.min(from + CHUNK), scratch));
        let results = self.workers.map_first(&chunks, 1, || Scratch::new(self), expand);
        results.into_iter().for_each(|expansion| iteration.take(expansion));
    }

    /// Keeps the maximal ones of the children alone that the refined bound does not refute, and commits.
    fn keep_maximal(&self, iteration: &mut Iteration) -> Option<()> {
        let mut held = iteration.bytes() + self.bound_bytes;
        let mut reduced = Vec::new();
        for (&g, Ahead { sets, maximal: of_them, .. }) in &iteration.ahead {
            if sets.len() > *of_them {
                let bytes = held + bytes_to_reduce(sets);
                if self.memory.is_some_and(|memory| bytes > memory) {
                    self.workers.monitor.end(StopReason::MemoryLimit);
                    return None;
                }
                self.workers.monitor.gauges.hold(bytes);
                let order = by_falling_size(sets, self.workers)?;
                let mut kept = sets.select(&maximal(sets, &order, self.workers)?);
                let mut refuted = Refuted::default();
                if let Some(refined) = self.refined {
                    let (level, f) = (&iteration.level, iteration.progress.layer.f);
                    (kept, refuted) = refute(refined, &kept, (&level.sets, level.first), (g, f), self.workers)?;
                }
                held += kept.bytes();
                reduced.push((g, kept, refuted));
            }
        }
        for (g, sets, refuted) in reduced {
            iteration.add_refuted(refuted);
            iteration.ahead.insert(g, Ahead { maximal: sets.len(), sets, committed: 0 });
        }
        iteration.commit();
        Some(())
    }

    /// Goes on to the level of the least g, and commits. Returns false if there is none.
    fn next_level(&self, iteration: &mut Iteration) -> Option<bool> {
        self.keep_maximal(iteration)?;
        let Some((g, Ahead { sets, .. })) = iteration.ahead.pop_first() else { return Some(false) };
        let first = iteration.links.len() + 1;
        iteration.links.extend(sets.links());
        self.workers.monitor.gauges.stored.store(iteration.links.len() as u64, Relaxed);
        iteration.level = Level { g, sets, first };
        iteration.refuted_before = std::mem::take(&mut iteration.refuted);
        iteration.progress.done = 0;
        iteration.commit();
        Some(true)
    }
}

impl Iteration {
    /// An iteration at a level of which nothing is expanded.
    pub(super) fn at(level: Level, f: Cost) -> Self {
        let layer = Layer { f, expanded: 0, generated: 0 };
        let progress = Progress { done: 0, layer, cut: Cost::MAX, work: Work::default() };
        Self {
            level,
            ahead: BTreeMap::new(),
            links: Vec::new(),
            progress,
            committed: progress,
            sample: Sample::new(SAMPLE),
            refuted: Refuted::default(),
            refuted_before: Refuted::default(),
        }
    }

    /// Prepares the states at hand for memos of so many bytes; none of them has one yet.
    fn set_memo_len(&mut self, len: usize) {
        self.level.sets.set_memo_len(len);
        self.ahead.values_mut().for_each(|ahead| ahead.sets.set_memo_len(len));
    }

    fn add_refuted(&mut self, refuted: Refuted) {
        self.refuted.add(refuted);
        self.progress.cut = self.progress.cut.min(refuted.cut);
        self.progress.work.evaluated += refuted.evaluated;
    }

    fn take(&mut self, expansion: Expansion) {
        let Expansion { expanded: done, children, counts, refuted, cut, sampled } = expansion;
        self.add_refuted(refuted);
        let (expanded, progress) = (done as u64, &mut self.progress);
        progress.done += done;
        progress.layer.expanded += expanded;
        progress.layer.generated += counts.generated;
        progress.work += Work { expanded, generated: counts.generated, evaluated: counts.evaluated, reopened: 0 };
        progress.cut = progress.cut.min(cut);
        sampled.into_iter().for_each(|(hash, key)| self.sample.offer(hash, key));
        for (g, mut sets) in children {
            let empty = || Ahead { sets: sets.none_alike(), ..Ahead::default() };
            self.ahead.entry(g).or_insert_with(empty).sets.append(&mut sets);
        }
    }

    fn commit(&mut self) {
        self.committed = self.progress;
        self.ahead.values_mut().for_each(|ahead| ahead.committed = ahead.sets.len());
    }

    /// Commits as it is, if what a checkpoint would hold is not large; goes back to the last commit otherwise.
    fn commit_or_roll_back(&mut self) {
        let unfiltered = |ahead: &Ahead| (ahead.sets.len() - ahead.maximal) as u64 * ahead.sets.bytes_of_set();
        if self.ahead.values().map(unfiltered).sum::<u64>() <= MOST_LEFT {
            self.commit();
        } else {
            self.roll_back();
        }
    }

    /// Goes back to the last commit. The sample stays: its states will be expanded again.
    fn roll_back(&mut self) {
        self.progress = self.committed;
        for ahead in self.ahead.values_mut() {
            ahead.sets.truncate(ahead.committed);
            ahead.maximal = ahead.maximal.min(ahead.committed);
        }
        self.ahead.retain(|_, ahead| ahead.committed > 0);
    }

    /// All states so far and their children. Their numbers have 32 bits.
    fn states(&self) -> usize {
        self.links.len() + self.ahead.values().map(|ahead| ahead.sets.len()).sum::<usize>()
    }

    pub(super) fn bytes(&self) -> u64 {
        let ahead: u64 = self.ahead.values().map(|ahead| ahead.sets.bytes()).sum();
        ahead + self.level.sets.bytes() + (self.links.capacity() * size_of::<Link>()) as u64
    }
}
