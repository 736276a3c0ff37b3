//! One bound on one board, for programs: a JSON object, or a line of CSV with the same names.

use super::is_proven;
use crate::domain::Cost;
use crate::driver::Study;
use crate::engine::{Status, Trial};
use crate::report::number_format::rounded;
use crate::runtime::{Layer, StopReason};
use serde::Serialize;

/// What is told of one bound on one board; the fields stand in this order, all of them, always.
#[derive(Clone, Debug, Serialize)]
pub struct TrialRow<'a> {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: &'a str,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub cols: usize,
    /// Its colours.
    pub colours: usize,
    /// Cost of the solution that the bound is held against.
    pub cost: Option<Cost>,
    /// Whether nothing is cheaper, proven by the reference.
    pub optimal: bool,
    /// The bound.
    pub bound: &'a str,
    /// What it had become when the search ended.
    pub used: &'a str,
    /// Whether no violation was found at any state that was checked.
    pub sound: bool,
    /// Whether every state of the board was looked at; otherwise those on the way of the solution.
    pub every_state: bool,
    /// States looked at.
    pub checked_states: u64,
    /// Moves looked at.
    pub checked_moves: u64,
    /// States at which it says more than the truth.
    pub above: u64,
    /// By how much at most.
    pub excess: Cost,
    /// Moves along which it falls by more than they cost.
    pub falls: u64,
    /// Moves at which it says something else when it knows the parent.
    pub differs: u64,
    /// Moves of the solution that it dismisses as too dear.
    pub dismissed: u64,
    /// What it says of the root.
    pub root: Cost,
    /// How much that is short of the optimum; null when that is not known.
    pub root_gap: Option<Cost>,
    /// The same on the average of the states on the way of the solution.
    pub mean_gap: Option<f64>,
    /// How the proof ended.
    pub status: Status,
    /// Why it ended early; null when it did not.
    pub stopped: Option<StopReason>,
    /// What is proven in the end.
    pub lower_bound: Cost,
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// The most bytes that the search held.
    pub peak_bytes: u64,
    /// Bytes of the bound's tables.
    pub table_bytes: u64,
    /// Seconds in which these were made.
    pub preparation_seconds: f64,
    /// Time of one evaluation within the search; null when there were too few to say.
    pub evaluation_nanoseconds: Option<f64>,
    /// CPU time of preparation and search.
    pub cpu_seconds: f64,
    /// Wall-clock time of both.
    pub seconds: f64,
}

/// A row with all that has no place in a table.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    row: TrialRow<'a>,
    /// On the way of the solution: what was paid before, what is left, what the bound says.
    path: Vec<[Cost; 3]>,
    layers: &'a [Layer],
}

impl<'a> TrialRow<'a> {
    /// The row of a trial of this study.
    #[must_use]
    pub fn new(study: &'a Study, trial: &'a Trial) -> Self {
        let (board, statistics) = (&study.reference, &trial.outcome.statistics);
        let (optimal, check) = (is_proven(study), trial.check);
        Self {
            number: board.number,
            board: &board.board,
            rows: board.rows,
            cols: board.cols,
            colours: board.colours,
            cost: board.cost(),
            optimal,
            bound: &trial.name,
            used: &statistics.bound,
            sound: trial.is_sound(),
            every_state: study.states.is_some(),
            checked_states: check.states,
            checked_moves: check.moves,
            above: check.above,
            excess: check.excess,
            falls: check.falls,
            differs: check.differs,
            dismissed: check.dismissed,
            root: trial.root,
            root_gap: board.cost().filter(|_| optimal).map(|cost| cost.saturating_sub(trial.root)),
            mean_gap: optimal.then(|| rounded(trial.mean_gap(), 1e3)),
            status: trial.outcome.status(),
            stopped: trial.outcome.stopped,
            lower_bound: trial.outcome.lower_bound,
            expanded: statistics.expanded,
            generated: statistics.generated,
            evaluated: statistics.evaluated,
            peak_bytes: statistics.peak_bytes,
            table_bytes: trial.bytes,
            preparation_seconds: rounded(trial.preparation, 1e6),
            evaluation_nanoseconds: trial.evaluation.map(|seconds| rounded(seconds * 1e9, 1e1)),
            cpu_seconds: rounded(trial.cpu_seconds, 1e6),
            seconds: rounded(trial.seconds, 1e6),
        }
    }
}

/// A trial as one line of JSON, without the line's end: its row, the values on the way of the solution, the layers.
///
/// # Errors
/// None in practice: every field has a form in JSON.
pub fn trial_to_json(study: &Study, trial: &Trial) -> serde_json::Result<String> {
    let path = trial.path.iter().map(|step| [step.paid, step.left, step.value]).collect();
    serde_json::to_string(&Whole { row: TrialRow::new(study, trial), path, layers: &trial.outcome.statistics.layers })
}

/// The rows of a study as lines of CSV, each with its end.
///
/// # Errors
/// None in practice: every field has a form in CSV.
pub fn to_csv(study: &Study) -> csv::Result<String> {
    let rows: Vec<_> = study.trials.iter().map(|trial| TrialRow::new(study, trial)).collect();
    written(&rows, false)
}

/// The first line of a file of such rows, with its end.
///
/// # Errors
/// None in practice.
pub fn csv_header(study: &Study) -> csv::Result<String> {
    let Some(trial) = study.trials.first() else { return Ok(String::new()) };
    let whole = written(&[TrialRow::new(study, trial)], true)?;
    Ok(whole.split_inclusive('\n').next().unwrap_or_default().to_owned())
}

fn written(rows: &[TrialRow<'_>], with_header: bool) -> csv::Result<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(with_header).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
