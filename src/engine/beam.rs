//! Beam search: of each depth only the most promising states are kept.
//!
//! All workers expand one depth together; the candidates are then ranked by f, by [`Domain::promise`] and by key, and
//! equal states are dropped. So the result does not depend on the number of workers. It proves nothing beyond the lower
//! bound of the root; its solutions are incumbents for the exact engines.
//!
//! Reference: Lowerre (1976).

use super::incumbent::Incumbent;
use super::kernel::{Counts, Kernel, Problem};
use super::sieve::{Candidate, Link, Sieve};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex};
use crate::runtime::{Crew, Event, Monitor, run_crew};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

/// A state of the beam.
struct Node<S> {
    g: Cost,
    state: S,
}

/// Runs a beam of `width` states a depth. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    width: usize,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let mut beam = Beam { problem, width: width.max(1), incumbent, monitor: &monitor, links: Vec::new() };
    let mut statistics = Statistics::default();
    let lower_bound = problem.lower_bound();
    monitor.tell(&Event::LowerBound(lower_bound));
    monitor.watch(|| beam.run(context.threads.max(1), &mut statistics));
    let incumbent = beam.incumbent.into_solution();
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// Sieves that are full at the same time, about: of many workers each is offered a part of the candidates alone. It is the same on any
/// number of threads, and so is what follows from it.
const SIEVES: u64 = 3;

/// Bytes that a beam holds for each state of its width, about: the state, the next one, and candidates.
pub(super) fn bytes_per_width<D: Domain, B: LowerBound<D>>(problem: Problem<'_, D, B>) -> u64 {
    2 * size_of::<Node<D::State>>() as u64 + SIEVES * Sieve::bytes_per_width(problem.domain.key_len())
}

/// Nodes that a worker expands between two looks at the limits.
const BATCH: usize = 64;

struct Beam<'a, D, B> {
    problem: Problem<'a, D, B>,
    width: usize,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// The links of each depth below the root.
    links: Vec<Vec<Link>>,
}

impl<D: Domain, B: LowerBound<D>> Beam<'_, D, B> {
    fn run(&mut self, workers: usize, statistics: &mut Statistics) {
        let root = self.problem.domain.root();
        if let Some(cost) = self.problem.domain.terminal(&root) {
            self.incumbent.offer(cost, Vec::new);
        }
        let mut nodes = vec![Node { g: 0, state: root }];
        while !nodes.is_empty() && !self.monitor.leaving() {
            let links: usize = self.links.iter().map(Vec::len).sum();
            let bytes = links * size_of::<Link>() + nodes.len() * size_of::<Node<D::State>>();
            self.monitor.gauges.hold(bytes as u64);
            let best = self.expand_all(&nodes, workers, statistics);
            let links;
            (links, nodes) = best.unpack(self.problem).map(|(of, state)| (of.link, Node { g: of.g, state })).unzip();
            self.links.push(links);
            statistics.stored = statistics.stored.max(nodes.len() as u64);
        }
        statistics.peak_bytes = self.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// The best candidates of the next depth.
    fn expand_all(&self, nodes: &[Node<D::State>], workers: usize, statistics: &mut Statistics) -> Sieve {
        // A slice a worker is fair: the nodes of a depth cost about the same.
        let share = nodes.len().div_ceil(workers).max(1);
        let slices: Vec<_> = nodes.chunks(share).collect();
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
        Sieve::new(self.width, self.problem.domain.key_len())
    }

    fn expand_slice(&self, nodes: &[Node<D::State>], from: usize) -> (Sieve, Counts) {
        let domain = self.problem.domain;
        let mut kernel = Kernel::new(self.problem);
        let mut best = self.sieve();
        let mut told = (0, 0);
        for (at, node) in nodes.iter().enumerate() {
            if at % BATCH == 0 {
                self.tell_gauges(kernel.counts, &best, &mut told);
                if self.monitor.leaving() {
                    return (best, kernel.counts);
                }
            }
            self.monitor.gauges.expanded.fetch_add(1, Relaxed);
            let children = kernel.expand(&node.state, 0);
            for child in &children {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let g = node.g + child.cost;
                if let Some(stop) = domain.terminal(&child.state) {
                    self.incumbent.offer(g + stop, || self.path(link));
                }
                if let Some(f) = kernel.evaluate(Some(&node.state), &child.state, g, self.incumbent.cost()) {
                    let promise = Reverse(domain.promise(&child.state));
                    best.offer(domain, &child.state, Candidate { f, promise, g, link });
                }
            }
            kernel.recycle(children);
        }
        self.tell_gauges(kernel.counts, &best, &mut told);
        (best, kernel.counts)
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
