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

use super::batch::Patience;
use super::explorer::{Account, Explorer};
use super::kernel::Problem;
use super::team::Team;
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::{Event, Layer, Monitor};
use crate::store::{Chunk, Frontier, Id};
use crossbeam::deque::Worker as Queue;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Children that a worker collects before it goes to the store.
const BATCH: usize = 64;

/// Expansions after which a worker brings the gauges, which all workers write, up to date.
const REPORT: u64 = 256;

/// How many ids ahead records are prefetched.
const AHEAD: usize = 3;

/// Open nodes of one g.
type Work = (Cost, Box<Chunk>);

/// Called between layers with the number of states expanded so far and the best solution held; may know a better one.
pub(super) type BetweenLayers<'a> = dyn Fn(u64, Option<Solution>) -> Interlude + Sync + 'a;

/// What another engine did between two layers.
#[derive(Default)]
pub(super) struct Interlude {
    pub(super) better: Option<Solution>,
    /// States that it expanded. They count against the limit of this search and show in its progress.
    pub(super) expanded: u64,
}

/// Runs the search. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: Option<Solution>,
    between_layers: &BetweenLayers<'_>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let (team, queues) = Team::new(problem, known, &monitor, context);
    let search = Search {
        team,
        layer: AtomicU32::new(0),
        frontier_bytes: AtomicU64::new(0),
        between_layers,
        layers: Mutex::new(Layers::above(problem.lower_bound())),
    };
    monitor.watch(|| search.run(queues))
}

/// What the workers share.
struct Search<'a, D, B> {
    team: Team<'a, D, B, Work>,
    /// The f under way.
    layer: AtomicU32,
    /// Bytes of all workers' frontiers.
    frontier_bytes: AtomicU64,
    between_layers: &'a BetweenLayers<'a>,
    layers: Mutex<Layers>,
}

/// The accounts of the layers; settled by all workers at the end of each.
struct Layers {
    done: Vec<Layer>,
    current: Layer,
    /// The lowest f above with an open node, and how many there are.
    next: Cost,
    open: u64,
    lower_bound: Cost,
    /// States expanded in all layers.
    expanded: u64,
    /// The range is closed: optimal, or unsolvable.
    proven: bool,
}

impl Layers {
    /// No layer yet; `lower_bound` is proven without any.
    fn above(lower_bound: Cost) -> Self {
        Self {
            done: Vec::new(),
            current: Layer::default(),
            next: Cost::MAX,
            open: 0,
            lower_bound,
            expanded: 0,
            proven: false,
        }
    }
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, queues: Vec<Queue<Work>>) -> Outcome {
        let work = self.team.explore(queues, |number, queue, explorer| {
            let mut worker = Worker::new(&self, number, queue, explorer);
            worker.work();
            worker.explorer
        });
        let layers = self.layers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let incumbent = self.team.incumbent.into_solution();
        let stopped = self.team.monitor.stopped().filter(|_| !layers.proven);
        Outcome {
            incumbent,
            lower_bound: layers.lower_bound,
            stopped,
            statistics: Statistics { layers: layers.done, ..work },
        }
    }

    /// Lets others look for a better solution before layer `next` begins.
    fn improve(&self, layers: &mut Layers, next: Cost) {
        let Interlude { better, expanded } = (self.between_layers)(layers.expanded, self.team.incumbent.solution());
        self.team.monitor.gauges.expanded.fetch_add(expanded, Relaxed);
        if let Some(better) = better {
            self.team.incumbent.offer(better.cost, || better.moves);
            layers.proven = next >= self.team.incumbent.cost();
        }
    }

    /// Decides, alone, what comes after a layer.
    fn turn_over(&self) {
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = std::mem::replace(&mut layers.next, Cost::MAX);
        let open = std::mem::take(&mut layers.open);
        let finished = std::mem::take(&mut layers.current);
        if finished.expanded > 0 {
            layers.done.push(finished);
        }
        layers.expanded += finished.expanded;
        let upper = self.team.incumbent.cost();
        // An incumbent that costs no more than the layer under way ends the search in its midst.
        layers.proven = upper <= layers.lower_bound;
        let exhausted = !layers.proven && self.team.monitor.stopped().is_none();
        if exhausted {
            if finished.expanded > 0 {
                self.team.monitor.tell(&Event::LayerDone(finished));
            }
            layers.lower_bound = layers.lower_bound.max(next.min(upper));
            layers.proven = next >= upper;
            self.team.monitor.tell(&Event::LowerBound(layers.lower_bound));
        }
        if exhausted && !layers.proven {
            self.improve(&mut layers, next);
        }
        if layers.proven || !exhausted {
            self.layer.store(Cost::MAX, Relaxed);
            return;
        }
        layers.current.f = next;
        self.layer.store(next, Relaxed);
        self.team.monitor.gauges.layer.store(next, Relaxed);
        self.team.monitor.gauges.open_in_layer.store(open, Relaxed);
        self.team.monitor.tell(&Event::LayerStarted { f: next, open });
    }
}

/// One worker.
struct Worker<'s, 'a, D: Domain, B: LowerBound<D>> {
    search: &'s Search<'a, D, B>,
    number: usize,
    explorer: Explorer<'s, 'a, D, B>,
    /// Full chunks of the layer under way; others may steal them.
    queue: Queue<Work>,
    frontier: Frontier,
    /// The f under way.
    layer: Cost,
    /// The chunk being worked off.
    current: Work,
    /// What the layers' accounts were told so far.
    accounted: Account,
    /// Bytes of the frontier, as the common account knows them.
    held: u64,
}

impl<'s, 'a, D: Domain, B: LowerBound<D>> Worker<'s, 'a, D, B> {
    fn new(search: &'s Search<'a, D, B>, number: usize, queue: Queue<Work>, explorer: Explorer<'s, 'a, D, B>) -> Self {
        Self {
            search,
            number,
            explorer,
            queue,
            frontier: Frontier::default(),
            layer: 0,
            current: (0, Box::default()),
            accounted: Account::default(),
            held: 0,
        }
    }

    fn work(&mut self) {
        if self.number == 0 {
            self.explorer.begin();
            self.flush(Patience::Waits);
        }
        loop {
            self.settle_accounts();
            if self.search.team.crew.meet(|| self.search.turn_over()).is_err() {
                return;
            }
            self.layer = self.search.layer.load(Relaxed);
            if self.layer == Cost::MAX {
                return;
            }
            self.frontier.truncate(self.search.team.incumbent.cost());
            for work in self.frontier.take_full(self.layer) {
                self.queue.push(work);
            }
            self.drain();
        }
    }

    /// Adds what this worker did in the layer to the layer's account, and says where its next open nodes are.
    fn settle_accounts(&mut self) {
        self.tell_gauges();
        let now = self.explorer.account();
        let mut layers = self.search.layers.lock().unwrap_or_else(PoisonError::into_inner);
        layers.current.expanded += now.expanded - self.accounted.expanded;
        layers.current.generated += now.generated - self.accounted.generated;
        self.accounted = now;
        if let Some(lowest) = self.frontier.lowest() {
            let open = self.frontier.len_of(lowest);
            match lowest.cmp(&layers.next) {
                Ordering::Less => (layers.next, layers.open) = (lowest, open),
                Ordering::Equal => layers.open += open,
                Ordering::Greater => {}
            }
        }
    }

    /// Works until the layer is over everywhere.
    fn drain(&mut self) {
        while !self.search.team.monitor.leaving() {
            if let Some(cost) = self.explorer.expand_woken() {
                self.solved(cost);
            } else if let Some(id) = self.next() {
                let cost = self.explorer.expand(id);
                self.solved(cost);
            } else if self.explorer.pending() > 0 {
                self.flush(Patience::Waits);
            } else if let Some(work) = self.search.team.steal(self.number) {
                self.current = work;
            } else {
                return;
            }
            if self.explorer.pending() >= BATCH {
                self.flush(Patience::GoesOn);
            }
        }
    }

    /// Everything below this layer is exhausted: a solution of this cost is optimal.
    #[inline]
    fn solved(&self, cost: Cost) {
        if cost <= self.layer {
            self.search.team.monitor.finish();
        }
    }

    /// The next open node of this worker: the highest g first among its partly filled chunks, then its queue.
    #[inline]
    fn next(&mut self) -> Option<Id> {
        if self.current.1.is_empty() {
            self.current = self.frontier.pop_partial(self.layer).or_else(|| self.queue.pop())?;
        }
        if let Some(ahead) = self.current.1.peek(AHEAD) {
            self.search.team.store.prefetch_record(ahead);
        }
        self.current.1.pop()
    }

    /// Brings the collected children to the store and opens what is new.
    fn flush(&mut self, patience: Patience) {
        self.explorer.flush(self.layer, patience);
        for child in self.explorer.admitted.drain(..) {
            if child.f > self.layer {
                self.frontier.push(child.f, child.g, child.id);
            } else if let Some(full) = self.frontier.push_apart(child.f, child.g, child.id) {
                self.queue.push((child.g, full));
            }
        }
        if patience == Patience::Waits || self.explorer.untold() >= REPORT {
            self.tell_gauges();
            self.search.team.monitor.check_limits();
        }
    }

    /// Brings the gauges up to date.
    fn tell_gauges(&mut self) {
        let gauges = &self.search.team.monitor.gauges;
        self.explorer.tell(gauges);
        let frontier = self.frontier.bytes();
        let others =
            self.search.frontier_bytes.fetch_add(frontier.wrapping_sub(self.held), Relaxed).wrapping_sub(self.held);
        self.held = frontier;
        gauges.hold(self.search.team.store.bytes() + others.wrapping_add(frontier));
    }
}
