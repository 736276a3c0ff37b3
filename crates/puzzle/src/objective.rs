//! Objectives: the meaning of the cost of a solution.

use super::PuzzleId;
use gridhunt_search::domain::Cost;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Which values of an objective are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectiveSense {
    /// All solutions are equally good, and cost 0.
    Reach,
    /// Less is better: the value is the cost.
    Minimise,
    /// More is better: the value is this ceiling minus the cost. No solution exceeds the ceiling.
    Maximise(i64),
}

/// The meaning of the cost of a solution. Engines minimise the cost; reports show the value.
///
/// In files: `objective`, the name, and `ceiling`, the upper limit of the value if more is better. Name and ceiling
/// determine an objective, whatever its puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, from = "ObjectiveFields"))]
#[serde(into = "ObjectiveFields")]
pub struct Objective {
    /// The name: what is counted, or the goal.
    pub name: &'static str,
    /// The unit of values, or of moves if only the goal matters: its singular and its plural.
    pub unit: [&'static str; 2],
    /// Which values are better.
    pub sense: ObjectiveSense,
    /// Whether the moves made so far count towards the value of the whole game.
    pub counts_moves: bool,
    /// Whether published optima use this objective.
    pub is_published: bool,
    /// The word for a board whose goal is reached, such as `cleared`.
    pub solved_word: &'static str,
    /// What the user may try after a search without a solution.
    pub advice: Option<&'static str>,
}

/// The fields of an objective in a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ObjectiveFields {
    /// What the cost counts.
    objective: String,
    /// The upper limit of the score, from which the cost is counted down; null without the objective `score`.
    ceiling: Option<i64>,
}

impl From<Objective> for ObjectiveFields {
    fn from(objective: Objective) -> Self {
        Self { objective: objective.name.to_owned(), ceiling: objective.ceiling() }
    }
}

impl<'de> Deserialize<'de> for Objective {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ObjectiveFields { objective, ceiling } = ObjectiveFields::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("found objective {objective:?} with ceiling {ceiling:?}"));
        Self::find(&objective, ceiling).ok_or_else(unknown)
    }
}

impl Objective {
    /// The number of moves, the fewer the better. The cost is this number.
    pub const MOVES: Self = Self {
        name: "moves",
        unit: ["move", "moves"],
        sense: ObjectiveSense::Minimise,
        counts_moves: true,
        is_published: true,
        solved_word: "solved",
        advice: None,
    };

    /// Finds the objective with this name among those of all puzzles. `ceiling` is the upper limit of its values if
    /// more is better, and `None` otherwise.
    #[must_use]
    pub fn find(name: &str, ceiling: Option<i64>) -> Option<Self> {
        let objective = PuzzleId::all().flat_map(|puzzle| puzzle.info().objectives).find(|known| known.name == name)?;
        match (objective.sense, ceiling) {
            (ObjectiveSense::Maximise(_), Some(ceiling)) => Some(objective.with_ceiling(ceiling)),
            (ObjectiveSense::Maximise(_), None) | (_, Some(_)) => None,
            (_, None) => Some(*objective),
        }
    }

    /// Returns this objective with `ceiling` as the upper limit of its values; more is better.
    #[must_use]
    pub fn with_ceiling(self, ceiling: i64) -> Self {
        Self { sense: ObjectiveSense::Maximise(ceiling), ..self }
    }

    /// The upper limit of the values, if more is better.
    #[must_use]
    pub fn ceiling(self) -> Option<i64> {
        if let ObjectiveSense::Maximise(ceiling) = self.sense { Some(ceiling) } else { None }
    }

    /// Whether all solutions are equally good.
    #[must_use]
    pub fn is_goal_only(self) -> bool {
        self.sense == ObjectiveSense::Reach
    }

    /// The value of a cost.
    #[must_use]
    pub fn value(self, cost: Cost) -> i64 {
        let cost = i64::from(cost);
        self.ceiling().map_or(cost, |ceiling| ceiling - cost)
    }

    /// The cost of a solution with this value; `None` if no solution can have the value.
    #[must_use]
    pub fn cost(self, value: i64) -> Option<Cost> {
        self.ceiling().map_or(Some(value), |ceiling| ceiling.checked_sub(value))?.try_into().ok()
    }
}
