//! `hunt`, `resume`, `status` and `inspect`: commands on run directories.

use super::args::{Hunt, Resume, SessionFlags, Status};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use super::ranks::OtherRanks;
use super::session::Session;
use super::solve::unless_refused;
use gridhunt::board::ReadOptions;
use gridhunt::driver::{Config, FoundConfig, RunDir, RunState, find_dataset, positions_of};
use gridhunt::report::RunReport;

/// Begins a run over the boards of a configuration.
pub fn hunt(args: &Hunt, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let found = FoundConfig::find(&args.config)?;
    let mut config = found.config.clone();
    let missing = |key: &str| Failure::bad_input(format!("{}: found no {key}, expected one for a hunt", args.config));
    let dataset = config.dataset.clone().ok_or_else(|| missing("dataset"))?;
    let path = args.run.clone().or(config.run.clone()).ok_or_else(|| missing("run (nor --run)"))?;
    let dataset = find_dataset(&dataset, found.folder());
    lay_session_over(&mut config, &args.session);
    let options = ReadOptions {
        format: config.format,
        default_format: config.domain.unwrap_or_default().format(),
        positions: positions_of(config.domain, config.request().rules),
        ..ReadOptions::default()
    };
    let input = Input::open(&[dataset], options, config.boards.as_ref())?;
    config.domain = config.domain.or(input.domain);
    config.check()?;
    let run = RunDir::create(&path, &config, input)?;
    let ended = go_on(&run, &config, &args.session, ranks);
    unless_refused(run, ended)
}

/// Continues a run.
pub fn resume(args: &Resume, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let (run, mut config) = RunDir::open(&args.run)?;
    lay_session_over(&mut config, &args.session);
    config.check()?;
    run.notes().iter().for_each(|note| tell(&format!("note: {note}")));
    tell_what_begins_anew(&run, &config)?;
    go_on(&run, &config, &args.session, ranks)
}

/// The most boards that are named when a resume begins them anew.
const MOST_NAMED: usize = 5;

/// Says which boards have no checkpoint, and why.
fn tell_what_begins_anew(run: &RunDir, config: &Config) -> Result<(), Failure> {
    let begun = run.begun_without_checkpoint()?;
    let engine = config.request().engine;
    let why = if engine.has_checkpoints() {
        "the run ended before its first checkpoint".to_owned()
    } else {
        format!("the engine {} has no checkpoints", engine.name())
    };
    for (number, name) in begun.iter().take(MOST_NAMED) {
        tell(&format!("note: board {number} ({name}) begins anew: {why}"));
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
    let left = (1..=run.total()).filter(|&number| !run.is_done(number)).count();
    if left == 0 && !writing.quiet {
        tell(&format!("{}: nothing is left to be done", run.path().display()));
    }
    let many = run.total() > 1;
    let session = Session::new(config, Some(left), many, writing, ranks);
    Session { run: Some(run), strict: flags.strict, ..session }.search(run.boards()?)
}

/// Shows the progress of a run.
pub fn status(args: &Status) -> Result<Exit, Failure> {
    show(args, RunReport::of)
}

/// Checks the checkpoints of a run.
pub fn inspect(args: &Status) -> Result<Exit, Failure> {
    show(args, RunReport::inspected)
}

/// Times to look at a run that is active: a board that is done loses its checkpoints between two looks at its files.
const LOOKS: usize = 3;

fn show(args: &Status, look: impl Fn(&RunState) -> RunReport) -> Result<Exit, Failure> {
    let mut report = look(&RunState::read(&args.run)?);
    for _ in 1..LOOKS {
        if report.is_sound() || report.process.is_none() {
            break;
        }
        report = look(&RunState::read(&args.run)?);
    }
    let text = if args.json { report.to_json().map_err(Failure::internal)? } else { report.to_string() };
    Output::stdout().write(&format!("{}\n", text.trim_end()))?;
    Ok(if report.is_sound() { Exit::Done } else { Exit::BadInput })
}
