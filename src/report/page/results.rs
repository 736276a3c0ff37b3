//! Tables of results, from lines of JSON as `solve --json` and run directories have them.

use crate::hunt::sealed::{self, Seal};
use gridhunt_search::domain::Cost;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row of the table of results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultRow {
    /// The number of the board, from 1.
    pub number: usize,
    /// The name of the board.
    pub name: String,
    /// The status, in the word of the results.
    pub status: String,
    /// The value of the best solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The proven limit of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Seconds that the search took.
    pub seconds: f64,
    /// States expanded.
    pub expanded: u64,
    /// The engine.
    pub engine: String,
    /// The lower bounds.
    pub bounds: String,
    /// Why the search ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// What values count.
    #[serde(skip)]
    pub objective: String,
    /// Whether the bound is an upper limit.
    #[serde(skip)]
    pub is_score: bool,
}

impl ResultRow {
    /// What is proven and found.
    #[must_use]
    pub fn range(&self) -> String {
        let (low, high) = if self.is_score { (&self.value, &self.bound) } else { (&self.bound, &self.value) };
        match (low, high) {
            (Some(low), Some(high)) => format!("{low} <= optimum <= {high}"),
            (Some(low), None) => format!("{low} <= optimum"),
            (None, Some(high)) => format!("optimum <= {high}"),
            (None, None) => self.status.clone(),
        }
    }
}

/// The fields of a result that a table shows.
#[derive(Deserialize)]
struct Line {
    number: usize,
    /// Absent or null if the board could not be read.
    board: Option<String>,
    status: String,
    #[serde(default)]
    stopped: Option<String>,
    #[serde(default)]
    cost: Option<Cost>,
    #[serde(default)]
    score: Option<i64>,
    #[serde(default)]
    lower_bound: Option<Cost>,
    #[serde(default)]
    upper_score: Option<i64>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    expanded: u64,
    #[serde(default)]
    objective: String,
    #[serde(default)]
    engine: String,
    #[serde(default)]
    bound: String,
}

impl From<Line> for ResultRow {
    fn from(line: Line) -> Self {
        Self {
            number: line.number,
            name: line.board.unwrap_or_default(),
            status: line.status,
            value: line.score.map(|score| score.to_string()).or(line.cost.map(|cost| cost.to_string())),
            bound: line.upper_score.map(|score| score.to_string()).or(line.lower_bound.map(|bound| bound.to_string())),
            seconds: line.seconds,
            expanded: line.expanded,
            engine: line.engine,
            bounds: line.bound,
            stopped: line.stopped,
            objective: line.objective,
            is_score: line.score.is_some() || line.upper_score.is_some(),
        }
    }
}

/// The object in a line of JSON: alone, or an element of an array whose elements have a line each. `None` for an empty
/// line and for the ends of the array.
pub(super) fn object_in(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    (!line.is_empty() && line != b"[" && line != b"]").then_some(line)
}

/// The last result of each board.
#[derive(Clone, Debug, Default)]
pub struct ResultTable {
    last: BTreeMap<usize, ResultRow>,
    unread: usize,
}

impl ResultTable {
    /// Takes lines. Those that are no results, or damaged, are passed over.
    pub fn take(&mut self, text: &[u8]) {
        for line in text.split(|&byte| byte == b'\n') {
            let Some(object) = object_in(line) else { continue };
            let whole = str::from_utf8(object).ok().filter(|line| !matches!(sealed::check(line), Seal::Broken { .. }));
            match whole.and_then(|line| serde_json::from_str::<Line>(line).ok()) {
                Some(line) => _ = self.last.insert(line.number, ResultRow::from(line)),
                None => self.unread += 1,
            }
        }
    }

    /// The rows, with rising numbers.
    pub fn rows(&self) -> impl Iterator<Item = &ResultRow> {
        self.last.values()
    }

    /// The row of a board.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&ResultRow> {
        self.last.get(&number)
    }

    /// How many lines were passed over.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.unread
    }
}
