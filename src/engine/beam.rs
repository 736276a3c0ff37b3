//! Beam search: of each depth only the most promising states are kept.
//!
//! All workers expand one depth together; the candidates are then ranked by f, by promise and by key, and
//! equal states are dropped. So the result does not depend on the number of workers. It proves nothing beyond the lower
//! bound of the root; its solutions are incumbents for the exact engines.
//!
//! Reference: Lowerre (1976).

use super::incumbent::Incumbent;
use super::sieve::{Candidate, Link, Sieve};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, LONGEST_WAY, MoveIndex};
use crate::expand::{Counts, Promise, Slot, StateSpace};
use crate::runtime::{Crew, Event, Monitor, run_crew};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

/// The states of one depth.
struct Depth {
    /// What each was reached at.
    g: Vec<Cost>,
    /// Their packed keys, one after another.
    keys: Vec<u8>,
}

impl Depth {
    fn bytes(&self) -> usize {
        self.g.len() * size_of::<Cost>() + self.keys.len()
    }
}

/// Runs a beam of `width` states a depth, which are ranked by `promise`. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run(
    space: &dyn StateSpace,
    (width, promise): (usize, Promise),
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let mut beam = Beam { space, width: width.max(1), promise, incumbent, monitor: &monitor, links: Vec::new() };
    let mut statistics = Statistics::default();
    let lower_bound = space.lower_bound();
    monitor.tell(&Event::LowerBound(lower_bound));
    monitor.watch(|| beam.run(context.threads.max(1), &mut statistics));
    let incumbent = beam.incumbent.into_solution();
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// Sieves that are full at the same time, about: of many workers each is offered a part of the candidates alone. It is the same on any
/// number of threads, and so is what follows from it.
const SIEVES: u64 = 3;

/// Bytes that a beam holds for each state of its width, about: the state, the next one, and candidates.
pub(super) fn bytes_per_width(key_len: usize) -> u64 {
    2 * (size_of::<Cost>() + key_len) as u64 + SIEVES * Sieve::bytes_per_width(key_len)
}

/// Nodes that a worker expands between two looks at the limits.
const BATCH: usize = 64;

struct Beam<'a> {
    space: &'a dyn StateSpace,
    width: usize,
    promise: Promise,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// The links of each depth below the root.
    links: Vec<Vec<Link>>,
}

impl Beam<'_> {
    fn run(&mut self, workers: usize, statistics: &mut Statistics) {
        if let Some(cost) = self.space.root_terminal() {
            self.incumbent.offer(cost, Vec::new);
        }
        let mut expander = self.space.expander();
        let mut root = vec![0; self.space.key_len()];
        let frame = expander.place(None);
        expander.pack(Slot { frame, at: 0 }, &mut root);
        drop(expander);
        let mut nodes = Depth { g: vec![0], keys: root };
        while !nodes.g.is_empty() && self.links.len() < LONGEST_WAY && !self.monitor.leaving() {
            let links: usize = self.links.iter().map(Vec::len).sum();
            let bytes = links * size_of::<Link>() + nodes.bytes();
            self.monitor.gauges.hold(bytes as u64);
            let best = self.expand_all(&nodes, workers, statistics);
            let (links, g) = best.kept().map(|of| (of.link, of.g)).unzip();
            nodes = Depth { g, keys: best.into_keys() };
            self.links.push(links);
            statistics.stored = statistics.stored.max(nodes.g.len() as u64);
        }
        statistics.peak_bytes = self.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// The best candidates of the next depth.
    fn expand_all(&self, nodes: &Depth, workers: usize, statistics: &mut Statistics) -> Sieve {
        // A slice a worker is fair: the nodes of a depth cost about the same.
        let share = nodes.g.len().div_ceil(workers).max(1);
        let slices: Vec<_> = nodes.g.chunks(share).zip(nodes.keys.chunks(share * self.space.key_len())).collect();
        let haul = run_crew(&Crew::new(slices.len()), slices, |number, slice| self.expand_slice(slice, number * share));
        let mut all = self.sieve();
        for (candidates, counts) in haul.results {
            all.absorb(candidates);
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
        }
        statistics.cpu_seconds += haul.cpu_seconds;
        statistics.expanded = self.monitor.gauges.expanded.load(Relaxed);
        all.sift(self.incumbent.cost());
        all
    }

    fn sieve(&self) -> Sieve {
        Sieve::new(self.width, self.space.key_len())
    }

    fn expand_slice(&self, (all_g, keys): (&[Cost], &[u8]), from: usize) -> (Sieve, Counts) {
        let (mut expander, mut children) = (self.space.expander(), Vec::new());
        let mut best = self.sieve();
        let mut told = (0, 0);
        for (at, (&g, key)) in all_g.iter().zip(keys.chunks(self.space.key_len())).enumerate() {
            if at % BATCH == 0 {
                self.tell_gauges(expander.counts(), &best, &mut told);
                if self.monitor.leaving() {
                    return (best, expander.counts());
                }
            }
            self.monitor.gauges.expanded.fetch_add(1, Relaxed);
            expander.truncate(0);
            let frame = expander.expand_key(key, 0, None, &mut children);
            for (number, child) in children.drain(..).enumerate() {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let (slot, g) = (Slot { frame, at: number as u32 }, g + child.cost);
                if let Some(stop) = child.terminal {
                    self.incumbent.offer(g + stop, || self.path(link));
                }
                if let Some(f) = expander.evaluate(slot, g, self.incumbent.cost()) {
                    let promise = Reverse(expander.promise(slot, self.promise));
                    best.offer(Candidate { f, promise, g, link }, |key| expander.pack(slot, key));
                }
            }
        }
        self.tell_gauges(expander.counts(), &best, &mut told);
        (best, expander.counts())
    }

    /// Adds what is new since the children and bytes `told` to the gauges, and looks at the limits.
    fn tell_gauges(&self, counts: Counts, best: &Sieve, told: &mut (u64, u64)) {
        let (gauges, bytes) = (&self.monitor.gauges, best.bytes().max(told.1));
        gauges.generated.fetch_add(counts.generated - told.0, Relaxed);
        gauges.hold_more(bytes - told.1);
        *told = (counts.generated, bytes);
        self.monitor.check_limits();
    }

    /// Moves from the root to the state behind `link`, whose parent belongs to the last depth in `links`.
    fn path(&self, mut link: Link) -> Vec<MoveIndex> {
        let mut moves = vec![link.mv];
        for depth in self.links.iter().rev() {
            link = depth[link.parent as usize];
            moves.push(link.mv);
        }
        moves.reverse();
        moves
    }
}
