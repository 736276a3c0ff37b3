//! The clock of the page, for elapsed time and for the time of day.

use std::ops::Add;
use std::time::Duration;

// SAFETY: `web/src/lib.rs` documents this import; the host of the module provides it.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since 1970-01-01 UTC, with fractions. Never falls while the page lives.
    fn now() -> f64;
}

/// Seconds since 1970-01-01 UTC.
#[must_use]
pub fn unix_seconds() -> f64 {
    // SAFETY: the page imports the function; it takes nothing and returns a number.
    let milliseconds = unsafe { now() };
    milliseconds / 1e3
}

/// A replacement for [`std::time::Instant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// The current time.
    #[must_use]
    pub fn now() -> Self {
        Self(Duration::try_from_secs_f64(unix_seconds()).unwrap_or_default())
    }

    /// The time since this instant.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// The time from `earlier` to this instant; zero if `earlier` is later.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The instant that is `time` later; `None` if a duration cannot represent it.
    #[must_use]
    pub fn checked_add(&self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }
}
