//! `results`: writes the results that a run directory has recorded.

use super::exit::{Exit, Failure};
use super::output::tell;
use super::results::{Form, Results};
use super::run_args::RunResults;
use gridhunt::hunt::{PartedRun, Report, RunError, RunState, quoted};
use gridhunt::report::{BoardRecord, Progress};
use gridhunt_boards::Entry;
use std::collections::BTreeMap;
use std::time::Instant;

pub fn run(args: &RunResults) -> Result<Exit, Failure> {
    let began = Instant::now();
    let form = match args {
        RunResults { csv: true, .. } => Form::Csv,
        RunResults { markdown: true, .. } => Form::Markdown,
        RunResults { output, .. } => Form::of(output),
    };
    let folders = PartedRun::folders(&args.run)?;
    let states = folders.iter().map(|folder| RunState::read(folder)).collect::<Result<Vec<_>, _>>()?;
    let many = folders.len() > 1 || states.iter().any(|state| state.names.len() > 1);
    let mut results = Results::open((&args.output, form), many, None, std::slice::from_ref(&args.run))?;
    let silent = Progress::silent();
    let mut parts = states.iter().map(Recorded::of).collect::<Result<Vec<_>, _>>()?;
    // The results of all parts, in the order of the boards.
    while let Some(part) = parts.iter_mut().filter(|part| part.next.is_some()).min_by_key(|part| part.number()) {
        if let Some(report) = part.take()? {
            results.take_recorded(&silent, report)?;
        }
    }
    if results.summary.boards == 0 && !args.output.quiet {
        let (run, command) = (args.run.display(), quoted(&args.run));
        tell(&format!("{run}: no result is recorded yet; gridhunt status {command} shows how far the run is"));
    }
    results.finish(began)?;
    Ok(Exit::Done)
}

type Numbered = (usize, Result<Entry, RunError>);

/// The results of a run directory that are not written yet.
struct Recorded<'a> {
    state: &'a RunState,
    /// Lines of JSON by the numbers of the boards.
    lines: BTreeMap<usize, String>,
    boards: Box<dyn Iterator<Item = Numbered>>,
    next: Option<Numbered>,
}

impl<'a> Recorded<'a> {
    fn of(state: &'a RunState) -> Result<Self, RunError> {
        let mut boards: Box<dyn Iterator<Item = Numbered>> = Box::new(state.boards()?);
        let next = boards.next();
        Ok(Self { state, lines: state.recorded()?, boards, next })
    }

    /// The number of the next board.
    fn number(&self) -> Option<usize> {
        self.next.as_ref().map(|(number, _)| *number)
    }

    /// The report of the next board, if there is a result.
    fn take(&mut self) -> Result<Option<Report>, Failure> {
        let Some((number, entry)) = std::mem::replace(&mut self.next, self.boards.next()) else { return Ok(None) };
        let (entry, Some(line)) = (entry?, self.lines.remove(&number)) else { return Ok(None) };
        let mut record: BoardRecord = serde_json::from_str(&line).map_err(Failure::bad_input)?;
        // What an earlier session has proven or found still holds.
        if let Some(held) = self.state.finished.get(&number).filter(|held| !held.is_done()) {
            record.lower_bound = held.lower_bound;
            if held.cost != record.cost {
                (record.cost, record.moves) = (held.cost, held.moves.clone());
            }
        }
        record.into_report(&entry.board, &self.state.config.request()).map(Some).map_err(Failure::bad_input)
    }
}
