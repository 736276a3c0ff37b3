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
use crate::runtime::{Crew, Event, Monitor, run_crew};
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
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// Bytes that a beam holds for each state of its width: the state and its children, of which there is at most one for
/// each class of moves. Six are taken for a guess where a domain names no classes.
pub(super) fn bytes_per_width<D: Domain, B: LowerBound<D>>(problem: Problem<'_, D, B>) -> u64 {
    u64::from(1 + problem.domain.mask_bits().max(6)) * node_bytes(problem)
}

/// Bytes of a node with its key, and of the copy of the key by which duplicates are found.
fn node_bytes<D: Domain, B: LowerBound<D>>(problem: Problem<'_, D, B>) -> u64 {
    (size_of::<Node<D::State>>() + 2 * problem.domain.key_len()) as u64
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
        let mut nodes = vec![Node {
            f: 0,
            promise: Reverse(0),
            key: Box::default(),
            g: 0,
            state: root,
            link: Link { parent: 0, mv: 0 },
        }];
        while !nodes.is_empty() && !self.monitor.leaving() {
            let links: usize = self.links.iter().map(Vec::len).sum();
            let bytes = (links * size_of::<Link>()) as u64 + nodes.len() as u64 * node_bytes(self.problem);
            self.monitor.gauges.hold(bytes);
            let candidates = self.expand_all(&nodes, workers, statistics);
            nodes = self.select(candidates);
            self.links.push(nodes.iter().map(|n| n.link).collect());
            statistics.stored = statistics.stored.max(nodes.len() as u64);
        }
        statistics.peak_bytes = self.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// The candidates of the next depth, unordered.
    fn expand_all(&self, nodes: &[Node<D::State>], workers: usize, statistics: &mut Statistics) -> Vec<Node<D::State>> {
        // A slice a worker is fair: the nodes of a depth cost about the same.
        let share = nodes.len().div_ceil(workers).max(1);
        let slices: Vec<_> = nodes.chunks(share).collect();
        let haul = run_crew(&Crew::new(slices.len()), slices, |number, slice| self.expand_slice(slice, number * share));
        let mut all = Vec::new();
        for (candidates, counts) in haul.results {
            all.extend(candidates);
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
        }
        statistics.cpu_seconds += haul.cpu_seconds;
        statistics.expanded = self.monitor.gauges.expanded.load(Relaxed);
        all
    }

    fn expand_slice(&self, nodes: &[Node<D::State>], from: usize) -> (Vec<Node<D::State>>, Counts) {
        let domain = self.problem.domain;
        let mut kernel = Kernel::new(self.problem);
        let mut candidates = Vec::new();
        let mut told = (0, 0);
        for (at, node) in nodes.iter().enumerate() {
            if at % BATCH == 0 {
                self.tell_gauges(kernel.counts, &candidates, &mut told);
                if self.monitor.leaving() {
                    return (candidates, kernel.counts);
                }
            }
            self.monitor.gauges.expanded.fetch_add(1, Relaxed);
            let mut children = kernel.expand(&node.state, 0);
            for child in children.drain(..) {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let g = node.g + child.cost;
                if let Some(stop) = domain.terminal(&child.state) {
                    self.incumbent.offer(g + stop, || self.path(link));
                }
                if let Some(f) = kernel.evaluate(Some(&node.state), &child.state, g, self.incumbent.cost()) {
                    let mut key = vec![0; domain.key_len()].into_boxed_slice();
                    domain.pack(&child.state, &mut key);
                    let promise = Reverse(domain.promise(&child.state));
                    candidates.push(Node { f, promise, key, g, state: child.state, link });
                }
            }
            kernel.recycle(children);
        }
        self.tell_gauges(kernel.counts, &candidates, &mut told);
        (candidates, kernel.counts)
    }

    /// Adds what is new since the children and candidates `told` to the gauges, and looks at the limits.
    fn tell_gauges(&self, counts: Counts, candidates: &[Node<D::State>], told: &mut (u64, u64)) {
        let (gauges, candidates) = (&self.monitor.gauges, candidates.len() as u64);
        gauges.generated.fetch_add(counts.generated - told.0, Relaxed);
        gauges.hold_more((candidates - told.1) * node_bytes(self.problem));
        *told = (counts.generated, candidates);
        self.monitor.check_limits();
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
