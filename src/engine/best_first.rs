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
use super::explorer::{Account, Explorer, explore};
use super::kernel::Problem;
use super::ledger::Ledger;
use super::team::{REPORT, Team};
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::Monitor;
use crate::store::{Chunk, Frontier, Id, Store};
use crossbeam::deque::Worker as Queue;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Children that a worker collects before it goes to the store.
const BATCH: usize = 64;

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
    let (team, queues) = Team::new(known, &monitor, context, Queue::new_lifo);
    let search = Search {
        problem,
        store: problem.new_store(queues.len()),
        team,
        layer: AtomicU32::new(0),
        frontier_bytes: AtomicU64::new(0),
        between_layers,
        ledger: Mutex::new(Ledger::above(problem.lower_bound())),
    };
    monitor.watch(|| search.run(queues))
}

/// What the workers share.
struct Search<'a, D, B> {
    problem: Problem<'a, D, B>,
    store: Store,
    team: Team<'a, Work>,
    /// The f under way.
    layer: AtomicU32,
    /// Bytes of all workers' frontiers.
    frontier_bytes: AtomicU64,
    between_layers: &'a BetweenLayers<'a>,
    ledger: Mutex<Ledger>,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, queues: Vec<Queue<Work>>) -> Outcome {
        let work = explore(self.problem, &self.team, &self.store, queues, |number, queue, explorer| {
            let mut worker = Worker::new(&self, number, queue, explorer);
            worker.work();
            worker.explorer
        });
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        Outcome {
            stopped: self.team.monitor.stopped().filter(|_| !ledger.proven()),
            incumbent: self.team.incumbent.into_solution(),
            lower_bound: ledger.lower_bound(),
            statistics: Statistics { layers: ledger.into_layers(), ..work },
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides, alone, what comes after a layer.
    fn turn_over(&self) {
        let mut ledger = self.ledger();
        let next = ledger.turn_over(self.team.incumbent.cost(), self.team.monitor).filter(|&next| {
            self.improve(ledger.expanded());
            !ledger.closes_at(next, self.team.incumbent.cost())
        });
        self.layer.store(next.map_or(Cost::MAX, |next| next.f), Relaxed);
        if let Some(next) = next {
            ledger.begin(next, self.team.monitor);
        }
    }

    /// Lets others look for a better solution, `expanded` states being expanded so far.
    fn improve(&self, expanded: u64) {
        let Interlude { better, expanded } = (self.between_layers)(expanded, self.team.incumbent.solution());
        self.team.monitor.gauges.expanded.fetch_add(expanded, Relaxed);
        if let Some(better) = better {
            self.team.incumbent.offer(better.cost, || better.moves);
        }
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
    /// What the ledger was told so far.
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
        let mut ledger = self.search.ledger();
        ledger.add(now.expanded - self.accounted.expanded, now.generated - self.accounted.generated);
        self.accounted = now;
        if let Some(lowest) = self.frontier.lowest() {
            ledger.announce(lowest, self.frontier.len_of(lowest));
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
            self.search.store.prefetch_record(ahead);
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
        gauges.hold(self.search.store.bytes() + others.wrapping_add(frontier));
    }
}
