//! Beam search: of each depth only the most promising states are kept.
//!
//! All workers expand one depth together; the candidates are then ranked by f, by [`Domain::promise`] and by key, and
//! equal states are dropped. So the result does not depend on the number of workers. It proves nothing beyond the lower
//! bound of the root; its solutions are incumbents for the exact engines.
//!
//! Reference: Lowerre (1976).

use super::incumbent::Incumbent;
use super::kernel::{Counts, Kernel, Problem};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex};
use crate::runtime::{Crew, Event, Monitor, run_crew, thread_cpu_seconds};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::atomic::Ordering::Relaxed;

/// A state of the beam, or a candidate for it.
struct Node<S> {
    f: Cost,
    promise: Reverse<u32>,
    key: Box<[u8]>,
    g: Cost,
    state: S,
    link: Link,
}

/// How a node was reached: position of its parent in the depth before, and the move.
#[derive(Clone, Copy)]
struct Link {
    parent: u32,
    mv: MoveIndex,
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
    let lower_bound = lower_bound.min(incumbent.as_ref().map_or(Cost::MAX, |s| s.cost));
    Outcome { incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// Bytes that a beam holds at most for each state of its width, by a generous guess of six candidates a state.
pub(super) fn bytes_per_width<D: Domain, B: LowerBound<D>>(problem: Problem<'_, D, B>) -> u64 {
    6 * (size_of::<Node<D::State>>() + 2 * problem.domain.key_len()) as u64
}

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
        let mut nodes = vec![Node {
            f: 0,
            promise: Reverse(0),
            key: Box::default(),
            g: 0,
            state: root,
            link: Link { parent: 0, mv: 0 },
        }];
        while !nodes.is_empty() && !self.monitor.leaving() {
            let candidates = self.expand_all(&nodes, workers, statistics);
            nodes = self.select(candidates);
            self.links.push(nodes.iter().map(|n| n.link).collect());
            let links: usize = self.links.iter().map(Vec::len).sum();
            let node_bytes = size_of::<Node<D::State>>() + self.problem.domain.key_len();
            let bytes = (links * size_of::<Link>() + nodes.len() * node_bytes) as u64;
            self.monitor.gauges.hold(bytes);
            statistics.peak_bytes = statistics.peak_bytes.max(bytes);
            statistics.stored = statistics.stored.max(nodes.len() as u64);
            self.monitor.check_limits();
        }
    }

    /// The candidates of the next depth, unordered.
    fn expand_all(&self, nodes: &[Node<D::State>], workers: usize, statistics: &mut Statistics) -> Vec<Node<D::State>> {
        // A slice a worker is fair: the nodes of a depth cost about the same.
        let share = nodes.len().div_ceil(workers).max(1);
        let slices: Vec<_> = nodes.chunks(share).collect();
        let work = run_crew(&Crew::new(slices.len()), slices, |number, slice| {
            let begun = thread_cpu_seconds();
            let (candidates, counts) = self.expand_slice(slice, number * share);
            (candidates, counts, thread_cpu_seconds() - begun)
        });
        statistics.expanded += nodes.len() as u64;
        let mut all = Vec::new();
        for (candidates, counts, cpu) in work {
            all.extend(candidates);
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            statistics.cpu_seconds += cpu;
        }
        let gauges = &self.monitor.gauges;
        gauges.expanded.store(statistics.expanded, Relaxed);
        gauges.generated.store(statistics.generated, Relaxed);
        all
    }

    fn expand_slice(&self, nodes: &[Node<D::State>], from: usize) -> (Vec<Node<D::State>>, Counts) {
        let domain = self.problem.domain;
        let mut kernel = Kernel::new(self.problem);
        let mut candidates = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let mut children = kernel.expand(&node.state, 0);
            for child in children.drain(..) {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let g = node.g + child.cost;
                if let Some(stop) = domain.terminal(&child.state) {
                    self.incumbent.offer(g + stop, || self.path(link));
                }
                if let Some(f) = kernel.evaluate(&child.state, g, self.incumbent.cost()) {
                    let mut key = vec![0; domain.key_len()].into_boxed_slice();
                    domain.pack(&child.state, &mut key);
                    let promise = Reverse(domain.promise(&child.state));
                    candidates.push(Node { f, promise, key, g, state: child.state, link });
                }
            }
            kernel.recycle(children);
        }
        (candidates, kernel.counts)
    }

    /// The best `width` different states.
    fn select(&self, mut candidates: Vec<Node<D::State>>) -> Vec<Node<D::State>> {
        fn rank<S>(n: &Node<S>) -> (Cost, Reverse<u32>, &[u8], u32, MoveIndex) {
            (n.f, n.promise, &n.key, n.link.parent, n.link.mv)
        }
        candidates.sort_unstable_by(|a, b| rank(a).cmp(&rank(b)));
        let mut seen: HashSet<Box<[u8]>, foldhash::fast::FixedState> = HashSet::default();
        let upper = self.incumbent.cost();
        candidates.retain(|n| n.f < upper && seen.len() < self.width && seen.insert(n.key.clone()));
        candidates
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
