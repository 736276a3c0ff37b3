//! IDA*: the layers of best-first search, searched depth-first with a table of bounded size.
//!
//! Each *layer* is a whole depth-first search from the root that stops at states with an f above its *threshold*. If
//! the search finds no solution, no solution costs the threshold or less, and the least f that was cut off is the next
//! threshold. The only memory of a state is an entry in a transposition table ([`Table`]), which may forget. A
//! forgotten state is searched again. So a limit on memory costs time, not the proof.
//!
//! Each worker has a stack of its own. When other workers are idle, a worker gives away its oldest open node with the
//! path to this node. The most work is to be expected below the oldest node.
//!
//! **When to use it.** For proofs when memory, not time, is the limit.
//!
//! **Guarantees.** Optimal with every admissible bound, on any number of threads. As long as the table forgets nothing,
//! every state that best-first search expands up to a threshold is visited here. A state belongs to the layer of the
//! least f with which it was visited, and is counted there once. With a consistent bound and without partial-order
//! reduction, the counts of the layers equal those of best-first search. With the reduction they are slightly larger: a
//! detour may reach a state first, with moves awake that are asleep on its shortest paths, and some states are reached
//! in no other way.
//!
//! **Checkpoints.** A checkpoint has no records. It holds the finished layers, the least f that was cut off,
//! and the open nodes, as moves from the root. A resume accepts any number of threads and any size of the table. The
//! table is empty then, so states visited before the interruption may be visited and counted again in the same layer.
//! The count of an interrupted layer is too high; all other counts are exact.
//!
//! Reference: Korf (1985) for IDA*; Reinefeld and Marsland (1994) for transposition tables in it.

use super::checkpointer::{CheckpointConfig, Checkpointer, check_bound, unusable};
use super::context::Context;
use super::dfs_stack::{DfsStack, Key, Node, restore};
use super::kind::EngineKind;
use super::ledger::Ledger;
use super::outcome::{Outcome, Solution, Statistics};
use super::snapshot::{DepthFirst, OpenBranch, OpenNode, Snapshot};
use super::team::{REPORT, Team};
use super::work::Work;
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::expand::{Child, Expander, Promise, Reach, Slot, StateSpace};
use crate::runtime::{Gauges, Layer, Limits, Monitor};
use crate::store::{MAX_G, Offer, Table, Visit, hash_key};
use crossbeam::deque::Worker as Queue;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Entries of the first table.
const MIN_TABLE_ENTRIES: u64 = 1 << 16;

/// Entries of a table for each state visited in the layer before. Layers grow about tenfold.
const ENTRIES_PER_STATE: u64 = 20;

/// The largest table, in bytes, when memory has no limit.
const DEFAULT_TABLE_BYTES: u64 = 1 << 30;

/// What a search knows when it begins.
#[derive(Default)]
pub(super) struct IdaInput {
    /// A solution found before. Only cheaper ones are searched.
    pub(super) incumbent: Option<Solution>,
    /// The lower bound that is proven already.
    pub(super) lower_bound: Cost,
    /// The finished layers below the lower bound.
    pub(super) layers: Vec<Layer>,
    /// The work of earlier searches.
    pub(super) work: Work,
    /// Whether the search continues after a search that memory or disk ended: see [`Checkpointer::of_sequel`].
    pub(super) is_sequel: bool,
}

/// Runs the search, between the lower bound and the solution that are known.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run(space: &dyn StateSpace, input: IdaInput, context: &Context<'_>) -> Result<Outcome, CheckpointError> {
    // Another search may have left memory that the system has not got back yet.
    let context = &context.within_process();
    // The monitor checks no limit of memory: the table is sized to the limit, and nothing else grows.
    let limits = Limits { memory: None, resident: None, ..context.limits };
    let monitor = Monitor::new(limits, context.observer, context.stop);
    // One eighth of the memory is for everything else.
    let most_bytes = context.limits.memory.map_or(DEFAULT_TABLE_BYTES, |memory| memory / 8 * 7);
    // If the process has passed its limit already, the smallest table adds little.
    let least = context.limits.resident.map_or(0, |_| Table::bytes_for(space.key_len(), MIN_TABLE_ENTRIES));
    let most_bytes = most_bytes.max(least);
    let keep = context.keep.map(CheckpointConfig::without_records);
    let checkpointer = Checkpointer::new(keep.as_ref(), &monitor);
    let checkpointer = if input.is_sequel { checkpointer.of_sequel() } else { checkpointer };
    let root_f = space.lower_bound();
    monitor.watch(|| {
        let start = match keep.as_ref().filter(|keep| keep.resume) {
            Some(keep) => {
                let known = input.incumbent;
                let setup = IdaSetup::resumed(keep, space, root_f, most_bytes, &checkpointer, &monitor.gauges)?;
                let is_better = |known: &Solution| setup.incumbent.as_ref().is_none_or(|held| known.cost < held.cost);
                let incumbent = known.filter(is_better).or(setup.incumbent);
                IdaSetup { incumbent, ..setup }
            }
            None => IdaSetup::new(root_f, input),
        };
        let IdaSetup { ledger, incumbent, iteration, open } = start;
        let (team, queues) = Team::new(incumbent, &monitor, context, Queue::new_fifo);
        for (number, stack) in open.into_iter().enumerate() {
            queues[number % queues.len()].push(stack);
        }
        let threshold = AtomicU32::new(ledger.current().map_or(Cost::MAX, |layer| layer.f));
        let (ledger, iteration) = (Mutex::new(ledger), Mutex::new(iteration));
        let search = IdaSearch { space, root_f, team, checkpointer, threshold, most_bytes, ledger, iteration };
        Ok(search.run(queues))
    })
}

/// The ledger, the incumbent, the iteration and the open nodes with which a search begins.
struct IdaSetup {
    ledger: Ledger,
    incumbent: Option<Solution>,
    iteration: IterationState,
    open: Vec<DfsStack<Key>>,
}

impl IdaSetup {
    /// Begins before the first layer that is not known to be finished.
    fn new(root_f: Cost, input: IdaInput) -> Self {
        let IdaInput { incumbent, lower_bound, layers, work, .. } = input;
        let lower_bound = lower_bound.max(root_f);
        let visited = layers.iter().map(|layer| layer.expanded).sum();
        Self {
            ledger: Ledger::above(lower_bound).after_layers(layers, work),
            incumbent,
            iteration: IterationState { cut: lower_bound, visited, ..IterationState::default() },
            open: Vec::new(),
        }
    }

    /// Begins where the newest checkpoint was taken. The open nodes are entered into a new table.
    ///
    /// # Errors
    /// When the checkpoint cannot be used.
    fn resumed(
        keep: &CheckpointConfig,
        space: &dyn StateSpace,
        root_f: Cost,
        most_bytes: u64,
        checkpointer: &Checkpointer<'_>,
        gauges: &Gauges,
    ) -> Result<Self, CheckpointError> {
        let snapshot = checkpointer.resume_payload(keep, EngineKind::Ida)?;
        check_bound(keep, space, &snapshot)?;
        let ledger = Ledger::restored(&snapshot);
        let Snapshot { current, incumbent, depth_first, .. } = snapshot;
        let DepthFirst { cut, visited, visited_before, open: saved } = depth_first.unwrap_or_default();
        let mut iteration = IterationState { cut, visited, ..IterationState::default() };
        let mut open = Vec::new();
        if let Some(Layer { f: threshold, expanded, .. }) = current {
            if threshold > MAX_G {
                return Err(unusable(keep, &format!("layer {threshold} under way, at most {MAX_G}")));
            }
            iteration.visited = visited_before;
            iteration.make_table(space.key_len(), most_bytes, gauges);
            (iteration.visited, iteration.own) = (visited, expanded as i64);
            for branch in &saved {
                let stack = restore(space, branch, root_f, threshold).map_err(|found| unusable(keep, &found))?;
                iteration.note(threshold, &stack);
                open.push(stack);
            }
        }
        Ok(Self { ledger, incumbent, iteration, open })
    }
}

/// What the workers of a search share.
struct IdaSearch<'a> {
    space: &'a dyn StateSpace,
    root_f: Cost,
    team: Team<'a, DfsStack<Key>>,
    checkpointer: Checkpointer<'a>,
    /// The f of the current layer. [`Cost::MAX`] before the first layer and when the search is over.
    threshold: AtomicU32,
    most_bytes: u64,
    ledger: Mutex<Ledger>,
    iteration: Mutex<IterationState>,
}

/// The state of the current layer (the current iteration), besides the ledger. Workers add to it at barriers.
struct IterationState {
    /// The least f that was cut off in the layer, by all workers and in all sessions.
    cut: Cost,
    /// States visited in this layer and in the one before.
    visited: u64,
    visited_before: u64,
    /// Visited states that belong to this layer, because its f is the least with which they were visited.
    own: i64,
    /// The open nodes of all workers, for a checkpoint.
    open: Vec<OpenBranch>,
    /// The table of the current layer. `None` before the first layer.
    table: Option<Arc<Table>>,
    /// The most bytes that a table had.
    peak_bytes: u64,
}

impl Default for IterationState {
    fn default() -> Self {
        let (visited, visited_before, own, open, table, peak_bytes) = (0, 0, 0, Vec::new(), None, 0);
        Self { cut: Cost::MAX, visited, visited_before, own, open, table, peak_bytes }
    }
}

impl IterationState {
    /// Makes a table for the next layer, as large as the layer is expected to need and memory allows.
    fn make_table(&mut self, key_len: usize, most_bytes: u64, gauges: &Gauges) {
        let wanted = Table::bytes_for(key_len, self.visited.saturating_mul(ENTRIES_PER_STATE).max(MIN_TABLE_ENTRIES))
            .min(most_bytes);
        // A table that is large enough is reused: entries of an earlier layer do not count. Otherwise it is freed
        // before the larger one is made.
        let kept = self.table.take().filter(|table| wanted / 2 <= table.bytes());
        let table = kept.unwrap_or_else(|| Arc::new(Table::new(key_len, wanted)));
        gauges.hold(table.bytes());
        gauges.stored.store(0, Relaxed);
        self.peak_bytes = self.peak_bytes.max(table.bytes());
        self.table = Some(table);
        self.visited_before = std::mem::take(&mut self.visited);
    }

    /// Enters open nodes into the table, so that other paths to the same states are compared with them.
    fn note(&self, threshold: Cost, stack: &DfsStack<Key>) {
        let Some(table) = &self.table else { return };
        for node in &stack.nodes {
            let key = &node.state;
            // The answer does not matter: the node stays open in any case, and expanding a state twice does no harm.
            let _ = table.visit(threshold, &Offer { hash: hash_key(key), key, g: node.g, asleep: node.skip });
        }
    }
}

impl IdaSearch<'_> {
    fn run(self, queues: Vec<Queue<DfsStack<Key>>>) -> Outcome {
        let crew = self.team.run(queues, |number, queue| IdaWorker::new(&self, number, queue).work());
        let failure = self.checkpointer.finish(None);
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let iteration = self.iteration.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (lower_bound, proven) = (ledger.lower_bound(), ledger.proven());
        // The ledger includes earlier sessions.
        let mut statistics = Statistics::from(ledger.work());
        let entries = iteration.table.map_or(0, |table| table.entries());
        statistics.stored = iteration.visited.max(iteration.visited_before).min(entries);
        (statistics.peak_bytes, statistics.cpu_seconds) = (iteration.peak_bytes, crew.cpu_seconds);
        statistics.layers = ledger.into_layers();
        // In an unfinished layer it is unknown how many of the visited states belong to lower layers.
        statistics.layers.retain(|layer| layer.f < lower_bound);
        let stopped = self.team.monitor.stopped().filter(|_| !proven);
        Outcome { failure, incumbent: self.team.incumbent.into_solution(), lower_bound, stopped, statistics }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn iteration(&self) -> MutexGuard<'_, IterationState> {
        self.iteration.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides how to go on, at the end of a layer or within it. One worker calls this while all others wait.
    fn decide_at_barrier(&self) {
        self.checkpointer.check(None);
        let mut ledger = self.ledger();
        {
            let iteration = self.iteration();
            // If no node is open any more, the next layer is that of the least f that was cut off.
            ledger.announce(iteration.cut, 1);
            ledger.recount(iteration.own.unsigned_abs());
        }
        let layer = ledger.decide(&self.team, |ledger| self.take_checkpoint(ledger), |_, _| self.begin_layer());
        self.iteration().open.clear();
        self.threshold.store(layer.unwrap_or(Cost::MAX), Relaxed);
    }

    /// Begins a layer: at the root, with an empty table.
    fn begin_layer(&self) {
        let mut iteration = self.iteration();
        iteration.make_table(self.space.key_len(), self.most_bytes, &self.team.monitor.gauges);
        (iteration.cut, iteration.own) = (Cost::MAX, 0);
        iteration.open = vec![OpenBranch { path: Vec::new(), nodes: vec![OpenNode::default()] }];
    }

    /// Takes a checkpoint if one is due.
    fn take_checkpoint(&self, ledger: &Ledger) {
        self.checkpointer.take_at_barrier(None, || {
            let mut iteration = self.iteration();
            let IterationState { cut, visited, visited_before, .. } = *iteration;
            let open = std::mem::take(&mut iteration.open);
            let depth_first = Some(DepthFirst { cut, visited, visited_before, open });
            let refinement = self.space.serialize_refinement();
            Some(Snapshot { depth_first, ..ledger.snapshot(self.team.incumbent.solution(), refinement) })
        });
    }
}

/// One worker of a search.
struct IdaWorker<'s, 'a> {
    search: &'s IdaSearch<'a>,
    number: usize,
    expander: Box<dyn Expander + 's>,
    children: Vec<Child>,
    queue: Queue<DfsStack<Key>>,
    /// The worker's stack of open nodes. The frame numbers of its nodes never decrease from the bottom of the stack to
    /// the top. So when the top node is taken, all frames above its own can be closed.
    stack: DfsStack<Slot>,
    /// Stacks that were in the queue when the workers came to the barrier.
    aside: Vec<DfsStack<Key>>,
    key: Vec<u8>,
    /// The table of the current layer. It is released at barriers, so that it can be replaced there.
    table: Option<Arc<Table>>,
    /// The f of the current layer.
    threshold: Cost,
    /// The least f that was cut off since the last barrier.
    cut: Cost,
    /// States visited since the last barrier, and the change in the number of states that belong to this layer.
    visited: u64,
    own: i64,
    expanded: u64,
    duplicates: u64,
    reported: Reported,
    /// The work that the ledger contains already.
    submitted: Work,
}

/// The work that the gauges contain already.
#[derive(Clone, Copy, Default)]
struct Reported {
    visited: u64,
    expanded: u64,
    generated: u64,
    duplicates: u64,
}

impl<'s, 'a> IdaWorker<'s, 'a> {
    fn new(search: &'s IdaSearch<'a>, number: usize, queue: Queue<DfsStack<Key>>) -> Self {
        Self {
            search,
            number,
            expander: search.space.expander(),
            children: Vec::new(),
            queue,
            stack: DfsStack::default(),
            aside: Vec::new(),
            key: vec![0; search.space.key_len()],
            table: None,
            threshold: search.threshold.load(Relaxed),
            cut: Cost::MAX,
            visited: 0,
            own: 0,
            expanded: 0,
            duplicates: 0,
            reported: Reported::default(),
            submitted: Work::default(),
        }
    }

    fn work(mut self) {
        if self.number == 0
            && let Some(cost) = self.search.space.root_terminal()
        {
            self.search.team.incumbent.offer(cost, Vec::new);
        }
        loop {
            self.submit_counts();
            if self.search.team.barrier(self.number, || self.search.decide_at_barrier()).is_err() {
                return;
            }
            let threshold = self.search.threshold.load(Relaxed);
            if threshold == Cost::MAX {
                return;
            }
            self.table = self.search.iteration().table.clone();
            if std::mem::replace(&mut self.threshold, threshold) != threshold && self.number == 0 {
                self.expander.truncate(0);
                let frame = self.expander.place(None);
                self.open(Node::root(Slot { frame, at: 0 }, self.search.root_f), 0);
            }
            self.aside.drain(..).for_each(|stack| self.queue.push(stack));
            self.drain();
        }
    }

    /// Adds the work of this worker to the ledger and to the iteration, and announces its open nodes.
    fn submit_counts(&mut self) {
        self.report_gauges();
        // Once the queue is empty, no other worker can steal the stacks that are described below.
        self.aside.extend(std::iter::from_fn(|| self.queue.pop()));
        let own = Some(&self.stack).filter(|stack| !stack.nodes.is_empty());
        let open: Vec<_> = self.aside.iter().map(DfsStack::saved).chain(own.map(DfsStack::saved)).collect();
        let nodes = open.iter().map(|stack| stack.nodes.len() as u64).sum();
        let now = self.done();
        let mut ledger = self.search.ledger();
        ledger.add(now - self.submitted);
        if nodes > 0 {
            ledger.announce(self.threshold, nodes);
        }
        drop(ledger);
        let mut iteration = self.search.iteration();
        iteration.cut = iteration.cut.min(std::mem::replace(&mut self.cut, Cost::MAX));
        iteration.visited += std::mem::take(&mut self.visited);
        iteration.own += std::mem::take(&mut self.own);
        iteration.open.extend(open);
        (self.submitted, self.reported.visited, self.table) = (now, 0, None);
    }

    /// The work of this worker so far.
    fn done(&self) -> Work {
        let counts = self.expander.counts();
        Work { expanded: self.expanded, generated: counts.generated, evaluated: counts.evaluated, reopened: 0 }
    }

    /// Expands nodes until the layer is finished on all workers, or until all workers are asked to come to the barrier.
    fn drain(&mut self) {
        let search = self.search;
        while !search.team.monitor.leaving() {
            if let Some(node) = self.stack.pop() {
                self.expand(node);
            } else if let Some(stack) = self.queue.pop().or_else(|| search.team.steal(self.number)) {
                self.expander.truncate(0);
                self.stack = DfsStack::opened(stack, &mut *self.expander);
            } else {
                return;
            }
        }
    }

    /// Expands a node, and opens its children within the threshold.
    fn expand(&mut self, node: Node<Slot>) {
        let Node { state, g, f, skip, depth, .. } = node;
        self.expander.truncate(state.frame + 1);
        self.expanded += 1;
        let bottom = self.stack.nodes.len();
        let mut children = std::mem::take(&mut self.children);
        let frame = self.expander.expand(state, skip, &mut children);
        for (at, child) in children.drain(..).enumerate() {
            let (slot, g) = (Slot { frame, at: at as u32 }, g + child.cost);
            if let Some(stop) = child.terminal {
                self.search.team.incumbent.offer(g + stop, || [&self.stack.path[..], &[child.mv]].concat());
                if g + stop <= self.threshold {
                    self.search.team.monitor.finish();
                }
            }
            match self.expander.reach(slot, g, self.threshold) {
                Reach::Within(own) => {
                    let (f, skip, depth, mv) = (f.max(own), child.asleep, depth + 1, child.mv);
                    self.open(Node { state: slot, g, f, skip, depth, mv, promise: 0 }, own - g);
                }
                Reach::Beyond(f) => self.cut = self.cut.min(f),
                Reach::DeadEnd => {}
            }
        }
        self.children = children;
        // The most promising child is expanded first. Ties keep the order of the domain.
        if let opened @ [_, _, ..] = &mut self.stack.nodes[bottom..] {
            opened.reverse();
            opened.iter_mut().for_each(|node| node.promise = self.expander.promise(node.state, Promise::Usual));
            opened.sort_by_key(|node| node.promise);
        }
        if self.search.team.crew.has_idle() && self.queue.is_empty() {
            let key_len = self.key.len();
            let given = self.stack.split().map(|stack| stack.packed(&*self.expander, key_len));
            given.into_iter().for_each(|stack| self.queue.push(stack));
        }
        if self.expanded - self.reported.expanded >= REPORT {
            self.report_gauges();
            self.search.team.monitor.check_limits();
            self.search.checkpointer.check(None);
        }
    }

    /// Opens a node within the threshold; `h` is its lower bound. The node is not opened if the table knows its state
    /// with the same or a smaller g, and no move is awake that was asleep before.
    fn open(&mut self, node: Node<Slot>, h: Cost) {
        self.expander.pack(node.state, &mut self.key);
        let offer = Offer { hash: hash_key(&self.key), key: &self.key, g: node.g, asleep: node.skip };
        let is_own = node.f == self.threshold;
        let skip = match self.table.as_ref().map_or(Visit::First, |table| table.visit(self.threshold, &offer)) {
            Visit::First => {
                self.visited += 1;
                self.own += i64::from(is_own);
                node.skip
            }
            Visit::Cheaper(g) => {
                // The state was counted in this layer, and now turns out to belong to a lower one.
                self.own -= i64::from(!is_own && g + h == self.threshold);
                node.skip
            }
            Visit::Woken(moves) => !moves,
            Visit::Known => {
                self.duplicates += 1;
                return;
            }
        };
        self.stack.nodes.push(Node { skip, ..node });
    }

    /// Updates the gauges.
    fn report_gauges(&mut self) {
        let Some(table) = &self.table else { return };
        let (gauges, reported) = (&self.search.team.monitor.gauges, self.reported);
        let generated = self.expander.counts().generated;
        self.reported =
            Reported { visited: self.visited, expanded: self.expanded, generated, duplicates: self.duplicates };
        gauges.expanded.fetch_add(self.expanded - reported.expanded, Relaxed);
        gauges.generated.fetch_add(generated - reported.generated, Relaxed);
        gauges.duplicates.fetch_add(self.duplicates - reported.duplicates, Relaxed);
        gauges.stored.fetch_add(self.visited - reported.visited, Relaxed);
        // The table holds no more states than it has entries.
        gauges.stored.fetch_min(table.entries(), Relaxed);
    }
}
