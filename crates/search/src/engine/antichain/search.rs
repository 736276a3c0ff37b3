//! One iteration: level after level, until no state is left that may lead to a solution of at most f.

use super::expansion::{Expansion, IterationContext, Level, Scratch, View};
use super::maximal::{by_falling_size, bytes_to_reduce, maximal as maximal_of};
use super::packed_sets::{Origin, PackedSets, words_for, words_of_key};
use crate::domain::Cost;
use crate::engine::links::Link;
use crate::expand::Slot;
use crate::runtime::{Layer, StopReason};
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
#[derive(Debug)]
struct Ahead {
    sets: PackedSets,
    /// The first so many are maximal among themselves.
    maximal: usize,
}

/// The search for a solution that costs at most f.
pub(super) struct Iteration {
    /// The states of the least g.
    level: Level,
    /// States of the level that are done.
    done: usize,
    ahead: BTreeMap<Cost, Ahead>,
    /// How all states up to the level were reached, from number 1 on.
    pub(super) links: Vec<Link>,
    /// The threshold, with the counts of the iteration.
    pub(super) layer: Layer,
    pub(super) evaluated: u64,
    /// The least f of a state that was cut off; [`Cost::MAX`] if there is none.
    pub(super) cut: Cost,
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
        Iteration {
            level: Level { g: 0, sets, first: 0 },
            done: 0,
            ahead: BTreeMap::new(),
            links: Vec::new(),
            layer: Layer { f, expanded: 0, generated: 0 },
            evaluated: 0,
            cut: Cost::MAX,
        }
    }

    /// Runs an iteration to its end. `None` when the search is over or to stop.
    pub(super) fn run(&self, iteration: &mut Iteration) -> Option<()> {
        loop {
            self.expand_level(iteration)?;
            self.keep_maximal(iteration)?;
            let Some((g, Ahead { sets, .. })) = iteration.ahead.pop_first() else { return Some(()) };
            let first = iteration.links.len() + 1;
            iteration.links.extend(sets.links());
            self.workers.monitor.gauges.stored.store(iteration.links.len() as u64, Relaxed);
            (iteration.level, iteration.done) = (Level { g, sets, first }, 0);
        }
    }

    /// Expands all states of the level.
    fn expand_level(&self, iteration: &mut Iteration) -> Option<()> {
        let monitor = self.workers.monitor;
        while iteration.done < iteration.level.sets.len() {
            self.expand_block(iteration);
            monitor.gauges.hold(iteration.bytes());
            self.tell_open(iteration);
            monitor.check_limits();
            if iteration.states() > u32::MAX as usize {
                monitor.end(StopReason::MemoryLimit);
            }
            if monitor.leaving() {
                return None;
            }
            let is_full = |ahead: &Ahead| ahead.sets.len() - ahead.maximal > self.batch(ahead);
            if iteration.ahead.values().any(is_full) {
                self.keep_maximal(iteration)?;
            }
        }
        Some(())
    }

    /// Tells the progress how many states of the level are left.
    fn tell_open(&self, iteration: &Iteration) {
        let gauges = &self.workers.monitor.gauges;
        gauges.g.store(iteration.level.g, Relaxed);
        let left = || vec![(iteration.layer.f, (iteration.level.sets.len() - iteration.done) as u64)];
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
        self.memory.map_or(usize::MAX, |memory| (memory / 16 / like.bytes_of_set()) as usize)
    }

    /// Expands some states.
    fn expand_block(&self, iteration: &mut Iteration) {
        let Iteration { level, links, layer, done, .. } = &*iteration;
        let view = View { level, links, f: layer.f };
        // As many states as have children that may come together, if they have as many as those before.
        let of_each = (layer.generated / layer.expanded.max(1)).max(4) as usize;
        let block = BLOCK.min(self.affordable(&level.sets) / of_each).max(CHUNK);
        let allowed = self.workers.monitor.allowance(block as u64, 1) as usize;
        let end = level.sets.len().min(done + allowed);
        let chunks: Vec<usize> = (*done..end).step_by(CHUNK).collect();
        let expand =
            |scratch: &mut Scratch<'_>, &from: &usize| Some(self.expand(view, from..end.min(from + CHUNK), scratch));
        let gauges = &self.workers.monitor.gauges;
        for expansion in self.workers.map_first(&chunks, 1, || Scratch::new(self), expand) {
            gauges.expanded.fetch_add(expansion.expanded as u64, Relaxed);
            gauges.generated.fetch_add(expansion.counts.generated, Relaxed);
            iteration.take(expansion);
        }
    }

    /// Keeps of the children the maximal ones alone.
    fn keep_maximal(&self, iteration: &mut Iteration) -> Option<()> {
        let monitor = self.workers.monitor;
        let of_all: Vec<Cost> = iteration.ahead.keys().copied().collect();
        for g in of_all {
            let Some(Ahead { sets, maximal }) = iteration.ahead.get(&g) else { continue };
            let bytes = iteration.bytes() + bytes_to_reduce(sets);
            if self.memory.is_some_and(|memory| bytes > memory) {
                monitor.end(StopReason::MemoryLimit);
                return None;
            }
            if sets.len() > *maximal {
                monitor.gauges.hold(bytes);
                let order = by_falling_size(sets, self.workers)?;
                let sets = sets.select(&maximal_of(sets, &order, self.workers)?);
                iteration.ahead.insert(g, Ahead { maximal: sets.len(), sets });
            }
        }
        Some(())
    }
}

impl Iteration {
    fn take(&mut self, expansion: Expansion) {
        let Expansion { expanded, children, counts, cut } = expansion;
        self.done += expanded;
        self.layer.expanded += expanded as u64;
        self.layer.generated += counts.generated;
        self.evaluated += counts.evaluated;
        self.cut = self.cut.min(cut);
        for (g, mut sets) in children {
            let empty = || Ahead { sets: PackedSets::new(sets.words()), maximal: 0 };
            self.ahead.entry(g).or_insert_with(empty).sets.append(&mut sets);
        }
    }

    /// All states so far and their children. Their numbers have 32 bits.
    fn states(&self) -> usize {
        self.links.len() + self.ahead.values().map(|ahead| ahead.sets.len()).sum::<usize>()
    }

    fn bytes(&self) -> u64 {
        let ahead: u64 = self.ahead.values().map(|ahead| ahead.sets.bytes()).sum();
        ahead + self.level.sets.bytes() + (self.links.capacity() * size_of::<Link>()) as u64
    }
}
