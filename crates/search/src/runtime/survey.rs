//! Measurements for the progress of a search: workers, store and checkpoints.
//!
//! Nothing is measured for each state. The progress thread requests measurements, and workers make them when they
//! update their gauges. So a measurement is as old as the last update of its worker.

use super::events::WorkerProgress;
use super::writer_progress::WriterProgress;
use crate::domain::Cost;
use crate::platform::Instant;
use crate::store::StoreSurvey;
use crate::sync::lock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The measurements of one search.
#[derive(Debug, Default)]
pub struct ProgressSurvey {
    workers: OnceLock<Box<[WorkerGauge]>>,
    /// Whether the progress thread waits for a measurement of the store.
    wants_store: AtomicBool,
    store: Mutex<StoreSurvey>,
    writer_progress: OnceLock<Arc<WriterProgress>>,
    next_checkpoint: Mutex<Option<Instant>>,
}

impl ProgressSurvey {
    /// Sets the number of workers. Later calls have no effect.
    pub fn set_worker_count(&self, workers: usize) {
        self.workers.get_or_init(|| (0..workers).map(|_| WorkerGauge::new()).collect());
    }

    /// The gauge of a worker.
    #[must_use]
    pub fn worker(&self, number: usize) -> Option<&WorkerGauge> {
        self.workers.get()?.get(number)
    }

    /// Asks every worker to report its open nodes, and one of them to measure the store.
    pub(super) fn request_measurements(&self) {
        self.wants_store.store(true, Relaxed);
        self.workers().for_each(|worker| worker.wants_open.store(true, Relaxed));
    }

    /// Measures the store, if requested.
    #[inline]
    pub fn update_store(&self, measure: impl FnOnce() -> StoreSurvey) {
        if self.wants_store.load(Relaxed) && self.wants_store.swap(false, Relaxed) {
            *lock(&self.store) = measure();
        }
    }

    /// Sets the progress of the writer thread. Later calls have no effect.
    pub fn set_writer_progress(&self, progress: Arc<WriterProgress>) {
        self.writer_progress.get_or_init(|| progress);
    }

    /// Sets the time of the next checkpoint.
    pub fn set_next_checkpoint(&self, time: Option<Instant>) {
        *lock(&self.next_checkpoint) = time;
    }

    fn workers(&self) -> impl Iterator<Item = &WorkerGauge> {
        self.workers.get().into_iter().flatten()
    }

    /// The idle time and the steals of each worker.
    pub(super) fn worker_progress(&self) -> Vec<WorkerProgress> {
        self.workers().map(WorkerGauge::progress).collect()
    }

    /// The open nodes of all workers, by f.
    pub(super) fn open_nodes(&self) -> Vec<(Cost, u64)> {
        let mut open = BTreeMap::new();
        for worker in self.workers() {
            lock(&worker.open).iter().for_each(|&(f, nodes)| *open.entry(f).or_default() += nodes);
        }
        open.into_iter().collect()
    }

    /// The last measurement of the store.
    pub(super) fn store(&self) -> StoreSurvey {
        *lock(&self.store)
    }

    /// The progress of the writer thread, if there is one.
    pub(super) fn writer_progress(&self) -> Option<&WriterProgress> {
        self.writer_progress.get().map(|progress| &**progress)
    }

    /// The time until the next checkpoint.
    pub(super) fn until_checkpoint(&self) -> Option<Duration> {
        lock(&self.next_checkpoint).map(|time| time.saturating_duration_since(Instant::now()))
    }
}

/// The measurements of one worker. Only the worker changes them.
#[derive(Debug)]
pub struct WorkerGauge {
    start: Instant,
    /// Time without work, except for the wait under way.
    idle_ns: AtomicU64,
    /// The start of the wait under way, since `start`; 0 while the worker works.
    wait_start_ns: AtomicU64,
    steals: AtomicU64,
    wants_open: AtomicBool,
    open: Mutex<Vec<(Cost, u64)>>,
}

impl WorkerGauge {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            idle_ns: AtomicU64::new(0),
            wait_start_ns: AtomicU64::new(0),
            steals: AtomicU64::new(0),
            wants_open: AtomicBool::new(false),
            open: Mutex::default(),
        }
    }

    fn elapsed_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Starts a wait, which ends when the timer is dropped.
    #[must_use]
    pub fn start_wait(&self) -> WaitTimer<'_> {
        self.wait_start_ns.store(self.elapsed_ns().max(1), Relaxed);
        WaitTimer(self)
    }

    /// Counts a steal from another worker.
    pub fn count_steal(&self) {
        self.steals.fetch_add(1, Relaxed);
    }

    /// Sets the open nodes, if requested.
    #[inline]
    pub fn update_open_nodes(&self, open: impl FnOnce() -> Vec<(Cost, u64)>) {
        if self.wants_open.load(Relaxed) && self.wants_open.swap(false, Relaxed) {
            self.set_open_nodes(open());
        }
    }

    /// Sets the open nodes.
    pub fn set_open_nodes(&self, open: Vec<(Cost, u64)>) {
        *lock(&self.open) = open;
    }

    fn progress(&self) -> WorkerProgress {
        let current_wait = match self.wait_start_ns.load(Relaxed) {
            0 => 0,
            wait_start => self.elapsed_ns().saturating_sub(wait_start),
        };
        let idle_ns = self.idle_ns.load(Relaxed) + current_wait;
        WorkerProgress { idle_seconds: idle_ns as f64 * 1e-9, steals: self.steals.load(Relaxed) }
    }
}

/// Measures a wait until it is dropped.
#[derive(Debug)]
pub struct WaitTimer<'a>(&'a WorkerGauge);

impl Drop for WaitTimer<'_> {
    fn drop(&mut self) {
        let gauge = self.0;
        let waited = gauge.elapsed_ns().saturating_sub(gauge.wait_start_ns.load(Relaxed));
        gauge.idle_ns.fetch_add(waited, Relaxed);
        gauge.wait_start_ns.store(0, Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn workers_answer_once_for_each_question() {
        let survey = ProgressSurvey::default();
        assert_eq!(
            (survey.worker_progress(), survey.open_nodes(), survey.until_checkpoint()),
            (Vec::new(), Vec::new(), None)
        );
        survey.set_worker_count(2);
        survey.set_worker_count(7);
        let [first, second] = [0, 1].map(|number| survey.worker(number).expect("a worker"));
        assert!(survey.worker(2).is_none());
        first.update_open_nodes(|| unreachable!("nobody asks"));
        survey.request_measurements();
        first.update_open_nodes(|| vec![(7, 2), (8, 5)]);
        first.update_open_nodes(|| unreachable!("answered"));
        second.set_open_nodes(vec![(8, 1)]);
        assert_eq!(survey.open_nodes(), [(7, 2), (8, 6)]);
        survey.update_store(|| StoreSurvey { hot: 3, ..StoreSurvey::default() });
        survey.update_store(|| unreachable!("answered"));
        assert_eq!(survey.store().hot, 3);
    }

    #[test]
    fn a_wait_under_way_counts() {
        let gauge = WorkerGauge::new();
        gauge.count_steal();
        let resting = gauge.start_wait();
        let [before, later] = [gauge.progress(), gauge.progress()];
        assert!(later.idle_seconds >= before.idle_seconds && later.steals == 1);
        drop(resting);
        let after = gauge.progress();
        assert!(after.idle_seconds >= later.idle_seconds);
        assert_eq!(gauge.progress(), after, "a worker at work is not idle");
    }
}
