//! A best-first search that was stopped and can continue in the same process.

use super::snapshot::Snapshot;
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::store::{Frontier, Reading, Store};

/// A search that was stopped, with its store and its open nodes.
///
/// It can continue with another lower bound. Each open node stays in the layer of the old bound until its turn comes.
/// Then it is evaluated again, and moves to a later layer if its f has grown. This is right if the new bound is at
/// least the old one at every state: then no node belongs to an earlier layer.
pub(super) struct ResumePoint {
    pub(super) store: Store,
    pub(super) snapshot: Snapshot,
    /// The open nodes, in the layers of the bound with which they were opened.
    pub(super) open: Frontier,
}

impl ResumePoint {
    /// States expanded so far.
    pub(super) fn expanded(&self) -> u64 {
        self.snapshot.work.expanded
    }

    /// Bytes of records and open nodes.
    pub(super) fn bytes(&self) -> u64 {
        self.store.bytes() + self.open.bytes()
    }

    /// Raises the lower bound to one that another search has proven.
    pub(super) fn raise(&mut self, lower_bound: Cost) {
        self.snapshot.lower_bound = self.snapshot.lower_bound.max(lower_bound);
    }

    /// About `count` of the expanded states that the bound of `space` does not prune, evenly spread, as packed keys in
    /// rising order. The sample depends on the expanded states alone: not on the shards that hold them, nor on a hash
    /// that differs between machines. A search on one thread, without a limit other than one on expansions, expands the
    /// same states everywhere. Evaluates no state any more once `stopped` returns true.
    pub(super) fn sample(&self, space: &dyn StateSpace, count: usize, stopped: &dyn Fn() -> bool) -> Vec<Box<[u8]>> {
        // The current bound may prune most states that were expanded with an older bound. So take more states at first.
        const OVERSAMPLING: u64 = 8;
        let layer = self.snapshot.current.map_or(0, |layer| layer.f);
        let mut expander = space.expander();
        let (wanted, mut sample) = (count as u64 * OVERSAMPLING, Vec::new());
        self.store.sample_closed(wanted, self.expanded(), &mut Reading::default(), |key, g| {
            if !stopped() && expander.evaluate_key(key, g, layer + 1).is_some() {
                sample.push(Box::from(key));
            }
        });
        sample.sort_unstable();
        let step = sample.len().div_ceil(count).max(1);
        sample.into_iter().step_by(step).collect()
    }
}
