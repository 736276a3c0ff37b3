//! The trial of one bound on one board, as a JSON object or as a line of CSV with the same field names.

use super::has_proven_reference;
use crate::result_table::{escape_formula, written_text};
use gridhunt_hunt::{Study, rounded};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Status, Trial};
use gridhunt_search::runtime::{Layer, StopReason};
use serde::Serialize;

/// The row of one bound on one board. Every field is always present, in this order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialRow<'a> {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: &'a str,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The number of colours.
    pub colours: usize,
    /// The cost of the reference solution.
    pub cost: Option<Cost>,
    /// Whether the reference search has proven that its solution is optimal.
    pub optimal: bool,
    /// The bound.
    pub bound: &'a str,
    /// The name of the bound at the end of the search.
    pub used: &'a str,
    /// Whether the check found no violation, and the search proved no lower bound above a solution.
    pub sound: bool,
    /// Whether every state of the board was checked. Otherwise only the states on the reference solution were checked.
    pub every_state: bool,
    /// The number of states checked.
    pub checked_states: u64,
    /// The number of moves checked.
    pub checked_moves: u64,
    /// The number of states at which the bound exceeds the true cost.
    pub above: u64,
    /// The greatest excess over the true cost.
    pub excess: Cost,
    /// The number of moves along which the bound falls by more than the move costs.
    pub falls: u64,
    /// The number of moves at which the value of the child is another than that of its key.
    pub differs: u64,
    /// The number of moves of the solution that the bound dismisses wrongly.
    pub dismissed: u64,
    /// The value of the bound at the root.
    pub root: Cost,
    /// The optimum minus the value at the root; null if the optimum is not known.
    pub root_gap: Option<Cost>,
    /// The mean gap over the states on the solution; null if the optimum is not known.
    pub mean_gap: Option<f64>,
    /// The status at the end of the search.
    pub status: Status,
    /// The reason why the search ended early; null if it did not.
    pub stopped: Option<StopReason>,
    /// The proven lower bound at the end of the search.
    pub lower_bound: Cost,
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// The peak memory of the search, in bytes.
    pub peak_bytes: u64,
    /// The memory of the bound's tables, in bytes.
    pub table_bytes: u64,
    /// The time to build the bound, in seconds.
    pub preparation_seconds: f64,
    /// The mean time of one evaluation in the search; null if there were too few evaluations to measure.
    pub evaluation_nanoseconds: Option<f64>,
    /// CPU time of preparation and search, in seconds.
    pub cpu_seconds: f64,
    /// Wall-clock time of preparation and search, in seconds.
    pub seconds: f64,
}

/// A row with the lists that CSV cannot hold.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WholeTrial<'a> {
    #[serde(flatten)]
    row: TrialRow<'a>,
    /// For each state on the solution: the cost so far (g), the cost left, and the value of the bound (h).
    path: Vec<[Cost; 3]>,
    /// The layers of the search.
    layers: &'a [Layer],
}

impl<'a> TrialRow<'a> {
    /// The row of a trial of this study.
    #[must_use]
    pub fn new(study: &'a Study, trial: &'a Trial) -> Self {
        let (board, statistics) = (&study.reference, &trial.outcome.statistics);
        let (optimal, check) = (has_proven_reference(study), trial.check);
        Self {
            number: board.number,
            board: &board.board,
            rows: board.rows,
            cols: board.cols,
            colours: board.colours,
            cost: board.cost,
            optimal,
            bound: &trial.name,
            used: &statistics.bound,
            sound: trial.is_sound(),
            every_state: study.exact_states.is_some(),
            checked_states: check.states,
            checked_moves: check.moves,
            above: check.above,
            excess: check.excess,
            falls: check.falls,
            differs: check.differs,
            dismissed: check.dismissed,
            root: trial.root_value,
            root_gap: board.cost.filter(|_| optimal).map(|cost| cost.saturating_sub(trial.root_value)),
            mean_gap: optimal.then(|| rounded(trial.mean_gap(), 1e3)),
            status: trial.outcome.status(),
            stopped: trial.outcome.stopped,
            lower_bound: trial.outcome.lower_bound,
            expanded: statistics.expanded,
            generated: statistics.generated,
            evaluated: statistics.evaluated,
            peak_bytes: statistics.peak_bytes,
            table_bytes: trial.bytes,
            preparation_seconds: rounded(trial.preparation_seconds, 1e6),
            evaluation_nanoseconds: trial.evaluation_seconds.map(|seconds| rounded(seconds * 1e9, 1e1)),
            cpu_seconds: rounded(trial.cpu_seconds, 1e6),
            seconds: rounded(trial.seconds, 1e6),
        }
    }
}

/// A trial as one line of JSON, without a newline: the row, the values along the solution, and the layers.
///
/// # Errors
/// None in practice: JSON can represent every field.
pub fn trial_to_json(study: &Study, trial: &Trial) -> serde_json::Result<String> {
    let path = trial.path.iter().map(|step| [step.g, step.cost_to_go, step.h]).collect();
    serde_json::to_string(&WholeTrial {
        row: TrialRow::new(study, trial),
        path,
        layers: &trial.outcome.statistics.layers,
    })
}

/// The rows of a study as lines of CSV, each with a newline.
///
/// # Errors
/// None in practice: CSV can represent every field.
pub fn study_to_csv(study: &Study) -> csv::Result<String> {
    let board = escape_formula(study.reference.board.clone());
    let row = |trial| TrialRow { board: &board, ..TrialRow::new(study, trial) };
    csv_text(&study.trials.iter().map(row).collect::<Vec<_>>(), false)
}

/// The header line of a CSV file of these rows, with a newline. The text is empty if the study has no trials.
///
/// # Errors
/// None in practice.
pub fn study_csv_header(study: &Study) -> csv::Result<String> {
    let Some(trial) = study.trials.first() else { return Ok(String::new()) };
    let text = csv_text(&[TrialRow::new(study, trial)], true)?;
    Ok(text.split_inclusive('\n').next().unwrap_or_default().to_owned())
}

fn csv_text(rows: &[TrialRow<'_>], with_header: bool) -> csv::Result<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(with_header).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    written_text(writer)
}
