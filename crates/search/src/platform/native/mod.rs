//! An operating system: what all of them have in common, and what each does its own way.

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

/// Whether there is a file system. If there is none, code behind a check of this constant is left out of the program.
pub const HAS_FILES: bool = true;

/// Whether threads can be started.
pub const HAS_THREADS: bool = true;

/// Whether code that makes a search a little faster is left out.
pub const IS_SIZE_OPTIMIZED: bool = false;

/// Finds out how many of `wanted` threads the system lets this process start now. Starts and ends them, which takes
/// some 20 us each.
#[must_use]
pub fn startable_threads(wanted: usize) -> usize {
    let gate = Mutex::new(());
    scope(|scope| {
        let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = || drop(gate.lock());
        let started = (0..wanted).map_while(|_| Builder::new().spawn_scoped(scope, wait).ok()).count();
        drop(closed);
        started
    })
}
