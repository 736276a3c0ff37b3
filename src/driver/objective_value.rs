//! What the cost of a solution stands for.

use crate::domain::Cost;

/// What the cost of a solution stands for. Engines minimise the cost; people read the objective value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectiveValue {
    /// The cost counts moves.
    Moves,
    /// The cost is 0: the board can be cleared, or it cannot.
    Clear,
    /// The cost counts clicks.
    Clicks,
    /// The cost counts the cells that are left.
    Left,
    /// The cost is the difference between this upper limit and the score.
    Score {
        /// No score is higher.
        ceiling: Cost,
    },
    /// The cost counts the tokens of a program.
    Tokens,
}

impl ObjectiveValue {
    /// What is counted, or the name of the objective.
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

    /// The value that people read for a cost: the score, or the cost itself.
    #[must_use]
    pub fn value(self, cost: Cost) -> Cost {
        match self {
            Self::Score { ceiling } => ceiling.saturating_sub(cost),
            Self::Moves | Self::Clear | Self::Clicks | Self::Left | Self::Tokens => cost,
        }
    }

    /// Whether a published optimum of a board is a cost of this kind.
    #[must_use]
    pub fn compares_with_published(self) -> bool {
        matches!(self, Self::Moves | Self::Tokens)
    }
}
