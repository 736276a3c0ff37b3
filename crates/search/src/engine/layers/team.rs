//! The data that the workers of one search share, in best-first search and IDA*.

use crate::domain::Cost;
use crate::engine::context::Context;
use crate::engine::incumbent::Incumbent;
use crate::engine::outcome::Solution;
use crate::runtime::{
    Crew, CrewResult, Exchange, Monitor, Notice, OtherCrews, Parcel, WaitTimer, WorkerGauge, WorkerPanicked, run_crew,
};
use crossbeam::deque::{Stealer, Worker as Queue};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The number of expansions after which a worker updates the gauges and checks the limits. All workers write the
/// gauges, so more frequent updates would slow the workers down.
pub(crate) const REPORT_INTERVAL: u64 = 256;

/// Incumbent, monitor and queues of workers that steal items `W` from one another.
pub(crate) struct Team<'a, W> {
    pub(crate) incumbent: Incumbent<'a>,
    pub(crate) monitor: &'a Monitor<'a>,
    pub(crate) crew: Crew,
    /// The exchange with other ranks, if there are any.
    pub(crate) exchange: Option<&'a Exchange>,
    /// Whether the other ranks know already that workers leave the layer.
    has_left: AtomicBool,
    stealers: Vec<Stealer<W>>,
}

impl<'a, W: Send> Team<'a, W> {
    /// A team, and a queue made by `new_queue` for each of its workers. `known` is a solution found before.
    pub(crate) fn new(
        known: Option<Solution>,
        monitor: &'a Monitor<'a>,
        context: &Context<'a>,
        new_queue: fn() -> Queue<W>,
    ) -> (Self, Vec<Queue<W>>) {
        let workers = context.threads.max(1);
        monitor.gauges.survey.set_worker_count(workers);
        let queues: Vec<_> = (0..workers).map(|_| new_queue()).collect();
        let team = Self {
            incumbent: Incumbent::new(known, monitor),
            monitor,
            crew: Crew::new(workers),
            exchange: context.exchange(),
            has_left: AtomicBool::new(false),
            stealers: queues.iter().map(Queue::stealer).collect(),
        };
        (team, queues)
    }

    /// Runs `work` for each queue, each on a thread of its own, with the number of the worker. A panic of a worker ends
    /// the other workers and is passed on.
    pub(crate) fn run<T: Send>(
        &self,
        queues: Vec<Queue<W>>,
        work: impl Fn(usize, Queue<W>) -> T + Sync,
    ) -> CrewResult<T> {
        run_crew(&self.crew, queues, |number, queue| {
            let _leave = LeaveOnPanic(self.monitor);
            work(number, queue)
        })
    }

    pub(crate) fn workers(&self) -> usize {
        self.stealers.len()
    }

    /// Steals the oldest item of another worker. Waits until there is an item. Returns `None` when no worker has work
    /// left, or the workers are to leave the layer.
    pub(crate) fn steal(&self, thief: usize) -> Option<W> {
        let _wait = self.start_wait(thief);
        let stolen = self.crew.steal_from(&self.stealers, thief, || self.monitor.should_leave_layer());
        if stolen.is_some() {
            self.count_steal(thief);
        }
        stolen
    }

    /// [`Crew::barrier`] for one worker. The worker that decides is not idle meanwhile.
    ///
    /// # Errors
    /// When a worker has panicked.
    pub(crate) fn barrier(&self, worker: usize, decide: impl FnOnce()) -> Result<(), WorkerPanicked> {
        let mut wait = self.start_wait(worker);
        self.crew.barrier(|| {
            drop(wait.take());
            decide();
        })
    }

    /// Expansions after which a worker updates the gauges and checks the limits.
    pub(crate) fn allowance(&self) -> u64 {
        self.monitor.expansion_allowance(REPORT_INTERVAL, self.workers())
    }

    pub(crate) fn gauge(&self, worker: usize) -> Option<&WorkerGauge> {
        self.monitor.gauges.survey.worker(worker)
    }

    fn start_wait(&self, worker: usize) -> Option<WaitTimer<'_>> {
        self.gauge(worker).map(WorkerGauge::start_wait)
    }

    fn count_steal(&self, thief: usize) {
        if let Some(gauge) = self.gauge(thief) {
            gauge.count_steal();
        }
    }
}

pub(crate) enum NextWork<'x, W> {
    /// Work of another worker of this rank.
    Work(W),
    /// A parcel of another rank.
    Parcel(Parcel<'x>),
}

/// The search on several ranks.
impl<'a, W: Send> Team<'a, W> {
    /// Begins a phase of the exchange. One worker calls this at the barrier.
    pub(crate) fn begin_phase(&self) {
        if let Some(exchange) = self.exchange {
            exchange.begin_phase();
            self.has_left.store(false, Relaxed);
        }
    }

    /// Ends the search if a solution of this cost is optimal: it costs no more than the current layer, and all lower
    /// layers are empty.
    #[inline]
    pub(crate) fn stop_if_optimal(&self, cost: Cost, layer: Cost) {
        if cost <= layer {
            self.monitor.finish();
        }
    }

    /// Sends and receives messages, processes the notices of other ranks, and notifies them when the workers of this
    /// rank leave the layer.
    pub(crate) fn exchange_notices(&self, exchange: &Exchange, layer: Cost) {
        exchange.poll();
        while let Some(notice) = exchange.next_notice() {
            match notice {
                Notice::Incumbent(cost) => {
                    self.incumbent.claim(cost);
                    self.stop_if_optimal(cost, layer);
                }
                Notice::Pause => {
                    self.has_left.store(true, Relaxed);
                    self.monitor.pause();
                }
                Notice::Stop(reason) => {
                    self.has_left.store(true, Relaxed);
                    self.monitor.stop(reason);
                }
            }
        }
        let monitor = self.monitor;
        // A search that is finished needs no message: the other ranks know the cost of the incumbent, so they finish
        // too.
        if monitor.should_leave_layer() && !monitor.is_finished() && !self.has_left.swap(true, Relaxed) {
            exchange.broadcast(monitor.stop_reason().map_or(Notice::Pause, Notice::Stop));
        }
    }

    /// Sums two numbers over all ranks. The counts in the ledger are such sums already.
    pub(crate) fn sum_of_ranks(&self, counts: (u64, u64)) -> (u64, u64) {
        let Some(exchange) = self.exchange else { return counts };
        exchange.all_gather(&counts).into_iter().fold((0, 0), |sum, page| (sum.0 + page.0, sum.1 + page.1))
    }

    /// Steals the oldest item of another worker, or takes a parcel of another rank. Waits until there is one. Returns
    /// `None` when no worker of any rank has work left. A worker that is to leave the layer waits too, because parcels
    /// may be under way to this rank. It takes parcels, but steals nothing.
    pub(crate) fn wait_for_work(
        &self,
        thief: usize,
        exchange: &'a Exchange,
        other_crews: &dyn OtherCrews,
    ) -> Option<NextWork<'a, W>> {
        let find = || {
            let stolen =
                || if self.monitor.should_leave_layer() { None } else { Crew::try_steal(&self.stealers, thief) };
            exchange.next_parcel().map(NextWork::Parcel).or_else(|| stolen().map(NextWork::Work))
        };
        let may_find = || {
            exchange.has_parcels()
                || !self.monitor.should_leave_layer() && Crew::has_stealable_work(&self.stealers, thief)
        };
        let _wait = self.start_wait(thief);
        let found = self.crew.steal_or_wait(find, may_find, || false, Some(other_crews));
        if matches!(found, Some(NextWork::Work(_))) {
            self.count_steal(thief);
        }
        found
    }
}

/// Tells all workers to end when one of them panics, because none of their results would be reported.
struct LeaveOnPanic<'s, 'm>(&'s Monitor<'m>);

impl Drop for LeaveOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.finish();
        }
    }
}
