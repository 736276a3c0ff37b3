//! The command line of gridhunt.

mod cli;

use std::process::ExitCode;

/// Every worker allocates; the system's allocator would make them wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
