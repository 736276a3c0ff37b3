//! An operating system.

mod clock;
pub mod files;
mod memory;
mod pages;

pub use clock::{process_cpu_seconds, thread_cpu_seconds, unix_seconds};
pub use memory::resident_bytes;
pub use pages::Pages;
pub use std::time::Instant;

/// Whether there is a file system. Code behind a check of this constant is left out where there is none.
pub const HAS_FILES: bool = true;

/// Whether threads can be started.
pub const HAS_THREADS: bool = true;

/// Whether code that makes a search a little faster is left out.
pub const IS_SMALL: bool = false;
