//! IDA*: the layers of best-first search raised depth-first, within a table of bounded size.
//!
//! Each *layer* is a whole search from the root that goes no further than an f of `limit`. When it ends without a
//! solution, no solution costs `limit` or less, and the least f that was cut off is the next limit. Nothing is kept of a
//! state but an entry in a [`Table`] that may forget: then the state is searched again. So memory is what one allows, and
//! time pays for it.
//!
//! A worker has its own stack. When others are idle it gives away the oldest of its open nodes, behind which the most
//! work is to be expected, with the way that leads there.
//!
//! **Optimal** with every admissible bound. As long as the table forgets nothing, every state that best-first search
//! expands up to a limit is visited here, and each is counted once; without partial-order reduction the counts of the
//! layers are equal. With it they are slightly larger here: a state may be reached by a detour first, with moves awake
//! that are asleep on its shortest ways, and some states are reached in no other way.
//!
//! Reference: Korf (1985) for IDA*; Reinefeld and Marsland (1994) for transposition tables in it.

use super::incumbent::Incumbent;
use super::kernel::{Counts, Kernel, Problem, Reach};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, MoveMask};
use crate::runtime::{Crew, Event, Layer, Limits, Monitor, run_crew};
use crate::store::{Offer, Table, Visit, hash_key};
use crossbeam::deque::{Stealer, Worker as Queue};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Entries that a table has at first.
const SMALLEST: u64 = 1 << 16;

/// Entries that a table has for each state visited up to the limit before: layers grow some ten times each.
const ROOM: u64 = 20;

/// The table's size when memory has no limit.
const USUAL: u64 = 1 << 30;

/// Expansions between two looks at the limits.
const REPORT: u64 = 256;

/// What was found out before.
#[derive(Default)]
pub(super) struct Known {
    pub(super) incumbent: Option<Solution>,
    /// Proven.
    pub(super) lower_bound: Cost,
    /// States expanded in the layers below it.
    pub(super) visited: u64,
}

/// Runs the search. Only what lies between the known lower bound and the known solution is searched.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: Known,
    context: &Context<'_>,
) -> Outcome {
    // The table is cut to the memory that there is; nothing that grows could pass the limit.
    let limits = Limits { memory: None, ..context.limits };
    let monitor = Monitor::new(limits, context.observer, context.stop);
    let workers = context.threads.max(1);
    let queues: Vec<_> = (0..workers).map(|_| Queue::new_fifo()).collect();
    let lower_bound = problem.lower_bound().max(known.lower_bound);
    let search = Search {
        problem,
        incumbent: Incumbent::new(known.incumbent, &monitor),
        monitor: &monitor,
        crew: Crew::new(workers),
        stealers: queues.iter().map(Queue::stealer).collect(),
        limit: AtomicU32::new(0),
        // An eighth is for everything else.
        most_bytes: context.limits.memory.map_or(USUAL, |memory| memory / 8 * 7),
        layers: Mutex::new(Layers { lower_bound, visited: known.visited, next: Cost::MAX, ..Layers::default() }),
    };
    monitor.watch(|| search.run(queues))
}

/// An open node.
struct Node<S> {
    state: S,
    g: Cost,
    /// Moves not to be expanded.
    skip: MoveMask,
    /// Number of moves from the root, and the last of them.
    depth: usize,
    mv: MoveIndex,
    /// Whether the state is counted in this layer; it is not when it was before.
    first: bool,
}

/// An open node on its way to another worker, with the moves before its last.
type Gift<S> = (Node<S>, Box<[MoveIndex]>);

struct Search<'a, D: Domain, B> {
    problem: Problem<'a, D, B>,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    crew: Crew,
    stealers: Vec<Stealer<Gift<D::State>>>,
    /// The f under way; [`Cost::MAX`] when the search is over.
    limit: AtomicU32,
    most_bytes: u64,
    layers: Mutex<Layers>,
}

/// The accounts of the layers; settled by all workers at the end of each.
#[derive(Default)]
struct Layers {
    done: Vec<Layer>,
    /// States visited up to the limit under way, and up to the one before.
    visited: u64,
    visited_before: u64,
    /// Children generated in the layer under way.
    generated: u64,
    /// The least f that was cut off.
    next: Cost,
    lower_bound: Cost,
    proven: bool,
    /// Of the layer under way; none before the first.
    table: Option<Arc<Table>>,
    peak_table: u64,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, queues: Vec<Queue<Gift<D::State>>>) -> Outcome {
        let haul = run_crew(&self.crew, queues, |number, queue| {
            let mut worker = Worker::new(&self, number, queue);
            worker.work();
            (worker.kernel.counts, worker.expanded)
        });
        let incumbent = self.incumbent.into_solution();
        let layers = self.layers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut statistics = Statistics {
            stored: layers.visited_before.max(layers.visited),
            peak_bytes: layers.peak_table,
            layers: layers.done,
            cpu_seconds: haul.cpu_seconds,
            ..Statistics::default()
        };
        for (counts, expanded) in haul.results {
            statistics.expanded += expanded;
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
        }
        let stopped = self.monitor.stopped().filter(|_| !layers.proven);
        Outcome { incumbent, lower_bound: layers.lower_bound, stopped, statistics }
    }

    fn layers(&self) -> MutexGuard<'_, Layers> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides, alone, what comes after a layer.
    fn turn_over(&self) {
        let mut layers = self.layers();
        let upper = self.incumbent.cost();
        let limit = self.limit.load(Relaxed);
        // An incumbent that costs no more than the limit ends the search in its midst.
        layers.proven = upper <= layers.lower_bound;
        let exhausted = !layers.proven && self.monitor.stopped().is_none();
        if layers.table.is_some() {
            let expanded = layers.visited.saturating_sub(layers.visited_before);
            let layer = Layer { f: limit, expanded, generated: std::mem::take(&mut layers.generated) };
            layers.done.push(layer);
            if exhausted {
                self.monitor.tell(&Event::LayerDone(layer));
                let next = std::mem::replace(&mut layers.next, Cost::MAX);
                layers.lower_bound = layers.lower_bound.max(next.min(upper));
                layers.proven = next >= upper;
            }
        }
        self.monitor.tell(&Event::LowerBound(layers.lower_bound));
        if layers.proven || !exhausted {
            self.limit.store(Cost::MAX, Relaxed);
            return;
        }
        self.begin(&mut layers);
    }

    /// Begins the layer at the lower bound, with a table that has room for it as far as memory goes.
    fn begin(&self, layers: &mut Layers) {
        let next = layers.lower_bound;
        let key_len = self.problem.domain.key_len();
        let wanted = Table::bytes_for(key_len, layers.visited.saturating_mul(ROOM).max(SMALLEST)).min(self.most_bytes);
        // The old table goes before a larger one comes; it says nothing of the new layer.
        let kept = layers.table.take().filter(|table| wanted / 2 <= table.bytes());
        let table = kept.unwrap_or_else(|| Arc::new(Table::new(key_len, wanted)));
        let bytes = table.bytes();
        layers.table = Some(table);
        layers.peak_table = layers.peak_table.max(bytes);
        layers.visited_before = std::mem::take(&mut layers.visited);
        self.limit.store(next, Relaxed);
        let gauges = &self.monitor.gauges;
        gauges.layer.store(next, Relaxed);
        gauges.hold(bytes);
        self.monitor.tell(&Event::LayerStarted { f: next, open: 1 });
    }
}

struct Worker<'s, 'a, D: Domain, B: LowerBound<D>> {
    search: &'s Search<'a, D, B>,
    number: usize,
    kernel: Kernel<'a, D, B>,
    queue: Queue<Gift<D::State>>,
    /// Open nodes; each is a child of a state on the way to the last one.
    stack: Vec<Node<D::State>>,
    /// Moves to the parent of the node at the top, and further.
    way: Vec<MoveIndex>,
    key: Vec<u8>,
    /// Held during a layer only, so that it can be replaced in between.
    table: Option<Arc<Table>>,
    /// The f under way.
    limit: Cost,
    /// The least f that was cut off.
    cut: Cost,
    /// States visited for the first time in this layer.
    visited: u64,
    expanded: u64,
    told: Account,
}

/// What the layers' accounts and the gauges were told.
#[derive(Clone, Copy, Default)]
struct Account {
    expanded: u64,
    counts: Counts,
    settled: Counts,
}

impl<'s, 'a, D: Domain, B: LowerBound<D>> Worker<'s, 'a, D, B> {
    fn new(search: &'s Search<'a, D, B>, number: usize, queue: Queue<Gift<D::State>>) -> Self {
        Self {
            search,
            number,
            kernel: Kernel::new(search.problem),
            queue,
            stack: Vec::new(),
            way: Vec::new(),
            key: vec![0; search.problem.domain.key_len()],
            table: None,
            limit: 0,
            cut: Cost::MAX,
            visited: 0,
            expanded: 0,
            told: Account::default(),
        }
    }

    fn work(&mut self) {
        let domain = self.search.problem.domain;
        if self.number == 0
            && let Some(cost) = domain.terminal(&domain.root())
        {
            self.search.incumbent.offer(cost, Vec::new);
        }
        loop {
            self.settle_accounts();
            if self.search.crew.meet(|| self.search.turn_over()).is_err() {
                return;
            }
            self.limit = self.search.limit.load(Relaxed);
            if self.limit == Cost::MAX {
                return;
            }
            self.table = self.search.layers().table.clone();
            if self.number == 0 {
                let state = domain.root();
                self.open(state, 0, 0, 0, 0);
            }
            self.drain();
        }
    }

    fn settle_accounts(&mut self) {
        self.tell_gauges();
        let counts = self.kernel.counts;
        let mut layers = self.search.layers();
        layers.visited += std::mem::take(&mut self.visited);
        layers.generated += counts.generated - self.told.settled.generated;
        layers.next = layers.next.min(std::mem::replace(&mut self.cut, Cost::MAX));
        self.told.settled = counts;
        self.table = None;
    }

    /// Works until the layer is over everywhere.
    fn drain(&mut self) {
        let search = self.search;
        while !search.monitor.leaving() {
            if let Some(node) = self.stack.pop() {
                self.expand(node);
            } else if let Some((node, way)) = self.queue.pop().or_else(|| self.steal()) {
                self.way = way.into_vec();
                self.stack.push(node);
            } else {
                return;
            }
        }
        self.stack.clear();
        while self.queue.pop().is_some() {}
    }

    fn steal(&self) -> Option<Gift<D::State>> {
        let search = self.search;
        search.crew.steal_from(&search.stealers, self.number, || search.monitor.leaving())
    }

    fn expand(&mut self, node: Node<D::State>) {
        let Node { state, g, skip, depth, mv, first } = node;
        if depth > 0 {
            self.way.truncate(depth - 1);
            self.way.push(mv);
        }
        self.expanded += 1;
        self.visited += u64::from(first);
        let bottom = self.stack.len();
        let mut children = self.kernel.expand(&state, skip);
        for child in children.drain(..) {
            let g = g + child.cost;
            if let Some(stop) = self.search.problem.domain.terminal(&child.state) {
                self.search.incumbent.offer(g + stop, || [&self.way[..], &[child.mv]].concat());
                if g + stop <= self.limit {
                    self.search.monitor.finish();
                }
            }
            match self.kernel.reach(&child.state, g, self.limit) {
                Reach::Within(_) => self.open(child.state, g, child.asleep, depth + 1, child.mv),
                Reach::Beyond(f) => self.cut = self.cut.min(f),
                Reach::DeadEnd => {}
            }
        }
        self.kernel.recycle(children);
        // The most promising is expanded first; ties keep the domain's order.
        let domain = self.search.problem.domain;
        self.stack[bottom..].reverse();
        self.stack[bottom..].sort_by_key(|node| domain.promise(&node.state));
        if self.search.crew.has_idle() && self.queue.is_empty() {
            self.give();
        }
        if self.expanded - self.told.expanded >= REPORT {
            self.tell_gauges();
            self.search.monitor.check_limits();
        }
    }

    /// Opens a state that lies within the limit, unless the table says that this way to it adds nothing.
    fn open(&mut self, state: D::State, g: Cost, asleep: MoveMask, depth: usize, mv: MoveIndex) {
        self.search.problem.domain.pack(&state, &mut self.key);
        let offer = Offer { hash: hash_key(&self.key), key: &self.key, g, asleep };
        let visit = self.table.as_ref().map_or(Visit::First, |table| table.visit(self.limit, &offer));
        let (first, skip) = match visit {
            Visit::First => (true, asleep),
            Visit::Cheaper => (false, asleep),
            Visit::Woken(moves) => (false, !moves),
            Visit::Known => return,
        };
        self.stack.push(Node { state, g, skip, depth, mv, first });
    }

    /// Gives the oldest open node away.
    fn give(&mut self) {
        if self.stack.len() > 1 {
            let node = self.stack.remove(0);
            // Its parent lies on the way to the node that is expanded now.
            let way = self.way[..node.depth.saturating_sub(1)].into();
            self.queue.push((node, way));
        }
    }

    fn tell_gauges(&mut self) {
        let (gauges, counts) = (&self.search.monitor.gauges, self.kernel.counts);
        gauges.expanded.fetch_add(self.expanded - self.told.expanded, Relaxed);
        gauges.generated.fetch_add(counts.generated - self.told.counts.generated, Relaxed);
        (self.told.expanded, self.told.counts) = (self.expanded, counts);
    }
}
