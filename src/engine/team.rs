//! What the workers of one search share, whatever they do.

use super::incumbent::Incumbent;
use super::{Context, Solution};
use crate::runtime::{Crew, CrewResult, Monitor, run_crew};
use crossbeam::deque::{Stealer, Worker as Queue};

/// Expansions after which a worker brings the gauges, which all workers write, up to date and looks at the limits.
pub(super) const REPORT: u64 = 256;

/// The common ground of workers that steal items `W` from one another.
pub(super) struct Team<'a, W> {
    pub(super) incumbent: Incumbent<'a>,
    pub(super) monitor: &'a Monitor<'a>,
    pub(super) crew: Crew,
    stealers: Vec<Stealer<W>>,
}

impl<'a, W: Send> Team<'a, W> {
    /// A team and the queues of its workers, made by `queue`. `known` is a solution found before.
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

    /// Runs `work` on a thread for each queue.
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

    /// The oldest item of another worker; waits until there is one, or `None` when nobody has work any more.
    pub(super) fn steal(&self, thief: usize) -> Option<W> {
        self.crew.steal_from(&self.stealers, thief, || self.monitor.leaving())
    }
}

/// Sends all workers home when one of them panics: nothing that they still find would be reported.
struct LeaveOnPanic<'s, 'm>(&'s Monitor<'m>);

impl Drop for LeaveOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.finish();
        }
    }
}
