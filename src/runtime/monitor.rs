//! What a running search shows of itself, and who looks at its limits.

use super::{Deadline, Event, Limits, Observer, Progress, StopReason, StopToken};
use crate::domain::Cost;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Numbers that workers keep up to date between batches. All are statistics: no decision rests on them.
#[derive(Debug, Default)]
pub struct Gauges {
    /// See [`Progress::layer`].
    pub layer: AtomicU32,
    /// See [`Progress::lower_bound`].
    pub lower_bound: AtomicU32,
    /// See [`Progress::expanded`].
    pub expanded: AtomicU64,
    /// See [`Progress::generated`].
    pub generated: AtomicU64,
    /// See [`Progress::stored`].
    pub stored: AtomicU64,
    /// See [`Progress::open_in_layer`].
    pub open_in_layer: AtomicU64,
    /// See [`Progress::bytes`].
    pub bytes: AtomicU64,
    /// The most that `bytes` ever was.
    pub peak_bytes: AtomicU64,
}

impl Gauges {
    /// Sets the bytes held now.
    pub fn hold(&self, bytes: u64) {
        self.bytes.store(bytes, Relaxed);
        self.peak_bytes.fetch_max(bytes, Relaxed);
    }
}

/// Limits, stop token, observer and gauges of one search.
pub struct Monitor<'a> {
    /// What the search shows.
    pub gauges: Gauges,
    observer: &'a dyn Observer,
    stop: &'a StopToken,
    limits: Limits,
    deadline: Deadline,
    begun: Instant,
    incumbent: AtomicU32,
    over: Mutex<bool>,
    ended: Condvar,
    /// The incumbent is known to be optimal: workers may go home.
    done: AtomicBool,
}

impl<'a> Monitor<'a> {
    /// The clock starts now.
    #[must_use]
    pub fn new(limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self {
            gauges: Gauges::default(),
            observer,
            stop,
            limits,
            deadline: Deadline::after(limits.time),
            begun: Instant::now(),
            incumbent: AtomicU32::new(Cost::MAX),
            over: Mutex::new(false),
            ended: Condvar::new(),
            done: AtomicBool::new(false),
        }
    }

    /// Tells the observer; a new incumbent or lower bound shows in the progress too.
    pub fn tell(&self, event: &Event<'_>) {
        match event {
            Event::Incumbent { cost, .. } => {
                self.incumbent.fetch_min(*cost, Relaxed);
            }
            Event::LowerBound(bound) => {
                self.gauges.lower_bound.fetch_max(*bound, Relaxed);
            }
            _ => {}
        }
        self.observer.observe(event);
    }

    /// Ends the search for all workers: nothing is left to find.
    pub fn finish(&self) {
        self.done.store(true, Relaxed);
    }

    /// Whether workers should leave their layer, for whatever reason.
    #[must_use]
    #[inline]
    pub fn leaving(&self) -> bool {
        self.done.load(Relaxed) || self.stop.reason().is_some()
    }

    /// Why the search has to stop early, if it has to.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.stop.reason()
    }

    /// Compares gauges and clock with the limits and stops the search when one is passed.
    pub fn check_limits(&self) {
        let passed = |limit: Option<u64>, gauge: &AtomicU64| limit.is_some_and(|l| gauge.load(Relaxed) >= l);
        if passed(self.limits.memory, &self.gauges.bytes) {
            self.stop.stop(StopReason::MemoryLimit);
        }
        if passed(self.limits.expansions, &self.gauges.expanded) {
            self.stop.stop(StopReason::ExpansionLimit);
        }
        if self.deadline.passed() {
            self.stop.stop(StopReason::TimeLimit);
        }
    }

    /// How far the search is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let incumbent = self.incumbent.load(Relaxed);
        Progress {
            layer: self.gauges.layer.load(Relaxed),
            lower_bound: self.gauges.lower_bound.load(Relaxed),
            incumbent: (incumbent != Cost::MAX).then_some(incumbent),
            expanded: self.gauges.expanded.load(Relaxed),
            generated: self.gauges.generated.load(Relaxed),
            stored: self.gauges.stored.load(Relaxed),
            open_in_layer: self.gauges.open_in_layer.load(Relaxed),
            bytes: self.gauges.bytes.load(Relaxed),
            seconds: self.begun.elapsed().as_secs_f64(),
        }
    }

    /// Runs `search` while a thread sends [`Event::Progress`] as often as the observer wants it.
    pub fn watch<T>(&self, search: impl FnOnce() -> T) -> T {
        let Some(interval) = self.observer.progress_interval() else { return search() };
        std::thread::scope(|scope| {
            scope.spawn(|| self.send_progress(interval));
            let _end = End(self);
            search()
        })
    }

    fn send_progress(&self, interval: Duration) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*over {
            let (guard, wait) = self.ended.wait_timeout(over, interval).unwrap_or_else(PoisonError::into_inner);
            over = guard;
            if wait.timed_out() && !*over {
                self.observer.observe(&Event::Progress(self.progress()));
            }
        }
    }
}

/// Ends the progress thread, also when the search panics.
struct End<'a, 'm>(&'a Monitor<'m>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        *self.0.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.ended.notify_all();
    }
}

/// CPU time that the calling thread has used, in seconds.
#[must_use]
pub fn thread_cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
