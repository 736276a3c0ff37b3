//! What is known of positions: proven limits and best solutions.

use super::game::CheckedGame;
use crate::puzzles::{GameStatus, Gameplay};
use serde::{Deserialize, Serialize};

/// What searches have found out about one position, as objective values of the rest of the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knowledge {
    /// The proven limit: no way to play on gives a better value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<i64>,
    /// The value of the best solution found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<i64>,
    /// The moves of this solution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// Whether it is proven that the goal cannot be reached any more.
    pub never: bool,
    /// The time limit of the last search, in seconds.
    pub tried: f64,
}

impl Knowledge {
    /// Whether nothing is left to find out.
    pub(super) fn is_settled(&self) -> bool {
        self.never || self.bound.is_some() && self.bound == self.held
    }
}

/// The values that the whole game may end with, from one of its positions on, if the rest is played perfectly. Values
/// are turned so that less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    /// The proven limit.
    pub(super) least: Option<i64>,
    /// The value that is reached for certain.
    pub(super) most: Option<i64>,
    /// Whether the goal cannot be reached.
    pub(super) never: bool,
}

/// How objective values are compared and joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Whether a higher value is better.
    pub(super) is_score: bool,
    /// Whether the moves so far count.
    adds: bool,
}

impl Scale {
    pub(super) fn of(game: &CheckedGame) -> Self {
        Self { is_score: game.objective.ceiling().is_some(), adds: game.objective.counts_moves }
    }

    /// Turns a value so that less is better, or turns such a value back.
    pub(super) fn turned(self, value: i64) -> i64 {
        if self.is_score { -value } else { value }
    }

    /// The value of the whole game, turned so that less is better. `before` is what the moves before have added, `rest`
    /// the value of the rest of the game as [`Knowledge`] has it.
    pub(super) fn total(self, before: i64, rest: i64) -> i64 {
        self.turned(if self.adds { before + rest } else { rest })
    }

    /// The inverse of [`Scale::total`].
    pub(super) fn rest(self, before: i64, total: i64) -> i64 {
        let total = self.turned(total);
        if self.adds { total - before } else { total }
    }

    /// Turns what is known of a position into a range for the whole game.
    pub(super) fn range(self, game: &dyn Gameplay, known: Option<&Knowledge>) -> Range {
        let GameStatus { value, final_value, is_over, .. } = game.status();
        let total = |rest: i64| self.total(value, rest);
        let mut range = known.map_or(Range::default(), |known| Range {
            least: known.bound.map(total),
            most: known.held.map(total),
            never: known.never,
        });
        if let Some(end) = final_value {
            range.reach(self.turned(end));
        }
        // If no move is left, the game ends as it is.
        if is_over {
            range = match final_value {
                Some(end) => Range::exactly(self.turned(end)),
                None => Range { never: true, ..Range::default() },
            };
        }
        range
    }
}

impl Range {
    pub(super) fn exactly(value: i64) -> Self {
        Self { least: Some(value), most: Some(value), never: false }
    }

    /// Notes that a solution reaches this value.
    pub(super) fn reach(&mut self, value: i64) {
        self.most = Some(self.most.map_or(value, |most| most.min(value)));
    }

    /// Notes that no way to play on gets below this value.
    pub(super) fn prove(&mut self, value: i64) {
        self.least = Some(self.least.map_or(value, |least| least.max(value)));
    }

    /// Whether nothing is left to find out.
    pub(super) fn is_settled(self) -> bool {
        self.never || self.least.is_some() && self.least == self.most
    }

    /// Joins the ranges of positions that follow one another: no later position is better, and what a later position
    /// reaches, each earlier one reaches.
    pub(super) fn join(path: &mut [Self]) {
        for i in 1..path.len() {
            let before = path[i - 1];
            path[i].never |= before.never;
            before.least.into_iter().for_each(|least| path[i].prove(least));
        }
        for i in (1..path.len()).rev() {
            let most = path[i].most;
            most.into_iter().for_each(|most| path[i - 1].reach(most));
        }
    }
}

/// What a move has cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveLoss {
    /// The least that the move has cost, in units of the objective.
    pub least: i64,
    /// The most that the move has cost; absent if this is not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<i64>,
    /// Whether the goal could be reached before the move, and not after it.
    pub fatal: bool,
}

impl MoveLoss {
    /// The cost of a move between two positions.
    pub(super) fn between(before: Range, after: Range) -> Self {
        if before.never {
            return Self { least: 0, most: Some(0), fatal: false };
        }
        if after.never {
            return Self { least: 0, most: None, fatal: before.most.is_some() };
        }
        let difference = |after: Option<i64>, before: Option<i64>| Some((after? - before?).max(0));
        Self {
            least: difference(after.least, before.most).unwrap_or(0),
            most: difference(after.most, before.least),
            fatal: false,
        }
    }

    /// Whether the move is proven to cost nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.most == Some(0) && !self.fatal
    }

    /// Whether more may be found out.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.fatal && self.most != Some(self.least)
    }
}
