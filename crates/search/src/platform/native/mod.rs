//! Operating systems: the code that they share, and one module for each family of systems.

mod clock;
#[cfg(unix)]
#[path = "unix/mod.rs"]
mod family;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod family;
pub mod files;
mod pages;

pub use clock::unix_seconds;
pub use family::{Pages, process_cpu_seconds, resident_bytes, thread_cpu_seconds, with_own_process_group};
pub use std::time::Instant;

use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Whether there is a file system. The compiler removes code behind a check of this constant.
pub const HAS_FILES: bool = true;

/// Whether threads can be started.
pub const HAS_THREADS: bool = true;

/// Whether code size matters more than small gains of speed.
pub const IS_SIZE_OPTIMIZED: bool = false;

/// How many of `wanted_count` threads this process can start now. Starts and ends them, about 20 us each.
#[must_use]
pub fn startable_threads(wanted_count: usize) -> usize {
    let gate = Mutex::new(());
    scope(|scope| {
        let closed_gate = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = || drop(gate.lock());
        let started = (0..wanted_count).map_while(|_| Builder::new().spawn_scoped(scope, wait).ok()).count();
        drop(closed_gate);
        started
    })
}
