//! Constrained lookahead: try every sequence of a few moves, play the first move of the best, and begin again.
//!
//! The best sequence is the one whose end has the least f, and among those the most promising one. An end that is
//! solved beats all others. One thread; deterministic; proves nothing beyond the lower bound of the root.
//!
//! The idea is known from the COLORFLOW solver.

use super::incumbent::Incumbent;
use super::kernel::{Kernel, Problem};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, MoveMask};
use crate::runtime::{Event, Monitor};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

/// The longest sequences: the work grows exponentially with their length, the depth of the recursion with it.
const DEEPEST: usize = 64;

/// Runs the lookahead with sequences of `depth` moves, at least one and at most [`DEEPEST`].
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    depth: usize,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let mut player = Player {
        kernel: Kernel::new(problem),
        incumbent: Incumbent::new(known, &monitor),
        monitor: &monitor,
        way: Vec::new(),
        played: 0,
        best: None,
        expanded: 0,
    };
    let lower_bound = problem.lower_bound();
    monitor.tell(&Event::LowerBound(lower_bound));
    monitor.watch(|| player.play(depth.clamp(1, DEEPEST)));
    let Player { kernel, incumbent, expanded, .. } = player;
    let incumbent = incumbent.into_solution();
    let statistics = Statistics {
        expanded,
        generated: kernel.counts.generated,
        evaluated: kernel.counts.evaluated,
        ..Statistics::default()
    };
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

struct Player<'a, D: Domain, B: LowerBound<D>> {
    kernel: Kernel<'a, D, B>,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// Moves from the root to the state under inspection.
    way: Vec<MoveIndex>,
    /// Length of the way that is played for good.
    played: usize,
    /// Rank of the best end seen from the state played last, and the move to it.
    best: Option<((Cost, Reverse<u32>), MoveIndex)>,
    expanded: u64,
}

impl<D: Domain, B: LowerBound<D>> Player<'_, D, B> {
    fn play(&mut self, depth: usize) {
        let mut state = self.kernel.problem.domain.root();
        let mut g = 0;
        if let Some(cost) = self.kernel.problem.domain.terminal(&state) {
            self.incumbent.offer(cost, Vec::new);
        }
        loop {
            self.best = None;
            self.look(&state, g, 0, depth);
            // Cut short, the ends seen so far still name a move; without any, the way is at its end.
            let Some((_, mv)) = self.best else { return };
            if self.monitor.leaving() {
                return;
            }
            let mut children = self.kernel.expand(&state, 0);
            let Some(child) = children.drain(..).find(|child| child.mv == mv) else { return };
            self.kernel.recycle(children);
            self.way.push(mv);
            self.played += 1;
            g += child.cost;
            state = child.state;
        }
    }

    /// Ranks every end of the sequences of `depth` moves from `state`.
    fn look(&mut self, state: &D::State, g: Cost, skip: MoveMask, depth: usize) {
        let length = self.way.len();
        self.expanded += 1;
        self.monitor.gauges.expanded.store(self.expanded, Relaxed);
        self.monitor.check_limits();
        if self.monitor.leaving() {
            return;
        }
        // The recursion needs the kernel: its buffer of children cannot stay borrowed.
        let children = self.kernel.expand(state, skip);
        for child in children {
            let g = g + child.cost;
            self.way.push(child.mv);
            if let Some(stop) = self.kernel.problem.domain.terminal(&child.state) {
                self.incumbent.offer(g + stop, || self.way.clone());
            }
            if let Some(f) = self.kernel.evaluate(Some(state), &child.state, g, self.incumbent.cost()) {
                if depth > 1 {
                    self.look(&child.state, g, child.asleep, depth - 1);
                } else {
                    self.rank(f, &child.state);
                }
            }
            self.way.truncate(length);
        }
    }

    fn rank(&mut self, f: Cost, state: &D::State) {
        let rank = (f, Reverse(self.kernel.problem.domain.promise(state)));
        if self.best.is_none_or(|(best, _)| rank < best) {
            self.best = Some((rank, self.way[self.played]));
        }
    }
}
