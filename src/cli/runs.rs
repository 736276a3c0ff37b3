//! `hunt`, `resume`, `status` and `inspect`: commands on run directories.

use super::args::{Hunt, Resume, SessionFlags};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use super::ranks::{self, OtherRanks};
use super::run_args::Status;
use super::session::{Session, open_certificates};
use super::solve::unless_refused;
use gridhunt::hunt::{Config, FoundConfig, Part, PartedRun, PathKind, RunDir, RunState, find_dataset, quoted, runs_in};
use gridhunt::puzzles::positions_of;
use gridhunt::report::{PartsReport, RunReport};
use gridhunt_boards::{BoardError, Entry, ReadOptions};
use std::path::Path;

/// Begins a run over the boards of a configuration, or a part of one. A part that has begun goes on.
pub fn hunt(args: &Hunt, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let found = FoundConfig::find(&args.config)?;
    let mut config = found.config.clone();
    let dataset = config.dataset.clone().ok_or_else(|| without_dataset(&args.config))?;
    let path = args.run.clone().or(config.run.clone()).ok_or_else(|| without_run(&args.config))?;
    let dataset = find_dataset(&dataset, found.folder());
    lay_session_over(&mut config, &args.session);
    args.part.lay_over(&mut config);
    let options = ReadOptions {
        format: config.format,
        default_format: config.domain.unwrap_or_default().format(),
        positions: positions_of(config.domain, config.request().clickomania.rules),
        ..ReadOptions::default()
    };
    let open = || Input::open(std::slice::from_ref(&dataset), options.clone(), config.boards.as_ref());
    let input = open()?;
    let mut config = config.clone();
    input.settle(&mut config);
    ranks::check(&config, ranks)?;
    match config.part {
        Some(part) => hunt_part(&path, part, &config, (input, open()?), &args.session, ranks),
        None => {
            if let Some(run) = PartedRun::find(&path)? {
                return Err(run.needs_part("resume").into());
            }
            begin(&path, &config, input, &args.session, ranks)
        }
    }
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

/// Creates a run directory and searches its boards.
fn begin(
    path: &Path,
    config: &Config,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
    flags: &SessionFlags,
    ranks: OtherRanks<'_>,
) -> Result<Exit, Failure> {
    let run = RunDir::create(path, config, boards)?;
    let ended = go_on(&run, config, flags, ranks);
    unless_refused(run, ended)
}

/// Continues a run, or a part of one.
pub fn resume(args: &Resume, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    match (PartedRun::find(&args.run)?, args.part.part) {
        (None, None) => resume_in(&args.run, &args.session, ranks),
        (None, Some(part)) => Err(PartedRun::has_none(&args.run, part).into()),
        (Some(run), None) => Err(run.needs_part("resume").into()),
        (Some(run), Some(part)) => resume_part(&run, part, &args.session, ranks),
    }
}

/// Continues the run in a run directory.
fn resume_in(path: &Path, flags: &SessionFlags, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let (run, mut config) = RunDir::open(path)?;
    lay_session_over(&mut config, flags);
    ranks::check(&config, ranks)?;
    run.notes().iter().for_each(|note| tell(&format!("note: {note}")));
    tell_what_begins_anew(&run, &config)?;
    go_on(&run, &config, flags, ranks)
}

/// Begins a part of a hunt, or goes on with it: a scheduler repeats the command of a task that it has ended. `boards`
/// are the boards of the hunt, twice: all parts compare them before one takes its own.
fn hunt_part(
    path: &Path,
    part: Part,
    config: &Config,
    boards: (Input, Input),
    flags: &SessionFlags,
    ranks: OtherRanks<'_>,
) -> Result<Exit, Failure> {
    let run = PartedRun::begin(path, part.of(), config, boards.0)?;
    let folder = run.folder(part)?;
    if run.has_begun(part) {
        return resume_in(&folder, flags, ranks);
    }
    if has_no_boards(&run, part) {
        return Ok(Exit::Done);
    }
    // Every part refuses a board that cannot be read, whichever part it belongs to.
    let own = (1..).zip(boards.1).filter(|(number, entry)| entry.is_err() || part.place(*number).is_some());
    begin(&folder, config, own.map(|(_, entry)| entry), flags, ranks)
}

/// Goes on with a part of a hunt.
fn resume_part(run: &PartedRun, part: Part, flags: &SessionFlags, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let folder = run.folder(part)?;
    match run.has_begun(part) {
        true => resume_in(&folder, flags, ranks),
        false if has_no_boards(run, part) => Ok(Exit::Done),
        false => Err(run.not_begun(part).into()),
    }
}

/// Whether there are more parts than boards, and none is left for this part.
fn has_no_boards(run: &PartedRun, part: Part) -> bool {
    let is_empty = part.share(run.boards()) == 0;
    if is_empty {
        tell(&format!("{}: part {part} has no boards: nothing is to be done", run.path().display()));
    }
    is_empty
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
    let left = run.numbers().filter(|&number| !run.is_done(number)).count();
    if left == 0 && !writing.quiet {
        tell(&format!("{}: nothing is left to be done", run.path().display()));
    }
    // The results of all parts have one form.
    let many = run.total() > 1 || run.part().of() > 1;
    let session = Session::new(config, Some(left), many, writing, ranks);
    let certificates = open_certificates(flags.certify.as_deref(), &config.request(), &[])?;
    let certificates = certificates.as_ref();
    Session { run: Some(run), strict: flags.strict, log: flags.log, certificates, ..session }.search(run.boards()?)
}

/// Shows the progress of a run.
pub fn status(args: &Status) -> Result<Exit, Failure> {
    show(args, RunReport::of, true)
}

/// Checks the checkpoints of a run.
pub fn inspect(args: &Status) -> Result<Exit, Failure> {
    show(args, RunReport::inspected, false)
}

/// Shows a run, or all runs of a folder; those in short where `is_short`.
fn show(args: &Status, look: fn(&RunState) -> RunReport, is_short: bool) -> Result<Exit, Failure> {
    if PathKind::of(&args.run) != PathKind::Runs {
        let report = report(&args.run, look)?;
        let text = if args.json { report.json } else { report.text };
        Output::stdout().write(&format!("{}\n", text.trim_end()))?;
        return Ok(if report.is_sound { Exit::Done } else { Exit::BadInput });
    }
    let (mut output, mut exit) = (Output::stdout(), Exit::Done);
    for run in runs_in(&args.run) {
        let line = match report(&run, look) {
            Ok(report) => {
                exit = if report.is_sound { exit } else { exit.and(Exit::BadInput) };
                match (args.json, is_short) {
                    (true, _) => report.json,
                    (false, true) => report.short,
                    (false, false) => report.text,
                }
            }
            // The others are shown all the same.
            Err(failure) => {
                exit = exit.and(failure.exit);
                tell(&format!("gridhunt: {:#}", failure.error));
                continue;
            }
        };
        output.write(&format!("{}\n", line.trim_end()))?;
    }
    Ok(exit)
}

/// What is known of a run.
struct WrittenReport {
    json: String,
    text: String,
    short: String,
    /// Whether all of the run can be used.
    is_sound: bool,
}

fn report(run: &Path, look: fn(&RunState) -> RunReport) -> Result<WrittenReport, Failure> {
    let (json, text, short, is_sound) = match PartedRun::find(run)? {
        Some(run) => {
            let report = PartsReport::new(&run, |folder| RunReport::read(folder, look));
            (report.to_json(), report.to_string(), report.short(), report.is_sound())
        }
        None => {
            let report = RunReport::read(run, look)?;
            (report.to_json(), report.to_string(), report.short(), report.is_sound())
        }
    };
    Ok(WrittenReport { json: json.map_err(Failure::internal)?, text, short, is_sound })
}
