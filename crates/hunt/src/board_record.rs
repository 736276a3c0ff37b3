//! The result of a board, from which every view and every file of results is made.

use super::identity::identity;
use super::{Facts, Request, memory};
use gridhunt_puzzle::{EngineKind, Objective, PuzzleId, Task, TaskInfo};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Outcome, Solution, Status, Times};
use gridhunt_search::runtime::{Layer, StopReason};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of one board. The plain rules have accepted its solution, if there is one.
///
/// In JSON, every field is always present, in this order, but for `optimal_solutions` and those that are skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardRecord {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The number of colours.
    pub colours: usize,
    /// The puzzle.
    pub domain: PuzzleId,
    /// The meaning of the cost. In JSON: `objective`, the name, and `ceiling`, the upper limit of the score.
    #[serde(flatten)]
    pub objective: Objective,
    /// The status of the board.
    pub status: Status,
    /// The reason why the search ended early; null if it did not.
    pub stopped: Option<StopReason>,
    /// The cost of the best solution; null without a solution.
    pub cost: Option<Cost>,
    /// The score of the best solution; null if the objective is not the score, or without a solution.
    pub score: Option<i64>,
    /// The published optimum in the board's file; null if it has none.
    pub published: Option<Cost>,
    /// The proven lower bound of the cost; null if the board is proven to have no solution.
    pub lower_bound: Option<Cost>,
    /// The proven upper bound of the score; null if the objective is not the score, or if the board is
    /// proven to have no solution.
    pub upper_score: Option<i64>,
    /// The facts about the board and its rules.
    #[serde(flatten)]
    pub facts: Facts,
    /// The moves of the best solution; empty without a solution. Moves are colours in the board's symbols, cells (row
    /// and column from 1), or one program.
    pub moves: Vec<String>,
    /// States expanded.
    pub expanded: u64,
    /// Children generated, also by beams; with `learning`, also those of larger sets that are tested as no-goods.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// States stored.
    pub stored: u64,
    /// The work of each layer, in rising order of f.
    pub layers: Vec<Layer>,
    /// The peak bytes of what the search stores, for each stored state; null without stored states.
    pub bytes_per_state: Option<f64>,
    /// Threads that searched this board, on each rank.
    pub threads: usize,
    /// Ranks that searched this board together.
    pub ranks: usize,
    /// Wall-clock time of this board in all sessions of its run, in seconds.
    pub seconds: f64,
    /// CPU time of this board's search in all sessions of its run, in seconds.
    pub cpu_seconds: f64,
    /// The peak physical memory of the whole process until the end of this board, in bytes; 0 if the system does not
    /// report it.
    pub peak_memory_bytes: u64,
    /// The engine.
    pub engine: EngineKind,
    /// The lower bounds that guided the search at its end.
    pub bound: String,
    /// What the result is about, as a checksum: puzzle, rules and board. The bounds and solutions of equal
    /// identities may be combined, whatever engine and lower bound found them.
    pub identity: String,
    /// The number of optimal solutions, exactly; absent unless all of them were asked for and counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal_solutions: Option<String>,
    /// The moves of the listed optimal solutions, in lexicographic order.
    #[serde(skip)]
    pub listed_solutions: Vec<Vec<String>>,
    /// The limit that ended the count of optimal solutions; absent if it was not asked for, or was not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_stopped: Option<StopReason>,
    /// The best solution in the moves of the engine; `None` without a solution, and for a record that was read.
    #[serde(skip)]
    pub solution: Option<Solution>,
    /// The error of a disk that failed or was full; not the end of the search by a limit.
    #[serde(skip)]
    pub failure: Option<String>,
}

impl BoardRecord {
    /// Makes the record of an outcome, for board number 1 on one rank, without a published optimum. `moves` are the
    /// moves of the incumbent in the notation of the puzzle.
    pub(super) fn new(task: &dyn Task, request: &Request, outcome: Outcome, moves: Vec<String>, seconds: f64) -> Self {
        let TaskInfo { board, objective, facts, .. } = task.info();
        let statistics = outcome.statistics;
        let mut record = Self {
            number: 1,
            board: board.name().to_owned(),
            rows: board.rows(),
            cols: board.cols(),
            colours: board.colours(),
            domain: request.domain,
            objective: *objective,
            status: Status::Unknown,
            stopped: outcome.stopped,
            cost: None,
            score: None,
            published: None,
            lower_bound: None,
            upper_score: None,
            facts: Facts(facts.clone()),
            moves,
            expanded: statistics.expanded,
            generated: statistics.generated,
            evaluated: statistics.evaluated,
            stored: statistics.stored,
            layers: statistics.layers,
            bytes_per_state: (statistics.stored > 0)
                .then(|| rounded(statistics.peak_bytes as f64 / statistics.stored as f64, 1e2)),
            threads: request.threads.max(1),
            ranks: 1,
            seconds: rounded(seconds, 1e6),
            cpu_seconds: rounded(statistics.cpu_seconds, 1e6),
            peak_memory_bytes: memory::peak_resident().unwrap_or(0),
            engine: request.engine,
            bound: statistics.bound,
            identity: identity(board, request),
            optimal_solutions: None,
            listed_solutions: Vec::new(),
            count_stopped: None,
            solution: outcome.incumbent,
            failure: outcome.failure,
        };
        let cost = record.solution.as_ref().map(|solution| solution.cost);
        record.set_range((outcome.lower_bound != Cost::MAX).then_some(outcome.lower_bound), cost);
        record
    }

    /// Whether the board needs no further search.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.stopped.is_none()
    }

    /// The times of all sessions.
    pub(super) fn times(&self) -> Times {
        Times { seconds: self.seconds, cpu_seconds: self.cpu_seconds }
    }

    /// Merges the range of another record of the same identity into this record.
    ///
    /// # Errors
    /// When the two records contradict each other. Then neither proves anything.
    pub(super) fn merge_range(mut self, other: &Self) -> Result<Self, Contradiction> {
        let proven = [&self, other].map(|record| record.lower_bound.unwrap_or(Cost::MAX));
        let bound = proven[0].max(proven[1]);
        let better = other.cost.filter(|cost| self.cost.is_none_or(|known| *cost < known));
        let cost = better.or(self.cost);
        if let Some(cost) = cost.filter(|cost| *cost < bound) {
            return Err(Contradiction { bound, cost });
        }
        if better.is_some() {
            self.moves.clone_from(&other.moves);
        }
        self.set_range((bound < Cost::MAX).then_some(bound), cost);
        Ok(self)
    }

    /// The record of a solution with these `moves`: those of the best solution, or of another one of the same cost.
    #[must_use]
    pub fn solution_of<'r>(&'r self, moves: &'r [String]) -> SolutionRecord<'r> {
        SolutionRecord { board: &self.board, cost: self.cost, moves }
    }

    /// Sets the lower bound, the cost, the scores and the status. `lower_bound` is `None` if no solution exists.
    pub(super) fn set_range(&mut self, lower_bound: Option<Cost>, cost: Option<Cost>) {
        let is_score = self.objective.ceiling().is_some();
        let score = |cost: Option<Cost>| cost.filter(|_| is_score).map(|cost| self.objective.value(cost));
        (self.score, self.upper_score) = (score(cost), score(lower_bound));
        (self.lower_bound, self.cost) = (lower_bound, cost);
        self.status = Status::of(lower_bound, cost);
    }
}

/// A solution in JSON, which every reader of solutions knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolutionRecord<'r> {
    /// The board's name.
    pub board: &'r str,
    /// The cost of the solution.
    pub cost: Option<Cost>,
    /// The moves of the solution.
    pub moves: &'r [String],
}

impl SolutionRecord<'_> {
    /// One line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

/// Two results about one board that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The proven lower bound; [`Cost::MAX`] for a proof that there is no solution.
    pub bound: Cost,
    /// The cost of a solution.
    pub cost: Cost,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bound, cost } = *self;
        match bound {
            Cost::MAX => write!(f, "a proof that there is no solution, and a solution of cost {cost}"),
            _ => write!(f, "a proof of the lower bound {bound}, and a solution of cost {cost}"),
        }
    }
}

/// Rounds a value to a multiple of `1 / parts`; 1e3 gives three decimals.
#[must_use]
pub fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}
