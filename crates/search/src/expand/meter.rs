//! Measures the time of a lower bound while it guides a search.

use crate::platform::Instant;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The work that an expander has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Children generated. Those that are generated again after [`Expander::shed`] do not count.
    pub generated: u64,
    /// Evaluations of the lower bound.
    pub evaluated: u64,
}

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
    /// Whether the evaluation with this number is one of those that are timed.
    #[inline]
    pub fn times(&self, number: u64) -> bool {
        number.is_multiple_of(STEP)
    }

    /// Adds an evaluation that took so long. There is no [`Timer`] for it: moving one that may be none, from one place
    /// on the stack to another, takes longer than a cheap bound.
    pub fn add_evaluation(&self, time: Duration) {
        self.evaluations.add(time);
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
    fn add(&self, time: Duration) {
        self.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        self.stops.fetch_add(1, Relaxed);
    }

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
        self.clock.add(self.began.elapsed());
    }
}
