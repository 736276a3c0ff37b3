//! What the workers of one search share, and what they did together.

use super::Statistics;
use super::explorer::Explorer;
use super::incumbent::Incumbent;
use super::kernel::Problem;
use super::{Context, Solution};
use crate::domain::{Domain, LowerBound};
use crate::runtime::{Crew, Monitor, run_crew};
use crate::store::Store;
use crossbeam::deque::{Stealer, Worker as Queue};
use std::sync::atomic::Ordering::Relaxed;

/// The common ground of workers that keep states in a store and steal items `W` from one another.
pub(super) struct Team<'a, D, B, W> {
    pub(super) problem: Problem<'a, D, B>,
    pub(super) store: Store,
    pub(super) incumbent: Incumbent<'a>,
    pub(super) monitor: &'a Monitor<'a>,
    pub(super) crew: Crew,
    stealers: Vec<Stealer<W>>,
}

impl<'a, D: Domain, B: LowerBound<D>, W: Send> Team<'a, D, B, W> {
    /// A team and the queues of its workers, the newest item first. `known` is a solution found before.
    pub(super) fn new(
        problem: Problem<'a, D, B>,
        known: Option<Solution>,
        monitor: &'a Monitor<'a>,
        context: &Context<'_>,
    ) -> (Self, Vec<Queue<W>>) {
        let workers = context.threads.max(1);
        let queues: Vec<_> = (0..workers).map(|_| Queue::new_lifo()).collect();
        let team = Self {
            problem,
            store: problem.new_store(workers),
            incumbent: Incumbent::new(known, monitor),
            monitor,
            crew: Crew::new(workers),
            stealers: queues.iter().map(Queue::stealer).collect(),
        };
        (team, queues)
    }

    /// Runs `work` on a thread for each queue, each with an explorer that it gives back; returns what these did together.
    pub(super) fn explore<'s>(
        &'s self,
        queues: Vec<Queue<W>>,
        work: impl Fn(usize, Queue<W>, Explorer<'s, 'a, D, B>) -> Explorer<'s, 'a, D, B> + Sync,
    ) -> Statistics {
        let haul = run_crew(&self.crew, queues, |number, queue| {
            let _leave = LeaveOnPanic(self.monitor);
            let explorer = Explorer::new(self.problem, &self.store, &self.incumbent);
            let Explorer { kernel, expanded, bill, .. } = work(number, queue, explorer);
            (kernel.counts, expanded, bill)
        });
        let mut statistics = Statistics {
            stored: self.store.records(),
            cpu_seconds: haul.cpu_seconds,
            peak_bytes: self.monitor.gauges.peak_bytes.load(Relaxed).max(self.store.bytes()),
            ..Statistics::default()
        };
        for (counts, expanded, bill) in haul.results {
            statistics.expanded += expanded;
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            statistics.reopened += bill.reopened;
        }
        statistics
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
