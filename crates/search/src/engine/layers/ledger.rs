//! The record of the layers, and the lower bound that follows from it.
//!
//! Workers add their counts when they come to the barrier, at the end of a layer or within it. If no node of the layer
//! is left, one worker ends the layer and begins the next one. If several ranks search, each has a ledger. The ranks
//! exchange their [`RankShare`]s. Each ledger gets all shares, so all ledgers make the same decision.
//!
//! **Why the bound is correct.** Every solution that was not found leads through an open node, or through a node that
//! was dropped because its f is at least the cost of the incumbent. With an admissible bound, the f of a node is at
//! most the cost of every solution through it. A layer is finished only when no worker holds an open node of it. Then
//! all open nodes have at least the f of the next layer. So no solution costs less than this f or the incumbent,
//! whichever is lower.

use super::team::Team;
use crate::domain::Cost;
use crate::engine::checkpoints::Snapshot;
use crate::engine::outcome::{Outcome, Solution, Statistics};
use crate::engine::work::Work;
use crate::runtime::{Event, Layer, Monitor, StopReason};
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering::Relaxed;

/// The lowest layer with open nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NextLayer {
    /// The lowest f of an open node. [`Cost::MAX`] when there is none.
    pub(crate) f: Cost,
    /// The number of open nodes with this f.
    pub(crate) open: u64,
}

impl Default for NextLayer {
    fn default() -> Self {
        Self::NONE
    }
}

impl NextLayer {
    const NONE: Self = Self { f: Cost::MAX, open: 0 };

    fn join(&mut self, other: Self) {
        if other.f < self.f {
            *self = Self { f: other.f, open: 0 };
        }
        if other.f == self.f {
            self.open += other.open;
        }
    }
}

/// The counts and announcements of the workers of one rank, gathered at a barrier.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RankShare {
    /// The work since the last barrier.
    work: Work,
    /// The change in the number of states expanded in the current layer; `None` if it is the number of states expanded
    /// in `work`.
    change: Option<i64>,
    next: NextLayer,
    stopped: Option<StopReason>,
    /// The incumbent, if several ranks search.
    incumbent: Option<Solution>,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Finished layers, and the last layer even if the search ended within it.
    done: Vec<Layer>,
    current: Option<Layer>,
    next: NextLayer,
    /// The share of this rank so far.
    share: RankShare,
    /// The reason to stop on which all ranks agreed at the last barrier.
    stopped: Option<StopReason>,
    lower_bound: Cost,
    /// Whether lower bound and incumbent meet: the incumbent is optimal, or the board is unsolvable.
    is_proven: bool,
    work: Work,
}

impl Ledger {
    /// A ledger without layers, with a lower bound that is proven already.
    pub(crate) fn new(lower_bound: Cost) -> Self {
        Self { lower_bound, ..Self::default() }
    }

    /// The ledger at the time of a snapshot.
    pub(crate) fn restored(snapshot: &Snapshot) -> Self {
        let Snapshot { lower_bound, current, work, .. } = *snapshot;
        Self { done: snapshot.layers.clone(), lower_bound, current, work, ..Self::default() }
    }

    /// The ledger's part of a checkpoint, with the incumbent.
    pub(crate) fn snapshot(&self, incumbent: Option<Solution>) -> Snapshot {
        let Self { lower_bound, current, work, .. } = *self;
        let layers = self.done.clone();
        Snapshot { lower_bound, layers, current, incumbent, work, ..Snapshot::default() }
    }

    /// Decides how the search goes on. One worker calls this while all others wait at the barrier, after each has
    /// announced its open nodes. Returns the f of the layer to work on: the current one if it is not finished, or the
    /// next one. `None` when the search is over.
    ///
    /// `checkpoint` is called at each point from which a search can resume. `before_layer` is called before a layer
    /// begins; it may improve the incumbent.
    pub(crate) fn decide<W: Send>(
        &mut self,
        team: &Team<'_, W>,
        checkpoint: impl Fn(&Self),
        before_layer: impl FnOnce(&Self),
    ) -> Option<Cost> {
        self.gather(team);
        let (upper, monitor) = (team.incumbent.cost(), team.monitor);
        if let Some(layer) = self.continue_layer(upper) {
            checkpoint(self);
            monitor.gauges.layer.store(layer, Relaxed);
            return Some(layer);
        }
        if self.stopped.is_some() && upper > self.lower_bound {
            checkpoint(self);
        }
        let next = self.finish_layer(upper, monitor).filter(|&next| {
            before_layer(self);
            !self.is_proven_at(next, team.incumbent.cost())
        })?;
        self.begin(next, monitor);
        checkpoint(self);
        Some(next.f)
    }

    /// Adds work to the current layer.
    pub(crate) fn add(&mut self, work: Work) {
        self.share.work += work;
    }

    /// Changes the number of states expanded in the current layer by `change`. Work that is added then does not change
    /// this number. IDA* needs this: it visits states of lower layers again, and these do not count.
    pub(crate) fn recount(&mut self, change: i64) {
        self.share.change = Some(change);
    }

    /// Gathers the shares of all ranks and adds them. Afterwards all ranks hold the same incumbent: among equally good
    /// solutions, the one of the lowest rank.
    fn gather<W: Send>(&mut self, team: &Team<'_, W>) {
        let share = RankShare { stopped: team.monitor.stop_reason(), ..std::mem::take(&mut self.share) };
        self.stopped = None;
        let Some(exchange) = team.exchange else { return self.add_share(&share) };
        let shares = exchange.all_gather(&RankShare { incumbent: team.incumbent.solution(), ..share });
        shares.iter().for_each(|share| self.add_share(share));
        let incumbents = shares.into_iter().filter_map(|share| share.incumbent);
        let claimed = team.incumbent.cost();
        team.incumbent.replace(incumbents.min_by_key(|solution| solution.cost));
        if claimed < team.incumbent.cost() {
            // States were pruned with the cost of a solution whose moves are lost, because a disk failed.
            self.stopped = Some(StopReason::DiskFailed);
        }
    }

    fn add_share(&mut self, share: &RankShare) {
        self.work += share.work;
        self.stopped = self.stopped.or(share.stopped);
        self.next.join(share.next);
        if let Some(current) = &mut self.current {
            let change = share.change.unwrap_or(share.work.expanded as i64);
            current.expanded = current.expanded.saturating_add_signed(change);
            current.generated += share.work.generated;
        }
    }

    /// The f of the current layer, if the workers met at the barrier within the layer. `None` if the layer is finished
    /// or the search is stopped. Workers keep their open nodes, and announce them again at the next barrier.
    fn continue_layer(&mut self, upper: Cost) -> Option<Cost> {
        let layer = self.current.filter(|layer| self.next.f <= layer.f && layer.f < upper)?.f;
        if self.stopped.is_some() {
            return None;
        }
        self.next = NextLayer::NONE;
        Some(layer)
    }

    /// A worker announces that it holds `open` nodes in layer `f`, and none with a lower f.
    pub(crate) fn announce(&mut self, f: Cost, open: u64) {
        self.share.next.join(NextLayer { f, open });
    }

    /// Finishes the current layer and raises the lower bound. `upper` is the cost of the incumbent. Returns the next
    /// layer, or `None` when the proof is complete or the search has to stop.
    fn finish_layer(&mut self, upper: Cost, monitor: &Monitor<'_>) -> Option<NextLayer> {
        let next = std::mem::replace(&mut self.next, NextLayer::NONE);
        let finished = self.current.take().filter(|layer| layer.expanded > 0);
        self.done.extend(finished);
        // An incumbent that costs no more than the current layer is optimal; the search ends within the layer.
        self.is_proven = upper <= self.lower_bound;
        if self.is_proven || self.stopped.is_some() {
            return None;
        }
        if let Some(finished) = finished {
            monitor.send(&Event::LayerDone(finished));
        }
        self.lower_bound = self.lower_bound.max(next.f.min(upper));
        monitor.send(&Event::LowerBound(self.lower_bound));
        (!self.is_proven_at(next, upper)).then_some(next)
    }

    /// Whether no layer below the cost `upper` of the incumbent is left. Then the search is over.
    fn is_proven_at(&mut self, next: NextLayer, upper: Cost) -> bool {
        self.is_proven = next.f >= upper;
        self.is_proven
    }

    /// Begins a layer, and sends the event.
    fn begin(&mut self, next: NextLayer, monitor: &Monitor<'_>) {
        self.current = Some(Layer { f: next.f, ..Layer::default() });
        monitor.gauges.layer.store(next.f, Relaxed);
        monitor.begin_layer(0);
        monitor.send(&Event::LayerStarted { f: next.f, open: next.open });
    }

    pub(crate) fn expanded(&self) -> u64 {
        self.work.expanded
    }

    pub(crate) fn current(&self) -> Option<Layer> {
        self.current
    }

    /// The outcome of the search, with its work in all layers, including layers of earlier sessions.
    pub(crate) fn into_outcome(self, incumbent: Option<Solution>) -> Outcome {
        Outcome {
            incumbent,
            lower_bound: self.lower_bound,
            stopped: self.stopped.filter(|_| !self.is_proven),
            statistics: Statistics { layers: self.done, ..Statistics::from(self.work) },
            ..Outcome::unknown()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{Limits, Silent, StopToken};

    /// Enters the share of the only rank and finishes the layer.
    fn finish(ledger: &mut Ledger, upper: Cost, monitor: &Monitor<'_>) -> Option<NextLayer> {
        let share = RankShare { stopped: monitor.stop_reason(), ..std::mem::take(&mut ledger.share) };
        ledger.stopped = None;
        ledger.add_share(&share);
        ledger.finish_layer(upper, monitor)
    }

    #[test]
    fn the_lower_bound_follows_the_layers_and_never_passes_the_incumbent() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut ledger = Ledger::new(3);
        ledger.announce(7, 1);
        ledger.announce(5, 2);
        ledger.announce(5, 4);
        let next = finish(&mut ledger, 9, &monitor).expect("a layer");
        assert_eq!((next, ledger.lower_bound), (NextLayer { f: 5, open: 6 }, 5));
        ledger.begin(next, &monitor);
        ledger.add(Work { expanded: 10, generated: 30, ..Work::default() });
        ledger.announce(12, 1);
        assert_eq!(finish(&mut ledger, 9, &monitor), None, "nothing is left below the incumbent");
        assert_eq!((ledger.lower_bound, ledger.is_proven, ledger.expanded()), (9, true, 10));
        assert_eq!(ledger.done, [Layer { f: 5, expanded: 10, generated: 30 }]);
    }

    #[test]
    fn an_interrupted_layer_proves_nothing() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut ledger = Ledger::new(3);
        ledger.announce(3, 1);
        let next = finish(&mut ledger, Cost::MAX, &monitor).expect("a layer");
        ledger.begin(next, &monitor);
        ledger.add(Work { expanded: 1, generated: 1, ..Work::default() });
        stop.stop(StopReason::Interrupted);
        assert_eq!(finish(&mut ledger, Cost::MAX, &monitor), None);
        assert_eq!((ledger.lower_bound, ledger.is_proven), (3, false));
        // No layer follows if the incumbent costs no more than the proven lower bound.
        assert_eq!(finish(&mut ledger, 3, &monitor), None);
        assert!(ledger.is_proven);
    }

    #[test]
    fn no_open_node_and_no_incumbent_is_a_proof_that_there_is_no_solution() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut ledger = Ledger::new(3);
        assert_eq!(finish(&mut ledger, Cost::MAX, &monitor), None);
        assert_eq!((ledger.lower_bound, ledger.is_proven), (Cost::MAX, true));
    }
}
