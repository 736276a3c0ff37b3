//! `hunt`: searches the boards of a configuration in a new run directory.

use super::solve::withdraw_if_refused;
use crate::cli::args::{Hunt, SessionFlags};
use crate::cli::input::Input;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::print_message;
use crate::cli::process::ranks::{self, OtherRanks};
use crate::cli::session::{Session, open_certificates};
use gridhunt::hunt::{Config, FoundConfig, RunDir, shell_quoted};
use gridhunt_boards::plural;
use std::path::Path;

pub fn run(args: &Hunt, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let found = FoundConfig::find(&args.config)?;
    let mut config = found.config.clone();
    let dataset = config.dataset.clone().ok_or_else(|| missing_dataset(&args.config))?;
    let path = args.run.clone().or(config.run.clone()).ok_or_else(|| missing_run(&args.config))?;
    let dataset = found.find_dataset(&dataset);
    args.resources.apply_to(&mut config);
    args.session.storage.apply_to(&mut config);
    args.selection.apply_to(&mut config);
    let input = Input::open(std::slice::from_ref(&dataset), config.read_options(), config.boards.as_ref())?;
    input.fill_config(&mut config)?;
    ranks::check(&config, ranks)?;
    let run = RunDir::create(&path, &config, input)?;
    let result = search_remaining(&run, &config, &args.session, ranks);
    withdraw_if_refused(run, result)
}

fn missing_dataset(config: &str) -> Failure {
    let found = format!("{config}: found no dataset, expected one for a hunt");
    Failure::bad_input(format!("{found}; gridhunt solve BOARD --config {}", shell_quoted(Path::new(config))))
}

/// The error for a hunt without a run directory. A hunt takes long, so it never begins without one.
fn missing_run(config: &str) -> Failure {
    let name = Path::new(config).file_stem().map_or_else(|| config.into(), |stem| stem.to_string_lossy());
    let (config, run) = (shell_quoted(Path::new(config)), shell_quoted(&Path::new("runs").join(&*name)));
    Failure::bad_input(format!(
        "{config}: found no run directory, expected one: a hunt keeps its search there; gridhunt hunt {config} --run {run}"
    ))
}

/// Searches the boards of a run that are not done.
pub fn search_remaining(
    run: &RunDir,
    config: &Config,
    flags: &SessionFlags,
    ranks: OtherRanks<'_>,
) -> Result<Exit, Failure> {
    let remaining = run.board_numbers().filter(|&number| !run.is_done(number)).count();
    if remaining == 0 && !flags.output.quiet {
        print_message(&format!("{}: nothing is left to do", run.path().display()));
    }
    let done = run.board_count() - remaining;
    if done > 0 && flags.certify.is_some() && !flags.output.quiet {
        print_message(&format!(
            "note: {} done before: `gridhunt certify` makes their certificates",
            plural(done, "board")
        ));
    }
    let session = Session::new(config, Some(remaining), run.board_count() > 1, flags, ranks);
    let certificates = open_certificates(flags.certify.as_deref(), &config.request(), &[])?;
    let certificates = certificates.as_ref();
    Session { run: Some(run), certificates, ..session }.search(run.boards()?)
}
