//! The meaning of a solution's cost.

use gridhunt_search::domain::Cost;

/// The meaning of a solution's cost. Engines minimise the cost; reports show the objective value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectiveValue {
    /// The cost counts moves.
    Moves,
    /// The cost is 0: only whether the board can be cleared matters.
    Clear,
    /// The cost counts clicks.
    Clicks,
    /// The cost counts the cells that are left.
    Left,
    /// The cost is the difference between this upper limit and the score.
    Score {
        /// The upper limit of the score.
        ceiling: i64,
    },
    /// The cost counts the tokens of a program.
    Tokens,
}

impl ObjectiveValue {
    /// Whether the puzzle of this objective has rules that may vary.
    #[must_use]
    pub fn has_rules(self) -> bool {
        !matches!(self, Self::Moves | Self::Tokens)
    }

    /// The name of the counted thing, or of the objective.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Clear => "clear",
            Self::Clicks => "clicks",
            Self::Left => "left",
            Self::Score { .. } => "score",
            Self::Tokens => "tokens",
        }
    }

    /// The objective value for a cost: the score, or the cost itself.
    #[must_use]
    pub fn value(self, cost: Cost) -> i64 {
        match self {
            Self::Score { ceiling } => ceiling - i64::from(cost),
            Self::Moves | Self::Clear | Self::Clicks | Self::Left | Self::Tokens => cost.into(),
        }
    }

    /// Whether a published optimum counts the same thing as this cost.
    #[must_use]
    pub fn compares_with_published(self) -> bool {
        matches!(self, Self::Moves | Self::Tokens)
    }
}
