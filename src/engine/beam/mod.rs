//! Beam search: at each depth only the best states are kept.
//!
//! All workers expand one depth together. The candidates are ranked by f, by the ordering heuristic and by key, and
//! equal states are merged ([`TopK`]).
//!
//! **Children that are ranked before they are made.** Where a puzzle has such states ([`lazy`]), the candidates are
//! ranked by g and by the ordering heuristic, and no lower bound is evaluated.
//!
//! **When to use it.** For a good solution of a large board within seconds, and for incumbents of exact engines. Memory
//! grows with the width, not with the time.
//!
//! **Guarantees.** The solution's cost and the expanded states do not depend on the number of threads; the moves may.
//! It proves nothing beyond the lower bound of the root.
//!
//! Reference: Lowerre (1976).

mod lazy;
mod run;

use super::context::Context;
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use super::top_k::{Candidate, Link, Stopped, TopK};
use crate::domain::Cost;
use crate::expand::{Counts, Slot, StateSpace};
use crate::runtime::{Crew, Event, Monitor, run_crew};
use run::{BATCH, Beam, Reported, path};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

pub(super) use run::{Ranking, Selection};

/// The states of one depth.
struct Depth {
    /// The g of each state.
    g: Vec<Cost>,
    /// Their packed keys, one after another.
    keys: Vec<u8>,
}

impl Depth {
    fn bytes(&self) -> usize {
        self.g.len() * size_of::<Cost>() + self.keys.len()
    }
}

/// Runs a beam search that ranks states by f and by the ordering heuristic. `known` is a solution found before; only
/// cheaper ones are searched.
pub(super) fn run(
    space: &dyn StateSpace,
    selection: Selection,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    run_ranked(space, selection, Ranking::Bound, known, context)
}

/// [`run`] with any ranking.
pub(super) fn run_ranked(
    space: &dyn StateSpace,
    selection: Selection,
    ranking: Ranking,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let selection = Selection { width: selection.width.max(1), ..selection };
    let mut beam = Beam { space, selection, ranking, incumbent, monitor: &monitor, links: Vec::new() };
    let mut statistics = Statistics::default();
    let lower_bound = match ranking {
        Ranking::Bound => space.lower_bound(),
        Ranking::Promise => 0,
    };
    monitor.tell(&Event::LowerBound(lower_bound));
    monitor.watch(|| beam.run(context.threads.max(1), &mut statistics));
    let incumbent = beam.incumbent.into_solution();
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// About how many lists of candidates are full at the same time. With many workers, each list is offered only a part of
/// the candidates. The figure, and so the width computed from it, does not depend on the number of threads.
const FULL_TOP_KS: u64 = 3;

/// About the bytes that a beam holds for each state of its width: the states of this depth and the next one, and the
/// lists of candidates.
pub(super) fn bytes_per_width(space: &dyn StateSpace) -> u64 {
    let key_len = space.key_len();
    let (state, key_len) = match space.lazy_root() {
        Some(root) => (root.bytes(), lazy::DIGEST),
        None => (size_of::<Cost>() + key_len, key_len),
    };
    2 * state as u64 + FULL_TOP_KS * TopK::bytes_per_width(key_len)
}

impl Beam<'_> {
    /// Expands one depth after another until none is left, the path is too long, or the search has to stop.
    fn run(&mut self, workers: usize, statistics: &mut Statistics) {
        if let Some(cost) = self.space.root_terminal() {
            self.incumbent.offer(cost, Vec::new);
        }
        match self.space.lazy_root() {
            Some(root) => self.run_lazy(root, workers, statistics),
            None => self.run_packed(workers, statistics),
        }
        statistics.expanded = self.monitor.gauges.expanded.load(Relaxed);
        statistics.peak_bytes = self.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// [`Beam::run`] with packed states between the depths.
    fn run_packed(&mut self, workers: usize, statistics: &mut Statistics) {
        let mut expander = self.space.expander();
        let mut root = vec![0; self.space.key_len()];
        let frame = expander.place(None);
        expander.pack(Slot { frame, at: 0 }, &mut root);
        drop(expander);
        let mut nodes = Depth { g: vec![0], keys: root };
        while !nodes.g.is_empty() && self.links.len() < self.space.max_played_moves() && !self.monitor.leaving() {
            let links: usize = self.links.iter().map(Vec::len).sum();
            let bytes = links * size_of::<Link>() + nodes.bytes();
            self.monitor.gauges.hold(bytes as u64);
            let Ok(best) = self.expand_all(&nodes, workers, statistics) else { break };
            let (links, g) = best.kept().map(|of| (of.link, of.g)).unzip();
            nodes = Depth { g, keys: best.into_keys() };
            self.links.push(links);
            self.tell_depth();
            statistics.stored = statistics.stored.max(nodes.g.len() as u64);
        }
    }

    /// Expands all nodes of a depth. Returns the best candidates for the next depth.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    fn expand_all(&self, nodes: &Depth, workers: usize, statistics: &mut Statistics) -> Result<TopK, Stopped> {
        // One slice for each worker is balanced, because all nodes of a depth cost about the same.
        let share = nodes.g.len().div_ceil(workers).max(1);
        let slices: Vec<_> = nodes.g.chunks(share).zip(nodes.keys.chunks(share * self.space.key_len())).collect();
        let crew = run_crew(&Crew::new(slices.len()), slices, |number, slice| self.expand_slice(slice, number * share));
        statistics.cpu_seconds += crew.cpu_seconds;
        let mut lists = Vec::with_capacity(crew.results.len());
        for (candidates, counts) in crew.results {
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            lists.push(candidates);
        }
        self.best_of(lists, self.new_top_k())
    }

    /// An empty list of candidates.
    fn new_top_k(&self) -> TopK {
        TopK::new(self.selection.width, self.space.key_len())
    }

    /// Expands a slice of a depth. `from` is the index of its first node.
    fn expand_slice(&self, (all_g, keys): (&[Cost], &[u8]), from: usize) -> (TopK, Counts) {
        let (mut expander, mut children) = (self.space.expander(), Vec::new());
        let mut best = self.new_top_k();
        let mut reported = Reported::default();
        for (at, (&g, key)) in all_g.iter().zip(keys.chunks(self.space.key_len())).enumerate() {
            if at % BATCH == 0 {
                self.report_generated(expander.counts().generated, &mut reported);
            }
            if self.monitor.leaving() {
                return (best, expander.counts());
            }
            self.monitor.gauges.expanded.fetch_add(1, Relaxed);
            expander.truncate(0);
            let frame = expander.expand_key(key, 0, None, &mut children);
            if !best.has_room(children.len()) && !self.grow(&mut best, children.len(), &mut reported) {
                return (best, expander.counts());
            }
            for (number, child) in children.drain(..).enumerate() {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let (slot, g) = (Slot { frame, at: number as u32 }, g + child.cost);
                if let Some(stop) = child.terminal {
                    self.incumbent.offer(g + stop, || path(&self.links, link));
                }
                let f = match self.ranking {
                    Ranking::Bound => expander.evaluate(slot, g, self.incumbent.cost()),
                    Ranking::Promise => Some(g).filter(|g| *g < self.incumbent.cost()),
                };
                if let Some(f) = f {
                    let promise = Reverse(expander.promise(slot, self.selection.promise));
                    best.offer(Candidate { f, promise, g, link }, |key| expander.pack(slot, key));
                    if best.is_full() && best.select(Cost::MAX, || self.monitor.leaving()).is_err() {
                        return (best, expander.counts());
                    }
                }
            }
        }
        self.report_generated(expander.counts().generated, &mut reported);
        (best, expander.counts())
    }
}
