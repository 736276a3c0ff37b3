//! The command line of gridhunt.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
