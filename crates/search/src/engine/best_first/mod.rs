//! Layered best-first search: A* with the open list cut into layers of equal f.
//!
//! All workers drain layer f together. Each worker holds its open nodes in stacks `[f][g]` and takes the highest g
//! first. Full chunks of the current layer lie in a work-stealing queue. Children go to the store in batches
//! ([`Batch`]). When the layer is empty on every worker, no solution costs f or less, and the lowest layer with open
//! nodes comes next.
//!
//! **When to use it.** For proofs, as long as memory or disk holds the states; for counts that can be compared between
//! runs.
//!
//! **Guarantees.** Optimal with every admissible bound, on any number of threads: the search ends when the lowest open
//! f reaches the cost of the incumbent. With a consistent bound, a state has its least g when it is expanded, and no
//! state is reopened. Then the number of states expanded in each layer below the optimum depends neither on the number
//! of threads nor on their speed. With an inconsistent bound a child takes at least the f of its parent, and closed
//! states may be reopened. The solution itself may differ from run to run on several threads; its cost does not.
//!
//! **Checkpoints** are taken at a barrier, if need be within a layer. A resumed search has the same counts. It opens
//! each node in the layer that its record gives, and evaluates a node only when its turn comes. So a resume takes
//! little longer than reading the records, and only evaluations of the current layer are repeated.
//!
//! **On several ranks** each state belongs to one rank, by the hash of its key ([`rank_parcels`]). All ranks drain
//! layer f together; the layer is over when no rank works and no parcel is under way. The counts of the layers are the
//! same as on one rank. The ranks agree on pauses, stops and the next layer ([`Ledger`]).
//!
//! Reference: Hart, Nilsson and Raphael (1968) for A*; layer by layer as in Zhou and Hansen's work on frontier search.
//!
//! [`Batch`]: batch::Batch

mod batch;
mod rank_parcels;
mod search;
mod state_worker;
mod worker;

use crate::checkpoint::CheckpointError;
use crate::engine::beam::BeamSchedule;
use crate::engine::checkpoints::{Checkpointer, Snapshot};
use crate::engine::context::Context;
use crate::engine::dispatch::{EngineInfo, StateEngine};
use crate::engine::layers::{Ledger, Team};
use crate::engine::outcome::{Outcome, Solution, Statistics};
use crate::expand::StateSpace;
use crate::platform::Instant;
use crate::runtime::{Exchange, Limits, Monitor};
use crate::store::{Frontier, Layout, Store, shards_for, shards_of_rank};
use crossbeam::deque::Worker as Queue;
use rank_parcels::OutgoingParcels;
use search::{BestFirstSearch, Item, Leftovers};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use worker::BestFirstWorker;

const SUMMARY: &str = "layered best-first search (A*) on all threads, with duplicate detection";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "best-first", summary: SUMMARY, proves: true, has_checkpoints: true, uses_ranks: true },
    run: |space, _, known, context| {
        let input = BestFirstInput { incumbent: known, ..BestFirstInput::default() };
        Ok(run(space, input, &BeamSchedule::none(space), context)?.0)
    },
};

/// The input of a search.
#[derive(Default)]
pub(super) struct BestFirstInput {
    /// A solution found before. Only cheaper ones are looked for.
    pub(super) incumbent: Option<Solution>,
    /// A lower bound that is proven already.
    pub(super) lower_bound: crate::domain::Cost,
    /// Where another search stopped. This search continues from there.
    pub(super) resume_point: Option<ResumePoint>,
    /// Whether another search may continue where this one stops.
    pub(super) can_continue: bool,
}

/// A search that was stopped, with its store and its open nodes. Another search with the same lower bound can continue
/// in the same process.
pub(super) struct ResumePoint {
    pub(super) store: Store,
    pub(super) snapshot: Snapshot,
    /// The open nodes, each in the layer of its f.
    pub(super) open: Frontier,
}

pub(super) fn layout_of(space: &dyn StateSpace, shards: usize) -> Layout {
    Layout { key_len: space.key_len(), mask_bits: space.mask_bits(), shards }
}

/// Runs the search, with the beam searches of `beams` between its layers. Returns the outcome, the number of states
/// expanded in this session, and the point where another search continues, if the search can continue.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn StateSpace,
    input: BestFirstInput,
    beams: &BeamSchedule<'_>,
    context: &Context<'_>,
) -> Result<(Outcome, u64, Option<ResumePoint>), CheckpointError> {
    let (began, can_continue) = (Instant::now(), input.can_continue);
    // The states of a board are spread evenly over the ranks, so each rank gets an equal part of the limit.
    let share = |limit: u64| limit.div_ceil(context.ranks() as u64);
    let expansions = context.limits.expansions.map(share);
    let limits = Limits { expansions, ..context.limits };
    // With checkpoints, states spill to disk, and the checkpointer stops the search when disk or memory is full.
    let monitor_of = if context.checkpoint_config().is_some() { Monitor::self_limiting } else { Monitor::new };
    let monitor = monitor_of(limits, context.observer, context.stop).with_exchange(context.exchange());
    context.exchange().into_iter().for_each(Exchange::begin_search);
    monitor.run_with_progress(|| {
        let checkpointer = Checkpointer::new(context.checkpoint_config(), &monitor).with_exchange(context.exchange());
        let start = BestFirstSetup::new(space, input, context, &checkpointer, &monitor);
        if let (Err(CheckpointError::Interrupted { .. }), Some(config)) = (&start, context.checkpoint_config()) {
            return Ok((config.unread_outcome(&monitor)?, 0, None));
        }
        let BestFirstSetup { store, ledger, incumbent, open } = start?;
        monitor.begin_layer(ledger.current().map_or(0, |layer| layer.expanded));
        let (team, queues) = Team::new(incumbent, &monitor, context, Queue::new_lifo);
        let search = BestFirstSearch {
            space,
            outgoing: context.exchange().map(|exchange| OutgoingParcels::new(exchange, store.layout())),
            parts: if open.is_some() { 0 } else { store.part_count() },
            inherited: store.extent(),
            is_new: open.is_none(),
            open: Mutex::new(open),
            leftovers: can_continue.then(Mutex::default),
            store,
            team,
            checkpointer,
            layer: AtomicU32::new(ledger.current().map_or(0, |layer| layer.f)),
            frontier_bytes: AtomicU64::new(0),
            parts_read: AtomicUsize::new(0),
            beams,
            context,
            began,
            ledger: Mutex::new(ledger),
        };
        let (outcome, resume_point) = search.run(queues);
        Ok((outcome, monitor.gauges.expanded.load(Relaxed), resume_point))
    })
}

/// The store, the ledger, the incumbent and the open nodes with which a search begins.
struct BestFirstSetup {
    store: Store,
    ledger: Ledger,
    incumbent: Option<Solution>,
    /// Open nodes of the search that this one continues.
    open: Option<Frontier>,
}

impl BestFirstSetup {
    fn new(
        space: &dyn StateSpace,
        input: BestFirstInput,
        context: &Context<'_>,
        checkpointer: &Checkpointer<'_>,
        monitor: &Monitor<'_>,
    ) -> Result<Self, CheckpointError> {
        let lower_bound = space.lower_bound().max(input.lower_bound);
        let BestFirstInput { incumbent: known, resume_point, .. } = input;
        let Some(config) = context.checkpoint_config().filter(|config| config.resume) else {
            if let Some(ResumePoint { store, snapshot, open }) = resume_point {
                let (store, open) = match context.exchange() {
                    Some(exchange) => share_of(store, open, exchange, shards_of(exchange, context)),
                    None => (store, open),
                };
                monitor.gauges.stored.store(store.state_count(), Relaxed);
                return Ok(Self { store, ledger: Ledger::restored(&snapshot), incumbent: known, open: Some(open) });
            }
            let store = match context.exchange() {
                Some(exchange) => {
                    let shards = shards_of(exchange, context);
                    let mut store = Store::new(layout_of(space, shards));
                    store.retain_shards(shards_of_rank(exchange.rank(), exchange.ranks(), shards));
                    store
                }
                None => Store::new(layout_of(space, shards_for(1, context.threads))),
            };
            return Ok(Self { store, ledger: Ledger::new(lower_bound), incumbent: known, open: None });
        };
        let (store, snapshot) = checkpointer.resume(config, ENGINE.info.name)?;
        config.check_rules(space, &snapshot)?;
        let ledger = Ledger::restored(&snapshot);
        let incumbent = Solution::cheaper(known, snapshot.incumbent);
        Ok(Self { store, ledger, incumbent, open: None })
    }
}

/// The number of shards on all ranks together. Ranks may have different numbers of threads.
fn shards_of(exchange: &Exchange, context: &Context<'_>) -> usize {
    let threads = exchange.all_gather(&context.threads);
    shards_for(exchange.ranks(), threads.into_iter().max().unwrap_or(1))
}

/// Returns this rank's share of the search that the leader has prepared: the records and open nodes that this rank
/// owns.
fn share_of(store: Store, open: Frontier, exchange: &Exchange, shards: usize) -> (Store, Frontier) {
    let (mut store, new_id) = store.reshard(shards);
    store.retain_shards(shards_of_rank(exchange.rank(), exchange.ranks(), shards));
    let mut share = Frontier::default();
    for (f, g, id) in open.nodes().map(|(f, g, id)| (f, g, new_id(id))) {
        if store.owns(store.shard_of(id)) {
            share.push(f, g, id);
        }
    }
    (store, share)
}

impl BestFirstSearch<'_> {
    fn run(self, queues: Vec<Queue<Item>>) -> (Outcome, Option<ResumePoint>) {
        let crew = self.team.run(queues, |number, queue| {
            let mut worker = BestFirstWorker::new(&self, number, queue);
            worker.work();
            worker.hand_over();
        });
        let peak_bytes = self.team.monitor.gauges.peak_bytes.load(Relaxed).max(self.store.bytes());
        let of_rank = (self.store.state_count(), peak_bytes);
        let failure = self.checkpointer.finish(Some(&self.store));
        let (stored, peak_bytes) = self.team.sum_of_ranks(of_rank);
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcome = ledger.into_outcome(self.team.incumbent.into_solution());
        let statistics = Statistics { stored, peak_bytes, cpu_seconds: crew.cpu_seconds, ..outcome.statistics };
        let outcome = Outcome { failure, statistics, ..outcome };
        let leftovers = self.leftovers.map(|leftovers| leftovers.into_inner().unwrap_or_else(PoisonError::into_inner));
        let resume_point = leftovers.and_then(|Leftovers { snapshot, open }| {
            Some(ResumePoint { store: self.store, snapshot: snapshot?, open })
        });
        (outcome, resume_point)
    }
}

#[cfg(test)]
pub(super) use batch::tests::Numbers;
