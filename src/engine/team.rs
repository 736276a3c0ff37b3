//! What the workers of one search share, in every engine with work stealing.

use super::context::Context;
use super::incumbent::Incumbent;
use super::outcome::Solution;
use crate::runtime::{Crew, CrewResult, Monitor, run_crew};
use crossbeam::deque::{Stealer, Worker as Queue};

/// Expansions after which a worker updates the gauges and checks the limits. All workers write the gauges, so more
/// frequent updates would slow the workers down.
pub(super) const REPORT: u64 = 256;

/// Incumbent, monitor and queues of workers that steal items `W` from one another.
pub(super) struct Team<'a, W> {
    pub(super) incumbent: Incumbent<'a>,
    pub(super) monitor: &'a Monitor<'a>,
    pub(super) crew: Crew,
    stealers: Vec<Stealer<W>>,
}

impl<'a, W: Send> Team<'a, W> {
    /// A team, and a queue made by `queue` for each of its workers. `known` is a solution found before.
    pub(super) fn new(
        known: Option<Solution>,
        monitor: &'a Monitor<'a>,
        context: &Context<'_>,
        queue: fn() -> Queue<W>,
    ) -> (Self, Vec<Queue<W>>) {
        let workers = context.threads.max(1);
        let queues: Vec<_> = (0..workers).map(|_| queue()).collect();
        let team = Self {
            incumbent: Incumbent::new(known, monitor),
            monitor,
            crew: Crew::new(workers),
            stealers: queues.iter().map(Queue::stealer).collect(),
        };
        (team, queues)
    }

    /// Runs `work` for each queue, each on a thread of its own, with the number of the worker. A panic of a worker ends
    /// the other workers and is passed on.
    pub(super) fn run<T: Send>(
        &self,
        queues: Vec<Queue<W>>,
        work: impl Fn(usize, Queue<W>) -> T + Sync,
    ) -> CrewResult<T> {
        run_crew(&self.crew, queues, |number, queue| {
            let _leave = LeaveOnPanic(self.monitor);
            work(number, queue)
        })
    }

    /// Number of workers.
    pub(super) fn workers(&self) -> usize {
        self.stealers.len()
    }

    /// Steals the oldest item of another worker. Waits until there is an item. Returns `None` when no worker has work
    /// left, or the workers are to leave the layer.
    pub(super) fn steal(&self, thief: usize) -> Option<W> {
        self.crew.steal_from(&self.stealers, thief, || self.monitor.leaving())
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
