//! A web page, or another host of a WebAssembly module: no files, one thread, and the clock of the host.

mod clock;
pub mod files;
mod pages;

pub use clock::{Instant, unix_seconds};
// The processor time of the only thread is not known: the clock stands for it.
pub use clock::{unix_seconds as process_cpu_seconds, unix_seconds as thread_cpu_seconds};
pub use pages::Pages;

/// Whether there is a file system. The compiler removes code behind a check of this constant.
pub const HAS_FILES: bool = false;

/// Whether threads can be started.
pub const HAS_THREADS: bool = false;

/// Whether code size matters more than small gains of speed.
pub const IS_SIZE_OPTIMIZED: bool = true;

/// Returns 0: a page cannot start threads.
#[must_use]
pub fn startable_threads(_wanted_count: usize) -> usize {
    0
}

/// Does nothing: a page starts no processes.
pub fn with_own_process_group(command: &mut std::process::Command) -> &mut std::process::Command {
    command
}

/// Bytes of memory that the WebAssembly module holds now. WebAssembly never gives memory back.
#[must_use]
pub fn resident_bytes() -> u64 {
    /// Bytes of a page of WebAssembly memory.
    const PAGE: u64 = 1 << 16;
    core::arch::wasm32::memory_size(0) as u64 * PAGE
}
