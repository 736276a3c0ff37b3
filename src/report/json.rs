//! JSON for programs: one object a board, one line an object.

use super::number_format::rounded;
use crate::domain::Cost;
use crate::driver::{ObjectiveValue, Report};
use crate::engine::Status;
use crate::runtime::{Layer, StopReason};
use serde::Serialize;

/// The object of one board; the fields stand in this order, all of them, always.
#[derive(Clone, Debug, Serialize)]
pub struct JsonReport<'a> {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: &'a str,
    /// Which puzzle.
    pub domain: &'static str,
    /// What its cost counts: `moves`, or the objective.
    pub objective: &'static str,
    /// What is known of the board.
    pub status: Status,
    /// Why the search ended early; null when it did not.
    pub stopped: Option<StopReason>,
    /// Cost of the best solution held; null without one.
    pub cost: Option<Cost>,
    /// The score behind this cost; null where there are no scores.
    pub score: Option<Cost>,
    /// The optimum that the board's file names.
    pub published: Option<Cost>,
    /// No solution is cheaper; null when there is none at all.
    pub lower_bound: Option<Cost>,
    /// No score is higher; null where there are no scores.
    pub upper_score: Option<Cost>,
    /// Moves of that solution: colours as the board writes them, cells to click on, row and column from 1, or one program; empty without one.
    pub moves: &'a [String],
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// States stored.
    pub stored: u64,
    /// Work by layers, in rising f.
    pub layers: &'a [Layer],
    /// The most bytes that the search held, for each state stored; null without stored states.
    pub bytes_per_state: Option<f64>,
    /// Threads that searched this board.
    pub threads: usize,
    /// Wall-clock time of this board.
    pub seconds: f64,
    /// CPU time of this board's search.
    pub cpu_seconds: f64,
    /// The most physical memory of the whole process until this board was done.
    pub peak_memory_bytes: u64,
    /// Which engine.
    pub engine: &'static str,
    /// Which lower bounds.
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
            upper_score: score(lower_bound),
            lower_bound: (lower_bound != Cost::MAX).then_some(lower_bound),
            moves: &report.moves,
            expanded: statistics.expanded,
            generated: statistics.generated,
            evaluated: statistics.evaluated,
            stored: statistics.stored,
            layers: &statistics.layers,
            bytes_per_state: report.bytes_per_state().map(|b| rounded(b, 1e2)),
            threads: report.threads,
            seconds: rounded(report.seconds, 1e6),
            cpu_seconds: rounded(statistics.cpu_seconds, 1e6),
            peak_memory_bytes: report.peak_memory_bytes,
            engine: report.engine.name(),
            bound: &report.bound,
        }
    }
}

/// The object as one line of text, without the line's end.
///
/// # Errors
/// None in practice: every field has a form in JSON.
pub fn to_json(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string(&JsonReport::from(report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::tests::{feasible, optimal, unsolvable};

    #[test]
    fn the_object_is_the_documented_one() {
        let expected = concat!(
            r#"{"number":1,"board":"a.txt","domain":"flood-it","objective":"moves","status":"optimal","stopped":null,"cost":7,"score":null,"published":null,"lower_bound":7,"upper_score":null,"#,
            r#""moves":["1","2","1","2","1","2","1"],"expanded":1234,"generated":5678,"evaluated":5678,"stored":1000,"#,
            r#""layers":[{"f":6,"expanded":1000,"generated":5000},{"f":7,"expanded":234,"generated":678}],"#,
            r#""bytes_per_state":44.12,"threads":2,"seconds":0.5,"cpu_seconds":0.9,"peak_memory_bytes":2097152,"#,
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
                r#""status":"unsolvable","stopped":null,"cost":null,"score":null,"published":null,"lower_bound":null,"upper_score":null,"moves":[]"#
            ),
            "{text}"
        );
        assert!(text.contains(r#""bytes_per_state":null"#), "{text}");
    }
}
