//! The command line of gridhunt.

mod cli;

use std::process::ExitCode;

/// Every worker allocates; the system's allocator would make them wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Gives memory that is free back to the system, all of it if `force` is true.
    fn mi_collect(force: bool);
}

fn purge() {
    // SAFETY: mimalloc is linked as the global allocator. The function may be called on any thread.
    unsafe { mi_collect(true) };
}

fn main() -> ExitCode {
    gridhunt_search::platform::set_purge(purge);
    cli::main()
}
