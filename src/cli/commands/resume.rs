//! `resume`: goes on with a run.

use super::hunt::go_on;
use crate::cli::args::Resume;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::tell;
use crate::cli::process::ranks::{self, OtherRanks};
use gridhunt::hunt::{Config, RunDir, RunState};
use gridhunt::views::{BegunReport, RunReport};

pub fn run(args: &Resume, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let (run, mut config) = RunDir::open(&args.run)?;
    args.resources.lay_over(&mut config);
    args.session.storage.lay_over(&mut config);
    ranks::check(&config, ranks)?;
    run.notes().iter().for_each(|note| tell(&format!("note: {note}")));
    tell_what_begins_anew(&run, &config)?;
    go_on(&run, &config, &args.session, ranks)
}

/// The most boards that are named when a resume begins them anew.
const MOST_NAMED: usize = 5;

/// Says which boards have no checkpoint, and why.
fn tell_what_begins_anew(run: &RunDir, config: &Config) -> Result<(), Failure> {
    let begun = RunReport::of(&RunState::read(run.path())?, false).begun;
    let engine = config.request().engine;
    let why = if engine.info.has_checkpoints {
        "the run ended before its first checkpoint".to_owned()
    } else {
        format!("the engine {} has no checkpoints", engine.name())
    };
    for BegunReport { number, board, .. } in begun.iter().take(MOST_NAMED) {
        tell(&format!("note: board {number} ({board}) starts again: {why}"));
    }
    if begun.len() > MOST_NAMED {
        tell(&format!("note: {} more boards start again: {why}", begun.len() - MOST_NAMED));
    }
    Ok(())
}
