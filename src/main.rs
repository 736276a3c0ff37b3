//! The command line of gridhunt.

mod allocator;
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::begin();
    cli::main()
}
