//! The command line: turns arguments into a request, reports into output, and outcomes into exit codes.

mod args;
mod commands;
mod input;
mod output;
mod process;
mod session;

use args::{Cli, Command, output_form, path_check};
#[cfg(feature = "man")]
use commands::man;
#[cfg(feature = "serve")]
use commands::serve;
use commands::{
    bounds, certify, check, completions, export, generate, hunt, list, play, render, report, results, resume, schema,
    solve, status, stop, verify, watch,
};
use output::exit::{Exit, Failure};
use output::{Output, closed, print_message, screen};
use process::ranks::{self, OtherRanks};
use process::{allocator, system};
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

/// Runs the program.
pub fn main() -> ExitCode {
    allocator::install();
    panic::set_hook(Box::new(|panic| {
        screen::restore();
        print_message(&format!("gridhunt: internal error, please report it: {panic}"));
        ranks::abort_other_ranks();
    }));
    // A shell that asks for completions needs no ranks.
    if let Some(exit) = completions::answer() {
        return ExitCode::from(exit.code());
    }
    let code = match ranks::World::begin() {
        Ok(world) => world.run(|ranks| run_to_exit(ranks).code()),
        Err(failure) => print_failure(&failure).code(),
    };
    ExitCode::from(code)
}

fn print_failure(failure: &Failure) -> Exit {
    if failure.exit != Exit::Pipe {
        print_message(&format!("gridhunt: {:#}", failure.error));
    }
    failure.exit
}

/// Runs the command, on the leading rank if there are several.
fn run_to_exit(ranks: OtherRanks<'_>) -> Exit {
    match panic::catch_unwind(AssertUnwindSafe(|| run(ranks))) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => print_failure(&failure),
        Err(_) => Exit::Internal,
    }
}

fn run(ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    system::adjust_limits().map_err(Failure::internal)?;
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(e) => {
            if e.use_stderr() {
                // A closed standard error is ignored.
                let _ = e.print();
                return Ok(Exit::Usage);
            }
            // Help and version are results.
            return print_help(&e).map(|()| Exit::Done);
        }
    };
    output_form::check(&cli.command)?;
    path_check::check(&cli.command)?;
    match cli.command {
        Command::Solve(args) => solve::run(&args, ranks),
        Command::Hunt(args) => hunt::run(&args, ranks),
        Command::Resume(args) => resume::run(&args, ranks),
        Command::Status(args) => status::run(&args),
        Command::Stop(args) => stop::run(&args),
        Command::Results(args) => results::run(&args),
        Command::Watch(args) => watch::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => Err(Failure::usage("this build has no page: a build with default features has one")),
        Command::Play(args) => play::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Engines(args) => list::engines(&args),
        Command::Bounds(args) => bounds::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        #[cfg(feature = "man")]
        Command::Man(args) => man::run(&args),
    }
}

/// Prints help or version to standard output.
fn print_help(help: &clap::Error) -> Result<(), Failure> {
    if closed::was_stdout_closed() {
        return Output::stdout().write("");
    }
    help.print().and_then(|()| io::stdout().flush()).map_err(Failure::output)
}
