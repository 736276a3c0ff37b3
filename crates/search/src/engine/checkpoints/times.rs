//! The time that a search has taken, in all its sessions.

use crate::platform::{Instant, process_cpu_seconds, thread_cpu_seconds};
use serde::{Deserialize, Serialize};

/// Wall-clock time and CPU time, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    /// Wall-clock time.
    pub seconds: f64,
    /// CPU time.
    pub cpu_seconds: f64,
}

impl Times {
    /// The longer of two times of the same search.
    #[must_use]
    pub fn longer(self, other: Self) -> Self {
        if other.seconds > self.seconds { other } else { self }
    }
}

/// The clock of a search that may have had earlier sessions.
#[derive(Clone, Debug)]
pub struct SessionClock {
    /// The times of the earlier sessions.
    pub earlier: Times,
    started: Instant,
    /// The CPU time so far of the threads that search.
    cpu_clock: fn() -> f64,
    cpu_at_start: f64,
}

impl SessionClock {
    /// The clock of a session that begins now, in this thread. If the search has one thread, the clock measures the CPU
    /// time of this thread, because other searches may run beside it. With more threads, it measures the CPU time of
    /// the process.
    #[must_use]
    pub fn after(earlier: Times, threads: usize) -> Self {
        let cpu_clock = if threads > 1 { process_cpu_seconds } else { thread_cpu_seconds };
        Self { earlier, started: Instant::now(), cpu_clock, cpu_at_start: cpu_clock() }
    }

    /// The times of all sessions until now.
    #[must_use]
    pub fn now(&self) -> Times {
        Times {
            seconds: self.earlier.seconds + self.started.elapsed().as_secs_f64(),
            cpu_seconds: self.earlier.cpu_seconds + ((self.cpu_clock)() - self.cpu_at_start).max(0.0),
        }
    }
}
