//! The meaning of a solution's cost.

use gridhunt_search::domain::Cost;
use serde::{Deserialize, Serialize};

/// The meaning of a solution's cost. Engines minimise the cost; reports show the objective value.
/// In files: `objective`, the [name](Self::name), and `ceiling`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "Named", try_from = "Named")]
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

/// An objective value in a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Named {
    /// What the cost counts.
    objective: String,
    /// The upper limit of the score, from which the cost is counted down; null without the objective `score`.
    ceiling: Option<i64>,
}

impl From<ObjectiveValue> for Named {
    fn from(value: ObjectiveValue) -> Self {
        Self { objective: value.name().to_owned(), ceiling: value.ceiling() }
    }
}

impl TryFrom<Named> for ObjectiveValue {
    type Error = String;

    fn try_from(Named { objective, ceiling }: Named) -> Result<Self, String> {
        Self::named(&objective, ceiling).ok_or_else(|| format!("found objective {objective:?} with {ceiling:?}"))
    }
}

impl ObjectiveValue {
    /// The objective value with this name; `ceiling` is the upper limit of a score.
    #[must_use]
    pub fn named(name: &str, ceiling: Option<i64>) -> Option<Self> {
        let counts = [Self::Moves, Self::Clear, Self::Clicks, Self::Left, Self::Tokens];
        let score = ceiling.map(|ceiling| Self::Score { ceiling });
        counts.into_iter().chain(score).find(|value| value.name() == name)
    }

    /// The upper limit of the score, if the objective is the score.
    #[must_use]
    pub fn ceiling(self) -> Option<i64> {
        if let Self::Score { ceiling } = self { Some(ceiling) } else { None }
    }

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
