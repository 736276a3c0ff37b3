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
    /// The later one of two times of the same search.
    #[must_use]
    pub fn longer(self, other: Self) -> Self {
        if other.seconds > self.seconds { other } else { self }
    }
}

/// The clock of a search that may have had earlier sessions.
#[derive(Clone, Debug)]
pub struct SessionClock {
    /// The times of the earlier sessions.
    pub before: Times,
    begun: Instant,
    /// The CPU time so far of the threads that search.
    cpu: fn() -> f64,
    cpu_begun: f64,
}

impl SessionClock {
    /// The clock of a session that begins now, in this thread. Beside a search with one thread, other searches may run,
    /// so the CPU time of its thread is measured. With more threads, it is the CPU time of the process.
    #[must_use]
    pub fn after(before: Times, threads: usize) -> Self {
        let cpu = if threads > 1 { process_cpu_seconds } else { thread_cpu_seconds };
        Self { before, begun: Instant::now(), cpu, cpu_begun: cpu() }
    }

    /// The times of all sessions until now.
    #[must_use]
    pub fn now(&self) -> Times {
        Times {
            seconds: self.before.seconds + self.begun.elapsed().as_secs_f64(),
            cpu_seconds: self.before.cpu_seconds + ((self.cpu)() - self.cpu_begun).max(0.0),
        }
    }
}
