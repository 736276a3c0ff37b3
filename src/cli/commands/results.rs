//! `results`: writes the results that run directories have recorded.

use crate::cli::args::output_form::form_of_table;
use crate::cli::args::run::RunResults;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::print_message;
use crate::cli::output::results::ResultWriter;
use gridhunt::hunt::{MergedResults, RunState, shell_quoted};
use gridhunt::views::{ProgressDisplay, plural};

/// The maximum number of boards without a result that a message names.
const MAX_NAMED: usize = 20;

pub fn run(args: &RunResults) -> Result<Exit, Failure> {
    let form = form_of_table(&args.output, args.csv, args.markdown)?;
    let states = args.runs.iter().map(|run| RunState::read(run)).collect::<Result<Vec<_>, _>>()?;
    let MergedResults { records, missing } = MergedResults::of(&states)?;
    let has_many = records.len() + missing.len() > 1;
    let mut results = ResultWriter::open((&args.output, form), has_many, None, &args.runs)?;
    let silent = ProgressDisplay::silent();
    let has_results = !records.is_empty();
    for record in records {
        results.write_recorded(&silent, record)?;
    }
    if !args.output.quiet {
        match &args.runs[..] {
            [run] if !has_results => {
                let (run, command) = (run.display(), shell_quoted(run));
                print_message(&format!(
                    "{run}: no result is recorded yet; gridhunt status {command} shows how far the run is"
                ));
            }
            _ => print_boards_without_result(&missing),
        }
    }
    results.finish(None)?;
    Ok(Exit::Done)
}

/// Prints which boards have no result.
fn print_boards_without_result(names: &[String]) {
    let more = match names.len() {
        0 => return,
        count if count > MAX_NAMED => format!(" and {} more", count - MAX_NAMED),
        _ => String::new(),
    };
    let (count, named) = (names.len(), names[..names.len().min(MAX_NAMED)].join(", "));
    print_message(&format!("note: no result yet for {}: {named}{more}", plural(count as u64, "board")));
}
