//! Constrained lookahead: try every sequence of a few moves, play the first move of the best, and begin again.
//!
//! The best sequence is the one whose end has the least f, and among those the most promising one. An end that is
//! solved beats all others. One thread; deterministic; proves nothing beyond the lower bound of the root.
//!
//! The idea is known from the COLORFLOW solver.

use super::incumbent::Incumbent;
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, LONGEST_WAY, MoveIndex, MoveMask};
use crate::expand::{Child, Counts, Expander, Promise, Slot, StateSpace};
use crate::runtime::{Event, Monitor};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

/// The longest sequences: the work grows exponentially with their length, the depth of the recursion with it.
const DEEPEST: usize = 64;

/// Runs the lookahead with sequences of `depth` moves, at least one and at most [`DEEPEST`].
pub(super) fn run(space: &dyn StateSpace, depth: usize, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let mut player = Player {
        expander: space.expander(),
        incumbent: Incumbent::new(known, &monitor),
        monitor: &monitor,
        way: Vec::new(),
        played: 0,
        best: None,
        expanded: 0,
    };
    let lower_bound = space.lower_bound();
    monitor.tell(&Event::LowerBound(lower_bound));
    if let Some(cost) = space.root_terminal() {
        player.incumbent.offer(cost, Vec::new);
    }
    monitor.watch(|| player.play(depth.clamp(1, DEEPEST)));
    let Player { expander, incumbent, expanded, .. } = player;
    let incumbent = incumbent.into_solution();
    let Counts { generated, evaluated } = expander.counts();
    let statistics = Statistics { expanded, generated, evaluated, ..Statistics::default() };
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

struct Player<'a> {
    expander: Box<dyn Expander + 'a>,
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

impl Player<'_> {
    fn play(&mut self, depth: usize) {
        let frame = self.expander.place(None);
        let (mut slot, mut g) = (Slot { frame, at: 0 }, 0);
        while self.played < LONGEST_WAY {
            self.best = None;
            self.look(slot, g, 0, depth);
            // Cut short, the ends seen so far still name a move; without any, the way is at its end.
            let Some((_, mv)) = self.best else { return };
            if self.monitor.leaving() {
                return;
            }
            let (frame, children) = self.expand(slot, 0);
            let Some(at) = children.iter().position(|child| child.mv == mv) else { return };
            self.way.push(mv);
            self.played += 1;
            g += children[at].cost;
            slot = Slot { frame, at: at as u32 };
        }
    }

    /// Ranks every end of the sequences of `depth` moves from `state`.
    fn look(&mut self, slot: Slot, g: Cost, skip: MoveMask, depth: usize) {
        let length = self.way.len();
        self.expanded += 1;
        self.monitor.gauges.expanded.store(self.expanded, Relaxed);
        self.monitor.check_limits();
        if self.monitor.leaving() {
            return;
        }
        let (frame, children) = self.expand(slot, skip);
        for (at, child) in children.into_iter().enumerate() {
            let (slot, g) = (Slot { frame, at: at as u32 }, g + child.cost);
            self.way.push(child.mv);
            if let Some(stop) = child.terminal {
                self.incumbent.offer(g + stop, || self.way.clone());
            }
            if let Some(f) = self.expander.evaluate(slot, g, self.incumbent.cost()) {
                if depth > 1 {
                    self.look(slot, g, child.asleep, depth - 1);
                } else {
                    self.rank(f, slot);
                }
            }
            self.way.truncate(length);
        }
        self.expander.truncate(frame);
    }

    /// The frame and the children of a state.
    fn expand(&mut self, slot: Slot, skip: MoveMask) -> (u32, Vec<Child>) {
        let mut children = Vec::new();
        let frame = self.expander.expand(slot, skip, &mut children);
        (frame, children)
    }

    fn rank(&mut self, f: Cost, slot: Slot) {
        let rank = (f, Reverse(self.expander.promise(slot, Promise::Usual)));
        if self.best.is_none_or(|(best, _)| rank < best) {
            self.best = Some((rank, self.way[self.played]));
        }
    }
}
