//! Knowledge of positions: proven limits and best solutions.

use super::game::CheckedGame;
use crate::puzzles::{GameStatus, Gameplay};
use serde::{Deserialize, Serialize};

/// The results of searches of one position, as objective values of the remaining game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knowledge {
    /// The proven limit: no continuation gives a better value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<i64>,
    /// The value of the best solution found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<i64>,
    /// The moves of this solution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// Whether it is proven that the goal cannot be reached any more.
    #[serde(rename = "never")]
    pub is_unsolvable: bool,
    /// The time limit of the last search, in seconds; the time that it took, if it was interrupted.
    pub tried: f64,
}

impl Knowledge {
    /// Whether the optimum is known.
    pub(super) fn is_exact(&self) -> bool {
        self.is_unsolvable || self.bound.is_some() && self.bound == self.held
    }
}

/// The range of the optimal final value of the whole game, from one of its positions on. Values are normalised: less is
/// better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: Option<i64>,
    /// The value of a known solution.
    pub(super) most: Option<i64>,
    /// Whether the goal cannot be reached.
    pub(super) is_unsolvable: bool,
}

/// How objective values are compared and joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) is_score: bool,
    counts_moves: bool,
}

impl Scale {
    pub(super) fn of(game: &CheckedGame) -> Self {
        Self { is_score: game.objective.ceiling().is_some(), counts_moves: game.objective.counts_moves }
    }

    /// Normalises a value, so that less is better; also the inverse.
    pub(super) fn normalised(self, value: i64) -> i64 {
        if self.is_score { -value } else { value }
    }

    /// The normalised value of the whole game, from the value of the moves made and the value of the remaining game, as
    /// in [`Knowledge`].
    pub(super) fn total(self, made: i64, remaining: i64) -> i64 {
        self.normalised(if self.counts_moves { made + remaining } else { remaining })
    }

    /// The inverse of [`Scale::total`].
    pub(super) fn remaining(self, made: i64, total: i64) -> i64 {
        let total = self.normalised(total);
        if self.counts_moves { total - made } else { total }
    }

    /// The range of the whole game, from the knowledge of a position.
    pub(super) fn range(self, game: &dyn Gameplay, known: Option<&Knowledge>) -> Range {
        let GameStatus { value, final_value, is_over, .. } = game.status();
        let total = |remaining: i64| self.total(value, remaining);
        let mut range = known.map_or(Range::default(), |known| Range {
            least: known.bound.map(total),
            most: known.held.map(total),
            is_unsolvable: known.is_unsolvable,
        });
        if let Some(end) = final_value {
            range.lower_most(self.normalised(end));
        }
        // Without moves the game ends here.
        if is_over {
            range = match final_value {
                Some(end) => Range::exactly(self.normalised(end)),
                None => Range { is_unsolvable: true, ..Range::default() },
            };
        }
        range
    }
}

impl Range {
    pub(super) fn exactly(value: i64) -> Self {
        Self { least: Some(value), most: Some(value), is_unsolvable: false }
    }

    /// Lowers the upper end to a value that a solution reaches.
    pub(super) fn lower_most(&mut self, value: i64) {
        self.most = Some(self.most.map_or(value, |most| most.min(value)));
    }

    /// Raises the lower end to a proven limit.
    pub(super) fn raise_least(&mut self, value: i64) {
        self.least = Some(self.least.map_or(value, |least| least.max(value)));
    }

    /// Whether the optimum is known.
    pub(super) fn is_exact(self) -> bool {
        self.is_unsolvable || self.least.is_some() && self.least == self.most
    }

    /// Propagates the ranges along a path of positions: no later position is better, and each earlier position reaches
    /// what a later one reaches.
    pub(super) fn propagate(path: &mut [Self]) {
        for i in 1..path.len() {
            let previous = path[i - 1];
            path[i].is_unsolvable |= previous.is_unsolvable;
            previous.least.into_iter().for_each(|least| path[i].raise_least(least));
        }
        for i in (1..path.len()).rev() {
            let most = path[i].most;
            most.into_iter().for_each(|most| path[i - 1].lower_most(most));
        }
    }
}

/// The loss of a move against the optimum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveLoss {
    /// The least possible loss, in units of the objective.
    pub least: i64,
    /// The greatest possible loss; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<i64>,
    /// Whether the goal could be reached before the move, and not after it.
    pub fatal: bool,
}

impl MoveLoss {
    /// The loss of the move between two positions.
    pub(super) fn between(before: Range, after: Range) -> Self {
        if before.is_unsolvable {
            return Self { least: 0, most: Some(0), fatal: false };
        }
        if after.is_unsolvable {
            return Self { least: 0, most: None, fatal: before.most.is_some() };
        }
        let difference = |after: Option<i64>, before: Option<i64>| Some((after? - before?).max(0));
        Self {
            least: difference(after.least, before.most).unwrap_or(0),
            most: difference(after.most, before.least),
            fatal: false,
        }
    }

    /// Whether the move is proven optimal.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.most == Some(0) && !self.fatal
    }

    /// Whether the loss is not exactly known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.fatal && self.most != Some(self.least)
    }
}
