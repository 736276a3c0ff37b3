//! Monitors a running search: statistics, limits, and events to the observer.

use super::survey::Survey;
use super::watchdog::{self, Alarm};
use super::{Deadline, Event, Exchange, Limits, Observer, Progress, RankStatus, StopReason, StopToken, Stopped};
use crate::checkpoint::Writing;
use crate::domain::Cost;
use crate::platform::{HAS_THREADS, Instant, has_allocation_failed, renew_reserve, resident_bytes};
use crate::sync::lock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Scope;
use std::time::Duration;

/// Statistics that workers update between batches. Only the check of the limits and the progress read them; results
/// never depend on them.
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
    /// [`Progress::expanded`] less [`Progress::in_layer`]; below zero if another search has expanded states of the
    /// layer. Whoever reads this value reads the expanded states afterwards, so that they are those of the layer.
    pub before_layer: AtomicU64,
    /// See [`Progress::bytes`].
    pub bytes: AtomicU64,
    /// The highest value of `bytes` so far.
    pub peak_bytes: AtomicU64,
    /// What only the progress needs.
    pub survey: Survey,
}

/// From this interval on, the workers themselves send the progress when they check the limits, without a thread for it.
const POLLED: Duration = Duration::from_secs(5);

impl Gauges {
    /// Sets the number of bytes in use.
    pub fn hold(&self, bytes: u64) {
        self.bytes.store(bytes, Relaxed);
        self.peak_bytes.fetch_max(bytes, Relaxed);
    }

    /// Adds to the number of bytes in use.
    pub fn hold_more(&self, bytes: u64) {
        let held = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.peak_bytes.fetch_max(held, Relaxed);
    }

    /// Subtracts bytes that were added before.
    pub fn hold_less(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Relaxed);
    }
}

/// Limits, stop token, observer and gauges of one search. All workers of the search share one monitor.
pub struct Monitor<'a> {
    /// The statistics of the search.
    pub gauges: Gauges,
    /// See [`Progress::search`].
    number: u64,
    observer: &'a dyn Observer,
    stop: &'a StopToken,
    /// Stops this search alone, when it exceeds a limit; `stop` may be shared with other searches. The watchdog looks
    /// at the clock and at the resident memory.
    alarm: Arc<Alarm>,
    limits: Limits,
    begun: Instant,
    incumbent: AtomicU32,
    /// When the next progress is due, in milliseconds since `begun`, if workers send it.
    due: AtomicU64,
    over: Mutex<bool>,
    ended: Condvar,
    /// Set when nothing is left to find.
    done: AtomicBool,
    /// Set when workers are to wait at the barrier before their layer is over.
    pausing: AtomicBool,
    /// The exchange with other ranks that search the same board, if there are any.
    exchange: Option<&'a Exchange>,
}

impl<'a> Monitor<'a> {
    /// A monitor whose clock starts now.
    #[must_use]
    pub fn new(limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self::with_alarm(limits, false, observer, stop)
    }

    /// [`Monitor::new`] for a search that keeps within its limit of memory without help, so that the monitor does not
    /// end it at this limit. Near the limit, free memory goes back to the system.
    #[must_use]
    pub fn frugal(limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self::with_alarm(Limits { memory: None, ..limits }, true, observer, stop)
    }

    fn with_alarm(limits: Limits, is_frugal: bool, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        static SEARCHES: AtomicU64 = AtomicU64::new(1);
        renew_reserve();
        let deadline = Deadline::after(limits.time);
        let alarm = Arc::new(Alarm { deadline, resident: limits.resident, is_frugal, ..Alarm::default() });
        watchdog::watch(&alarm);
        if limits.expansions == Some(0) {
            alarm.passed.stop(StopReason::ExpansionLimit);
        }
        Self {
            gauges: Gauges::default(),
            number: SEARCHES.fetch_add(1, Relaxed),
            observer,
            stop,
            alarm,
            limits,
            begun: Instant::now(),
            incumbent: AtomicU32::new(Cost::MAX),
            due: AtomicU64::new(u64::MAX),
            over: Mutex::new(false),
            ended: Condvar::new(),
            done: AtomicBool::new(false),
            pausing: AtomicBool::new(false),
            exchange: None,
        }
    }

    /// Makes this monitor that of one of several ranks. The leader shows the work of all ranks since they have begun a
    /// search together (`Exchange::begin_search`).
    #[must_use]
    pub fn with_exchange(self, exchange: Option<&'a Exchange>) -> Self {
        Self { exchange, ..self }
    }

    /// Tells the other ranks the work of this one so far.
    pub fn report(&self) {
        if let Some(exchange) = self.exchange {
            exchange.report(self.own_status());
        }
    }

    fn work_of_all(&self) -> RankStatus {
        self.exchange.map_or_else(|| self.own_status(), Exchange::sum)
    }

    fn own_status(&self) -> RankStatus {
        RankStatus {
            expanded: self.gauges.expanded.load(Relaxed),
            generated: self.gauges.generated.load(Relaxed),
            stored: self.gauges.stored.load(Relaxed),
            bytes: self.gauges.bytes.load(Relaxed),
            // Reading the resident memory is too slow for each report. Every sign of life reads it.
            resident: 0,
        }
    }

    /// Sends an event to the observer. Incumbents and lower bounds are recorded for [`Monitor::progress`]. Before
    /// [`Event::LayerDone`], the observer gets the progress of this moment.
    pub fn tell(&self, event: &Event<'_>) {
        match event {
            Event::Incumbent { cost, .. } => {
                self.incumbent.fetch_min(*cost, Relaxed);
            }
            Event::LowerBound(bound) => {
                self.gauges.lower_bound.fetch_max(*bound, Relaxed);
            }
            Event::LayerDone(_) => self.show_progress(),
            _ => {}
        }
        self.observer.observe(event);
    }

    /// Records the cost of a solution that was known before, without an event.
    pub fn know(&self, cost: Cost) {
        self.incumbent.fetch_min(cost, Relaxed);
    }

    /// Notes that a layer begins now. `before` of its states were expanded before this search.
    pub fn begin_layer(&self, before: u64) {
        let work = self.work_of_all();
        self.gauges.before_layer.store(work.expanded.wrapping_sub(before), Release);
    }

    /// Tells all workers to end: nothing is left to find.
    pub fn finish(&self) {
        self.done.store(true, Relaxed);
    }

    /// Whether [`Monitor::finish`] was called.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.done.load(Relaxed)
    }

    /// Asks all workers to come to the barrier before their layer is over.
    pub fn pause(&self) {
        self.pausing.store(true, Relaxed);
    }

    /// Takes back [`Monitor::pause`], once all workers have passed the barrier.
    pub fn go_on(&self) {
        self.pausing.store(false, Relaxed);
    }

    /// Stops this search, but no other search with the same stop token.
    pub fn end(&self, reason: StopReason) {
        self.alarm.passed.stop(reason);
    }

    /// Whether workers should leave their layer: the search is finished, stopped or paused.
    #[must_use]
    #[inline]
    pub fn leaving(&self) -> bool {
        self.done.load(Relaxed) || self.pausing.load(Relaxed) || self.stopped().is_some()
    }

    /// The reason to stop the search early, if there is one.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.alarm.passed.reason().or_else(|| self.stop.reason())
    }

    /// How many states a worker may expand before it updates the gauges: its share of the states that the limit leaves,
    /// at least one and no more than `most`. So a single worker expands exactly as many states as the limit allows.
    #[must_use]
    pub fn allowance(&self, most: u64, workers: usize) -> u64 {
        let Some(limit) = self.limits.expansions else { return most };
        let left = limit.saturating_sub(self.gauges.expanded.load(Relaxed));
        (left / workers.max(1) as u64).clamp(1, most.max(1))
    }

    /// Counts a state that is expanded now, and stops this search if it was the last one allowed.
    pub fn count_expansion(&self) {
        let before = self.gauges.expanded.fetch_add(1, Relaxed);
        if self.limits.expansions.is_some_and(|limit| before + 1 >= limit) {
            self.end(StopReason::ExpansionLimit);
        }
    }

    /// Stops this search, but no other, when it has reached one of its limits.
    pub fn check_limits(&self) {
        if self.limits.memory.is_some_and(|limit| self.gauges.bytes.load(Relaxed) >= limit) || has_allocation_failed() {
            self.alarm.passed.stop(StopReason::MemoryLimit);
        }
        if self.limits.expansions.is_some_and(|limit| self.gauges.expanded.load(Relaxed) >= limit) {
            self.alarm.passed.stop(StopReason::ExpansionLimit);
        }
        if self.alarm.deadline.passed() {
            self.alarm.passed.stop(StopReason::TimeLimit);
        }
        if self.due.load(Relaxed) != u64::MAX {
            self.show_when_due();
        }
    }

    /// Sends the progress if it is due and no other worker sends it.
    fn show_when_due(&self) {
        let (now, due) = (self.begun.elapsed().as_millis() as u64, self.due.load(Relaxed));
        let next = self.observer.progress_interval().map_or(u64::MAX, |interval| now + interval.as_millis() as u64);
        if now >= due && self.due.compare_exchange(due, next, Relaxed, Relaxed).is_ok() {
            self.show_progress();
        }
    }

    /// Adds to the number of bytes in use, and checks the limits.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    pub fn hold_more(&self, bytes: u64) -> Result<(), Stopped> {
        self.gauges.hold_more(bytes);
        self.check_limits();
        if self.leaving() { Err(Stopped) } else { Ok(()) }
    }

    /// The current progress.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let incumbent = self.incumbent.load(Relaxed);
        // Read before the work: a layer that begins in between has at least the states that it began with.
        let before_layer = self.gauges.before_layer.load(Acquire);
        self.report();
        let work = self.work_of_all();
        let survey = &self.gauges.survey;
        // The answers of the workers will be in the next progress.
        survey.request();
        Progress {
            search: self.number,
            layer: self.gauges.layer.load(Relaxed),
            lower_bound: self.gauges.lower_bound.load(Relaxed),
            incumbent: (incumbent != Cost::MAX).then_some(incumbent),
            expanded: work.expanded,
            generated: work.generated,
            stored: work.stored,
            duplicates: self.gauges.duplicates.load(Relaxed),
            reopened: self.gauges.reopened.load(Relaxed),
            in_layer: in_layer(work.expanded, before_layer),
            open: survey.open(),
            bytes: work.bytes,
            resident: resident_bytes(),
            store: survey.store(),
            workers: survey.work(),
            ranks: self.exchange.map_or_else(Vec::new, Exchange::each),
            checkpoint: survey.writing().and_then(Writing::last),
            writing: survey.writing().and_then(Writing::under_way),
            until_checkpoint: survey.until_checkpoint().map(|time| time.as_secs_f64()),
            seconds: self.begun.elapsed().as_secs_f64(),
        }
    }

    /// Whether the observer wants to see the depths of beams.
    #[must_use]
    pub fn watches_beams(&self) -> bool {
        self.observer.watches_beams()
    }

    /// Whether the observer wants to see the progress.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.observer.progress_interval().is_some()
    }

    /// Sends the progress at this moment to the observer, if it wants any.
    fn show_progress(&self) {
        if self.is_watched() {
            self.observer.observe(&Event::Progress(Box::new(self.progress())));
        }
    }

    /// Runs `search`. Meanwhile another thread sends [`Event::Progress`] at the interval of the observer, if it has
    /// one. A last progress follows the end of the search.
    pub fn watch<T>(&self, search: impl FnOnce() -> T) -> T {
        let Some(interval) = self.observer.progress_interval() else { return search() };
        if interval >= POLLED || !HAS_THREADS {
            self.due.store(self.begun.elapsed().as_millis() as u64 + interval.as_millis() as u64, Relaxed);
            let result = search();
            self.show_progress();
            return result;
        }
        let result = std::thread::scope(|scope| {
            self.start_progress(scope, interval);
            let _end = End(self);
            search()
        });
        self.show_progress();
        result
    }

    /// Starts the thread that sends the progress. Not part of the generic [`Monitor::watch`], so that it is compiled
    /// only once.
    fn start_progress<'s>(&'s self, scope: &'s Scope<'s, '_>, interval: Duration) {
        // Where the system refuses the thread, the search goes on without progress.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || self.send_progress(interval));
    }

    fn send_progress(&self, interval: Duration) {
        let mut over = lock(&self.over);
        while !*over {
            let (guard, wait) = self.ended.wait_timeout(over, interval).unwrap_or_else(PoisonError::into_inner);
            over = guard;
            if wait.timed_out() && !*over {
                self.observer.observe(&Event::Progress(Box::new(self.progress())));
            }
        }
    }
}

/// The number of states expanded in the layer under way; see [`Gauges::before_layer`]. Never below zero.
fn in_layer(expanded: u64, before_layer: u64) -> u64 {
    u64::try_from(expanded.wrapping_sub(before_layer).cast_signed()).unwrap_or(0)
}

/// Ends the progress thread when it is dropped, also by a panic of the search.
struct End<'a, 'm>(&'a Monitor<'m>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        *lock(&self.0.over) = true;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
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
            monitor.gauges.hold(bytes);
            monitor.gauges.expanded.store(expanded, Relaxed);
            monitor.check_limits();
            assert_eq!(monitor.leaving(), monitor.stopped().is_some());
            assert_eq!(stop.reason(), None, "a limit of one search stops no other");
            monitor.stopped()
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
        assert!(!monitor.leaving());
        monitor.finish();
        assert_eq!((monitor.leaving(), monitor.stopped()), (true, None));
    }

    #[test]
    fn progress_shows_the_best_that_was_told() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        assert_eq!(monitor.progress().incumbent, None);
        for (lower_bound, cost) in [(3, 20), (5, 18), (4, 19)] {
            monitor.tell(&Event::LowerBound(lower_bound));
            monitor.tell(&Event::Incumbent { cost, moves: &[] });
        }
        monitor.gauges.hold(70);
        monitor.gauges.hold(30);
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
        let result = monitor.watch(|| {
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
        let (notes, stop) = (Notes::every(POLLED), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        monitor.watch(|| {
            monitor.check_limits();
            assert_eq!(notes.len(), 0, "it is not due");
            monitor.due.store(0, Relaxed);
            monitor.check_limits();
            monitor.check_limits();
            assert_eq!(notes.len(), 1, "it was due once");
        });
        assert_eq!(notes.len(), 2, "the last progress");
    }

    #[test]
    fn the_end_of_a_layer_follows_the_progress_at_that_moment() {
        let (notes, stop) = (Notes::every(POLLED), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        monitor.gauges.expanded.store(100, Relaxed);
        monitor.begin_layer(30);
        monitor.gauges.expanded.store(107, Relaxed);
        assert_eq!(monitor.progress().in_layer, 37, "with the states of an earlier session");
        monitor.tell(&Event::LayerDone(crate::runtime::Layer::default()));
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
        Monitor::new(Limits::default(), &notes, &stop).watch(|| std::thread::sleep(Duration::from_millis(3)));
        assert_eq!(notes.len(), 0);
    }

    #[test]
    fn a_panic_ends_the_progress_too() {
        let (notes, stop) = (Notes::every(Duration::from_secs(1)), StopToken::new());
        let monitor = Monitor::new(Limits::default(), &notes, &stop);
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| monitor.watch(|| std::panic::resume_unwind(Box::new("dead")))));
        assert!(result.is_err() && begun.elapsed() < Duration::from_secs(600));
    }
}
