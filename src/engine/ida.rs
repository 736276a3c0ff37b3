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
//! expands up to a threshold is visited here. A state belongs to the layer of the least f with which it was visited, and is
//! counted there once; with a consistent bound and without partial-order reduction the counts of the layers are equal. With
//! the reduction they are slightly larger here: a state may be reached by a detour first, with moves awake that are asleep
//! on its shortest ways, and some states are reached in no other way.
//!
//! **Checkpoints** have no records. A checkpoint holds the finished layers, the least f that was cut off, and the open nodes
//! as moves from the root. A resume may have any number of workers and a table of any size. The table is empty then, so
//! states of the interrupted layer may be visited and counted again: the count of that layer is too large, and the counts
//! of all others are exact.
//!
//! Reference: Korf (1985) for IDA*; Reinefeld and Marsland (1994) for transposition tables in it.

use super::branch::{Branch, Key, Node, restore};
use super::checkpointer::{CheckpointConfig, Checkpointer, check_bound, unusable};
use super::ledger::Ledger;
use super::snapshot::{DepthFirst, OpenBranch, OpenNode, Snapshot, Work};
use super::team::{REPORT, Team};
use super::{Context, EngineKind, Outcome, Solution, Statistics};
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::expand::{Child, Expander, Promise, Reach, Slot, StateSpace};
use crate::runtime::{Gauges, Layer, Limits, Monitor};
use crate::store::{MAX_G, Offer, Table, Visit, hash_key};
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
    /// The layers below it, and all work.
    pub(super) layers: Vec<Layer>,
    pub(super) work: Work,
    /// By a search that memory or disk ended, or one that went on behind it: see [`Checkpointer::of_sequel`].
    pub(super) is_sequel: bool,
}

/// Runs the search. Only what lies between the known lower bound and the known solution is searched.
///
/// # Errors
/// When it is to go on behind a checkpoint that cannot be used.
pub(super) fn run(space: &dyn StateSpace, known: Known, context: &Context<'_>) -> Result<Outcome, CheckpointError> {
    // The table is cut to the memory that there is; nothing that grows could pass the limit.
    let limits = Limits { memory: None, ..context.limits };
    let monitor = Monitor::new(limits, context.observer, context.stop);
    // An eighth is for everything else.
    let most_bytes = context.limits.memory.map_or(USUAL, |memory| memory / 8 * 7);
    let keep = context.keep.map(CheckpointConfig::without_records);
    let checkpointer = Checkpointer::new(keep.as_ref(), &monitor);
    let checkpointer = if known.is_sequel { checkpointer.of_sequel() } else { checkpointer };
    let root_f = space.lower_bound();
    monitor.watch(|| {
        let start = match keep.as_ref().filter(|keep| keep.resume) {
            Some(keep) => Start::behind(keep, space, root_f, most_bytes, &checkpointer, &monitor.gauges)?,
            None => Start::new(root_f, known),
        };
        let Start { ledger, incumbent, books, open } = start;
        let (team, queues) = Team::new(incumbent, &monitor, context, Queue::new_fifo);
        for (number, branch) in open.into_iter().enumerate() {
            queues[number % queues.len()].push(branch);
        }
        let threshold = AtomicU32::new(ledger.current().map_or(Cost::MAX, |layer| layer.f));
        let (ledger, books) = (Mutex::new(ledger), Mutex::new(books));
        let search = Search { space, root_f, team, checkpointer, threshold, most_bytes, ledger, books };
        Ok(search.run(queues))
    })
}

/// What a search begins with.
struct Start {
    ledger: Ledger,
    incumbent: Option<Solution>,
    books: Books,
    open: Vec<Branch<Key>>,
}

impl Start {
    /// Before the first layer above what is known.
    fn new(root_f: Cost, known: Known) -> Self {
        let Known { incumbent, lower_bound, layers, work, .. } = known;
        let lower_bound = lower_bound.max(root_f);
        let visited = layers.iter().map(|layer| layer.expanded).sum();
        Self {
            ledger: Ledger::above(lower_bound).behind(layers, work),
            incumbent,
            books: Books { cut: lower_bound, visited, ..Books::default() },
            open: Vec::new(),
        }
    }

    /// Where the newest checkpoint was taken. The table knows of the open nodes.
    fn behind(
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
        let mut books = Books { cut, visited, ..Books::default() };
        let mut open = Vec::new();
        if let Some(Layer { f: threshold, expanded, .. }) = current {
            if threshold > MAX_G {
                return Err(unusable(keep, &format!("layer {threshold} under way, at most {MAX_G}")));
            }
            books.visited = visited_before;
            books.lay_out(space.key_len(), most_bytes, gauges);
            (books.visited, books.own) = (visited, expanded as i64);
            for branch in &saved {
                let branch = restore(space, branch, root_f, threshold).map_err(|found| unusable(keep, &found))?;
                books.note(threshold, &branch);
                open.push(branch);
            }
        }
        Ok(Self { ledger, incumbent, books, open })
    }
}

struct Search<'a> {
    space: &'a dyn StateSpace,
    root_f: Cost,
    team: Team<'a, Branch<Key>>,
    checkpointer: Checkpointer<'a>,
    /// The f of the layer under way; [`Cost::MAX`] when there is none: before the first, and when the search is over.
    threshold: AtomicU32,
    most_bytes: u64,
    ledger: Mutex<Ledger>,
    books: Mutex<Books>,
}

/// What is known of the layer under way besides the ledger; settled by all workers when they meet.
struct Books {
    /// The least f that was cut off in the layer, by whomever and in whatever session.
    cut: Cost,
    /// States visited in this layer, and in the one before.
    visited: u64,
    visited_before: u64,
    /// Those that belong to this layer, because its f is the least with which they were visited.
    own: i64,
    /// The nodes that the workers left open.
    open: Vec<OpenBranch>,
    /// Of the layer under way; none before the first.
    table: Option<Arc<Table>>,
    peak_bytes: u64,
}

impl Default for Books {
    fn default() -> Self {
        let (visited, visited_before, own, open, table, peak_bytes) = (0, 0, 0, Vec::new(), None, 0);
        Self { cut: Cost::MAX, visited, visited_before, own, open, table, peak_bytes }
    }
}

impl Books {
    /// Lays out a table for a layer, with room for it as far as memory goes.
    fn lay_out(&mut self, key_len: usize, most_bytes: u64, gauges: &Gauges) {
        let wanted = Table::bytes_for(key_len, self.visited.saturating_mul(ROOM).max(SMALLEST)).min(most_bytes);
        // The old table goes before a larger one comes; it says nothing of the new layer.
        let kept = self.table.take().filter(|table| wanted / 2 <= table.bytes());
        let table = kept.unwrap_or_else(|| Arc::new(Table::new(key_len, wanted)));
        gauges.hold(table.bytes());
        gauges.stored.store(0, Relaxed);
        self.peak_bytes = self.peak_bytes.max(table.bytes());
        self.table = Some(table);
        self.visited_before = std::mem::take(&mut self.visited);
    }

    /// Tells the table of open nodes, so that other ways to them are measured by these.
    fn note(&self, threshold: Cost, branch: &Branch<Key>) {
        let Some(table) = &self.table else { return };
        for node in &branch.nodes {
            let key = &node.state;
            // Whatever it answers: what is said to be asleep here may be open elsewhere, and expanding it twice does no harm.
            let _ = table.visit(threshold, &Offer { hash: hash_key(key), key, g: node.g, asleep: node.skip });
        }
    }
}

impl Search<'_> {
    fn run(self, queues: Vec<Queue<Branch<Key>>>) -> Outcome {
        let haul = self.team.run(queues, |number, queue| Worker::new(&self, number, queue).work());
        let failure = self.checkpointer.finish(None);
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let books = self.books.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (lower_bound, proven) = (ledger.lower_bound(), ledger.proven());
        // With that of earlier sessions.
        let mut statistics = Statistics::from(ledger.work());
        let entries = books.table.map_or(0, |table| table.entries());
        statistics.stored = books.visited.max(books.visited_before).min(entries);
        (statistics.peak_bytes, statistics.cpu_seconds) = (books.peak_bytes, haul.cpu_seconds);
        statistics.layers = ledger.into_layers();
        // Of a layer that is not over, nobody knows how many of the states visited belong to those before.
        statistics.layers.retain(|layer| layer.f < lower_bound);
        let stopped = self.team.monitor.stopped().filter(|_| !proven);
        Outcome { failure, incumbent: self.team.incumbent.into_solution(), lower_bound, stopped, statistics }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides, alone, what comes after a layer, or in its midst.
    fn turn_over(&self) {
        self.checkpointer.check(None);
        let mut ledger = self.ledger();
        {
            let books = self.books();
            // Where nothing is open any more, the next layer lies here.
            ledger.announce(books.cut, 1);
            ledger.recount(books.own.unsigned_abs());
        }
        let layer = ledger.settle(&self.team, |ledger| self.take_checkpoint(ledger), |_, _| self.begin_layer());
        self.books().open.clear();
        self.threshold.store(layer.unwrap_or(Cost::MAX), Relaxed);
    }

    /// Every layer begins at the root.
    fn begin_layer(&self) {
        let mut books = self.books();
        books.lay_out(self.space.key_len(), self.most_bytes, &self.team.monitor.gauges);
        (books.cut, books.own) = (Cost::MAX, 0);
        books.open = vec![OpenBranch { path: Vec::new(), nodes: vec![OpenNode::default()] }];
    }

    fn take_checkpoint(&self, ledger: &Ledger) {
        self.checkpointer.take_at_barrier(None, || {
            let mut books = self.books();
            let Books { cut, visited, visited_before, .. } = *books;
            let open = std::mem::take(&mut books.open);
            let depth_first = Some(DepthFirst { cut, visited, visited_before, open });
            let recipe = self.space.recipe();
            Some(Snapshot { depth_first, ..ledger.snapshot(self.team.incumbent.solution(), recipe) })
        });
    }
}

struct Worker<'s, 'a> {
    search: &'s Search<'a>,
    number: usize,
    expander: Box<dyn Expander + 's>,
    children: Vec<Child>,
    queue: Queue<Branch<Key>>,
    /// What is worked off. Each of its nodes has its state in a frame of the expander that no later node has a newer one than: the frames above that of the
    /// node that comes next are closed when it comes.
    branch: Branch<Slot>,
    /// What was in the queue when the workers began to meet.
    aside: Vec<Branch<Key>>,
    key: Vec<u8>,
    /// Held while the worker is at work only, so that it can be replaced in between.
    table: Option<Arc<Table>>,
    /// The f of the layer under way.
    threshold: Cost,
    /// The least f that was cut off since the last meeting.
    cut: Cost,
    /// States visited since then, and those of them that belong to this layer.
    visited: u64,
    own: i64,
    expanded: u64,
    told: Account,
    /// What the ledger was told so far.
    accounted: Work,
}

/// What the gauges were told so far.
#[derive(Clone, Copy, Default)]
struct Account {
    visited: u64,
    expanded: u64,
    generated: u64,
}

impl<'s, 'a> Worker<'s, 'a> {
    fn new(search: &'s Search<'a>, number: usize, queue: Queue<Branch<Key>>) -> Self {
        Self {
            search,
            number,
            expander: search.space.expander(),
            children: Vec::new(),
            queue,
            branch: Branch::default(),
            aside: Vec::new(),
            key: vec![0; search.space.key_len()],
            table: None,
            threshold: search.threshold.load(Relaxed),
            cut: Cost::MAX,
            visited: 0,
            own: 0,
            expanded: 0,
            told: Account::default(),
            accounted: Work::default(),
        }
    }

    fn work(mut self) {
        if self.number == 0
            && let Some(cost) = self.search.space.root_terminal()
        {
            self.search.team.incumbent.offer(cost, Vec::new);
        }
        loop {
            self.settle_accounts();
            if self.search.team.crew.barrier(|| self.search.turn_over()).is_err() {
                return;
            }
            let threshold = self.search.threshold.load(Relaxed);
            if threshold == Cost::MAX {
                return;
            }
            self.table = self.search.books().table.clone();
            if std::mem::replace(&mut self.threshold, threshold) != threshold && self.number == 0 {
                self.expander.truncate(0);
                let frame = self.expander.place(None);
                self.open(Node::root(Slot { frame, at: 0 }, self.search.root_f), 0);
            }
            self.aside.drain(..).for_each(|branch| self.queue.push(branch));
            self.drain();
        }
    }

    /// Adds what this worker did to the account of the layer, and says what it left open.
    fn settle_accounts(&mut self) {
        self.tell_gauges();
        // From here on nobody steals what is described below.
        self.aside.extend(std::iter::from_fn(|| self.queue.pop()));
        let own = Some(&self.branch).filter(|branch| !branch.nodes.is_empty());
        let open: Vec<_> = self.aside.iter().map(Branch::saved).chain(own.map(Branch::saved)).collect();
        let nodes = open.iter().map(|branch| branch.nodes.len() as u64).sum();
        let now = self.done();
        let mut ledger = self.search.ledger();
        ledger.add(now - self.accounted);
        if nodes > 0 {
            ledger.announce(self.threshold, nodes);
        }
        drop(ledger);
        let mut books = self.search.books();
        books.cut = books.cut.min(std::mem::replace(&mut self.cut, Cost::MAX));
        books.visited += std::mem::take(&mut self.visited);
        books.own += std::mem::take(&mut self.own);
        books.open.extend(open);
        (self.accounted, self.told.visited, self.table) = (now, 0, None);
    }

    /// What this worker did so far.
    fn done(&self) -> Work {
        let counts = self.expander.counts();
        Work { expanded: self.expanded, generated: counts.generated, evaluated: counts.evaluated, reopened: 0 }
    }

    /// Works until the layer is over everywhere, or until all are to meet.
    fn drain(&mut self) {
        let search = self.search;
        while !search.team.monitor.leaving() {
            if let Some(node) = self.branch.pop() {
                self.expand(node);
            } else if let Some(branch) = self.queue.pop().or_else(|| search.team.steal(self.number)) {
                self.expander.truncate(0);
                self.branch = Branch::opened(branch, &mut *self.expander);
            } else {
                return;
            }
        }
    }

    fn expand(&mut self, node: Node<Slot>) {
        let Node { state, g, f, skip, depth, .. } = node;
        self.expander.truncate(state.frame + 1);
        self.expanded += 1;
        let bottom = self.branch.nodes.len();
        let mut children = std::mem::take(&mut self.children);
        let frame = self.expander.expand(state, skip, &mut children);
        for (at, child) in children.drain(..).enumerate() {
            let (slot, g) = (Slot { frame, at: at as u32 }, g + child.cost);
            if let Some(stop) = child.terminal {
                self.search.team.incumbent.offer(g + stop, || [&self.branch.path[..], &[child.mv]].concat());
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
        // The most promising is expanded first; ties keep the domain's order.
        if let opened @ [_, _, ..] = &mut self.branch.nodes[bottom..] {
            opened.reverse();
            opened.iter_mut().for_each(|node| node.promise = self.expander.promise(node.state, Promise::Usual));
            opened.sort_by_key(|node| node.promise);
        }
        if self.search.team.crew.has_idle() && self.queue.is_empty() {
            let key_len = self.key.len();
            let given = self.branch.split().map(|branch| branch.packed(&*self.expander, key_len));
            given.into_iter().for_each(|branch| self.queue.push(branch));
        }
        if self.expanded - self.told.expanded >= REPORT {
            self.tell_gauges();
            self.search.team.monitor.check_limits();
            self.search.checkpointer.check(None);
        }
    }

    /// Opens a node that lies within the threshold, with `h` as its lower bound, unless the table says that this path to it
    /// adds nothing.
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
                // It was counted here and belongs to a layer below.
                self.own -= i64::from(!is_own && g + h == self.threshold);
                node.skip
            }
            Visit::Woken(moves) => !moves,
            Visit::Known => return,
        };
        self.branch.nodes.push(Node { skip, ..node });
    }

    fn tell_gauges(&mut self) {
        let Some(table) = &self.table else { return };
        let (gauges, told) = (&self.search.team.monitor.gauges, self.told);
        let generated = self.expander.counts().generated;
        self.told = Account { visited: self.visited, expanded: self.expanded, generated };
        gauges.expanded.fetch_add(self.expanded - told.expanded, Relaxed);
        gauges.generated.fetch_add(generated - told.generated, Relaxed);
        gauges.stored.fetch_add(self.visited - told.visited, Relaxed);
        // The table forgets what does not fit.
        gauges.stored.fetch_min(table.entries(), Relaxed);
    }
}
