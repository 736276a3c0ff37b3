//! The closure of an iteration: what proves, step by step, that no solution costs f or less.
//!
//! An iteration that finds no solution leaves an antichain in each level. Numbered in the order in which the closure
//! itself comes to them, these states are its *records*. Record 0 is the root. Each child of each record is covered:
//! the lower bound refutes it, or it is the next record, or a record of the same g contains it.
//!
//! **Why every child is covered.** A child that the iteration has kept is a record, or another one of its level
//! contains it. A child that a sibling of no greater cost contains is covered by what covers the sibling, if the bound
//! is antitone: a bound that refutes the sibling refutes the child.
//!
//! **The same for any number of threads**, because each level is the same set of states.

use super::super::incumbent::Incumbent;
use super::expansion::{IterationContext, Level};
use super::packed_sets::{PackedSets, key_of_words, words_of_key};
use super::search::Iteration;
use super::superset_index::{Queries, SupersetIndex};
use crate::domain::Cost;
use crate::engine::checkpointer::Checkpointer;
use crate::engine::context::Context;
use crate::engine::parallel::Workers;
use crate::expand::{Reach, Slot, StateSpace};
use crate::runtime::{Monitor, StopReason};
use std::collections::HashMap;

/// What covers a child of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// Its g and its lower bound are more than f together.
    Refuted,
    /// It is the next record.
    Next,
    /// The record of this number contains it.
    By(u32),
}

/// The records of an iteration and their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// The number of records.
    pub records: usize,
    /// The number of children of each record.
    pub counts: Vec<usize>,
    /// What covers each child: the children of record 0 in the order of the domain, then those of record 1, and so on.
    pub children: Vec<Covered>,
}

/// Why there is no closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotClosed {
    /// A limit was reached, or somebody asked for an end.
    #[error("the search was stopped ({})", .0.name())]
    Stopped(StopReason),
    /// There is a solution of this cost.
    #[error("a solution of cost {0} exists")]
    Solved(Cost),
    /// No record covers a child, because the lower bound is not antitone.
    #[error("a child is not covered: the lower bound is not antitone")]
    Uncovered,
}

/// Which children of its records a closure has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Children {
    /// Those of [`Domain::successors`](crate::domain::Domain::successors): what exact pruning leaves.
    Pruned,
    /// Those of [`Domain::all_successors`](crate::domain::Domain::all_successors).
    All,
}

/// The closure of the iteration with threshold `f`. Takes the memory of all its records.
///
/// # Errors
/// When a solution costs `f` or less, when the bound is not antitone, and when a limit of `context` is reached.
pub fn close(space: &dyn StateSpace, f: Cost, children: Children, context: &Context<'_>) -> Result<Closure, NotClosed> {
    if let Some(cost) = space.root_terminal().filter(|&cost| cost <= f) {
        return Err(NotClosed::Solved(cost));
    }
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let (checkpointer, workers) = (Checkpointer::new(None, &monitor), Workers::new(context.threads, &monitor));
    monitor.gauges.survey.begin(context.threads);
    monitor.watch(|| {
        let incumbent = Incumbent::new(None, &monitor);
        let search = IterationContext {
            space,
            every_move: children == Children::All,
            refined: None,
            workers: &workers,
            incumbent: &incumbent,
            checkpointer: &checkpointer,
            memory: context.limits.memory,
            bound_bytes: 0,
            spill: None,
        };
        let mut iteration = search.begin(f);
        iteration.levels = Some(Vec::new());
        let ended = search.run(&mut iteration, &|_| {});
        match (incumbent.cost(), monitor.stopped()) {
            (cost, _) if cost <= f => Err(NotClosed::Solved(cost)),
            (_, Some(reason)) => Err(NotClosed::Stopped(reason)),
            _ if ended.is_none() => Err(NotClosed::Stopped(StopReason::Interrupted)),
            _ => RecordNumbering::new(space, (f, children), iteration).close(&monitor),
        }
    })
}

/// The states of one level.
struct NumberedLevel {
    g: Cost,
    sets: PackedSets,
    /// The place of each set.
    places: HashMap<Box<[u64]>, usize>,
    supersets: SupersetIndex,
    /// The number of each record; `None` if the closure has not come to it.
    numbers: Vec<Option<u32>>,
}

impl NumberedLevel {
    fn new(g: Cost, sets: PackedSets) -> Self {
        let mut supersets = SupersetIndex::new(sets.words());
        // The order of a level depends on the threads. What contains a child shall not.
        let mut order: Vec<_> = (0..sets.len()).collect();
        order.sort_unstable_by(|&a, &b| sets.get(a).cmp(sets.get(b)));
        order.iter().for_each(|&place| supersets.insert(sets.get(place)));
        let places = order.into_iter().map(|place| (sets.get(place).into(), place)).collect();
        let numbers = vec![None; sets.len()];
        Self { g, sets, places, supersets, numbers }
    }
}

/// Gives records their numbers.
struct RecordNumbering<'s> {
    space: &'s dyn StateSpace,
    f: Cost,
    children: Children,
    levels: Vec<NumberedLevel>,
}

/// A record: its level, and its place there.
type Place = (usize, usize);

impl<'s> RecordNumbering<'s> {
    fn new(space: &'s dyn StateSpace, (f, children): (Cost, Children), iteration: Iteration) -> Self {
        // The level at the end has no children.
        let levels = iteration.levels.into_iter().flatten().chain([iteration.level]);
        let levels = levels.map(|Level { g, sets, .. }| NumberedLevel::new(g, sets)).collect();
        Self { space, f, children, levels }
    }

    fn close(mut self, monitor: &Monitor<'_>) -> Result<Closure, NotClosed> {
        const LOOK: usize = 256;
        self.levels[0].numbers[0] = Some(0);
        let mut records: Vec<Place> = vec![(0, 0)];
        let (mut counts, mut children, mut held) = (Vec::new(), Vec::new(), Vec::new());
        let (mut expander, mut queries) = (self.space.expander(), vec![Queries::default(); self.levels.len()]);
        let (mut key, mut out) = (vec![0; self.space.key_len()], Vec::new());
        let mut set = vec![0; self.levels[0].sets.words()];
        // Each set is held in its level, in the index, and as a key.
        let of_sets: u64 = self.levels.iter().map(|level| 3 * level.sets.bytes()).sum();
        let mut at = 0;
        while let Some(&(level, place)) = records.get(at) {
            if at.is_multiple_of(LOOK) {
                let of_records = size_of_val(&records[..]) + size_of_val(&children[..]) + size_of_val(&held[..]);
                monitor.gauges.hold(of_sets + of_records as u64);
                monitor.check_limits();
                monitor.stopped().map_or(Ok(()), |reason| Err(NotClosed::Stopped(reason)))?;
            }
            key_of_words(self.levels[level].sets.get(place), &mut key);
            expander.truncate(0);
            out.clear();
            let frame = match self.children {
                Children::Pruned => expander.expand_key(&key, 0, None, &mut out),
                Children::All => expander.expand_all(&key, &mut out),
            };
            counts.push(out.len());
            for (number, child) in (0..).zip(&out) {
                let (slot, g) = (Slot { frame, at: number }, self.levels[level].g.saturating_add(child.cost));
                if !matches!(expander.reach(slot, g, self.f), Reach::Within(_)) {
                    children.push(Covered::Refuted);
                    continue;
                }
                expander.pack(slot, &mut key);
                words_of_key(&key, &mut set);
                let (of, (place, is_new)) = self.cover(g, &set, &mut queries)?;
                if is_new {
                    self.levels[of].numbers[place] = Some(records.len() as u32);
                    records.push((of, place));
                    children.push(Covered::Next);
                } else {
                    held.push((children.len(), (of, place)));
                    children.push(Covered::By(0));
                }
            }
            at += 1;
        }
        for (child, (level, place)) in held {
            children[child] = Covered::By(self.levels[level].numbers[place].ok_or(NotClosed::Uncovered)?);
        }
        Ok(Closure { records: records.len(), counts, children })
    }

    /// The level and the place of a state that contains `set` at the same g, and whether it is this set, and new.
    fn cover(&self, g: Cost, set: &[u64], queries: &mut [Queries]) -> Result<(usize, (usize, bool)), NotClosed> {
        let of = self.levels.iter().position(|level| level.g == g).ok_or(NotClosed::Uncovered)?;
        let level = &self.levels[of];
        if let Some(&place) = level.places.get(set) {
            return Ok((of, (place, level.numbers[place].is_none())));
        }
        let superset = level.supersets.superset(set, &mut queries[of]).ok_or(NotClosed::Uncovered)?;
        level.places.get(superset).map(|&place| (of, (place, false))).ok_or(NotClosed::Uncovered)
    }
}
