//! Constrained lookahead: it tries every sequence of a few moves, plays the first move of the best one, and begins
//! again.
//!
//! The best sequence is the one whose end has the least f; among these, the most promising end. A sequence that meets a
//! place where stopping is allowed offers a solution.
//!
//! **When to use it.** For a solution of a huge board within seconds. The time grows exponentially with the depth.
//!
//! **Guarantees.** One thread; deterministic. It proves nothing beyond the lower bound of the root.
//!
//! Reference: the idea is known from the COLORFLOW solver.

use super::context::Context;
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::expand::{Child, Counts, Expander, Promise, Slot, StateSpace};
use crate::runtime::{Event, Monitor};
use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

/// The longest sequences. The depth of the recursion grows with their length, the time exponentially.
const DEEPEST: usize = 64;

/// Runs the lookahead with sequences of `depth` moves, at least 1 and at most [`DEEPEST`]. `known` is a solution found
/// before; only cheaper ones are reported.
pub(super) fn run(space: &dyn StateSpace, depth: usize, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let mut player = LookaheadPlayer {
        expander: space.expander(),
        incumbent: Incumbent::new(known, &monitor),
        monitor: &monitor,
        path: Vec::new(),
        played: 0,
        max_played: space.max_played_moves(),
        best: None,
        expanded: 0,
    };
    let lower_bound = space.lower_bound();
    monitor.tell(&Event::LowerBound(lower_bound));
    if let Some(cost) = space.root_terminal() {
        player.incumbent.offer(cost, Vec::new);
    }
    monitor.watch(|| player.play(depth.clamp(1, DEEPEST)));
    let LookaheadPlayer { expander, incumbent, expanded, .. } = player;
    let incumbent = incumbent.into_solution();
    let Counts { generated, evaluated } = expander.counts();
    let statistics = Statistics { expanded, generated, evaluated, ..Statistics::default() };
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// The state of one run.
struct LookaheadPlayer<'a> {
    expander: Box<dyn Expander + 'a>,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// Moves from the root to the state that is examined.
    path: Vec<MoveIndex>,
    /// The number of moves in `path` that are played for good.
    played: usize,
    /// The number of played moves at which the path ends.
    max_played: usize,
    /// The rank of the best end of a sequence so far, and the first move of this sequence.
    best: Option<((Cost, Reverse<u32>), MoveIndex)>,
    expanded: u64,
}

impl LookaheadPlayer<'_> {
    /// Plays moves until the path ends or the search has to stop.
    fn play(&mut self, depth: usize) {
        let frame = self.expander.place(None);
        let (mut slot, mut g) = (Slot { frame, at: 0 }, 0);
        while self.played < self.max_played {
            self.best = None;
            self.try_sequences(slot, g, 0, depth);
            // If no sequence was ranked, the path ends here.
            let Some((_, mv)) = self.best else { return };
            if self.monitor.leaving() {
                return;
            }
            let (frame, children) = self.expand(slot, 0);
            let Some(at) = children.iter().position(|child| child.mv == mv) else { return };
            self.path.push(mv);
            self.played += 1;
            g += children[at].cost;
            slot = Slot { frame, at: at as u32 };
        }
    }

    /// Ranks the ends of all sequences of `depth` moves from the state in `slot`.
    fn try_sequences(&mut self, slot: Slot, g: Cost, skip: MoveMask, depth: usize) {
        let length = self.path.len();
        self.expanded += 1;
        self.monitor.gauges.expanded.store(self.expanded, Relaxed);
        self.monitor.check_limits();
        if self.monitor.leaving() {
            return;
        }
        let (frame, children) = self.expand(slot, skip);
        for (at, child) in children.into_iter().enumerate() {
            let (slot, g) = (Slot { frame, at: at as u32 }, g + child.cost);
            self.path.push(child.mv);
            if let Some(stop) = child.terminal {
                self.incumbent.offer(g + stop, || self.path.clone());
            }
            if let Some(f) = self.expander.evaluate(slot, g, self.incumbent.cost()) {
                if depth > 1 {
                    self.try_sequences(slot, g, child.asleep, depth - 1);
                } else {
                    self.rank(f, slot);
                }
            }
            self.path.truncate(length);
        }
        self.expander.truncate(frame);
    }

    /// Expands a state. Returns the frame and its children.
    fn expand(&mut self, slot: Slot, skip: MoveMask) -> (u32, Vec<Child>) {
        let mut children = Vec::new();
        let frame = self.expander.expand(slot, skip, &mut children);
        (frame, children)
    }

    /// Ranks the end of a sequence.
    fn rank(&mut self, f: Cost, slot: Slot) {
        let rank = (f, Reverse(self.expander.promise(slot, Promise::Usual)));
        if self.best.is_none_or(|(best, _)| rank < best) {
            self.best = Some((rank, self.path[self.played]));
        }
    }
}
