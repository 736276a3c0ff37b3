//! The result of a search.

use super::learning::RefutedSets;
use super::work::Work;
use crate::domain::{Cost, MoveIndex};
use crate::runtime::{Layer, StopReason};

/// What is known about the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A solution is known, and no solution is cheaper.
    Optimal,
    /// A solution is known; a cheaper one may exist.
    Feasible,
    /// It is proven that no solution exists.
    Unsolvable,
    /// No solution is known, and one may exist.
    Unknown,
}

impl Status {
    /// The status that follows from a proven lower bound and the cost of the best solution. `None` as lower bound means
    /// that no solution exists.
    #[must_use]
    pub fn of(lower_bound: Option<Cost>, cost: Option<Cost>) -> Self {
        match (lower_bound, cost) {
            (Some(lower_bound), Some(cost)) if cost > lower_bound => Self::Feasible,
            (_, Some(_)) => Self::Optimal,
            (None, None) => Self::Unsolvable,
            (Some(_), None) => Self::Unknown,
        }
    }

    /// The name in files, as serde writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Feasible => "feasible",
            Self::Unsolvable => "unsolvable",
            Self::Unknown => "unknown",
        }
    }

    /// Whether nothing is left to be proven.
    #[must_use]
    pub fn is_proven(self) -> bool {
        matches!(self, Self::Optimal | Self::Unsolvable)
    }
}

/// A solution as an engine found it. It must be replayed before it is reported.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Solution {
    /// Its cost.
    pub cost: Cost,
    /// The moves from the root.
    pub moves: Vec<MoveIndex>,
}

impl Solution {
    /// The cheaper one of two solutions; the first if they cost the same.
    pub(super) fn cheaper(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        first.into_iter().chain(second).min_by_key(|solution| solution.cost)
    }
}

/// The work of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// States expanded, each counted once.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Evaluations of the lower bound.
    pub evaluated: u64,
    /// States stored at the end. For engines that forget states: the peak.
    pub stored: u64,
    /// Closed states reopened because a cheaper path to them was found (with inconsistent bounds only).
    pub reopened: u64,
    /// Layers, finished and begun, in rising f. Empty for engines without layers.
    pub layers: Vec<Layer>,
    /// The peak memory of store and open nodes, in bytes.
    pub peak_bytes: u64,
    /// CPU time of the workers of this process, in seconds.
    pub cpu_seconds: f64,
    /// The name of the lower bound that was used at the end.
    pub bound: String,
}

impl From<Work> for Statistics {
    fn from(work: Work) -> Self {
        let Work { expanded, generated, evaluated, reopened } = work;
        Self { expanded, generated, evaluated, reopened, ..Self::default() }
    }
}

impl Statistics {
    pub(super) fn work(&self) -> Work {
        let &Self { expanded, generated, evaluated, reopened, .. } = self;
        Work { expanded, generated, evaluated, reopened }
    }

    /// Adds the work of an earlier search. `reopened` and `layers` are not changed.
    pub(super) fn include(&mut self, earlier: &Statistics) {
        self.expanded += earlier.expanded;
        self.generated += earlier.generated;
        self.evaluated += earlier.evaluated;
        self.stored = self.stored.max(earlier.stored);
        self.peak_bytes = self.peak_bytes.max(earlier.peak_bytes);
        self.cpu_seconds += earlier.cpu_seconds;
    }
}

/// The result of a search: what is proven, the best solution, and the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The best solution found.
    pub incumbent: Option<Solution>,
    /// The proven lower bound: no solution is cheaper. [`Cost::MAX`] when no solution exists.
    pub lower_bound: Cost,
    /// The reason why the search ended early, if it did.
    pub stopped: Option<StopReason>,
    /// The error of a disk that failed or was full.
    pub failure: Option<String>,
    /// The work of the search.
    pub statistics: Statistics,
    /// The sets that `learning` has refuted, for certificates. Empty after other searches.
    pub refuted: RefutedSets,
}

impl Outcome {
    /// An outcome without any knowledge or work.
    #[must_use]
    pub fn unknown() -> Self {
        Self::default()
    }

    /// The status that follows from lower bound and incumbent.
    #[must_use]
    pub fn status(&self) -> Status {
        let lower_bound = (self.lower_bound != Cost::MAX).then_some(self.lower_bound);
        Status::of(lower_bound, self.incumbent.as_ref().map(|solution| solution.cost))
    }
}
