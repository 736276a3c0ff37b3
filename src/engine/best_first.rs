//! Layered best-first search: A* with its open list cut into layers of equal f, drained by any number of workers.
//!
//! Open nodes lie in stacks `[f][g]`, each worker with its own. Layer `f` is drained from the highest g down; full
//! chunks of it lie in a work-stealing queue. Children go to the store in batches: first they meet what is known, then
//! the new ones are evaluated (which costs most), then those below the incumbent are admitted. When the layer is
//! empty on every worker, no solution costs `f` or less, and the lowest layer left comes next.
//!
//! **Optimal** with every admissible bound: the search ends when the lowest open f reaches the incumbent's cost. With a
//! consistent one a state has its least g when it is expanded, no state is opened again, and the number of states
//! expanded in each layer below the optimum depends on neither the number of workers nor their speed. With an
//! inconsistent one a child takes at least the f of its parent, and closed states may be opened again.
//!
//! Reference: Hart, Nilsson, Raphael (1968) for A*; a layer at a time as in Zhou and Hansen's work on frontier search.

use super::batch::Patience;
use super::checkpointer::{CheckpointConfig, Checkpointer, check_bound, unusable};
use super::explorer::{Explorer, explore, new_store};
use super::ledger::Ledger;
use super::snapshot::{Snapshot, Work};
use super::team::{REPORT, Team};
use super::{Context, EngineKind, Outcome, Solution, Statistics};
use crate::checkpoint::{CheckpointError, Inspection, glance};
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::runtime::{Limits, Monitor, StopReason};
use crate::store::{CHUNK, Chunk, Extent, Frontier, Id, Nodes, RUN_BYTES, Reading, Scratch, Store};
use crossbeam::deque::Worker as Queue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Children that a worker collects before it goes to the store.
const BATCH: usize = 64;

/// How many ids ahead records are prefetched.
const AHEAD: usize = 3;

/// Open nodes of one g, as they lie in queues.
type Item = (Cost, Nodes);

/// Called between layers with the work so far, the f of the next layer and the best solution held; may know a better one.
pub(super) type BetweenLayers<'a> = dyn Fn(Expanded, Cost, Option<Solution>) -> Interlude + Sync + 'a;

/// Numbers of states expanded.
#[derive(Clone, Copy)]
pub(super) struct Expanded {
    /// In all layers, those of earlier sessions included.
    pub(super) in_layers: u64,
    /// In this session, by whomever: what counts against its limits.
    pub(super) in_session: u64,
    /// In the last layer, and in the one before, if this search began both.
    pub(super) in_last_two: Option<[u64; 2]>,
}

/// What another engine did between two layers.
#[derive(Default)]
pub(super) struct Interlude {
    pub(super) better: Option<Solution>,
    /// States that it expanded. They count against the limit of this search and show in its progress.
    pub(super) expanded: u64,
    /// Whether the search had better end here, as if it had no expansions left.
    pub(super) ends: bool,
}

/// What a search knows at its beginning.
#[derive(Default)]
pub(super) struct Known {
    /// A solution found before; only cheaper ones are looked for.
    pub(super) incumbent: Option<Solution>,
    /// Where another search stopped, to go on from there.
    pub(super) begun: Option<Begun>,
    /// Whether it stopped while its bound was being sharpened, and this search is only to keep that on disk.
    pub(super) being_sharpened: bool,
}

/// A search that was stopped. It can go on with another bound, which finds each open node where the old one put it: a node is
/// evaluated anew when its turn comes, and put off when the new bound says more. Nothing is lost by that when the new
/// bound is nowhere less than the old one.
pub(super) struct Begun {
    store: Store,
    snapshot: Snapshot,
    open: Frontier,
}

impl Begun {
    /// States expanded.
    pub(super) fn expanded(&self) -> u64 {
        self.snapshot.work.expanded
    }

    /// Somebody else has proven this.
    pub(super) fn raise(&mut self, lower_bound: Cost) {
        self.snapshot.lower_bound = self.snapshot.lower_bound.max(lower_bound);
    }

    /// About so many of the states that were expanded and that the bound of `space` does not spare, evenly spread, as packed keys. They
    /// depend on neither clock nor chance when there was one thread and no limit but that of expansions.
    pub(super) fn sample(&self, space: &dyn StateSpace, count: usize) -> Vec<Box<[u8]>> {
        // Most states may be older than the bound, and spared by it.
        const SPARED: u64 = 8;
        let layer = self.snapshot.current.map_or(0, |layer| layer.f);
        let mut expander = space.expander();
        let (wanted, mut sample) = (count as u64 * SPARED, Vec::new());
        self.store.sample_closed(wanted, self.expanded(), &mut Reading::default(), |key, g| {
            if expander.evaluate_key(key, g, layer + 1).is_some() {
                sample.push(Box::from(key));
            }
        });
        let step = sample.len().div_ceil(count).max(1);
        sample.into_iter().step_by(step).collect()
    }
}

/// Runs the search. Returns with the outcome how many states were expanded in this session.
///
/// # Errors
/// When it is to go on behind a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn StateSpace,
    known: Known,
    between_layers: &BetweenLayers<'_>,
    context: &Context<'_>,
) -> Result<(Outcome, u64), CheckpointError> {
    let (outcome, in_session, _) = run_from(space, known, between_layers, context, false)?;
    Ok((outcome, in_session))
}

/// [`run`] with one thread, in a store that is made for one whoever goes on with it, and without a disk. Where it stops, it can
/// go on.
pub(super) fn probe(
    space: &dyn StateSpace,
    known: Known,
    between_layers: &BetweenLayers<'_>,
    context: &Context<'_>,
) -> Result<(Outcome, u64, Option<Begun>), CheckpointError> {
    let alone = Context { threads: 1, keep: None, ..*context };
    run_from(space, known, between_layers, &alone, true)
}

fn run_from(
    space: &dyn StateSpace,
    known: Known,
    between_layers: &BetweenLayers<'_>,
    context: &Context<'_>,
    goes_on: bool,
) -> Result<(Outcome, u64, Option<Begun>), CheckpointError> {
    // With a disk, what does not fit into memory goes there; the checkpointer stops the search when that is full too.
    let memory = if context.keep.is_some() { None } else { context.limits.memory };
    let monitor = Monitor::new(Limits { memory, ..context.limits }, context.observer, context.stop);
    monitor.watch(|| {
        let being_sharpened = known.being_sharpened;
        let checkpointer = Checkpointer::new(context.keep, &monitor);
        let start = Start::new(space, known, context, &checkpointer, &monitor);
        if let (Err(CheckpointError::Interrupted { .. }), Some(keep)) = (&start, context.keep) {
            return Ok((unread(keep, monitor.stopped())?, 0, None));
        }
        let Start { store, ledger, incumbent, open } = start?;
        let (team, queues) = Team::new(incumbent, &monitor, context, Queue::new_lifo);
        let search = Search {
            space,
            parts: if open.is_some() { 0 } else { store.parts() },
            old: open.as_ref().map_or_else(Extent::default, |_| store.extent()),
            is_new: open.is_none(),
            open: Mutex::new(open),
            left: goes_on.then(Mutex::default),
            store,
            team,
            checkpointer,
            being_sharpened,
            layer: AtomicU32::new(ledger.current().map_or(0, |layer| layer.f)),
            frontier_bytes: AtomicU64::new(0),
            parts_read: AtomicUsize::new(0),
            between_layers,
            ledger: Mutex::new(ledger),
        };
        let (outcome, begun) = search.run(queues);
        Ok((outcome, monitor.gauges.expanded.load(Relaxed), begun))
    })
}

/// What a search begins with.
struct Start {
    store: Store,
    ledger: Ledger,
    incumbent: Option<Solution>,
    /// Where another search left open nodes.
    open: Option<Frontier>,
}

impl Start {
    fn new(
        space: &dyn StateSpace,
        known: Known,
        context: &Context<'_>,
        checkpointer: &Checkpointer<'_>,
        monitor: &Monitor<'_>,
    ) -> Result<Self, CheckpointError> {
        let lower_bound = space.lower_bound();
        let Known { incumbent: known, begun, .. } = known;
        let Some(keep) = context.keep.filter(|keep| keep.resume) else {
            if let Some(Begun { store, snapshot, open }) = begun {
                monitor.gauges.stored.store(store.records(), Relaxed);
                return Ok(Self { store, ledger: Ledger::restored(&snapshot), incumbent: known, open: Some(open) });
            }
            let store = new_store(space, context.threads);
            return Ok(Self { store, ledger: Ledger::above(lower_bound), incumbent: known, open: None });
        };
        let (store, snapshot) = checkpointer.resume(keep, EngineKind::BestFirst)?;
        check_bound(keep, space, &snapshot)?;
        let ledger = Ledger::restored(&snapshot);
        let better = |held: &Solution| known.as_ref().is_none_or(|known| held.cost < known.cost);
        let incumbent = snapshot.incumbent.filter(better).or(known);
        Ok(Self { store, ledger, incumbent, open: None })
    }
}

/// The outcome when a checkpoint was not even read to its end: what it holds.
pub(super) fn unread(keep: &CheckpointConfig, stopped: Option<StopReason>) -> Result<Outcome, CheckpointError> {
    let Inspection { payload, records, .. } = glance(&keep.files)?;
    let snapshot = Snapshot::decode(&payload).map_err(|reason| unusable(keep, &reason))?;
    let Snapshot { lower_bound, layers, current, incumbent, work, .. } = snapshot;
    let layers = layers.into_iter().chain(current).collect();
    let statistics = Statistics { stored: records, layers, ..Statistics::from(work) };
    Ok(Outcome { incumbent, lower_bound, stopped, failure: None, statistics })
}

/// What the workers share.
struct Search<'a> {
    space: &'a dyn StateSpace,
    store: Store,
    team: Team<'a, Item>,
    checkpointer: Checkpointer<'a>,
    being_sharpened: bool,
    /// The f under way.
    layer: AtomicU32,
    /// Bytes of all workers' frontiers.
    frontier_bytes: AtomicU64,
    /// Parts of a store that was read back, and how many of them somebody has taken the open nodes of.
    parts: usize,
    parts_read: AtomicUsize,
    /// Whether the root is still to be opened, when nothing was read back.
    is_new: bool,
    /// Open nodes that another search left, as long as no worker has them, and the states that it stored.
    open: Mutex<Option<Frontier>>,
    old: Extent,
    /// What is left for another search to go on with, if that is wanted.
    left: Option<Mutex<Left>>,
    between_layers: &'a BetweenLayers<'a>,
    ledger: Mutex<Ledger>,
}

/// What a search leaves: its accounts and its open nodes.
#[derive(Default)]
struct Left {
    snapshot: Option<Snapshot>,
    open: Frontier,
}

impl Search<'_> {
    fn run(self, queues: Vec<Queue<Item>>) -> (Outcome, Option<Begun>) {
        let work = explore((self.space, false), &self.team, &self.store, queues, |number, queue, explorer| {
            let mut worker = Worker::new(&self, number, queue, explorer);
            worker.work();
            worker.leave();
            worker.explorer
        });
        let failure = self.checkpointer.finish(Some(&self.store));
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        // With that of earlier sessions.
        let Work { expanded, generated, evaluated, reopened } = ledger.work();
        let outcome = Outcome {
            failure,
            stopped: self.team.monitor.stopped().filter(|_| !ledger.proven()),
            incumbent: self.team.incumbent.into_solution(),
            lower_bound: ledger.lower_bound(),
            statistics: Statistics { expanded, generated, evaluated, reopened, layers: ledger.into_layers(), ..work },
        };
        let left = self.left.map(|left| left.into_inner().unwrap_or_else(PoisonError::into_inner));
        let begun =
            left.and_then(|Left { snapshot, open }| Some(Begun { store: self.store, snapshot: snapshot?, open }));
        (outcome, begun)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    /// Decides, alone, what comes after a layer, or in its midst.
    fn turn_over(&self) {
        self.checkpointer.check(Some(&self.store));
        let between = |ledger: &Ledger, next| self.improve(ledger, next);
        let layer = self.ledger().settle(&self.team, |ledger| self.take_checkpoint(ledger), between);
        self.layer.store(layer.unwrap_or(Cost::MAX), Relaxed);
    }

    fn take_checkpoint(&self, ledger: &Ledger) {
        self.checkpointer.take_at_barrier(Some(&self.store), || {
            let snapshot = ledger.snapshot(self.team.incumbent.solution(), self.space.recipe());
            Some(Snapshot { being_sharpened: self.being_sharpened, ..snapshot })
        });
        if let Some(left) = &self.left {
            lock(left).snapshot = Some(ledger.snapshot(None, Vec::new()));
        }
    }

    /// Lets others look for a better solution, with these accounts of the layers so far and the layer `next` to come.
    fn improve(&self, ledger: &Ledger, next: Cost) {
        let gauge = &self.team.monitor.gauges.expanded;
        let so_far =
            Expanded { in_layers: ledger.expanded(), in_session: gauge.load(Relaxed), in_last_two: ledger.last_two() };
        let interlude = (self.between_layers)(so_far, next, self.team.incumbent.solution());
        let Interlude { better, expanded, ends } = interlude;
        gauge.fetch_add(expanded, Relaxed);
        if let Some(better) = better {
            self.team.incumbent.offer(better.cost, || better.moves);
        }
        if ends {
            self.team.monitor.end(StopReason::ExpansionLimit);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One worker.
struct Worker<'s, 'a> {
    search: &'s Search<'a>,
    number: usize,
    explorer: Explorer<'s, 'a>,
    /// Full chunks of the layer under way; others may steal them.
    queue: Queue<Item>,
    frontier: Frontier,
    /// The f under way.
    layer: Cost,
    /// The chunk being worked off.
    current: (Cost, Box<Chunk>),
    /// Where open nodes go for which there is no room, once there was none.
    scratch: Option<Arc<Scratch>>,
    /// Nodes opened under another bound that were looked at again.
    appraised: u64,
    /// What the ledger was told so far.
    accounted: Work,
    /// Bytes of the frontier, as the common account knows them.
    held: u64,
}

impl<'s, 'a> Worker<'s, 'a> {
    fn new(search: &'s Search<'a>, number: usize, queue: Queue<Item>, explorer: Explorer<'s, 'a>) -> Self {
        Self {
            search,
            number,
            explorer,
            queue,
            frontier: Frontier::default(),
            layer: 0,
            current: (0, Box::default()),
            scratch: None,
            appraised: 0,
            accounted: Work::default(),
            held: 0,
        }
    }

    fn work(&mut self) {
        self.begin();
        loop {
            self.settle_accounts();
            if self.search.team.crew.barrier(|| self.search.turn_over()).is_err() {
                return;
            }
            let layer = self.search.layer.load(Relaxed);
            if layer == Cost::MAX {
                return;
            }
            self.layer = layer;
            self.frontier.truncate(self.search.team.incumbent.cost());
            for work in self.frontier.take_full(self.layer) {
                self.queue.push(work);
            }
            self.drain();
        }
    }

    /// Leaves its open nodes to another search, if that is wanted.
    fn leave(&mut self) {
        let Some(left) = &self.search.left else { return };
        while let Some((g, nodes)) = self.queue.pop() {
            self.take((g, nodes));
            while let Some(id) = self.current.1.pop() {
                self.frontier.push(self.layer, g, id);
            }
        }
        lock(left).open = std::mem::take(&mut self.frontier);
    }

    /// Opens the root, or its share of the nodes that were open at the last checkpoint.
    fn begin(&mut self) {
        let search = self.search;
        if let Some(open) = lock(&search.open).take() {
            self.frontier = open;
        }
        if search.parts == 0 && search.is_new && self.number == 0 {
            self.explorer.begin();
            self.flush(Patience::Waits);
        }
        let floor = search.layer.load(Relaxed);
        while let part = search.parts_read.fetch_add(1, Relaxed)
            && part < search.parts
            // A meeting has to wait: nobody may go on while open nodes are missing.
            && search.team.monitor.stopped().is_none()
        {
            self.explorer.reopen(part, floor, |f, g, id| self.frontier.push(f, g, id));
            self.spill();
            self.tell_gauges();
        }
    }

    /// Adds what this worker did in the layer to the layer's account, and says where its next open nodes are.
    fn settle_accounts(&mut self) {
        self.tell_gauges();
        self.explorer.note_closed();
        let now = self.explorer.work();
        let mut ledger = self.search.ledger();
        ledger.add(now - self.accounted);
        self.accounted = now;
        if !self.queue.is_empty() {
            ledger.announce(self.layer, (self.queue.len() * CHUNK) as u64);
        }
        if let Some(lowest) = self.frontier.lowest() {
            ledger.announce(lowest, self.frontier.len_of(lowest));
        }
    }

    /// Works until the layer is over everywhere, or until all are to meet.
    fn drain(&mut self) {
        let monitor = self.search.team.monitor;
        while !monitor.leaving() {
            if let Some(cost) = self.explorer.expand_woken(self.layer) {
                self.solved(cost);
            } else if let Some(id) = self.next() {
                if self.search.old.holds(id) && !self.is_due(id) {
                    continue;
                }
                let cost = self.explorer.expand(id, self.layer);
                self.solved(cost);
            } else if self.explorer.pending() > 0 {
                self.flush(Patience::Waits);
            } else if let Some(item) = self.search.team.steal(self.number) {
                self.take(item);
            } else {
                return;
            }
            if self.explorer.pending() >= BATCH {
                self.flush(Patience::GoesOn);
            }
        }
        if !monitor.is_finished() {
            self.lay_down();
        }
    }

    /// Puts away what is in hand: afterwards every closed state has all its children in the store.
    fn lay_down(&mut self) {
        loop {
            while let Some(cost) = self.explorer.expand_woken(self.layer) {
                self.solved(cost);
            }
            if self.explorer.pending() == 0 {
                break;
            }
            self.flush(Patience::Waits);
        }
        if !self.current.1.is_empty() {
            let (g, chunk) = std::mem::take(&mut self.current);
            self.queue.push((g, Nodes::Chunk(chunk)));
        }
    }

    /// Everything below this layer is exhausted: a solution of this cost is optimal.
    #[inline]
    fn solved(&self, cost: Cost) {
        if cost <= self.layer {
            self.search.team.monitor.finish();
        }
    }

    /// Whether a node that was opened under another bound belongs into this layer. If not, it is put off to its own, if it
    /// has one.
    fn is_due(&mut self, id: Id) -> bool {
        let Some((f, g)) = self.explorer.appraise(id, self.layer) else { return false };
        if f > self.layer {
            self.frontier.push(f, g, id);
        }
        self.appraised += 1;
        if self.appraised.is_multiple_of(REPORT) {
            self.look_around();
        }
        f <= self.layer
    }

    /// The next open node of this worker: the highest g first among its partly filled chunks, then its queue.
    #[inline]
    fn next(&mut self) -> Option<Id> {
        while self.current.1.is_empty() {
            match self.frontier.pop_partial(self.layer) {
                Some(partial) => self.current = partial,
                None => self.queue.pop().map(|item| self.take(item))?,
            }
        }
        if let Some(ahead) = self.current.1.peek(AHEAD) {
            self.search.store.prefetch_record(ahead);
        }
        self.current.1.pop()
    }

    /// Begins with a chunk; of those that come from disk the others go into the queue.
    fn take(&mut self, (g, nodes): Item) {
        match nodes {
            Nodes::Chunk(chunk) => self.current = (g, chunk),
            Nodes::Run(run) => {
                let mut chunks = run.read();
                self.current = (g, chunks.pop().unwrap_or_default());
                chunks.into_iter().for_each(|chunk| self.queue.push((g, Nodes::Chunk(chunk))));
            }
        }
    }

    /// Sends open nodes to disk when there are too many in memory.
    fn spill(&mut self) {
        let search = self.search;
        let Some(backing) = search.store.backing() else { return };
        let Some(budget) = backing.open_nodes_budget().map(|all| all / search.team.workers() as u64) else { return };
        if self.frontier.bytes() <= budget {
            return;
        }
        if self.scratch.is_none() {
            self.scratch = backing.scratch(self.number, RUN_BYTES);
        }
        if let Some(scratch) = &self.scratch {
            // Some at a time, so that it need not be done each time.
            self.frontier.spill(self.layer, budget / 2, scratch);
        }
    }

    /// Brings the collected children to the store and opens what is new.
    fn flush(&mut self, patience: Patience) {
        self.explorer.flush(self.layer, patience);
        for child in self.explorer.admitted.drain(..) {
            if child.f > self.layer {
                self.frontier.push(child.f, child.g, child.id);
            } else if let Some(full) = self.frontier.push_apart(child.f, child.g, child.id) {
                self.queue.push((child.g, Nodes::Chunk(full)));
            }
        }
        if patience == Patience::Waits || self.explorer.untold() >= REPORT {
            self.look_around();
        }
    }

    /// Sees to limits, gauges and room.
    fn look_around(&mut self) {
        self.spill();
        self.tell_gauges();
        self.search.team.monitor.check_limits();
        self.search.checkpointer.check(Some(&self.search.store));
    }

    /// Brings the gauges up to date.
    fn tell_gauges(&mut self) {
        let gauges = &self.search.team.monitor.gauges;
        self.explorer.tell(gauges);
        let frontier = self.frontier.bytes();
        let others =
            self.search.frontier_bytes.fetch_add(frontier.wrapping_sub(self.held), Relaxed).wrapping_sub(self.held);
        self.held = frontier;
        gauges.hold(self.search.store.bytes() + others.wrapping_add(frontier));
    }
}
