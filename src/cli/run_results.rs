//! `results`: writes the results that a run directory has recorded.

use super::endings::of_run;
use super::exit::{Exit, Failure};
use super::output::tell;
use super::results::Results;
use super::run_args::RunResults;
use gridhunt::hunt::{PartedRun, RunState, quoted};
use gridhunt::report::Progress;

pub fn run(args: &RunResults) -> Result<Exit, Failure> {
    let form = of_run(args)?;
    let folders = PartedRun::folders(&args.run)?;
    let states = folders.iter().map(|folder| RunState::read(folder)).collect::<Result<Vec<_>, _>>()?;
    let many = folders.len() > 1 || states.iter().any(|state| state.identities.boards() > 1);
    let mut results = Results::open((&args.output, form), many, None, std::slice::from_ref(&args.run))?;
    let silent = Progress::silent();
    let records = states.iter().map(RunState::recorded).collect::<Result<Vec<_>, _>>()?;
    // The results of all parts, in the order of the boards.
    let mut records: Vec<_> = records.into_iter().flatten().collect();
    records.sort_by_key(|record| record.number);
    for record in records {
        results.take_recorded(&silent, record)?;
    }
    if results.summary.boards == 0 && !args.output.quiet {
        let (run, command) = (args.run.display(), quoted(&args.run));
        tell(&format!("{run}: no result is recorded yet; gridhunt status {command} shows how far the run is"));
    }
    results.finish(None)?;
    Ok(Exit::Done)
}
