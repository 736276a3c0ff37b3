//! What the cost of a solution stands for.

use super::{DomainKind, Request};
use crate::board::{Board, Objective};
use crate::domain::Cost;
use crate::domain::clickomania::ceiling;

/// What the cost of a solution stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Moves.
    Moves,
    /// Nothing: there is a way, or there is none.
    Clear,
    /// Clicks.
    Clicks,
    /// Cells left.
    Left,
    /// What a score falls short of this.
    Score {
        /// No score is higher.
        ceiling: Cost,
    },
    /// Tokens of a program.
    Tokens,
}

impl Measure {
    /// Of the solutions of a board.
    #[must_use]
    pub fn of(board: &Board, request: &Request) -> Self {
        match (request.domain, request.objective) {
            (DomainKind::FloodIt, _) => Self::Moves,
            (DomainKind::Clickomania, Objective::Clear) => Self::Clear,
            (DomainKind::Clickomania, Objective::Clicks) => Self::Clicks,
            (DomainKind::Clickomania, Objective::Left) => Self::Left,
            (DomainKind::Clickomania, Objective::Score) => Self::Score { ceiling: ceiling(board) },
            (DomainKind::Bunny, _) => Self::Tokens,
        }
    }

    /// What is counted, or the objective of that name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Clear => Objective::Clear.name(),
            Self::Clicks => Objective::Clicks.name(),
            Self::Left => Objective::Left.name(),
            Self::Score { .. } => Objective::Score.name(),
            Self::Tokens => "tokens",
        }
    }

    /// What a cost stands for: itself, or the score.
    #[must_use]
    pub fn value(self, cost: Cost) -> Cost {
        match self {
            Self::Score { ceiling } => ceiling.saturating_sub(cost),
            Self::Moves | Self::Clear | Self::Clicks | Self::Left | Self::Tokens => cost,
        }
    }
}
