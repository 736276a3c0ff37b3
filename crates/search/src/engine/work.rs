//! Counts of the work of a search.

use serde::{Deserialize, Serialize};

/// The work of a search in numbers. A checkpoint holds these totals, earlier sessions included.
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
    fn add_assign(&mut self, more: Self) {
        self.expanded += more.expanded;
        self.generated += more.generated;
        self.evaluated += more.evaluated;
        self.reopened += more.reopened;
    }
}

impl std::ops::Sub for Work {
    type Output = Self;

    fn sub(self, less: Self) -> Self {
        Self {
            expanded: self.expanded - less.expanded,
            generated: self.generated - less.generated,
            evaluated: self.evaluated - less.evaluated,
            reopened: self.reopened - less.reopened,
        }
    }
}
