//! The accounts of the layers, and the lower bound that follows from them.
//!
//! All workers add to the ledger when they meet, at the end of a layer or in its midst; then one of them turns the page, if
//! it is full.

use super::Solution;
use super::snapshot::{Snapshot, Work};
use super::team::Team;
use crate::domain::Cost;
use crate::runtime::{Event, Layer, Monitor};
use std::sync::atomic::Ordering::Relaxed;

/// Where the next layer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Next {
    /// The lowest f with an open node; [`Cost::MAX`] when there is none.
    pub(super) f: Cost,
    /// Open nodes there.
    pub(super) open: u64,
}

impl Next {
    const NOWHERE: Self = Self { f: Cost::MAX, open: 0 };
}

/// What is known of the layers.
#[derive(Debug)]
pub(super) struct Ledger {
    /// Layers that are over, and the last one if the search ended in its midst.
    done: Vec<Layer>,
    /// How many of these another search began.
    inherited: usize,
    /// The layer under way; none before the first.
    current: Option<Layer>,
    next: Next,
    lower_bound: Cost,
    /// The range is closed: optimal, or unsolvable.
    proven: bool,
    /// Everything that was done, in all layers.
    work: Work,
}

impl Ledger {
    /// No layer yet; `lower_bound` is proven without any.
    pub(super) fn above(lower_bound: Cost) -> Self {
        Self {
            done: Vec::new(),
            inherited: 0,
            current: None,
            next: Next::NOWHERE,
            lower_bound,
            proven: false,
            work: Work::default(),
        }
    }

    /// The same behind layers that another search has finished, and its work.
    pub(super) fn behind(self, layers: Vec<Layer>, work: Work) -> Self {
        Self { inherited: layers.len(), done: layers, work, ..self }
    }

    /// The ledger as it was when the snapshot was taken.
    pub(super) fn restored(snapshot: &Snapshot) -> Self {
        Self {
            done: snapshot.layers.clone(),
            inherited: snapshot.layers.len() + usize::from(snapshot.current.is_some()),
            current: snapshot.current,
            work: snapshot.work,
            ..Self::above(snapshot.lower_bound)
        }
    }

    /// What a checkpoint has to hold of it.
    pub(super) fn snapshot(&self, incumbent: Option<Solution>, bound: Vec<u8>) -> Snapshot {
        let Self { lower_bound, current, work, .. } = *self;
        let layers = self.done.clone();
        Snapshot { lower_bound, layers, current, incumbent, work, bound, ..Snapshot::default() }
    }

    /// Decides, alone, when all workers have met: whether the layer under way goes on, which one begins, or that the search is
    /// over (`None`). `attend` is called wherever a snapshot can be gone on from, `between` before a layer
    /// begins, with its f.
    pub(super) fn settle<W: Send>(
        &mut self,
        team: &Team<'_, W>,
        attend: impl Fn(&Self),
        between: impl FnOnce(&Self, Cost),
    ) -> Option<Cost> {
        let (upper, monitor) = (team.incumbent.cost(), team.monitor);
        if let Some(layer) = self.goes_on(upper, monitor) {
            attend(self);
            monitor.gauges.layer.store(layer, Relaxed);
            return Some(layer);
        }
        if monitor.stopped().is_some() && upper > self.lower_bound {
            attend(self);
        }
        let next = self.turn_over(upper, monitor).filter(|&next| {
            between(self, next.f);
            !self.closes_at(next, team.incumbent.cost())
        })?;
        self.begin(next, monitor);
        attend(self);
        Some(next.f)
    }

    /// Adds work to the layer under way.
    pub(super) fn add(&mut self, work: Work) {
        self.work += work;
        if let Some(current) = &mut self.current {
            current.expanded += work.expanded;
            current.generated += work.generated;
        }
    }

    /// The layer under way has so many states of its own, whatever was added to it: others were expanded in layers below.
    pub(super) fn recount(&mut self, expanded: u64) {
        if let Some(current) = &mut self.current {
            current.expanded = expanded;
        }
    }

    /// The layer under way when it is not over: the workers met in its midst. Its open nodes need not be announced again.
    fn goes_on(&mut self, upper: Cost, monitor: &Monitor<'_>) -> Option<Cost> {
        let layer = self.current.filter(|layer| self.next.f <= layer.f && layer.f < upper)?.f;
        if monitor.stopped().is_some() {
            return None;
        }
        self.next = Next::NOWHERE;
        Some(layer)
    }

    /// There are `open` nodes in layer `f`, and none below it.
    pub(super) fn announce(&mut self, f: Cost, open: u64) {
        if f < self.next.f {
            self.next = Next { f, open: 0 };
        }
        if f == self.next.f {
            self.next.open += open;
        }
    }

    /// Closes the layer under way, `upper` being the incumbent's cost. Returns where the next one lies, unless the
    /// range is closed or the search has to stop.
    fn turn_over(&mut self, upper: Cost, monitor: &Monitor<'_>) -> Option<Next> {
        let next = std::mem::replace(&mut self.next, Next::NOWHERE);
        let finished = self.current.take().filter(|layer| layer.expanded > 0);
        self.done.extend(finished);
        // An incumbent that costs no more than the layer under way ends the search in its midst.
        self.proven = upper <= self.lower_bound;
        if self.proven || monitor.stopped().is_some() {
            return None;
        }
        if let Some(finished) = finished {
            monitor.tell(&Event::LayerDone(finished));
        }
        self.lower_bound = self.lower_bound.max(next.f.min(upper));
        monitor.tell(&Event::LowerBound(self.lower_bound));
        (!self.closes_at(next, upper)).then_some(next)
    }

    /// Whether no layer below the incumbent's cost `upper` is left; then the search is over.
    fn closes_at(&mut self, next: Next, upper: Cost) -> bool {
        self.proven = next.f >= upper;
        self.proven
    }

    /// Begins a layer.
    fn begin(&mut self, next: Next, monitor: &Monitor<'_>) {
        self.current = Some(Layer { f: next.f, ..Layer::default() });
        monitor.gauges.layer.store(next.f, Relaxed);
        monitor.gauges.open_in_layer.store(next.open, Relaxed);
        monitor.tell(&Event::LayerStarted { f: next.f, open: next.open });
    }

    /// States expanded in all layers.
    pub(super) fn expanded(&self) -> u64 {
        self.work.expanded
    }

    /// States expanded in the last layer that is over, and in the one before, if this search began both.
    pub(super) fn last_two(&self) -> Option<[u64; 2]> {
        let [.., before, last] = self.done.get(self.inherited..)? else { return None };
        Some([last.expanded, before.expanded])
    }

    /// The layer under way; none before the first.
    pub(super) fn current(&self) -> Option<Layer> {
        self.current
    }

    pub(super) fn work(&self) -> Work {
        self.work
    }

    pub(super) fn lower_bound(&self) -> Cost {
        self.lower_bound
    }

    pub(super) fn proven(&self) -> bool {
        self.proven
    }

    pub(super) fn into_layers(self) -> Vec<Layer> {
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{Limits, Silent, StopReason, StopToken};

    #[test]
    fn the_lower_bound_follows_the_layers_and_never_passes_the_incumbent() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut ledger = Ledger::above(3);
        ledger.announce(7, 1);
        ledger.announce(5, 2);
        ledger.announce(5, 4);
        let next = ledger.turn_over(9, &monitor).expect("a layer");
        assert_eq!((next, ledger.lower_bound()), (Next { f: 5, open: 6 }, 5));
        ledger.begin(next, &monitor);
        ledger.add(Work { expanded: 10, generated: 30, ..Work::default() });
        ledger.announce(12, 1);
        assert_eq!(ledger.turn_over(9, &monitor), None, "nothing is left below the incumbent");
        assert_eq!((ledger.lower_bound(), ledger.proven(), ledger.expanded()), (9, true, 10));
        assert_eq!(ledger.into_layers(), [Layer { f: 5, expanded: 10, generated: 30 }]);
    }

    #[test]
    fn a_layer_that_was_left_proves_nothing() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut ledger = Ledger::above(3);
        ledger.announce(3, 1);
        let next = ledger.turn_over(Cost::MAX, &monitor).expect("a layer");
        ledger.begin(next, &monitor);
        ledger.add(Work { expanded: 1, generated: 1, ..Work::default() });
        stop.stop(StopReason::Interrupted);
        assert_eq!(ledger.turn_over(Cost::MAX, &monitor), None);
        assert_eq!((ledger.lower_bound(), ledger.proven()), (3, false));
        // Unless the incumbent costs no more than what is proven.
        assert_eq!(ledger.turn_over(3, &monitor), None);
        assert!(ledger.proven());
    }

    #[test]
    fn no_open_node_and_no_incumbent_is_a_proof_that_there_is_no_solution() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut ledger = Ledger::above(3);
        assert_eq!(ledger.turn_over(Cost::MAX, &monitor), None);
        assert_eq!((ledger.lower_bound(), ledger.proven()), (Cost::MAX, true));
    }

    #[test]
    fn layers_that_another_search_began_do_not_tell_how_layers_grow() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let layer = |ledger: &mut Ledger, f, expanded| {
            ledger.announce(f, 1);
            let next = ledger.turn_over(Cost::MAX, &monitor).expect("a layer");
            ledger.begin(next, &monitor);
            ledger.add(Work { expanded, ..Work::default() });
        };
        let mut ledger = Ledger::above(3);
        for (f, expanded, told) in [(3, 10, None), (4, 30, None), (5, 80, Some([30, 10])), (6, 7, Some([80, 30]))] {
            layer(&mut ledger, f, expanded);
            assert_eq!(ledger.last_two(), told, "{f}");
        }
        // The layer of 6 was under way, and goes on: part of it belongs to either.
        let mut ledger = Ledger::restored(&ledger.snapshot(None, Vec::new()));
        ledger.add(Work { expanded: 900, ..Work::default() });
        for (f, expanded, told) in [(7, 50, None), (8, 60, None), (9, 1, Some([60, 50]))] {
            layer(&mut ledger, f, expanded);
            assert_eq!(ledger.last_two(), told, "{f}");
        }
    }
}
