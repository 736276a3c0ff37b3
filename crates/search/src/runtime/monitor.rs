//! Monitors a running search: statistics, limits, and events to the observer.

use super::survey::ProgressSurvey;
use super::watchdog::{self, WatchedLimits};
use super::writer_progress::WriterProgress;
use super::{Deadline, Event, Exchange, Limits, Observer, Progress, RankStatus, StopReason, StopToken, Stopped};
use crate::domain::Cost;
use crate::platform::{HAS_THREADS, Instant, has_allocation_failed, renew_reserve, resident_bytes};
use crate::sync::lock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Scope;
use std::time::Duration;

/// Statistics that workers update between batches. Only limits and progress depend on them.
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
    /// See [`Progress::duplicates`].
    pub duplicates: AtomicU64,
    /// See [`Progress::reopened`].
    pub reopened: AtomicU64,
    /// [`Progress::expanded`] minus [`Progress::in_layer`], wrapping below zero if an earlier search has expanded
    /// states of the layer. A reader loads this value first and `expanded` second, so that the difference is never
    /// negative.
    pub expanded_before_layer: AtomicU64,
    /// See [`Progress::bytes`].
    pub bytes: AtomicU64,
    /// The highest value of `bytes` so far.
    pub peak_bytes: AtomicU64,
    /// Measurements for the progress.
    pub survey: ProgressSurvey,
}

/// From this interval on, workers send the progress when they check the limits; below, a thread sends it.
const MIN_POLLED_INTERVAL: Duration = Duration::from_secs(5);

impl Gauges {
    /// Sets the number of bytes in use.
    pub fn set_bytes(&self, bytes: u64) {
        self.bytes.store(bytes, Relaxed);
        self.peak_bytes.fetch_max(bytes, Relaxed);
    }

    /// Adds to the number of bytes in use.
    pub fn add_bytes(&self, bytes: u64) {
        let sum = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.peak_bytes.fetch_max(sum, Relaxed);
    }

    /// Subtracts from the number of bytes in use.
    pub fn subtract_bytes(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Relaxed);
    }
}

/// Limits, stop token, observer and gauges of one search. All workers of the search share one monitor.
pub struct Monitor<'a> {
    /// The statistics of the search.
    pub gauges: Gauges,
    /// See [`Progress::search`].
    search_number: u64,
    observer: &'a dyn Observer,
    stop: &'a StopToken,
    /// Stops only this search, at a limit; `stop` may be shared with other searches. The watchdog sets it too.
    watched_limits: Arc<WatchedLimits>,
    limits: Limits,
    start: Instant,
    incumbent: AtomicU32,
    /// When workers send the next progress, in milliseconds since `start`.
    next_progress_ms: AtomicU64,
    is_progress_over: Mutex<bool>,
    progress_end: Condvar,
    /// Whether nothing is left to find.
    is_finished: AtomicBool,
    /// Whether workers must come to the barrier before their layer is over.
    is_pausing: AtomicBool,
    /// The exchange with the other ranks of this search.
    exchange: Option<&'a Exchange>,
}

impl<'a> Monitor<'a> {
    /// A monitor whose clock starts now.
    #[must_use]
    pub fn new(limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self::with_limits(limits, false, observer, stop)
    }

    /// [`Monitor::new`] for a search that keeps within its limit of memory itself, so that the monitor does not stop it
    /// there. Near the limit, free memory is returned to the system.
    #[must_use]
    pub fn self_limiting(limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self::with_limits(Limits { memory: None, ..limits }, true, observer, stop)
    }

    fn with_limits(limits: Limits, is_self_limiting: bool, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        static SEARCHES: AtomicU64 = AtomicU64::new(1);
        renew_reserve();
        let (deadline, max_resident) = (Deadline::after(limits.time), limits.resident);
        let watched_limits =
            Arc::new(WatchedLimits { deadline, max_resident, is_self_limiting, ..WatchedLimits::default() });
        watchdog::watch(&watched_limits);
        if limits.expansions == Some(0) {
            watched_limits.stop.stop(StopReason::ExpansionLimit);
        }
        Self {
            gauges: Gauges::default(),
            search_number: SEARCHES.fetch_add(1, Relaxed),
            observer,
            stop,
            watched_limits,
            limits,
            start: Instant::now(),
            incumbent: AtomicU32::new(Cost::MAX),
            next_progress_ms: AtomicU64::new(u64::MAX),
            is_progress_over: Mutex::new(false),
            progress_end: Condvar::new(),
            is_finished: AtomicBool::new(false),
            is_pausing: AtomicBool::new(false),
            exchange: None,
        }
    }

    /// Makes this the monitor of one of several ranks. The progress of the leader sums up the work of all ranks since
    /// `Exchange::begin_search`.
    #[must_use]
    pub fn with_exchange(self, exchange: Option<&'a Exchange>) -> Self {
        Self { exchange, ..self }
    }

    /// Publishes the status of this rank to the other ranks.
    pub fn report_to_ranks(&self) {
        if let Some(exchange) = self.exchange {
            exchange.set_status(self.status_of_this_rank());
        }
    }

    fn status_of_all_ranks(&self) -> RankStatus {
        self.exchange.map_or_else(|| self.status_of_this_rank(), Exchange::total_status)
    }

    fn status_of_this_rank(&self) -> RankStatus {
        RankStatus {
            expanded: self.gauges.expanded.load(Relaxed),
            generated: self.gauges.generated.load(Relaxed),
            stored: self.gauges.stored.load(Relaxed),
            bytes: self.gauges.bytes.load(Relaxed),
            // Reading the resident memory is too slow for each report. Each heartbeat reads it.
            resident: 0,
        }
    }

    /// Sends an event to the observer, and records incumbents and lower bounds for [`Monitor::progress`]. The current
    /// progress precedes [`Event::LayerDone`].
    pub fn send(&self, event: &Event<'_>) {
        match event {
            Event::Incumbent { cost, .. } => {
                self.incumbent.fetch_min(*cost, Relaxed);
            }
            Event::LowerBound(lower_bound) => {
                self.gauges.lower_bound.fetch_max(*lower_bound, Relaxed);
            }
            Event::LayerDone(_) => self.send_progress(),
            _ => {}
        }
        self.observer.observe(event);
    }

    /// Records the cost of a solution of an earlier search, without an event.
    pub fn record_incumbent(&self, cost: Cost) {
        self.incumbent.fetch_min(cost, Relaxed);
    }

    /// Begins a layer. Earlier searches have expanded `already_expanded` of its states.
    pub fn begin_layer(&self, already_expanded: u64) {
        let expanded = self.status_of_all_ranks().expanded;
        self.gauges.expanded_before_layer.store(expanded.wrapping_sub(already_expanded), Release);
    }

    /// Ends the search: nothing is left to find.
    pub fn finish(&self) {
        self.is_finished.store(true, Relaxed);
    }

    /// Whether [`Monitor::finish`] was called.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished.load(Relaxed)
    }

    /// Makes all workers come to the barrier before their layer is over.
    pub fn pause(&self) {
        self.is_pausing.store(true, Relaxed);
    }

    /// Ends [`Monitor::pause`]. Called after all workers have passed the barrier.
    pub fn resume(&self) {
        self.is_pausing.store(false, Relaxed);
    }

    /// Stops this search, but no other search with the same stop token.
    pub fn stop(&self, reason: StopReason) {
        self.watched_limits.stop.stop(reason);
    }

    /// Whether workers should leave their layer: the search is finished, stopped or paused.
    #[must_use]
    #[inline]
    pub fn should_leave_layer(&self) -> bool {
        self.is_finished.load(Relaxed) || self.is_pausing.load(Relaxed) || self.stop_reason().is_some()
    }

    /// The reason to stop the search early, if there is one.
    #[must_use]
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.watched_limits.stop.reason().or_else(|| self.stop.reason())
    }

    /// The number of states that a worker may expand before it updates the gauges: its share of the remaining
    /// expansions, from 1 to `max`. So a single worker expands exactly the number of states that the limit allows.
    #[must_use]
    pub fn expansion_allowance(&self, max: u64, workers: usize) -> u64 {
        let Some(limit) = self.limits.expansions else { return max };
        let left = limit.saturating_sub(self.gauges.expanded.load(Relaxed));
        (left / workers.max(1) as u64).clamp(1, max.max(1))
    }

    /// Counts an expansion, and stops this search if it was the last one allowed.
    pub fn count_expansion(&self) {
        let before = self.gauges.expanded.fetch_add(1, Relaxed);
        if self.limits.expansions.is_some_and(|limit| before + 1 >= limit) {
            self.stop(StopReason::ExpansionLimit);
        }
    }

    /// Stops this search, but no other, if a limit was reached.
    pub fn check_limits(&self) {
        if self.limits.memory.is_some_and(|limit| self.gauges.bytes.load(Relaxed) >= limit) || has_allocation_failed() {
            self.stop(StopReason::MemoryLimit);
        }
        if self.limits.expansions.is_some_and(|limit| self.gauges.expanded.load(Relaxed) >= limit) {
            self.stop(StopReason::ExpansionLimit);
        }
        if self.watched_limits.deadline.has_passed() {
            self.stop(StopReason::TimeLimit);
        }
        if self.next_progress_ms.load(Relaxed) != u64::MAX {
            self.send_progress_if_due();
        }
    }

    /// Sends the progress if it is due and no other worker sends it.
    fn send_progress_if_due(&self) {
        let (now, due) = (self.start.elapsed().as_millis() as u64, self.next_progress_ms.load(Relaxed));
        let next = self.observer.progress_interval().map_or(u64::MAX, |interval| now + interval.as_millis() as u64);
        if now >= due && self.next_progress_ms.compare_exchange(due, next, Relaxed, Relaxed).is_ok() {
            self.send_progress();
        }
    }

    /// Adds to the number of bytes in use, and checks the limits.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    pub fn add_bytes(&self, bytes: u64) -> Result<(), Stopped> {
        self.gauges.add_bytes(bytes);
        self.check_limits();
        if self.should_leave_layer() { Err(Stopped) } else { Ok(()) }
    }

    /// The current progress.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let incumbent = self.incumbent.load(Relaxed);
        // Read before the status, as `Gauges::expanded_before_layer` says.
        let expanded_before_layer = self.gauges.expanded_before_layer.load(Acquire);
        self.report_to_ranks();
        let work = self.status_of_all_ranks();
        let survey = &self.gauges.survey;
        // The next progress has the measurements that are requested now.
        survey.request_measurements();
        Progress {
            search: self.search_number,
            layer: self.gauges.layer.load(Relaxed),
            lower_bound: self.gauges.lower_bound.load(Relaxed),
            incumbent: (incumbent != Cost::MAX).then_some(incumbent),
            expanded: work.expanded,
            generated: work.generated,
            stored: work.stored,
            duplicates: self.gauges.duplicates.load(Relaxed),
            reopened: self.gauges.reopened.load(Relaxed),
            in_layer: in_layer(work.expanded, expanded_before_layer),
            open: survey.open_nodes(),
            bytes: work.bytes,
            resident: resident_bytes(),
            store: survey.store(),
            workers: survey.worker_progress(),
            ranks: self.exchange.map_or_else(Vec::new, Exchange::statuses),
            checkpoint: survey.writer_progress().and_then(WriterProgress::last),
            writing: survey.writer_progress().and_then(WriterProgress::under_way),
            until_checkpoint: survey.until_checkpoint().map(|time| time.as_secs_f64()),
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }

    /// Whether the observer wants [`Event::Beam`].
    #[must_use]
    pub fn watches_beams(&self) -> bool {
        self.observer.watches_beams()
    }

    /// Whether the observer wants [`Event::Progress`].
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.observer.progress_interval().is_some()
    }

    /// Sends the current progress to the observer, if the observer wants it.
    fn send_progress(&self) {
        if self.wants_progress() {
            self.observer.observe(&Event::Progress(Box::new(self.progress())));
        }
    }

    /// Runs `search`, while another thread sends [`Event::Progress`] at the interval of the observer. A last progress
    /// follows the end of the search.
    pub fn run_with_progress<T>(&self, search: impl FnOnce() -> T) -> T {
        let Some(interval) = self.observer.progress_interval() else { return search() };
        if interval >= MIN_POLLED_INTERVAL || !HAS_THREADS {
            self.next_progress_ms.store(self.start.elapsed().as_millis() as u64 + interval.as_millis() as u64, Relaxed);
            let result = search();
            self.send_progress();
            return result;
        }
        let result = std::thread::scope(|scope| {
            self.start_progress_thread(scope, interval);
            let _end = EndProgressThread(self);
            search()
        });
        self.send_progress();
        result
    }

    /// Starts the thread that sends the progress. A function of its own is compiled once, unlike the generic caller.
    fn start_progress_thread<'s>(&'s self, scope: &'s Scope<'s, '_>, interval: Duration) {
        // If the system refuses the thread, the search continues without progress.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || self.run_progress_thread(interval));
    }

    fn run_progress_thread(&self, interval: Duration) {
        let mut is_over = lock(&self.is_progress_over);
        while !*is_over {
            let (guard, wait) =
                self.progress_end.wait_timeout(is_over, interval).unwrap_or_else(PoisonError::into_inner);
            is_over = guard;
            if wait.timed_out() && !*is_over {
                self.send_progress();
            }
        }
    }
}

/// [`Progress::in_layer`]: the difference of both, 0 if negative.
fn in_layer(expanded: u64, expanded_before_layer: u64) -> u64 {
    u64::try_from(expanded.wrapping_sub(expanded_before_layer).cast_signed()).unwrap_or(0)
}

/// Ends the progress thread when it is dropped, also by a panic of the search.
struct EndProgressThread<'a, 'm>(&'a Monitor<'m>);

impl Drop for EndProgressThread<'_, '_> {
    fn drop(&mut self) {
        *lock(&self.0.is_progress_over) = true;
        self.0.progress_end.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::runtime::Silent;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Records the expansions in progress events.
    #[derive(Default)]
    struct Notes {
        interval: Option<Duration>,
        expanded: Mutex<Vec<u64>>,
    }

    impl Notes {
        fn every(interval: Duration) -> Self {
            Self { interval: Some(interval), ..Self::default() }
        }

        fn len(&self) -> usize {
            self.expanded.lock().unwrap().len()
        }
    }

    impl Observer for Notes {
        fn observe(&self, event: &Event<'_>) {
            if let Event::Progress(progress) = event {
                self.expanded.lock().unwrap().push(progress.expanded);
            }
        }

        fn progress_interval(&self) -> Option<Duration> {
            self.interval
        }
    }

    #[test]
    fn limits_stop_when_they_are_reached_and_not_before() {
        let reason = |limits: Limits, bytes: u64, expanded: u64| {
            let stop = StopToken::new();
            let monitor = Monitor::new(limits, &Silent, &stop);
            monitor.gauges.set_bytes(bytes);
            monitor.gauges.expanded.store(expanded, Relaxed);
            monitor.check_limits();
            assert_eq!(monitor.should_leave_layer(), monitor.stop_reason().is_some());
            assert_eq!(stop.reason(), None, "a limit of one search stops no other");
            monitor.stop_reason()
        };
        let memory = Limits { memory: Some(1_000), ..Limits::default() };
        let expansions = Limits { expansions: Some(50), ..Limits::default() };
        let time = |time| Limits { time: Some(time), ..Limits::default() };
        assert_eq!(reason(Limits::default(), u64::MAX, u64::MAX), None);
        assert_eq!((reason(memory, 999, 9_999), reason(memory, 1_000, 0)), (None, Some(StopReason::MemoryLimit)));
        assert_eq!(
            (reason(expansions, 9_999, 49), reason(expansions, 0, 50)),
            (None, Some(StopReason::ExpansionLimit))
        );
        assert_eq!(reason(time(Duration::from_secs(3_600)), u64::MAX, u64::MAX), None);
        assert_eq!(reason(time(Duration::ZERO), 0, 0), Some(StopReason::TimeLimit));
    }

    #[test]
    fn a_finished_search_leaves_without_a_reason() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        assert!(!monitor.should_leave_layer());
        monitor.finish();
        assert_eq!((monitor.should_leave_layer(), monitor.stop_reason()), (true, None));
    }

    #[test]
    fn progress_shows_the_best_that_was_told() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        assert_eq!(monitor.progress().incumbent, None);
        for (lower_bound, cost) in [(3, 20), (5, 18), (4, 19)] {
            monitor.send(&Event::LowerBound(lower_bound));
            monitor.send(&Event::Incumbent { cost, moves: &[] });
        }
        monitor.gauges.set_bytes(70);
        monitor.gauges.set_bytes(30);
        monitor.gauges.expanded.store(7, Relaxed);
        let shown = monitor.progress();
        assert_eq!((shown.lower_bound, shown.incumbent, shown.expanded, shown.bytes), (5, Some(18), 7, 30));
        assert_eq!(monitor.gauges.peak_bytes.load(Relaxed), 70);
        assert!(monitor.progress().seconds >= shown.seconds);
    }

    #[test]
    fn progress_comes_while_the_search_runs_and_no_longer() {
        let (notes, stop) = (Notes::every(Duration::from_millis(1)), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        monitor.gauges.expanded.store(41, Relaxed);
        let result = monitor.run_with_progress(|| {
            while notes.len() < 3 {
                std::thread::yield_now();
            }
            "done"
        });
        let sent = notes.len();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!((result, notes.len()), ("done", sent));
        assert!(notes.expanded.lock().unwrap().iter().all(|&expanded| expanded == 41));
    }

    /// Of many small searches none needs a thread for its progress.
    #[test]
    fn workers_send_a_progress_that_is_due_seldom() {
        let (notes, stop) = (Notes::every(MIN_POLLED_INTERVAL), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        monitor.run_with_progress(|| {
            monitor.check_limits();
            assert_eq!(notes.len(), 0, "it is not due");
            monitor.next_progress_ms.store(0, Relaxed);
            monitor.check_limits();
            monitor.check_limits();
            assert_eq!(notes.len(), 1, "it was due once");
        });
        assert_eq!(notes.len(), 2, "the last progress");
    }

    #[test]
    fn the_end_of_a_layer_follows_the_progress_at_that_moment() {
        let (notes, stop) = (Notes::every(MIN_POLLED_INTERVAL), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        monitor.gauges.expanded.store(100, Relaxed);
        monitor.begin_layer(30);
        monitor.gauges.expanded.store(107, Relaxed);
        assert_eq!(monitor.progress().in_layer, 37, "with the states of an earlier session");
        monitor.send(&Event::LayerDone(crate::runtime::Layer::default()));
        assert_eq!(*notes.expanded.lock().unwrap(), [107]);
    }

    /// A layer that begins while the progress is measured does not make its states negative.
    #[test]
    fn states_of_a_layer_are_never_below_zero() {
        assert_eq!([in_layer(107, 70), in_layer(70, 107), in_layer(0, 0)], [37, 0, 0]);
        assert_eq!(in_layer(5, 0_u64.wrapping_sub(30)), 35, "with the states of an earlier session");
    }

    #[test]
    fn an_observer_without_interval_gets_no_progress() {
        let (notes, stop) = (Notes::default(), StopToken::new());
        Monitor::new(Limits::default(), &notes, &stop)
            .run_with_progress(|| std::thread::sleep(Duration::from_millis(3)));
        assert_eq!(notes.len(), 0);
    }

    #[test]
    fn a_panic_ends_the_progress_too() {
        let (notes, stop) = (Notes::every(Duration::from_secs(1)), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| {
            monitor.run_with_progress(|| std::panic::resume_unwind(Box::new("dead")))
        }));
        assert!(result.is_err() && begun.elapsed() < Duration::from_secs(600));
    }
}
