//! Layered best-first search: A* with its open list cut into layers of equal f, drained by any number of workers.
//!
//! Open nodes lie in stacks `[f][g]`, each worker with its own. Layer `f` is drained from the highest g down; full
//! chunks of it lie in a work-stealing queue. Children go to the store in batches: first they meet what is known, then the new
//! ones are evaluated (which costs most), then those below the incumbent are admitted. When the layer is
//! empty on every worker, no solution costs `f` or less, and the lowest layer left comes next.
//!
//! **Optimal** with every admissible bound: the search ends when the lowest open f reaches the incumbent's cost. With a
//! consistent one a state has its least g when it is expanded, no state is opened again, and the number of states
//! expanded in each layer below the optimum depends on neither the number of workers nor their speed. With an inconsistent one a
//! child takes at least the f of its parent, and closed states may be opened again.
//!
//! Reference: Hart, Nilsson, Raphael (1968) for A*; a layer at a time as in Zhou and Hansen's work on frontier search.

use super::incumbent::Incumbent;
use super::kernel::{Kernel, Problem};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, MoveMask};
use crate::runtime::{Crew, Event, Layer, Monitor, run_crew, thread_cpu_seconds};
use crate::store::{Chunk, Frontier, Id, Layout, MAX_G, Meeting, Offer, Store};
use crossbeam::deque::{Steal, Stealer, Worker as Queue};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Children that a worker collects before it goes to the store.
const BATCH: usize = 64;

/// Open nodes of one g.
type Work = (Cost, Box<Chunk>);

/// Runs the search. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let workers = context.threads.max(1);
    let queues: Vec<_> = (0..workers).map(|_| Queue::new_lifo()).collect();
    let search = Search {
        problem,
        store: Store::new(Layout { key_len: problem.domain.key_len(), mask_bits: problem.domain.mask_bits(), workers }),
        incumbent: Incumbent::new(known, &monitor),
        monitor: &monitor,
        crew: Crew::new(workers),
        stealers: queues.iter().map(Queue::stealer).collect(),
        layer: AtomicU32::new(0),
        next_layer: AtomicU32::new(Cost::MAX),
        open_in_next: AtomicU64::new(0),
        layers: Mutex::new(Layers::default()),
    };
    monitor.watch(|| search.run(queues))
}

/// What the workers share.
struct Search<'a, D, B> {
    problem: Problem<'a, D, B>,
    store: Store,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    crew: Crew,
    stealers: Vec<Stealer<Work>>,
    /// The f under way.
    layer: AtomicU32,
    /// The lowest f that any worker holds; collected at the end of a layer.
    next_layer: AtomicU32,
    open_in_next: AtomicU64,
    layers: Mutex<Layers>,
}

#[derive(Default)]
struct Layers {
    done: Vec<Layer>,
    current: Layer,
    lower_bound: Cost,
    over: bool,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, queues: Vec<Queue<Work>>) -> Outcome {
        let slots: Vec<_> = queues.into_iter().map(|q| Mutex::new(Some(q))).collect();
        let results = run_crew(&self.crew, |number| {
            let begun = thread_cpu_seconds();
            let queue = slots[number].lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut worker = Worker::new(&self, number, queue.unwrap_or_else(Queue::new_lifo));
            if number == 0 {
                worker.open_root();
            }
            worker.work();
            (worker.kernel.counts, worker.reopened, thread_cpu_seconds() - begun)
        });
        let layers = self.layers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut statistics = Statistics {
            expanded: layers.done.iter().map(|l| l.expanded).sum(),
            stored: self.store.records(),
            peak_bytes: self.monitor.gauges.peak_bytes.load(Relaxed).max(self.store.bytes()),
            layers: layers.done,
            ..Statistics::default()
        };
        for (counts, reopened, cpu) in results {
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            statistics.reopened += reopened;
            statistics.cpu_seconds += cpu;
        }
        let incumbent = self.incumbent.into_solution();
        let lower_bound = layers.lower_bound.min(incumbent.as_ref().map_or(Cost::MAX, |s| s.cost));
        let stopped = if layers.over { None } else { self.monitor.stopped() };
        Outcome { incumbent, lower_bound, stopped, statistics }
    }

    /// Decides, alone, what comes after a layer.
    fn turn_over(&self) {
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.next_layer.swap(Cost::MAX, Relaxed);
        let open = self.open_in_next.swap(0, Relaxed);
        let upper = self.incumbent.cost();
        let finished = std::mem::take(&mut layers.current);
        if finished.expanded > 0 {
            layers.done.push(finished);
        }
        let proven = upper <= layers.lower_bound;
        if !proven && self.monitor.stopped().is_some() {
            layers.over = false;
            self.layer.store(Cost::MAX, Relaxed);
            return;
        }
        if finished.expanded > 0 {
            self.monitor.tell(&Event::LayerDone(finished));
        }
        // No open node has an f below `next`, and nothing below it is left unexplored.
        layers.lower_bound = layers.lower_bound.max(next.min(upper));
        if layers.lower_bound != Cost::MAX {
            self.monitor.tell(&Event::LowerBound(layers.lower_bound));
        }
        if proven || next >= upper {
            layers.over = true;
            self.layer.store(Cost::MAX, Relaxed);
            return;
        }
        layers.current.f = next;
        self.layer.store(next, Relaxed);
        self.monitor.gauges.layer.store(next, Relaxed);
        self.monitor.gauges.open_in_layer.store(open, Relaxed);
        self.monitor.tell(&Event::LayerStarted { f: next, open });
    }
}

/// A child on its way into the store.
struct Child<S> {
    state: S,
    hash: u64,
    asleep: MoveMask,
    parent: Id,
    g: Cost,
    mv: MoveIndex,
    /// Its f, once it is known to be worth storing.
    f: Cost,
}

/// One worker.
struct Worker<'s, 'a, D: Domain, B: LowerBound<D>> {
    search: &'s Search<'a, D, B>,
    number: usize,
    kernel: Kernel<'a, D, B>,
    queue: Queue<Work>,
    frontier: Frontier,
    /// The f under way.
    layer: Cost,
    /// The chunk being worked off.
    current: Work,
    /// Moves of closed states that turned out not to be superfluous.
    woken: Vec<(Id, MoveMask)>,
    batch: Vec<Child<D::State>>,
    /// The packed keys of `batch`, one after another.
    keys: Vec<u8>,
    /// Positions in `batch`, by shard.
    order: Vec<(u32, u32)>,
    scratch: D::State,
    expanded: u64,
    generated_before: u64,
    reopened: u64,
    told_expanded: u64,
    told_generated: u64,
    told_stored: u64,
    stored: u64,
}

impl<'s, 'a, D: Domain, B: LowerBound<D>> Worker<'s, 'a, D, B> {
    fn new(search: &'s Search<'a, D, B>, number: usize, queue: Queue<Work>) -> Self {
        Self {
            search,
            number,
            kernel: Kernel::new(search.problem),
            queue,
            frontier: Frontier::default(),
            layer: 0,
            current: (0, Box::default()),
            woken: Vec::new(),
            batch: Vec::with_capacity(BATCH + 64),
            keys: Vec::new(),
            order: Vec::new(),
            scratch: search.problem.domain.root(),
            expanded: 0,
            generated_before: 0,
            reopened: 0,
            told_expanded: 0,
            told_generated: 0,
            told_stored: 0,
            stored: 0,
        }
    }

    fn open_root(&mut self) {
        let root = self.search.problem.domain.root();
        if let Some(cost) = self.search.problem.domain.terminal(&root) {
            self.search.incumbent.offer(cost, Vec::new);
        }
        self.send(root, 0, 0, 0, Id::NONE);
        self.flush();
    }

    fn work(&mut self) {
        loop {
            self.report_layer();
            if self.search.crew.meet(|| self.search.turn_over()).is_err() {
                return;
            }
            self.layer = self.search.layer.load(Relaxed);
            if self.layer == Cost::MAX {
                return;
            }
            self.frontier.truncate(self.search.incumbent.cost());
            for work in self.frontier.take_full(self.layer) {
                self.queue.push(work);
            }
            self.drain();
        }
    }

    /// Adds what this worker did in the layer to the common account.
    fn report_layer(&mut self) {
        self.tell_gauges();
        let mut layers = self.search.layers.lock().unwrap_or_else(PoisonError::into_inner);
        layers.current.expanded += std::mem::take(&mut self.expanded);
        layers.current.generated += self.kernel.counts.generated - self.generated_before;
        self.generated_before = self.kernel.counts.generated;
        self.told_expanded = 0;
        if let Some(lowest) = self.frontier.lowest() {
            let before = self.search.next_layer.fetch_min(lowest, Relaxed);
            if lowest < before {
                self.search.open_in_next.store(self.frontier.len_of(lowest), Relaxed);
            } else if lowest == before {
                self.search.open_in_next.fetch_add(self.frontier.len_of(lowest), Relaxed);
            }
        }
    }

    /// Works until the layer is over everywhere.
    fn drain(&mut self) {
        while !self.search.monitor.leaving() {
            if let Some((id, moves)) = self.woken.pop() {
                self.expand(id, !moves);
            } else if let Some(id) = self.next() {
                if let Some(asleep) = self.search.store.close(id) {
                    self.expanded += 1;
                    self.expand(id, asleep);
                }
            } else if !self.batch.is_empty() {
                self.flush();
            } else if let Some(work) = self.steal() {
                self.current = work;
            } else {
                return;
            }
            if self.batch.len() >= BATCH {
                self.flush();
            }
        }
    }

    /// The next open node of this worker: the highest g first among its partly filled chunks, then its queue.
    #[inline]
    fn next(&mut self) -> Option<Id> {
        if self.current.1.is_empty() {
            let next = self.frontier.pop_partial(self.layer).or_else(|| self.queue.pop())?;
            self.current = next;
        }
        if let Some(ahead) = self.current.1.peek(3) {
            self.search.store.prefetch_record(ahead);
        }
        self.current.1.pop()
    }

    fn steal(&self) -> Option<Work> {
        let stealers = &self.search.stealers;
        let others = || (1..stealers.len()).map(|k| &stealers[(self.number + k) % stealers.len()]);
        self.search.crew.steal_or_rest(
            || {
                others().find_map(|victim| {
                    loop {
                        match victim.steal() {
                            Steal::Success(work) => break Some(work),
                            Steal::Empty => break None,
                            Steal::Retry => {}
                        }
                    }
                })
            },
            || others().any(|victim| !victim.is_empty()),
            || self.search.monitor.leaving(),
        )
    }

    /// Generates the children of a stored state, without the moves of `skip`.
    #[inline]
    fn expand(&mut self, id: Id, skip: MoveMask) {
        let search = self.search;
        let g = search.store.tag(id).g;
        search.problem.domain.unpack(search.store.key(id), &mut self.scratch);
        let mut children = self.kernel.expand(&self.scratch, skip);
        for child in children.drain(..) {
            let g = g + child.cost;
            if let Some(stop) = search.problem.domain.terminal(&child.state) {
                self.solved(id, child.mv, g + stop);
            }
            self.send(child.state, g, child.asleep, child.mv, id);
        }
        self.kernel.recycle(children);
    }

    #[cold]
    fn solved(&mut self, parent: Id, mv: MoveIndex, cost: Cost) {
        self.search.incumbent.offer(cost, || {
            let mut moves = self.search.store.path(parent);
            moves.push(mv);
            moves
        });
        // Everything below this layer is exhausted: nothing is cheaper.
        if cost <= self.layer {
            self.search.monitor.finish();
        }
    }

    /// Puts a child into the batch.
    #[inline]
    fn send(&mut self, state: D::State, g: Cost, asleep: MoveMask, mv: MoveIndex, parent: Id) {
        let store = &self.search.store;
        let at = self.keys.len();
        self.keys.resize(at + store.key_len(), 0);
        self.search.problem.domain.pack(&state, &mut self.keys[at..]);
        let hash = store.hash(&self.keys[at..]);
        store.prefetch(hash);
        self.order.push((store.owner(hash) as u32, self.batch.len() as u32));
        self.batch.push(Child { state, hash, asleep, parent, g, mv, f: Cost::MAX });
    }

    /// Meets, evaluates and admits the children of the batch.
    fn flush(&mut self) {
        let search = self.search;
        let upper = search.incumbent.cost();
        self.order.sort_unstable();
        self.visit_shards(|worker, shard, at| {
            let meeting = shard.meet(&worker.offer(at));
            worker.heed(meeting)
        });
        self.order.retain(|&(_, at)| {
            let child = &mut self.batch[at as usize];
            let f = if child.g > MAX_G { None } else { self.kernel.evaluate(&child.state, child.g, upper) };
            child.f = f.map_or(Cost::MAX, |f| f.max(self.layer));
            child.f < upper
        });
        self.visit_shards(|worker, shard, at| {
            let child = &worker.batch[at];
            let (f, g) = (child.f, child.g);
            match shard.admit(&worker.offer(at), child.mv, child.parent) {
                Ok((id, reopened)) => {
                    worker.reopened += u64::from(reopened);
                    worker.stored += 1;
                    worker.open(f, g, id);
                }
                Err(meeting) => {
                    worker.heed(meeting);
                }
            }
            false
        });
        self.batch.clear();
        self.keys.clear();
        self.tell_gauges();
        search.monitor.check_limits();
    }

    /// Calls `visit` for each child in `order`, under the lock of its shard; keeps in `order` those that it returns true for.
    #[inline]
    fn visit_shards(&mut self, mut visit: impl FnMut(&mut Self, &mut crate::store::ShardGuard<'_>, usize) -> bool) {
        let mut order = std::mem::take(&mut self.order);
        let mut kept = 0;
        let mut from = 0;
        while from < order.len() {
            let owner = order[from].0;
            let mut shard = self.search.store.lock(owner as usize);
            while from < order.len() && order[from].0 == owner {
                let entry = order[from];
                from += 1;
                if visit(self, &mut shard, entry.1 as usize) {
                    order[kept] = entry;
                    kept += 1;
                }
            }
        }
        order.truncate(kept);
        self.order = order;
    }

    #[inline]
    fn offer(&self, at: usize) -> Offer<'_> {
        let (child, len) = (&self.batch[at], self.search.store.key_len());
        Offer { hash: child.hash, key: &self.keys[at * len..][..len], g: child.g, asleep: child.asleep }
    }

    /// Whether the child is new; notes moves that were woken.
    #[inline]
    fn heed(&mut self, meeting: Meeting) -> bool {
        if let Meeting::Woken(id, moves) = meeting {
            self.woken.push((id, moves));
        }
        meeting == Meeting::New
    }

    #[inline]
    fn open(&mut self, f: Cost, g: Cost, id: Id) {
        if f > self.layer {
            self.frontier.push(f, g, id);
        } else if let Some(full) = self.frontier.push_apart(f, g, id) {
            self.queue.push((g, full));
        }
    }

    /// Brings the gauges up to date.
    fn tell_gauges(&mut self) {
        let gauges = &self.search.monitor.gauges;
        gauges.expanded.fetch_add(self.expanded - self.told_expanded, Relaxed);
        gauges.generated.fetch_add(self.kernel.counts.generated - self.told_generated, Relaxed);
        gauges.stored.fetch_add(self.stored - self.told_stored, Relaxed);
        self.told_expanded = self.expanded;
        self.told_generated = self.kernel.counts.generated;
        self.told_stored = self.stored;
        gauges.hold(self.search.store.bytes() + self.frontier.bytes());
    }
}
