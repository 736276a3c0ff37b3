//! Measures the time of a lower bound while it guides a search.

use crate::platform::Instant;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One evaluation in `STEP` is timed, because reading the clock twice takes as long as a cheap bound. `STEP` is a
/// prime, so first, second and last children are timed equally often.
const STEP: u64 = 61;

/// Times of one lower bound, added up over all workers.
#[derive(Debug, Default)]
pub struct Meter {
    evaluations: Clock,
    /// Time in which the bound was refined.
    refinement: Clock,
}

impl Meter {
    /// Starts a timer if the evaluation with this number is one of those that are timed.
    #[inline]
    pub fn evaluation(&self, number: u64) -> Option<Timer<'_>> {
        number.is_multiple_of(STEP).then(|| self.evaluations.start())
    }

    /// Starts a timer for a refinement of the bound.
    pub fn refinement(&self) -> Timer<'_> {
        self.refinement.start()
    }

    /// Mean seconds of one evaluation; `None` when fewer than 16 evaluations were timed.
    pub fn seconds_of_evaluation(&self) -> Option<f64> {
        const ENOUGH: u64 = 16;
        let timed = self.evaluations.stops.load(Relaxed);
        (timed >= ENOUGH).then(|| self.evaluations.seconds() / timed as f64)
    }

    /// Seconds in which the bound was refined.
    pub fn seconds_of_refinement(&self) -> f64 {
        self.refinement.seconds()
    }
}

/// A sum of times, and the number of times.
#[derive(Debug, Default)]
struct Clock {
    nanoseconds: AtomicU64,
    stops: AtomicU64,
}

impl Clock {
    fn start(&self) -> Timer<'_> {
        Timer { clock: self, began: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        self.nanoseconds.load(Relaxed) as f64 / 1e9
    }
}

/// Adds the time between its creation and its drop to a clock.
#[must_use]
pub struct Timer<'a> {
    clock: &'a Clock,
    began: Instant,
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        let nanoseconds = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.clock.nanoseconds.fetch_add(nanoseconds, Relaxed);
        self.clock.stops.fetch_add(1, Relaxed);
    }
}
