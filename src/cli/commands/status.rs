//! `status`: shows a run, or all runs of a folder.

use crate::cli::args::run::Status;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, report_error};
use gridhunt::hunt::{PathKind, run_dirs_in};
use gridhunt::views::RunReport;

/// Shows a run, or the runs of a folder. The runs of a folder have one line each, unless they are checked.
pub fn run(args: &Status) -> Result<Exit, Failure> {
    let is_folder = PathKind::of(&args.run) == PathKind::RunsFolder;
    let runs = if is_folder { run_dirs_in(&args.run) } else { vec![args.run.clone()] };
    let (mut output, mut exit) = (Output::stdout(), Exit::Done);
    for run in runs {
        let report = match RunReport::read(&run, args.check) {
            Ok(report) => report,
            // The other runs are still shown.
            Err(error) if is_folder => {
                exit = exit.more_severe(report_error(&error.into()));
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
        exit = if report.is_sound() { exit } else { exit.more_severe(Exit::BadInput) };
    }
    Ok(exit)
}
