//! An operating system: what all of them have in common, and what each does its own way.

mod clock;
pub mod files;
mod pages;
#[cfg(unix)]
#[path = "unix/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

pub use clock::unix_seconds;
pub use std::time::Instant;
pub use system::{Pages, in_own_group, process_cpu_seconds, resident_bytes, thread_cpu_seconds};

/// Whether there is a file system. Code behind a check of this constant is left out where there is none.
pub const HAS_FILES: bool = true;

/// Whether threads can be started.
pub const HAS_THREADS: bool = true;

/// Whether code that makes a search a little faster is left out.
pub const IS_SMALL: bool = false;
