//! The meaning of a solution's cost.

use super::PuzzleId;
use gridhunt_search::domain::Cost;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Which values of an objective are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Only whether the goal is reached matters: every solution costs 0.
    Reach,
    /// The less the better: the value is the cost.
    Least,
    /// The more the better: the value is the ceiling less the cost. No solution exceeds the ceiling.
    Most {
        /// The upper limit of the value.
        ceiling: i64,
    },
}

/// The meaning of a solution's cost. Engines minimise the cost; reports show the value.
///
/// In files: `objective`, the name, and `ceiling`, the upper limit of a value of which more is better. Objectives of
/// one name are equal, whatever puzzle they belong to, but for the ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, from = "Named"))]
#[serde(into = "Named")]
pub struct Objective {
    /// The name of what is counted, or of the goal.
    pub name: &'static str,
    /// The unit of values, or of moves if only the goal matters: its singular and its plural.
    pub unit: [&'static str; 2],
    /// Which values are good.
    pub direction: Direction,
    /// Whether the moves made so far are a part of the value of the whole game.
    pub counts_moves: bool,
    /// Whether a published optimum counts the same thing.
    pub is_published: bool,
    /// What is done to the board when the goal is reached, as a participle: `cleared`.
    pub done: &'static str,
    /// What to try when no solution was found.
    pub advice: Option<&'static str>,
}

/// An objective in a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Named {
    /// What the cost counts.
    objective: String,
    /// The upper limit of the score, from which the cost is counted down; null without the objective `score`.
    ceiling: Option<i64>,
}

impl From<Objective> for Named {
    fn from(objective: Objective) -> Self {
        Self { objective: objective.name.to_owned(), ceiling: objective.ceiling() }
    }
}

impl<'de> Deserialize<'de> for Objective {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Named { objective, ceiling } = Named::deserialize(from)?;
        let unknown = || D::Error::custom(format!("found objective {objective:?} with {ceiling:?}"));
        Self::named(&objective, ceiling).ok_or_else(unknown)
    }
}

impl Objective {
    /// The number of moves, the fewer the better. The cost is this number.
    pub const MOVES: Self = Self {
        name: "moves",
        unit: ["move", "moves"],
        direction: Direction::Least,
        counts_moves: true,
        is_published: true,
        done: "solved",
        advice: None,
    };

    /// Finds the objective with this name among those of all puzzles. `ceiling` is the upper limit of its values if
    /// more is better, and `None` otherwise.
    #[must_use]
    pub fn named(name: &str, ceiling: Option<i64>) -> Option<Self> {
        let objective = PuzzleId::all().flat_map(|puzzle| puzzle.info().objectives).find(|known| known.name == name)?;
        match (objective.direction, ceiling) {
            (Direction::Most { .. }, Some(ceiling)) => Some(objective.up_to(ceiling)),
            (Direction::Most { .. }, None) | (_, Some(_)) => None,
            (_, None) => Some(*objective),
        }
    }

    /// Returns this objective with `ceiling` as the upper limit of its values; more is better.
    #[must_use]
    pub fn up_to(self, ceiling: i64) -> Self {
        Self { direction: Direction::Most { ceiling }, ..self }
    }

    /// The upper limit of the values, if more is better.
    #[must_use]
    pub fn ceiling(self) -> Option<i64> {
        if let Direction::Most { ceiling } = self.direction { Some(ceiling) } else { None }
    }

    /// Whether only reaching the goal matters.
    #[must_use]
    pub fn is_goal(self) -> bool {
        self.direction == Direction::Reach
    }

    /// The value of a cost.
    #[must_use]
    pub fn value(self, cost: Cost) -> i64 {
        match self.direction {
            Direction::Most { ceiling } => ceiling - i64::from(cost),
            Direction::Reach | Direction::Least => cost.into(),
        }
    }

    /// The cost of a solution with this value; `None` if no solution can have the value.
    #[must_use]
    pub fn cost(self, value: i64) -> Option<Cost> {
        Cost::try_from(match self.direction {
            Direction::Most { ceiling } => ceiling - value,
            Direction::Reach | Direction::Least => value,
        })
        .ok()
    }
}
