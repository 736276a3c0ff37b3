//! How long a lower bound takes, measured while it guides a search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// One evaluation in so many is timed: reading the clock twice takes as long as a cheap bound. A prime, so that it falls on
/// first, second and last children alike.
const STEP: u64 = 61;

/// What was measured of a bound, by all workers together.
#[derive(Debug, Default)]
pub struct Meter {
    evaluations: Clock,
    /// Making the bound better for a board.
    sharpening: Clock,
}

impl Meter {
    /// Times an evaluation, if it is the turn of the one with this number.
    #[inline]
    pub fn evaluation(&self, number: u64) -> Option<Timer<'_>> {
        number.is_multiple_of(STEP).then(|| self.evaluations.start())
    }

    /// Times how the bound is sharpened.
    pub fn sharpening(&self) -> Timer<'_> {
        self.sharpening.start()
    }

    /// Seconds of one evaluation, on the average; `None` when too few were timed to say.
    pub fn seconds_of_evaluation(&self) -> Option<f64> {
        const ENOUGH: u64 = 16;
        let timed = self.evaluations.stops.load(Relaxed);
        (timed >= ENOUGH).then(|| self.evaluations.seconds() / timed as f64)
    }

    /// Seconds in which the bound was sharpened.
    pub fn seconds_of_sharpening(&self) -> f64 {
        self.sharpening.seconds()
    }
}

/// A sum of times.
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

/// Adds the time from its making to its end.
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
