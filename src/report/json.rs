//! JSON for programs: one line with one object for each board.

use super::number_format::rounded;
use crate::hunt::{BoardResult, FailedBoard, Report};
use crate::puzzles::ObjectiveValue;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::Status;
use gridhunt_search::runtime::{Layer, StopReason};
use serde::Serialize;

/// The JSON object of one board. Every field is always present, in this order.
#[derive(Clone, Debug, Serialize)]
pub struct JsonReport<'a> {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: &'a str,
    /// The puzzle.
    pub domain: &'static str,
    /// The thing that the cost counts (`moves`, for example), or the objective.
    pub objective: &'static str,
    /// The status of the board.
    pub status: Status,
    /// The reason why the search ended early; null if it did not.
    pub stopped: Option<StopReason>,
    /// The cost of the best solution; null without a solution.
    pub cost: Option<Cost>,
    /// The score of the best solution; null if the objective is not the score, or without a solution.
    pub score: Option<i64>,
    /// The published optimum in the board's file.
    pub published: Option<Cost>,
    /// The proven lower bound of the cost; null if the board is proven to have no solution.
    pub lower_bound: Option<Cost>,
    /// The proven upper bound of the score; null if the objective is not the score.
    pub upper_score: Option<i64>,
    /// The fewest cells of a group that a click removes; null without rules.
    pub min_group: Option<u32>,
    /// What happens to an empty column; null without rules.
    pub columns: Option<&'static str>,
    /// The corner to which cells fall and columns close up; null without rules.
    pub corner: Option<&'static str>,
    /// The points of a click on `n` cells; null if the objective is not the score.
    pub score_rule: Option<String>,
    /// The bonus for a clear; null if the objective is not the score.
    pub clear_bonus: Option<u32>,
    /// The penalty for `n` cells of a colour that are left; null if the objective is not the score.
    pub left_penalty: Option<String>,
    /// The moves of the best solution; empty without a solution. Moves are colours in the board's symbols, cells (row
    /// and column from 1), or one program.
    pub moves: &'a [String],
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// States stored.
    pub stored: u64,
    /// The work of each layer, in rising order of f.
    pub layers: &'a [Layer],
    /// The peak memory of the search divided by the number of stored states, in bytes; null without stored states.
    pub bytes_per_state: Option<f64>,
    /// Threads that searched this board, on each rank.
    pub threads: usize,
    /// Ranks that searched this board together.
    pub ranks: usize,
    /// Wall-clock time of this board, in seconds.
    pub seconds: f64,
    /// CPU time of this board's search, in seconds.
    pub cpu_seconds: f64,
    /// The peak physical memory of the whole process until the end of this board, in bytes.
    pub peak_memory_bytes: u64,
    /// The engine.
    pub engine: &'static str,
    /// The lower bounds.
    pub bound: &'a str,
}

impl<'a> From<&'a Report> for JsonReport<'a> {
    fn from(report: &'a Report) -> Self {
        let statistics = &report.outcome.statistics;
        let lower_bound = report.outcome.lower_bound;
        let score =
            |cost| matches!(report.objective, ObjectiveValue::Score { .. }).then(|| report.objective.value(cost));
        Self {
            number: report.number,
            board: &report.board,
            domain: report.domain.name(),
            objective: report.objective.name(),
            status: report.status(),
            stopped: report.outcome.stopped,
            cost: report.cost(),
            score: report.cost().and_then(score),
            published: report.published,
            upper_score: (lower_bound != Cost::MAX).then(|| score(lower_bound)).flatten(),
            min_group: report.rules.map(|rules| rules.min_group),
            columns: report.rules.map(|rules| rules.columns.name()),
            corner: report.rules.map(|rules| rules.corner.name()),
            score_rule: report.scoring.as_ref().map(|scoring| scoring.points.to_string()),
            clear_bonus: report.scoring.as_ref().map(|scoring| scoring.clear_bonus),
            left_penalty: report.scoring.as_ref().map(|scoring| scoring.left_penalty.to_string()),
            lower_bound: (lower_bound != Cost::MAX).then_some(lower_bound),
            moves: &report.moves,
            expanded: statistics.expanded,
            generated: statistics.generated,
            evaluated: statistics.evaluated,
            stored: statistics.stored,
            layers: &statistics.layers,
            bytes_per_state: report.bytes_per_state().map(|b| rounded(b, 1e2)),
            threads: report.threads,
            ranks: report.ranks,
            seconds: rounded(report.seconds, 1e6),
            cpu_seconds: rounded(statistics.cpu_seconds, 1e6),
            peak_memory_bytes: report.peak_memory_bytes,
            engine: report.engine.name(),
            bound: &report.bound,
        }
    }
}

/// The object of one board in `results.jsonl`.
#[derive(Serialize)]
pub(super) struct RecordedReport<'a> {
    #[serde(flatten)]
    report: JsonReport<'a>,
    /// What the result is about.
    identity: &'a str,
}

impl<'a> From<&'a Report> for RecordedReport<'a> {
    fn from(report: &'a Report) -> Self {
        Self { report: report.into(), identity: &report.identity }
    }
}

/// The object as one line of JSON, without a newline.
///
/// # Errors
/// None in practice: JSON can represent every field.
pub fn to_json(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string(&JsonReport::from(report))
}

/// The JSON object of a board without a report. Every field is always present, in this order.
#[derive(Clone, Debug, Serialize)]
pub struct JsonMissing<'a> {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name; null if the board could not be read.
    pub board: Option<&'a str>,
    /// `error`, or `not-begun` if the run was stopped before.
    pub status: &'static str,
    /// Why the board has no report; null if its search was not begun.
    pub error: Option<String>,
}

impl<'a> JsonMissing<'a> {
    /// The object of a board without a report; `None` for a board with a report.
    pub(super) fn of(result: &'a BoardResult) -> Option<Self> {
        Some(match result {
            BoardResult::Report { .. } => return None,
            BoardResult::Failed(FailedBoard { number, board, error }) => {
                Self { number: *number, board: board.as_deref(), status: "error", error: Some(error.to_string()) }
            }
            BoardResult::NotBegun { number, board } => {
                Self { number: *number, board: Some(board), status: "not-begun", error: None }
            }
        })
    }
}

/// The object of a board without a report, as one line of JSON without a newline; `None` for a board with a report.
///
/// # Errors
/// None in practice: JSON can represent every field.
pub fn missing_to_json(result: &BoardResult) -> serde_json::Result<Option<String>> {
    JsonMissing::of(result).map(|missing| serde_json::to_string(&missing)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::tests::{feasible, optimal, unsolvable};

    #[test]
    fn the_object_is_the_documented_one() {
        let expected = concat!(
            r#"{"number":1,"board":"a.txt","domain":"flood-it","objective":"moves","status":"optimal","stopped":null,"cost":7,"score":null,"published":null,"lower_bound":7,"upper_score":null,"min_group":null,"columns":null,"corner":null,"score_rule":null,"clear_bonus":null,"left_penalty":null,"#,
            r#""moves":["1","2","1","2","1","2","1"],"expanded":1234,"generated":5678,"evaluated":5678,"stored":1000,"#,
            r#""layers":[{"f":6,"expanded":1000,"generated":5000},{"f":7,"expanded":234,"generated":678}],"#,
            r#""bytes_per_state":44.12,"threads":2,"ranks":1,"seconds":0.5,"cpu_seconds":0.9,"peak_memory_bytes":2097152,"#,
            r#""engine":"auto","bound":"elimination"}"#
        );
        assert_eq!(to_json(&optimal()).unwrap(), expected);
    }

    #[test]
    fn a_score_stands_beside_what_it_falls_short() {
        let objective = ObjectiveValue::Score { ceiling: 2000 };
        let text = to_json(&Report { objective, ..feasible() }).unwrap();
        assert!(
            text.contains(r#""cost":7,"score":1993,"#) && text.contains(r#""lower_bound":5,"upper_score":1995,"#),
            "{text}"
        );
    }

    #[test]
    fn what_does_not_exist_is_null() {
        let text = to_json(&unsolvable()).unwrap();
        assert!(
            text.contains(
                r#""status":"unsolvable","stopped":null,"cost":null,"score":null,"published":null,"lower_bound":null,"upper_score":null,"min_group":null,"columns":null,"corner":null,"score_rule":null,"clear_bonus":null,"left_penalty":null,"moves":[]"#
            ),
            "{text}"
        );
        assert!(text.contains(r#""bytes_per_state":null"#), "{text}");
    }
}
