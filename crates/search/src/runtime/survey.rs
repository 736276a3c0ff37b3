//! Measurements of a running search that only its progress needs: workers, store and checkpoints.
//!
//! Nothing here is measured for each state. A worker measures itself when it looks for work or waits, and answers the
//! questions of the progress thread when it updates its gauges. A measurement is as old as the last answer of its
//! worker.

use super::events::WorkerProgress;
use crate::checkpoint::WriterProgress;
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
    /// Whether the progress thread wants the store to be measured.
    wants_store: AtomicBool,
    store: Mutex<StoreSurvey>,
    writing: OnceLock<Arc<WriterProgress>>,
    due: Mutex<Option<Instant>>,
}

impl ProgressSurvey {
    /// Sets the number of workers. The first call decides.
    pub fn begin(&self, workers: usize) {
        self.workers.get_or_init(|| (0..workers).map(|_| WorkerGauge::new()).collect());
    }

    /// The gauge of a worker.
    #[must_use]
    pub fn worker(&self, number: usize) -> Option<&WorkerGauge> {
        self.workers.get()?.get(number)
    }

    /// Asks all workers for their open nodes, and one of them for the store.
    pub(super) fn request(&self) {
        self.wants_store.store(true, Relaxed);
        self.workers().for_each(|worker| worker.is_wanted.store(true, Relaxed));
    }

    /// Measures the store, if the progress thread wants to know.
    #[inline]
    pub fn update_store(&self, measure: impl FnOnce() -> StoreSurvey) {
        if self.wants_store.load(Relaxed) && self.wants_store.swap(false, Relaxed) {
            *lock(&self.store) = measure();
        }
    }

    /// Sets the state of the thread that writes checkpoints. The first call decides.
    pub fn set_writer_progress(&self, writing: Arc<WriterProgress>) {
        self.writing.get_or_init(|| writing);
    }

    /// Sets the time of the next checkpoint.
    pub fn set_next_checkpoint(&self, due: Option<Instant>) {
        *lock(&self.due) = due;
    }

    fn workers(&self) -> impl Iterator<Item = &WorkerGauge> {
        self.workers.get().into_iter().flatten()
    }

    /// The idle time and the steals of each worker.
    pub(super) fn work(&self) -> Vec<WorkerProgress> {
        self.workers().map(WorkerGauge::progress).collect()
    }

    /// The open nodes of all workers, by f.
    pub(super) fn open(&self) -> Vec<(Cost, u64)> {
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

    /// The thread that writes checkpoints, if there is one.
    pub(super) fn writing(&self) -> Option<&WriterProgress> {
        self.writing.get().map(|writing| &**writing)
    }

    /// The time until the next checkpoint.
    pub(super) fn until_checkpoint(&self) -> Option<Duration> {
        lock(&self.due).map(|due| due.saturating_duration_since(Instant::now()))
    }
}

/// The measurements of one worker. The worker alone changes them.
#[derive(Debug)]
pub struct WorkerGauge {
    begun: Instant,
    /// Nanoseconds without work, not counting the wait under way.
    idle: AtomicU64,
    /// When the wait under way began, in nanoseconds since `begun`; 0 while the worker works.
    since: AtomicU64,
    steals: AtomicU64,
    is_wanted: AtomicBool,
    open: Mutex<Vec<(Cost, u64)>>,
}

impl WorkerGauge {
    fn new() -> Self {
        Self {
            begun: Instant::now(),
            idle: AtomicU64::new(0),
            since: AtomicU64::new(0),
            steals: AtomicU64::new(0),
            is_wanted: AtomicBool::new(false),
            open: Mutex::default(),
        }
    }

    fn nanoseconds(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Notes that the worker waits from now on, until the guard is dropped.
    #[must_use]
    pub fn start_wait(&self) -> WaitTimer<'_> {
        self.since.store(self.nanoseconds().max(1), Relaxed);
        WaitTimer(self)
    }

    /// Counts work that was taken from another worker.
    pub fn count_steal(&self) {
        self.steals.fetch_add(1, Relaxed);
    }

    /// Sets the open nodes, if the progress thread wants to know.
    #[inline]
    pub fn update_open(&self, open: impl FnOnce() -> Vec<(Cost, u64)>) {
        if self.is_wanted.load(Relaxed) && self.is_wanted.swap(false, Relaxed) {
            self.set_open(open());
        }
    }

    /// Sets the open nodes.
    pub fn set_open(&self, open: Vec<(Cost, u64)>) {
        *lock(&self.open) = open;
    }

    fn progress(&self) -> WorkerProgress {
        let waits = match self.since.load(Relaxed) {
            0 => 0,
            since => self.nanoseconds().saturating_sub(since),
        };
        let idle = self.idle.load(Relaxed) + waits;
        WorkerProgress { idle_seconds: idle as f64 * 1e-9, steals: self.steals.load(Relaxed) }
    }
}

/// A worker that waits.
#[derive(Debug)]
pub struct WaitTimer<'a>(&'a WorkerGauge);

impl Drop for WaitTimer<'_> {
    fn drop(&mut self) {
        let gauge = self.0;
        let waited = gauge.nanoseconds().saturating_sub(gauge.since.load(Relaxed));
        gauge.idle.fetch_add(waited, Relaxed);
        gauge.since.store(0, Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn workers_answer_once_for_each_question() {
        let survey = ProgressSurvey::default();
        assert_eq!((survey.work(), survey.open(), survey.until_checkpoint()), (Vec::new(), Vec::new(), None));
        survey.begin(2);
        survey.begin(7);
        let [first, second] = [0, 1].map(|number| survey.worker(number).expect("a worker"));
        assert!(survey.worker(2).is_none());
        first.update_open(|| unreachable!("nobody asks"));
        survey.request();
        first.update_open(|| vec![(7, 2), (8, 5)]);
        first.update_open(|| unreachable!("answered"));
        second.set_open(vec![(8, 1)]);
        assert_eq!(survey.open(), [(7, 2), (8, 6)]);
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
