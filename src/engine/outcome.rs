//! What a search says at its end.

use super::snapshot::Work;
use crate::domain::{Cost, MoveIndex};
use crate::runtime::{Layer, StopReason};

/// What is known of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A solution is held and proven to be cheapest.
    Optimal,
    /// A solution is held; a cheaper one may exist.
    Feasible,
    /// No solution exists, proven.
    Unsolvable,
    /// No solution is held and none is excluded.
    Unknown,
}

/// A solution as an engine found it; [`crate::verify`] replays it before anybody is told.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Solution {
    /// What it costs.
    pub cost: Cost,
    /// Its moves from the root.
    pub moves: Vec<MoveIndex>,
}

/// Work counted by a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// States whose children were generated, each counted once.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// States stored at the end (the most at any time, for engines that forget).
    pub stored: u64,
    /// Closed states opened again because a cheaper way to them was found (inconsistent bounds only).
    pub reopened: u64,
    /// Exhausted and begun layers in rising f; empty for engines without layers.
    pub layers: Vec<Layer>,
    /// The most bytes that store and frontier held at any time.
    pub peak_bytes: u64,
    /// CPU time of the workers, in seconds.
    pub cpu_seconds: f64,
    /// The name of the lower bound that was used in the end.
    pub bound: String,
}

impl From<Work> for Statistics {
    fn from(work: Work) -> Self {
        let Work { expanded, generated, evaluated, reopened } = work;
        Self { expanded, generated, evaluated, reopened, ..Self::default() }
    }
}

impl Statistics {
    /// The part that is counted in states.
    pub(super) fn work(&self) -> Work {
        let &Self { expanded, generated, evaluated, reopened, .. } = self;
        Work { expanded, generated, evaluated, reopened }
    }

    /// Adds the work of a search that ran before this one.
    pub(super) fn include(&mut self, earlier: &Statistics) {
        self.expanded += earlier.expanded;
        self.generated += earlier.generated;
        self.evaluated += earlier.evaluated;
        self.stored = self.stored.max(earlier.stored);
        self.peak_bytes = self.peak_bytes.max(earlier.peak_bytes);
        self.cpu_seconds += earlier.cpu_seconds;
    }
}

/// Everything that a search found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best solution held.
    pub incumbent: Option<Solution>,
    /// Proven: no solution is cheaper. [`Cost::MAX`] when none exists.
    pub lower_bound: Cost,
    /// Why the search ended early, if it did.
    pub stopped: Option<StopReason>,
    /// What the disk said when it failed or was full.
    pub failure: Option<String>,
    /// The work it took.
    pub statistics: Statistics,
}

impl Outcome {
    /// Says nothing, after no work.
    pub(crate) fn unknown() -> Self {
        Self { incumbent: None, lower_bound: 0, stopped: None, failure: None, statistics: Statistics::default() }
    }

    /// What the range `lower_bound..=incumbent` says of the board.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.incumbent {
            Some(s) if s.cost <= self.lower_bound => Status::Optimal,
            Some(_) => Status::Feasible,
            None if self.lower_bound == Cost::MAX => Status::Unsolvable,
            None => Status::Unknown,
        }
    }
}
