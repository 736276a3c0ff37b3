//! `hunt`, `resume`, `status` and `inspect`: commands on run directories.

use super::args::{Hunt, Resume, SessionFlags, Status};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use super::session::Session;
use gridhunt::board::ReadOptions;
use gridhunt::driver::{Config, RunDir, RunState};
use gridhunt::report::RunReport;

/// Begins a run over the boards of a configuration.
pub fn hunt(args: &Hunt) -> Result<Exit, Failure> {
    let mut config = Config::load(&args.config)?;
    use_session(&mut config, &args.session)?;
    let missing = |key: &str| Failure::bad_input(format!("{}: found no {key}, expected one for a hunt", args.config));
    let dataset = config.dataset.clone().ok_or_else(|| missing("dataset"))?;
    let path = args.run.clone().or(config.run.clone()).ok_or_else(|| missing("run (nor --run)"))?;
    let options = ReadOptions {
        format: config.format,
        default_format: config.domain.unwrap_or_default().format(),
        ..ReadOptions::default()
    };
    let input = Input::open(&[dataset], options, config.boards.as_ref())?;
    let run = RunDir::create(&path, &config, input)?;
    go_on(&run, &config, &args.session)
}

/// Continues a run.
pub fn resume(args: &Resume) -> Result<Exit, Failure> {
    let (run, mut config) = RunDir::open(&args.run)?;
    use_session(&mut config, &args.session)?;
    go_on(&run, &config, &args.session)
}

/// Overrides the resources and the storage of the run's configuration with the flags of this call.
fn use_session(config: &mut Config, flags: &SessionFlags) -> Result<(), Failure> {
    flags.resources.lay_over(config);
    flags.storage.lay_over(config);
    Ok(config.check()?)
}

fn go_on(run: &RunDir, config: &Config, flags: &SessionFlags) -> Result<Exit, Failure> {
    let writing = &flags.output;
    let left = (1..=run.total()).filter(|&number| !run.is_done(number)).count();
    if left == 0 && !writing.quiet {
        tell(&format!("{}: nothing is left to be done", run.path().display()));
    }
    let many = run.total() > 1;
    let session = Session::new(config.request(), config.parallel, Some(left), many, writing);
    Session { run: Some(run), strict: flags.strict, ..session }.search(run.boards()?)
}

/// Shows the progress of a run.
pub fn status(args: &Status) -> Result<Exit, Failure> {
    show(args, &RunReport::of(&args.run, &RunState::read(&args.run)?))
}

/// Checks the checkpoints of a run.
pub fn inspect(args: &Status) -> Result<Exit, Failure> {
    let report = RunReport::inspected(&args.run, &RunState::read(&args.run)?);
    let exit = if report.is_sound() { Exit::Done } else { Exit::BadInput };
    show(args, &report).map(|_| exit)
}

fn show(args: &Status, report: &RunReport) -> Result<Exit, Failure> {
    let text = if args.json { report.to_json().map_err(Failure::internal)? } else { report.to_string() };
    Output::stdout().write(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Done)
}
