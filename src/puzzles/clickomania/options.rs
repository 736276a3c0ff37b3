//! What is played of Clickomania.

use gridhunt_boards::{Objective, Rules, Scoring};

/// The part of a [`Request`](crate::puzzles::Request) that concerns Clickomania alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The rules.
    pub rules: Rules,
    /// The objective.
    pub objective: Objective,
    /// The scoring; it matters for the objective [`Objective::Score`] alone.
    pub scoring: Scoring,
}

impl Options {
    /// What the plain rules need to judge a solution.
    #[must_use]
    pub fn judged_by(&self) -> (Rules, Objective, &Scoring) {
        (self.rules, self.objective, &self.scoring)
    }
}
