//! Counts of the work of a search.

use serde::{Deserialize, Serialize};

/// The work of a search. Checkpoints contain the totals of all sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Evaluations of the lower bound.
    pub evaluated: u64,
    /// Closed states reopened.
    pub reopened: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.evaluated += other.evaluated;
        self.reopened += other.reopened;
    }
}

impl std::ops::Sub for Work {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            expanded: self.expanded - other.expanded,
            generated: self.generated - other.generated,
            evaluated: self.evaluated - other.evaluated,
            reopened: self.reopened - other.reopened,
        }
    }
}
