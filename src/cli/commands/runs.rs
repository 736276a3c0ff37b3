//! `hunt`, `resume` and `status`: commands on run directories.

use super::solve::unless_refused;
use crate::cli::args::run::Status;
use crate::cli::args::{Hunt, Resume, SessionFlags};
use crate::cli::input::Input;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, tell, tell_failed};
use crate::cli::process::ranks::{self, OtherRanks};
use crate::cli::session::{Session, open_certificates};
use gridhunt::hunt::{Config, FoundConfig, PathKind, RunDir, RunState, quoted, runs_in};
use gridhunt::views::{BegunReport, RunReport};
use std::path::Path;

/// Begins a run over the boards of a configuration.
pub fn hunt(args: &Hunt, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let found = FoundConfig::find(&args.config)?;
    let mut config = found.config.clone();
    let dataset = config.dataset.clone().ok_or_else(|| without_dataset(&args.config))?;
    let path = args.run.clone().or(config.run.clone()).ok_or_else(|| without_run(&args.config))?;
    let dataset = found.find_dataset(&dataset);
    lay_session_over(&mut config, &args.session);
    args.selection.lay_over(&mut config);
    let input = Input::open(std::slice::from_ref(&dataset), config.read_options(), config.boards.as_ref())?;
    input.settle(&mut config);
    ranks::check(&config, ranks)?;
    let run = RunDir::create(&path, &config, input)?;
    let ended = go_on(&run, &config, &args.session, ranks);
    unless_refused(run, ended)
}

fn without_dataset(config: &str) -> Failure {
    let found = format!("{config}: found no dataset, expected one for a hunt");
    Failure::bad_input(format!("{found}; gridhunt solve BOARD --config {}", quoted(Path::new(config))))
}

/// A hunt takes long, so it is never begun where nothing keeps it.
fn without_run(config: &str) -> Failure {
    let name = Path::new(config).file_stem().map_or_else(|| config.into(), |stem| stem.to_string_lossy());
    let (config, run) = (quoted(Path::new(config)), quoted(&Path::new("runs").join(&*name)));
    Failure::bad_input(format!(
        "{config}: found no run directory, expected one: a hunt may take long, and the directory keeps it; \
         gridhunt hunt {config} --run {run}"
    ))
}

/// Continues a run.
pub fn resume(args: &Resume, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let (run, mut config) = RunDir::open(&args.run)?;
    lay_session_over(&mut config, &args.session);
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
        tell(&format!("note: board {number} ({board}) begins anew: {why}"));
    }
    if begun.len() > MOST_NAMED {
        tell(&format!("note: {} more boards begin anew: {why}", begun.len() - MOST_NAMED));
    }
    Ok(())
}

/// Overrides the resources and the storage of the run's configuration with the flags of this call.
fn lay_session_over(config: &mut Config, flags: &SessionFlags) {
    flags.resources.lay_over(config);
    flags.storage.lay_over(config);
}

fn go_on(run: &RunDir, config: &Config, flags: &SessionFlags, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let writing = &flags.output;
    let left = run.numbers().filter(|&number| !run.is_done(number)).count();
    if left == 0 && !writing.quiet {
        tell(&format!("{}: nothing is left to be done", run.path().display()));
    }
    let session = Session::new(config, Some(left), run.total() > 1, writing, ranks);
    let certificates = open_certificates(flags.certify.as_deref(), &config.request(), &[])?;
    let certificates = certificates.as_ref();
    Session { run: Some(run), strict: flags.strict, log: flags.log, certificates, ..session }.search(run.boards()?)
}

/// Shows a run, or all runs of a folder: a line for each, unless they are checked.
pub fn status(args: &Status) -> Result<Exit, Failure> {
    let is_folder = PathKind::of(&args.run) == PathKind::Runs;
    let runs = if is_folder { runs_in(&args.run) } else { vec![args.run.clone()] };
    let (mut output, mut exit) = (Output::stdout(), Exit::Done);
    for run in runs {
        let report = match RunReport::read(&run, args.check) {
            Ok(report) => report,
            // The others are shown all the same.
            Err(error) if is_folder => {
                exit = exit.and(tell_failed(&error.into()));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let text = match args.json {
            true => serde_json::to_string(&report).map_err(Failure::internal)?,
            false if is_folder && !args.check => report.short(),
            false => report.to_string(),
        };
        output.write(&format!("{}\n", text.trim_end()))?;
        exit = if report.is_sound() { exit } else { exit.and(Exit::BadInput) };
    }
    Ok(exit)
}
