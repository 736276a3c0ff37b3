//! Measures the time of a lower bound while it guides a search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The work that an expander has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Children generated, without those generated again after [`Expander::evict`](super::Expander::evict).
    pub generated: u64,
    /// Evaluations of the lower bound.
    pub evaluated: u64,
}

/// One evaluation in `SAMPLING_INTERVAL` is timed, because reading the clock twice takes as long as a cheap bound. The
/// interval is a prime, so first, second and last children are timed equally often.
const SAMPLING_INTERVAL: u64 = 61;

/// Times of the evaluations of one lower bound, added up over all workers.
#[derive(Debug, Default)]
pub struct Meter {
    nanoseconds: AtomicU64,
    timed_count: AtomicU64,
}

impl Meter {
    /// Whether the evaluation with this number is timed.
    #[inline]
    pub fn is_timed(&self, number: u64) -> bool {
        number.is_multiple_of(SAMPLING_INTERVAL)
    }

    /// Adds an evaluation that took `time`. The caller reads the clock itself: moving an optional timer on the stack
    /// takes longer than a cheap bound.
    pub fn add_evaluation(&self, time: Duration) {
        self.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        self.timed_count.fetch_add(1, Relaxed);
    }

    /// Mean seconds of one evaluation; `None` when fewer than 16 evaluations were timed.
    pub fn mean_seconds(&self) -> Option<f64> {
        const MIN_TIMED: u64 = 16;
        let timed = self.timed_count.load(Relaxed);
        (timed >= MIN_TIMED).then(|| self.nanoseconds.load(Relaxed) as f64 / 1e9 / timed as f64)
    }
}
