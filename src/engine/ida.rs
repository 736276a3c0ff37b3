//! IDA*: the layers of best-first search raised depth-first, within a table of bounded size.
//!
//! Each *layer* is a whole search from the root that goes no further than an f of its *threshold*. When it ends without
//! a solution, no solution costs that or less, and the least f that was cut off is the next threshold. Nothing is kept
//! of a state but an entry in a [`Table`] that may forget: then the state is searched again. So memory is what one
//! allows, and time pays for it.
//!
//! A worker has its own stack. When others are idle it gives away the oldest of its open nodes, behind which the most
//! work is to be expected, with the path that leads there.
//!
//! **Optimal** with every admissible bound. As long as the table forgets nothing, every state that best-first search
//! expands up to a threshold is visited here, and each is counted once; without partial-order reduction the counts of
//! the layers are equal. With it they are slightly larger here: a state may be reached by a detour first, with moves
//! awake that are asleep on its shortest ways, and some states are reached in no other way.
//!
//! Reference: Korf (1985) for IDA*; Reinefeld and Marsland (1994) for transposition tables in it.

use super::keeper::Work;
use super::kernel::{Kernel, Problem, Reach};
use super::ledger::{Ledger, Next};
use super::team::{REPORT, Team};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, MoveMask};
use crate::runtime::{Limits, Monitor};
use crate::store::{Offer, Table, Visit, hash_key};
use crossbeam::deque::Worker as Queue;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Entries that a table has at first.
const SMALLEST: u64 = 1 << 16;

/// Entries that a table has for each state visited up to the limit before: layers grow some ten times each.
const ROOM: u64 = 20;

/// The table's size when memory has no limit.
const USUAL: u64 = 1 << 30;

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
    let (team, queues) = Team::new(known.incumbent, &monitor, context, Queue::new_fifo);
    let lower_bound = problem.lower_bound().max(known.lower_bound);
    let mut ledger = Ledger::above(lower_bound);
    ledger.announce(lower_bound, 1);
    let search = Search {
        problem,
        team,
        threshold: AtomicU32::new(0),
        // An eighth is for everything else.
        most_bytes: context.limits.memory.map_or(USUAL, |memory| memory / 8 * 7),
        books: Mutex::new(Books { ledger, visited: known.visited, visited_before: 0, table: None, peak_bytes: 0 }),
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
type Subtree<S> = (Node<S>, Box<[MoveIndex]>);

struct Search<'a, D: Domain, B> {
    problem: Problem<'a, D, B>,
    team: Team<'a, Subtree<D::State>>,
    /// The f of the layer under way; [`Cost::MAX`] when the search is over.
    threshold: AtomicU32,
    most_bytes: u64,
    books: Mutex<Books>,
}

/// What is known of the layers; settled by all workers at the end of each.
struct Books {
    ledger: Ledger,
    /// States visited up to the threshold under way, and up to the one before.
    visited: u64,
    visited_before: u64,
    /// Of the layer under way; none before the first.
    table: Option<Arc<Table>>,
    peak_bytes: u64,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, queues: Vec<Queue<Subtree<D::State>>>) -> Outcome {
        let haul = self.team.run(queues, |number, queue| {
            let mut worker = Worker::new(&self, number, queue);
            worker.work();
            (worker.kernel.counts, worker.expanded)
        });
        let Books { ledger, visited, visited_before, table, peak_bytes } =
            self.books.into_inner().unwrap_or_else(PoisonError::into_inner);
        let entries = table.map_or(0, |table| table.entries());
        let mut statistics = Statistics {
            stored: visited.max(visited_before).min(entries),
            peak_bytes,
            cpu_seconds: haul.cpu_seconds,
            ..Statistics::default()
        };
        for (counts, expanded) in haul.results {
            statistics.expanded += expanded;
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
        }
        let (lower_bound, proven) = (ledger.lower_bound(), ledger.proven());
        statistics.layers = ledger.into_layers();
        // Of a layer that is not over, nobody knows how many of the states visited belong to those before.
        statistics.layers.retain(|layer| layer.f < lower_bound);
        let stopped = self.team.monitor.stopped().filter(|_| !proven);
        Outcome { failure: None, incumbent: self.team.incumbent.into_solution(), lower_bound, stopped, statistics }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides, alone, what comes after a layer.
    fn turn_over(&self) {
        let mut books = self.books();
        let books = &mut *books;
        if books.table.is_some() {
            let expanded = books.visited.saturating_sub(books.visited_before);
            books.ledger.add(Work { expanded, ..Work::default() });
        }
        let next = books.ledger.turn_over(self.team.incumbent.cost(), self.team.monitor);
        // Every layer begins at the root.
        let next = next.map(|next| Next { open: 1, ..next });
        self.threshold.store(next.map_or(Cost::MAX, |next| next.f), Relaxed);
        if let Some(next) = next {
            self.lay_out(books);
            books.ledger.begin(next, self.team.monitor);
        }
    }

    /// Lays out a table for the next layer, with room for it as far as memory goes.
    fn lay_out(&self, books: &mut Books) {
        let key_len = self.problem.domain.key_len();
        let wanted = Table::bytes_for(key_len, books.visited.saturating_mul(ROOM).max(SMALLEST)).min(self.most_bytes);
        // The old table goes before a larger one comes; it says nothing of the new layer.
        let kept = books.table.take().filter(|table| wanted / 2 <= table.bytes());
        let table = kept.unwrap_or_else(|| Arc::new(Table::new(key_len, wanted)));
        let gauges = &self.team.monitor.gauges;
        gauges.hold(table.bytes());
        gauges.stored.store(0, Relaxed);
        books.peak_bytes = books.peak_bytes.max(table.bytes());
        books.table = Some(table);
        books.visited_before = std::mem::take(&mut books.visited);
    }
}

struct Worker<'s, 'a, D: Domain, B: LowerBound<D>> {
    search: &'s Search<'a, D, B>,
    number: usize,
    kernel: Kernel<'a, D, B>,
    queue: Queue<Subtree<D::State>>,
    /// Open nodes; each is a child of a state on the path to the last one.
    stack: Vec<Node<D::State>>,
    /// Moves to the parent of the node at the top, and further.
    path: Vec<MoveIndex>,
    key: Vec<u8>,
    /// Held during a layer only, so that it can be replaced in between.
    table: Option<Arc<Table>>,
    /// The f of the layer under way.
    threshold: Cost,
    /// The least f that was cut off.
    cut: Cost,
    /// States visited for the first time in this layer.
    visited: u64,
    expanded: u64,
    told: Account,
    /// Children generated in the layers before.
    settled: u64,
}

/// What the gauges were told so far.
#[derive(Clone, Copy, Default)]
struct Account {
    visited: u64,
    expanded: u64,
    generated: u64,
}

impl<'s, 'a, D: Domain, B: LowerBound<D>> Worker<'s, 'a, D, B> {
    fn new(search: &'s Search<'a, D, B>, number: usize, queue: Queue<Subtree<D::State>>) -> Self {
        Self {
            search,
            number,
            kernel: Kernel::new(search.problem),
            queue,
            stack: Vec::new(),
            path: Vec::new(),
            key: vec![0; search.problem.domain.key_len()],
            table: None,
            threshold: 0,
            cut: Cost::MAX,
            visited: 0,
            expanded: 0,
            told: Account::default(),
            settled: 0,
        }
    }

    fn work(&mut self) {
        let domain = self.search.problem.domain;
        if self.number == 0
            && let Some(cost) = domain.terminal(&domain.root())
        {
            self.search.team.incumbent.offer(cost, Vec::new);
        }
        loop {
            self.settle_accounts();
            if self.search.team.crew.meet(|| self.search.turn_over()).is_err() {
                return;
            }
            self.threshold = self.search.threshold.load(Relaxed);
            if self.threshold == Cost::MAX {
                return;
            }
            self.table = self.search.books().table.clone();
            if self.number == 0 {
                let state = domain.root();
                self.open(state, 0, 0, 0, 0);
            }
            self.drain();
        }
    }

    fn settle_accounts(&mut self) {
        self.tell_gauges();
        let generated = self.kernel.counts.generated;
        let mut books = self.search.books();
        books.visited += std::mem::take(&mut self.visited);
        books.ledger.add(Work { generated: generated - self.settled, ..Work::default() });
        let cut = std::mem::replace(&mut self.cut, Cost::MAX);
        books.ledger.announce(cut, 1);
        (self.settled, self.told.visited, self.table) = (generated, 0, None);
    }

    /// Works until the layer is over everywhere.
    fn drain(&mut self) {
        let search = self.search;
        while !search.team.monitor.leaving() {
            if let Some(node) = self.stack.pop() {
                self.expand(node);
            } else if let Some((node, path)) = self.queue.pop().or_else(|| search.team.steal(self.number)) {
                self.path = path.into_vec();
                self.stack.push(node);
            } else {
                return;
            }
        }
        self.stack.clear();
        while self.queue.pop().is_some() {}
    }

    fn expand(&mut self, node: Node<D::State>) {
        let Node { state, g, skip, depth, mv, first } = node;
        if depth > 0 {
            self.path.truncate(depth - 1);
            self.path.push(mv);
        }
        self.expanded += 1;
        self.visited += u64::from(first);
        let bottom = self.stack.len();
        let mut children = self.kernel.expand(&state, skip);
        for child in children.drain(..) {
            let g = g + child.cost;
            if let Some(stop) = self.search.problem.domain.terminal(&child.state) {
                self.search.team.incumbent.offer(g + stop, || [&self.path[..], &[child.mv]].concat());
                if g + stop <= self.threshold {
                    self.search.team.monitor.finish();
                }
            }
            match self.kernel.reach(Some(&state), &child.state, g, self.threshold) {
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
        if self.search.team.crew.has_idle() && self.queue.is_empty() {
            self.give();
        }
        if self.expanded - self.told.expanded >= REPORT {
            self.tell_gauges();
            self.search.team.monitor.check_limits();
        }
    }

    /// Opens a state that lies within the threshold, unless the table says that this path to it adds nothing.
    fn open(&mut self, state: D::State, g: Cost, asleep: MoveMask, depth: usize, mv: MoveIndex) {
        self.search.problem.domain.pack(&state, &mut self.key);
        let offer = Offer { hash: hash_key(&self.key), key: &self.key, g, asleep };
        let visit = self.table.as_ref().map_or(Visit::First, |table| table.visit(self.threshold, &offer));
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
            // Its parent lies on the path to the node that is expanded now.
            let path = self.path[..node.depth.saturating_sub(1)].into();
            self.queue.push((node, path));
        }
    }

    fn tell_gauges(&mut self) {
        let Some(table) = &self.table else { return };
        let (gauges, told) = (&self.search.team.monitor.gauges, self.told);
        let generated = self.kernel.counts.generated;
        self.told = Account { visited: self.visited, expanded: self.expanded, generated };
        gauges.expanded.fetch_add(self.expanded - told.expanded, Relaxed);
        gauges.generated.fetch_add(generated - told.generated, Relaxed);
        gauges.stored.fetch_add(self.visited - told.visited, Relaxed);
        // The table forgets what does not fit.
        gauges.stored.fetch_min(table.entries(), Relaxed);
    }
}
