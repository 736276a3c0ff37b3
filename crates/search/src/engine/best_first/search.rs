//! The data that the workers of a best-first search share, and their joint decisions.

use super::rank_parcels::OutgoingParcels;
use crate::domain::Cost;
use crate::engine::beam::{BeamSchedule, BetweenLayers};
use crate::engine::checkpoints::{Checkpointer, Snapshot};
use crate::engine::context::Context;
use crate::engine::layers::{Ledger, Team};
use crate::expand::StateSpace;
use crate::platform::Instant;
use crate::runtime::{Crew, Exchange, OtherCrews};
use crate::store::{Extent, Frontier, NodeBlock, Store};
use crate::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

pub(super) type Item = (Cost, NodeBlock);

pub(super) struct BestFirstSearch<'a> {
    pub(super) space: &'a dyn StateSpace,
    pub(super) store: Store,
    /// The parcels to other ranks, if there are any.
    pub(super) outgoing: Option<OutgoingParcels<'a>>,
    pub(super) team: Team<'a, Item>,
    pub(super) checkpointer: Checkpointer<'a>,
    /// The f of the current layer. [`Cost::MAX`] when the search is over.
    pub(super) layer: AtomicU32,
    /// Bytes of the open nodes of all workers.
    pub(super) frontier_bytes: AtomicU64,
    /// The number of parts of a store that was read back, and the number of parts whose open nodes workers have taken.
    pub(super) parts: usize,
    pub(super) parts_read: AtomicUsize,
    /// Whether the search begins at the root, if no store was read back.
    pub(super) is_new: bool,
    /// Open nodes of the search that this one continues, until a worker takes them.
    pub(super) open: Mutex<Option<Frontier>>,
    /// The records of a checkpoint or of the search that this one continues. Their nodes are evaluated again when their
    /// turn comes.
    pub(super) inherited: Extent,
    /// Receives the data with which another search continues, if one is to continue.
    pub(super) leftovers: Option<Mutex<Leftovers>>,
    pub(super) beams: &'a BeamSchedule<'a>,
    pub(super) context: &'a Context<'a>,
    pub(super) began: Instant,
    pub(super) ledger: Mutex<Ledger>,
}

/// The data with which another search continues: the snapshot and the open nodes.
#[derive(Default)]
pub(super) struct Leftovers {
    pub(super) snapshot: Option<Snapshot>,
    pub(super) open: Frontier,
}

impl BestFirstSearch<'_> {
    /// Decides how to go on, at the end of a layer or within it. One worker calls this while all others wait.
    pub(super) fn decide_at_barrier(&self) {
        self.checkpointer.check(Some(&self.store));
        self.team.begin_phase();
        let before_layer = |ledger: &Ledger| self.improve(ledger);
        let layer = lock(&self.ledger).decide(&self.team, |ledger| self.take_checkpoint(ledger), before_layer);
        self.layer.store(layer.unwrap_or(Cost::MAX), Relaxed);
    }

    fn take_checkpoint(&self, ledger: &Ledger) {
        self.checkpointer.take_at_barrier(Some(&self.store), || {
            let snapshot = ledger.snapshot(self.team.incumbent.solution());
            Ok(Snapshot { revision: self.space.revision(), ..snapshot })
        });
        if let Some(leftovers) = &self.leftovers {
            lock(leftovers).snapshot = Some(ledger.snapshot(None));
        }
    }

    /// Runs a beam search if it costs little, and takes over a better solution.
    fn improve(&self, ledger: &Ledger) {
        let gauge = &self.team.monitor.gauges.expanded;
        let in_session = if self.outgoing.is_some() { ledger.expanded() } else { gauge.load(Relaxed) };
        let remaining = self.context.remaining(self.began, in_session);
        // On several ranks the leader alone runs beam searches.
        let is_leader = self.outgoing.as_ref().is_none_or(|outgoing| outgoing.exchange.is_leader());
        let known = self.team.incumbent.solution();
        let improve = || self.beams.improve(ledger.expanded(), known, &remaining);
        let BetweenLayers { solution, expanded } = if is_leader { improve() } else { BetweenLayers::default() };
        gauge.fetch_add(expanded, Relaxed);
        if let Some(solution) = solution {
            self.team.incumbent.offer(solution.cost, || solution.moves);
        }
        if let Some(outgoing) = &self.outgoing {
            self.team.incumbent.synchronise(outgoing.exchange);
        }
    }
}

/// The search on several ranks.
impl BestFirstSearch<'_> {
    /// See [`Team::exchange_notices`].
    pub(super) fn exchange_notices(&self, exchange: &Exchange) {
        self.checkpointer.relay();
        self.team.exchange_notices(exchange, self.layer.load(Relaxed));
    }
}

impl OtherCrews for BestFirstSearch<'_> {
    fn is_over(&self) -> bool {
        self.outgoing.as_ref().is_none_or(|outgoing| outgoing.exchange.is_phase_over())
    }

    fn poll(&self, crew: &Crew) {
        let Some(outgoing) = &self.outgoing else { return };
        self.exchange_notices(outgoing.exchange);
        outgoing.send_all();
        outgoing.exchange.contribute(crew, || outgoing.is_empty());
    }
}
