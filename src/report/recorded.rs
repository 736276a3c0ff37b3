//! Results as a run directory records them, read back.

use crate::hunt::{Report, parse_engine};
use crate::puzzles::{PuzzleId, Request};
use gridhunt_boards::{Board, ScoreRule, Scoring};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{EngineKind, Outcome, Solution, Statistics};
use gridhunt_search::runtime::Layer;
use serde::Deserialize;

/// The fields of a recorded result that a report needs.
#[derive(Deserialize)]
struct Recorded {
    number: usize,
    domain: String,
    cost: Option<Cost>,
    lower_bound: Option<Cost>,
    published: Option<Cost>,
    moves: Vec<String>,
    expanded: u64,
    generated: u64,
    evaluated: u64,
    stored: u64,
    layers: Vec<Layer>,
    bytes_per_state: Option<f64>,
    threads: usize,
    ranks: usize,
    seconds: f64,
    cpu_seconds: f64,
    peak_memory_bytes: u64,
    engine: String,
    bound: String,
    #[serde(default)]
    identity: String,
    #[serde(default)]
    score_rule: Option<ScoreRuleText>,
    #[serde(default)]
    clear_bonus: Option<u32>,
    #[serde(default)]
    left_penalty: Option<ScoreRuleText>,
}

/// A score rule in JSON.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct ScoreRuleText(ScoreRule);

impl TryFrom<String> for ScoreRuleText {
    type Error = gridhunt_boards::OptionError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

/// The report of a search that ended without a limit, from its recorded line. `request` is the request of the run;
/// `board` is the board of the result.
///
/// # Errors
/// When the line is not a recorded result.
pub fn recorded_report(line: &str, board: &Board, request: &Request) -> serde_json::Result<Report> {
    let of: Recorded = serde_json::from_str(line)?;
    let domain: PuzzleId = of.domain.parse().unwrap_or(request.domain);
    let default = Scoring::default();
    let scoring = of.score_rule.is_some().then(|| Scoring {
        points: of.score_rule.map_or(default.points, |ScoreRuleText(rule)| rule),
        clear_bonus: of.clear_bonus.unwrap_or(default.clear_bonus),
        left_penalty: of.left_penalty.map_or(default.left_penalty, |ScoreRuleText(rule)| rule),
    });
    let peak_bytes = of.bytes_per_state.map_or(0, |bytes| (bytes * of.stored as f64).round() as u64);
    let statistics = Statistics {
        expanded: of.expanded,
        generated: of.generated,
        evaluated: of.evaluated,
        stored: of.stored,
        layers: of.layers,
        peak_bytes,
        cpu_seconds: of.cpu_seconds,
        bound: of.bound.clone(),
        ..Statistics::default()
    };
    Ok(Report {
        number: of.number,
        board: board.name().to_owned(),
        rows: board.rows(),
        cols: board.cols(),
        colours: board.colours(),
        published: of.published,
        domain,
        engine: parse_engine(&of.engine).unwrap_or(EngineKind::Auto),
        bound: of.bound,
        threads: of.threads,
        ranks: of.ranks,
        outcome: Outcome {
            // The moves of the engine are not recorded. Reports show the moves of the puzzle.
            incumbent: of.cost.map(|cost| Solution { cost, moves: Vec::new() }),
            lower_bound: of.lower_bound.unwrap_or(Cost::MAX),
            stopped: None,
            failure: None,
            statistics,
        },
        moves: of.moves,
        objective: domain.objective_value(board, request),
        rules: domain.objective_value(board, request).has_rules().then_some(request.rules),
        scoring,
        seconds: of.seconds,
        peak_memory_bytes: of.peak_memory_bytes,
        identity: of.identity,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::tests::{optimal, unsolvable};
    use crate::report::{result_text, to_json};
    use gridhunt_boards::{Cell, usual_symbols};

    #[test]
    fn a_recorded_result_says_the_same() {
        let board = Board::new("a.txt", 14, 15, vec![0; 210], usual_symbols(6), Cell::default()).unwrap();
        for report in [optimal(), unsolvable()] {
            let line = to_json(&report).unwrap();
            let read = recorded_report(&line, &board, &Request::default()).unwrap();
            assert_eq!(to_json(&read).unwrap(), line);
            assert_eq!(result_text(&read), result_text(&report));
        }
        assert!(recorded_report("{\"number\":1}", &board, &Request::default()).is_err());
    }
}
