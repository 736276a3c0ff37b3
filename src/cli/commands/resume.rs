//! `resume`: continues a run.

use super::hunt::search_remaining;
use crate::cli::args::Resume;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::print_message;
use crate::cli::process::ranks::{self, OtherRanks};
use gridhunt::hunt::{Config, RunDir, RunState};
use gridhunt::views::{BegunReport, RunReport};

pub fn run(args: &Resume, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let (run, mut config) = RunDir::open(&args.run)?;
    args.resources.apply_to(&mut config);
    args.session.storage.apply_to(&mut config);
    ranks::check(&config, ranks)?;
    run.notes().iter().for_each(|note| print_message(&format!("note: {note}")));
    print_restarted_boards(&run, &config)?;
    search_remaining(&run, &config, &args.session, ranks)
}

/// The maximum number of restarted boards that messages name.
const MAX_NAMED: usize = 5;

/// Prints which boards have no checkpoint, and why.
fn print_restarted_boards(run: &RunDir, config: &Config) -> Result<(), Failure> {
    let begun = RunReport::of(&RunState::read(run.path())?, false).begun;
    let engine = config.request().engine;
    let why = match engine.info.has_checkpoints {
        true => "the run ended before its first checkpoint".to_owned(),
        false => format!("the engine {} has no checkpoints", engine.name()),
    };
    for BegunReport { number, board, .. } in begun.iter().take(MAX_NAMED) {
        print_message(&format!("note: board {number} ({board}) starts again: {why}"));
    }
    if begun.len() > MAX_NAMED {
        print_message(&format!("note: and {} more: {why}", begun.len() - MAX_NAMED));
    }
    Ok(())
}
