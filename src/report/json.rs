//! The record of a board's result: one line with one JSON object, for programs and for run directories.

use super::number_format::rounded;
use crate::hunt::{BoardResult, FailedBoard, Report, parse_engine};
use crate::puzzles::{ObjectiveValue, PuzzleId, Request};
use gridhunt_boards::{Board, OptionError, Scoring};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{EngineKind, Outcome, Solution, Statistics, Status};
use gridhunt_search::runtime::{Layer, StopReason};
use serde::{Deserialize, Serialize};

/// The JSON object of one board. Every field is always present, in this order; a run directory adds `identity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardRecord {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// The puzzle.
    pub domain: String,
    /// What the cost means: `moves`, `clear`, `clicks`, `left`, `score` or `tokens`.
    pub objective: String,
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
    pub columns: Option<String>,
    /// The corner to which cells fall and columns close up; null without rules.
    pub corner: Option<String>,
    /// The points of a click on `n` cells; null if the objective is not the score.
    pub score_rule: Option<String>,
    /// The bonus for a clear; null if the objective is not the score.
    pub clear_bonus: Option<u32>,
    /// The penalty for `n` cells of a colour that are left; null if the objective is not the score.
    pub left_penalty: Option<String>,
    /// The moves of the best solution; empty without a solution. Moves are colours in the board's symbols, cells (row
    /// and column from 1), or one program.
    pub moves: Vec<String>,
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// States stored.
    pub stored: u64,
    /// The work of each layer, in rising order of f.
    pub layers: Vec<Layer>,
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
    pub engine: String,
    /// The lower bounds.
    pub bound: String,
    /// What the result is about; empty outside run directories.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub identity: String,
}

impl From<&Report> for BoardRecord {
    fn from(report: &Report) -> Self {
        let statistics = &report.outcome.statistics;
        let lower_bound = report.outcome.lower_bound;
        let score =
            |cost| matches!(report.objective, ObjectiveValue::Score { .. }).then(|| report.objective.value(cost));
        Self {
            number: report.number,
            board: report.board.clone(),
            domain: report.domain.name().to_owned(),
            objective: report.objective.name().to_owned(),
            status: report.status(),
            stopped: report.outcome.stopped,
            cost: report.cost(),
            score: report.cost().and_then(score),
            published: report.published,
            upper_score: (lower_bound != Cost::MAX).then(|| score(lower_bound)).flatten(),
            min_group: report.rules.map(|rules| rules.min_group),
            columns: report.rules.map(|rules| rules.columns.name().to_owned()),
            corner: report.rules.map(|rules| rules.corner.name().to_owned()),
            score_rule: report.scoring.as_ref().map(|scoring| scoring.points.to_string()),
            clear_bonus: report.scoring.as_ref().map(|scoring| scoring.clear_bonus),
            left_penalty: report.scoring.as_ref().map(|scoring| scoring.left_penalty.to_string()),
            lower_bound: (lower_bound != Cost::MAX).then_some(lower_bound),
            moves: report.moves.clone(),
            expanded: statistics.expanded,
            generated: statistics.generated,
            evaluated: statistics.evaluated,
            stored: statistics.stored,
            layers: statistics.layers.clone(),
            bytes_per_state: report.bytes_per_state().map(|b| rounded(b, 1e2)),
            threads: report.threads,
            ranks: report.ranks,
            seconds: rounded(report.seconds, 1e6),
            cpu_seconds: rounded(statistics.cpu_seconds, 1e6),
            peak_memory_bytes: report.peak_memory_bytes,
            engine: report.engine.name().to_owned(),
            bound: report.bound.clone(),
            identity: report.identity.clone(),
        }
    }
}

impl BoardRecord {
    /// The report of the search. `request` is the request of the run; `board` is the board of the
    /// result.
    ///
    /// # Errors
    /// When a recorded score rule cannot be read.
    pub fn into_report(self, board: &Board, request: &Request) -> Result<Report, OptionError> {
        let domain: PuzzleId = self.domain.parse().unwrap_or(request.domain);
        let default = Scoring::default();
        let rule = |text: Option<String>, default| text.map_or(Ok(default), |text| text.parse());
        let scoring = match self.score_rule {
            None => None,
            points => Some(Scoring {
                points: rule(points, default.points)?,
                clear_bonus: self.clear_bonus.unwrap_or(default.clear_bonus),
                left_penalty: rule(self.left_penalty, default.left_penalty)?,
            }),
        };
        let peak_bytes = self.bytes_per_state.map_or(0, |bytes| (bytes * self.stored as f64).round() as u64);
        let statistics = Statistics {
            expanded: self.expanded,
            generated: self.generated,
            evaluated: self.evaluated,
            stored: self.stored,
            layers: self.layers,
            peak_bytes,
            cpu_seconds: self.cpu_seconds,
            bound: self.bound.clone(),
            ..Statistics::default()
        };
        let objective = domain.objective_value(board, request);
        Ok(Report {
            number: self.number,
            board: board.name().to_owned(),
            rows: board.rows(),
            cols: board.cols(),
            colours: board.colours(),
            published: self.published,
            domain,
            engine: parse_engine(&self.engine).unwrap_or(EngineKind::Auto),
            bound: self.bound,
            threads: self.threads,
            ranks: self.ranks,
            outcome: Outcome {
                // The moves of the engine are not recorded. Reports show the moves of the puzzle.
                incumbent: self.cost.map(|cost| Solution { cost, moves: Vec::new() }),
                lower_bound: self.lower_bound.unwrap_or(Cost::MAX),
                stopped: self.stopped,
                failure: None,
                statistics,
            },
            moves: self.moves,
            objective,
            rules: objective.has_rules().then_some(request.rules),
            scoring,
            seconds: self.seconds,
            peak_memory_bytes: self.peak_memory_bytes,
            identity: self.identity,
        })
    }
}

/// The record of a board in `results.jsonl`, as one line of JSON without a newline.
///
/// # Errors
/// None in practice: JSON can represent every field.
pub(super) fn recorded_line(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string(&BoardRecord::from(report))
}

/// The object as one line of JSON, without a newline.
///
/// # Errors
/// None in practice: JSON can represent every field.
pub fn to_json(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string(&BoardRecord { identity: String::new(), ..report.into() })
}

/// The JSON object of a board without a report. Every field is always present, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissingRecord {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name; null if the board could not be read.
    pub board: Option<String>,
    /// `error`, or `not-begun` if the run was stopped before.
    pub status: String,
    /// Why the board has no report; null if its search was not begun.
    pub error: Option<String>,
}

impl MissingRecord {
    /// The object of a board without a report; `None` for a board with a report.
    pub(super) fn of(result: &BoardResult) -> Option<Self> {
        Some(match result {
            BoardResult::Report { .. } => return None,
            BoardResult::Failed(FailedBoard { number, board, error }) => Self {
                number: *number,
                board: board.clone(),
                status: "error".to_owned(),
                error: Some(error.to_string()),
            },
            BoardResult::NotBegun { number, board } => {
                Self { number: *number, board: Some(board.clone()), status: "not-begun".to_owned(), error: None }
            }
        })
    }
}

/// The object of a board without a report, as one line of JSON without a newline; `None` for a board with a report.
///
/// # Errors
/// None in practice: JSON can represent every field.
pub fn missing_to_json(result: &BoardResult) -> serde_json::Result<Option<String>> {
    MissingRecord::of(result).map(|missing| serde_json::to_string(&missing)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::result_text;
    use crate::report::text::tests::{feasible, optimal, unsolvable};
    use gridhunt_boards::{Cell, usual_symbols};

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

    #[test]
    fn a_recorded_result_says_the_same() {
        let board = Board::new("a.txt", 14, 15, vec![0; 210], usual_symbols(6), Cell::default()).unwrap();
        for report in [optimal(), unsolvable()] {
            let line = recorded_line(&report).unwrap();
            let record: BoardRecord = serde_json::from_str(&line).unwrap();
            let read = record.into_report(&board, &Request::default()).unwrap();
            assert_eq!(recorded_line(&read).unwrap(), line);
            assert_eq!(result_text(&read), result_text(&report));
        }
        assert!(serde_json::from_str::<BoardRecord>("{\"number\":1}").is_err());
    }
}
