//! The clock of a session. Tests have one of their own.

use gridhunt_search::platform::{Instant, unix_seconds};
use std::time::Duration;

/// Tells the time to the recorder of progress.
pub trait Clock: Send {
    /// The time since the session began. Never falls.
    fn elapsed(&self) -> Duration;

    /// The time of the system, in seconds since 1970.
    fn now(&self) -> f64;
}

/// The clock of the system, from the moment at which it is made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn now(&self) -> f64 {
        unix_seconds()
    }
}
