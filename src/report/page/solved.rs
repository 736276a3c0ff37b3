//! A position that was solved for a page.

use crate::hunt::BoardRecord;
use gridhunt_search::engine::Status;
use schemars::JsonSchema;
use serde::Serialize;

/// A position and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolvedView {
    /// The status.
    pub status: Status,
    /// The value of the best solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The proven limit of the value; absent if the position is proven to have no solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// The moves of the best solution.
    pub moves: Vec<String>,
    /// Seconds that the search took.
    pub seconds: f64,
    /// Whether the position was solved before.
    pub cached: bool,
}

impl SolvedView {
    /// What a record says.
    #[must_use]
    pub fn of(record: &BoardRecord) -> Self {
        let value = |cost| record.objective.value(cost).to_string();
        Self {
            status: record.status,
            value: record.cost.map(value),
            bound: record.lower_bound.map(value),
            moves: record.moves.clone(),
            seconds: record.seconds,
            cached: false,
        }
    }
}
