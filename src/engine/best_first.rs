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
//! **Checkpoints** are taken at a barrier, within a layer if need be. A resume gives the same counts. It opens each
//! node in the layer that its record says, and evaluates a node only when its turn comes. So a resume takes little
//! longer than reading the records, and no evaluation is repeated but those of the current layer.
//!
//! Reference: Hart, Nilsson and Raphael (1968) for A*; layer by layer as in Zhou and Hansen's work on frontier search.
//!
//! [`Batch`]: super::batch::Batch

use super::batch::Blocking;
use super::checkpointer::{CheckpointConfig, Checkpointer, check_bound, unusable};
use super::context::Context;
use super::explorer::{Explorer, explore, new_store};
use super::kind::EngineKind;
use super::ledger::Ledger;
use super::outcome::{Outcome, Solution, Statistics};
use super::resume_point::ResumePoint;
use super::snapshot::Snapshot;
use super::team::{REPORT, Team};
use super::work::Work;
use crate::checkpoint::{CheckpointError, Inspection, glance};
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::runtime::{Event, Limits, Monitor, StopReason};
use crate::store::{CHUNK, Chunk, Extent, Frontier, Id, Nodes, RUN_BYTES, Scratch, Store};
use crossbeam::deque::Worker as Queue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A note for a session that ends before its checkpoint is read.
const UNREAD: &str = "stopped while its checkpoint was read: nothing is lost, and nothing is gained; give it more time";

/// Children that a worker collects before it brings them to the store.
const BATCH: usize = 64;

/// The distance, in ids, at which records are prefetched.
const AHEAD: usize = 3;

/// An item of a queue: open nodes of one g.
type Item = (Cost, Nodes);

/// A function that is called between layers, with the expansions so far, the f of the next layer and the incumbent.
pub(super) type BetweenLayersHook<'a> = dyn Fn(Expanded, Cost, Option<Solution>) -> BetweenLayers + Sync + 'a;

/// Numbers of expanded states.
#[derive(Clone, Copy)]
pub(super) struct Expanded {
    /// In all layers, earlier sessions included.
    pub(super) in_layers: u64,
    /// In this session, by all engines. It counts against the limits of the session.
    pub(super) in_session: u64,
    /// In the last finished layer and in the one before, if this search began both.
    pub(super) in_last_two: Option<[u64; 2]>,
}

/// What another engine did between two layers.
#[derive(Default)]
pub(super) struct BetweenLayers {
    /// A solution that may be better than the incumbent.
    pub(super) better: Option<Solution>,
    /// States that the other engine expanded. They count against the limits of this search and appear in its progress.
    pub(super) expanded: u64,
    /// Whether to end the search here, as if its limit of expansions were reached.
    pub(super) ends: bool,
}

/// What a search knows when it begins.
#[derive(Default)]
pub(super) struct BestFirstInput {
    /// A solution found before. Only cheaper ones are searched.
    pub(super) incumbent: Option<Solution>,
    /// Where another search stopped. This search continues from there.
    pub(super) resume_point: Option<ResumePoint>,
    /// Whether the run was stopped while its bound was being refined. Then this search only writes a checkpoint that
    /// records the interruption.
    pub(super) refinement_interrupted: bool,
}

/// Runs the search. Returns the outcome, and the number of states expanded in this session.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn StateSpace,
    input: BestFirstInput,
    between_layers: &BetweenLayersHook<'_>,
    context: &Context<'_>,
) -> Result<(Outcome, u64), CheckpointError> {
    let (outcome, in_session, _) = run_from(space, input, between_layers, context, false)?;
    Ok((outcome, in_session))
}

/// [`run`] with one thread and without checkpoints. Returns a resume point as well if the search can continue. The
/// store is laid out for one thread, also for the search that continues.
///
/// # Errors
/// None in practice: nothing is read from disk.
pub(super) fn probe(
    space: &dyn StateSpace,
    input: BestFirstInput,
    between_layers: &BetweenLayersHook<'_>,
    context: &Context<'_>,
) -> Result<(Outcome, u64, Option<ResumePoint>), CheckpointError> {
    let alone = Context { threads: 1, keep: None, ..*context };
    run_from(space, input, between_layers, &alone, true)
}

fn run_from(
    space: &dyn StateSpace,
    input: BestFirstInput,
    between_layers: &BetweenLayersHook<'_>,
    context: &Context<'_>,
    can_continue: bool,
) -> Result<(Outcome, u64, Option<ResumePoint>), CheckpointError> {
    // With checkpoints, states spill to disk, and the checkpointer stops the search when the disk is full too.
    let memory = if context.keep.is_some() { None } else { context.limits.memory };
    let resident = if context.keep.is_some() { None } else { context.limits.resident };
    let monitor = Monitor::new(Limits { memory, resident, ..context.limits }, context.observer, context.stop);
    monitor.watch(|| {
        let refinement_interrupted = input.refinement_interrupted;
        let checkpointer = Checkpointer::new(context.keep, &monitor);
        let start = BestFirstSetup::new(space, input, context, &checkpointer, &monitor);
        if let (Err(CheckpointError::Interrupted { .. }), Some(keep)) = (&start, context.keep) {
            monitor.tell(&Event::Note(UNREAD));
            return Ok((unread(keep, monitor.stopped())?, 0, None));
        }
        let BestFirstSetup { store, ledger, incumbent, open } = start?;
        let (team, queues) = Team::new(incumbent, &monitor, context, Queue::new_lifo);
        let search = BestFirstSearch {
            space,
            parts: if open.is_some() { 0 } else { store.parts() },
            old: store.extent(),
            is_new: open.is_none(),
            open: Mutex::new(open),
            leftovers: can_continue.then(Mutex::default),
            store,
            team,
            checkpointer,
            refinement_interrupted,
            layer: AtomicU32::new(ledger.current().map_or(0, |layer| layer.f)),
            frontier_bytes: AtomicU64::new(0),
            parts_read: AtomicUsize::new(0),
            between_layers,
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
    /// Open nodes that another search left.
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
        let lower_bound = space.lower_bound();
        let BestFirstInput { incumbent: known, resume_point, .. } = input;
        let Some(keep) = context.keep.filter(|keep| keep.resume) else {
            if let Some(ResumePoint { store, snapshot, open }) = resume_point {
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

/// The outcome of a run that was stopped before its checkpoint was read back. The outcome is taken from the snapshot in
/// the checkpoint.
///
/// # Errors
/// When the checkpoint cannot be used.
pub(super) fn unread(keep: &CheckpointConfig, stopped: Option<StopReason>) -> Result<Outcome, CheckpointError> {
    let Inspection { payload, records, .. } = glance(&keep.files)?;
    let snapshot = Snapshot::decode(&payload).map_err(|reason| unusable(keep, &reason))?;
    let Snapshot { lower_bound, layers, current, incumbent, work, .. } = snapshot;
    let layers = layers.into_iter().chain(current).collect();
    let statistics = Statistics { stored: records, layers, ..Statistics::from(work) };
    Ok(Outcome { incumbent, lower_bound, stopped, failure: None, statistics })
}

/// What the workers of a search share.
struct BestFirstSearch<'a> {
    space: &'a dyn StateSpace,
    store: Store,
    team: Team<'a, Item>,
    checkpointer: Checkpointer<'a>,
    refinement_interrupted: bool,
    /// The f of the current layer. [`Cost::MAX`] when the search is over.
    layer: AtomicU32,
    /// Bytes of the open nodes of all workers.
    frontier_bytes: AtomicU64,
    /// The parts of a store that was read back, and the number of parts whose open nodes a worker has taken.
    parts: usize,
    parts_read: AtomicUsize,
    /// Whether the search begins at the root, if no store was read back.
    is_new: bool,
    /// Open nodes that another search left, until a worker takes them.
    open: Mutex<Option<Frontier>>,
    /// The records of that search, or of the checkpoint. Their nodes are evaluated when their turn comes.
    old: Extent,
    /// Receives the data with which another search continues, if one is to continue.
    leftovers: Option<Mutex<Leftovers>>,
    between_layers: &'a BetweenLayersHook<'a>,
    ledger: Mutex<Ledger>,
}

/// What a search leaves behind for another one: its snapshot and its open nodes.
#[derive(Default)]
struct Leftovers {
    snapshot: Option<Snapshot>,
    open: Frontier,
}

impl BestFirstSearch<'_> {
    fn run(self, queues: Vec<Queue<Item>>) -> (Outcome, Option<ResumePoint>) {
        let work = explore((self.space, false), &self.team, &self.store, queues, |number, queue, explorer| {
            let mut worker = BestFirstWorker::new(&self, number, queue, explorer);
            worker.work();
            worker.hand_over();
            worker.explorer
        });
        let failure = self.checkpointer.finish(Some(&self.store));
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        // The ledger includes earlier sessions.
        let Work { expanded, generated, evaluated, reopened } = ledger.work();
        let outcome = Outcome {
            failure,
            stopped: self.team.monitor.stopped().filter(|_| !ledger.proven()),
            incumbent: self.team.incumbent.into_solution(),
            lower_bound: ledger.lower_bound(),
            statistics: Statistics { expanded, generated, evaluated, reopened, layers: ledger.into_layers(), ..work },
        };
        let leftovers = self.leftovers.map(|leftovers| leftovers.into_inner().unwrap_or_else(PoisonError::into_inner));
        let resume_point = leftovers.and_then(|Leftovers { snapshot, open }| {
            Some(ResumePoint { store: self.store, snapshot: snapshot?, open })
        });
        (outcome, resume_point)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    /// Decides how to go on, at the end of a layer or within it. One worker calls this while all others wait.
    fn decide_at_barrier(&self) {
        self.checkpointer.check(Some(&self.store));
        let between = |ledger: &Ledger, next| self.improve(ledger, next);
        let layer = self.ledger().decide(&self.team, |ledger| self.take_checkpoint(ledger), between);
        self.layer.store(layer.unwrap_or(Cost::MAX), Relaxed);
    }

    /// Takes a checkpoint if one is due, and a snapshot for a search that is to continue.
    fn take_checkpoint(&self, ledger: &Ledger) {
        self.checkpointer.take_at_barrier(Some(&self.store), || {
            let snapshot = ledger.snapshot(self.team.incumbent.solution(), self.space.serialize_refinement());
            Some(Snapshot { refinement_interrupted: self.refinement_interrupted, ..snapshot })
        });
        if let Some(leftovers) = &self.leftovers {
            lock(leftovers).snapshot = Some(ledger.snapshot(None, Vec::new()));
        }
    }

    /// Calls the function between layers, before layer `next`, and takes a better solution.
    fn improve(&self, ledger: &Ledger, next: Cost) {
        let gauge = &self.team.monitor.gauges.expanded;
        let so_far =
            Expanded { in_layers: ledger.expanded(), in_session: gauge.load(Relaxed), in_last_two: ledger.last_two() };
        let between = (self.between_layers)(so_far, next, self.team.incumbent.solution());
        let BetweenLayers { better, expanded, ends } = between;
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

/// One worker of a search.
struct BestFirstWorker<'s, 'a> {
    search: &'s BestFirstSearch<'a>,
    number: usize,
    explorer: Explorer<'s, 'a>,
    /// Full chunks of the current layer. Others may steal them.
    queue: Queue<Item>,
    frontier: Frontier,
    /// The f of the current layer.
    layer: Cost,
    /// The chunk that nodes are taken from, and their g.
    current: (Cost, Box<Chunk>),
    /// The file to which open nodes spill; `None` before the first spill.
    scratch: Option<Arc<Scratch>>,
    /// Nodes opened with another bound and evaluated again.
    reevaluated: u64,
    /// The work that the ledger contains already.
    submitted: Work,
    /// Bytes of the frontier that the common account contains already.
    reported_bytes: u64,
}

impl<'s, 'a> BestFirstWorker<'s, 'a> {
    fn new(search: &'s BestFirstSearch<'a>, number: usize, queue: Queue<Item>, explorer: Explorer<'s, 'a>) -> Self {
        Self {
            search,
            number,
            explorer,
            queue,
            frontier: Frontier::default(),
            layer: 0,
            current: (0, Box::default()),
            scratch: None,
            reevaluated: 0,
            submitted: Work::default(),
            reported_bytes: 0,
        }
    }

    /// Works on one layer after another until the search is over.
    fn work(&mut self) {
        self.begin();
        loop {
            self.submit_counts();
            if self.search.team.crew.barrier(|| self.search.decide_at_barrier()).is_err() {
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

    /// Leaves the open nodes to another search, if one is to continue.
    fn hand_over(&mut self) {
        let Some(leftovers) = &self.search.leftovers else { return };
        while let Some((g, nodes)) = self.queue.pop() {
            self.take((g, nodes));
            while let Some(id) = self.current.1.pop() {
                self.frontier.push(self.layer, g, id);
            }
        }
        lock(leftovers).open = std::mem::take(&mut self.frontier);
    }

    /// Opens the root, or its share of the nodes that were open at the last checkpoint.
    fn begin(&mut self) {
        let search = self.search;
        if let Some(open) = lock(&search.open).take() {
            self.frontier = open;
        }
        if search.parts == 0 && search.is_new && self.number == 0 {
            self.explorer.begin();
            self.flush(Blocking::Wait);
        }
        let floor = search.layer.load(Relaxed);
        while let part = search.parts_read.fetch_add(1, Relaxed)
            && part < search.parts
            // A pause has to wait: the layer must not end while open nodes are missing. Only a stop ends the loop
            // early.
            && search.team.monitor.stopped().is_none()
        {
            self.explorer.reopen(part, floor, |f, g, id| self.frontier.push(f, g, id));
            self.spill();
            self.report_gauges();
        }
    }

    /// Adds the work of this worker to the ledger, and announces its open nodes.
    fn submit_counts(&mut self) {
        self.report_gauges();
        self.explorer.note_closed();
        let now = self.explorer.work();
        let mut ledger = self.search.ledger();
        ledger.add(now - self.submitted);
        self.submitted = now;
        if !self.queue.is_empty() {
            ledger.announce(self.layer, (self.queue.len() * CHUNK) as u64);
        }
        if let Some(lowest) = self.frontier.lowest() {
            ledger.announce(lowest, self.frontier.len_of(lowest));
        }
    }

    /// Expands nodes until the layer is empty on all workers, or until all workers are asked to come to the barrier.
    fn drain(&mut self) {
        let monitor = self.search.team.monitor;
        while !monitor.leaving() {
            if let Some(cost) = self.explorer.expand_woken(self.layer) {
                self.stop_if_optimal(cost);
            } else if let Some(id) = self.next() {
                if self.search.old.holds(id) && !self.is_in_layer(id) {
                    continue;
                }
                let cost = self.explorer.expand(id, self.layer);
                self.stop_if_optimal(cost);
            } else if self.explorer.pending() > 0 {
                self.flush(Blocking::Wait);
            } else if let Some(item) = self.search.team.steal(self.number) {
                self.take(item);
            } else {
                return;
            }
            if self.explorer.pending() >= BATCH {
                self.flush(Blocking::Skip);
            }
        }
        if !monitor.is_finished() {
            self.finish_pending();
        }
    }

    /// Completes unfinished work before a barrier. Afterwards every closed state has all its children in the store, and
    /// every open node is in the frontier or in the queue.
    fn finish_pending(&mut self) {
        loop {
            while let Some(cost) = self.explorer.expand_woken(self.layer) {
                self.stop_if_optimal(cost);
            }
            if self.explorer.pending() == 0 {
                break;
            }
            self.flush(Blocking::Wait);
        }
        if !self.current.1.is_empty() {
            let (g, chunk) = std::mem::take(&mut self.current);
            self.queue.push((g, Nodes::Chunk(chunk)));
        }
    }

    /// Ends the search if a solution of this cost is optimal: it costs no more than the current layer, and all lower
    /// layers are empty.
    #[inline]
    fn stop_if_optimal(&self, cost: Cost) {
        if cost <= self.layer {
            self.search.team.monitor.finish();
        }
    }

    /// Evaluates a node that was opened with another bound. Returns whether it belongs to the current layer. If it
    /// belongs to a later one, it moves there; if it cannot beat the incumbent, it is dropped.
    fn is_in_layer(&mut self, id: Id) -> bool {
        let Some((f, g)) = self.explorer.reevaluate(id, self.layer) else { return false };
        if f > self.layer {
            self.frontier.push(f, g, id);
        }
        self.reevaluated += 1;
        if self.reevaluated.is_multiple_of(REPORT) {
            self.check_surroundings();
        }
        f <= self.layer
    }

    /// The next open node of this worker: first from its partly filled chunks, the highest g first, then from its
    /// queue.
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

    /// Makes an item the current chunk. If the item is a run on disk, its other chunks go to the queue.
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

    /// Spills open nodes to disk if this worker holds more than its share of the budget in memory.
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
            // Spill down to half the budget, so that spilling is rare.
            self.frontier.spill(self.layer, budget / 2, scratch);
        }
    }

    /// Brings the collected children to the store and opens the new ones.
    fn flush(&mut self, blocking: Blocking) {
        self.explorer.flush(self.layer, blocking);
        for child in self.explorer.admitted.drain(..) {
            if child.f > self.layer {
                self.frontier.push(child.f, child.g, child.id);
            } else if let Some(full) = self.frontier.push_apart(child.f, child.g, child.id) {
                self.queue.push((child.g, Nodes::Chunk(full)));
            }
        }
        if blocking == Blocking::Wait || self.explorer.unreported() >= REPORT {
            self.check_surroundings();
        }
    }

    /// Spills open nodes, updates the gauges, and checks the limits and whether a checkpoint is due.
    fn check_surroundings(&mut self) {
        self.spill();
        self.report_gauges();
        self.search.team.monitor.check_limits();
        self.search.checkpointer.check(Some(&self.search.store));
    }

    /// Updates the gauges: work, and bytes of store and open nodes.
    fn report_gauges(&mut self) {
        let gauges = &self.search.team.monitor.gauges;
        self.explorer.report(gauges);
        let frontier = self.frontier.bytes();
        let others = self
            .search
            .frontier_bytes
            .fetch_add(frontier.wrapping_sub(self.reported_bytes), Relaxed)
            .wrapping_sub(self.reported_bytes);
        self.reported_bytes = frontier;
        gauges.hold(self.search.store.bytes() + others.wrapping_add(frontier));
    }
}
