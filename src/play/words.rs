//! What is known of a game, in words.

use super::game::CheckedGame;
use super::knowledge::{MoveLoss, Range, Scale};
use crate::puzzles::{GameStatus, Gameplay, Objective, ObjectiveSense};
use gridhunt_boards::plural;
use serde::Serialize;

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameEnd {
    /// In a word: `optimal!`, `+2`.
    pub headline: String,
    /// The result for others, without a move: `19/19 moves, all optimal`.
    pub result: String,
    /// Whether the game is proven to be optimal, and within its limit.
    pub optimal: bool,
}

/// The words of a game's objective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    objective: Objective,
    scale: Scale,
    /// The most moves that the player wants to make.
    limit: Option<u32>,
}

impl Words {
    pub(super) fn of(game: &CheckedGame, limit: Option<u32>) -> Self {
        Self { objective: game.objective, scale: Scale::of(game), limit }
    }

    /// The unit of values.
    pub(super) fn unit(self) -> &'static str {
        self.objective.unit[1]
    }

    /// Writes a number with its unit.
    fn many(self, number: i64) -> String {
        let [one, many] = self.objective.unit;
        format!("{number} {}", if number == 1 { one } else { many })
    }

    /// Turns a value back that was turned so that less is better.
    fn value(self, turned: i64) -> i64 {
        self.scale.turned(turned)
    }

    /// What is known of the best end of a game.
    pub(super) fn optimum(self, range: Range) -> String {
        if range.never {
            return format!("cannot be {} (proven)", self.objective.done);
        }
        if self.objective.is_goal_only() {
            let can_be = || format!("can be {}", self.objective.done);
            return range.most.map_or_else(|| "not known yet".to_owned(), |_| can_be());
        }
        match (range.least.map(|least| self.value(least)), range.most.map(|most| self.value(most))) {
            (Some(bound), Some(held)) if bound == held => format!("{} (proven)", self.many(held)),
            (Some(bound), Some(held)) => format!("{} to {}", bound.min(held), self.many(bound.max(held))),
            (Some(bound), None) if self.scale.is_score => format!("at most {}", self.many(bound)),
            (Some(bound), None) => format!("at least {}", self.many(bound)),
            (None, Some(held)) if self.scale.is_score => format!("at least {}", self.many(held)),
            (None, Some(held)) => format!("at most {}", self.many(held)),
            (None, None) => "not known yet".to_owned(),
        }
    }

    /// How the game stands after the moves so far: `board` is the range of the whole game, `now` that of the position.
    pub(super) fn standing(self, game: &dyn Gameplay, board: Range, now: Range) -> String {
        let (lost, done) = (MoveLoss::between(board, now), self.objective.done);
        let behind = match (&lost, lost.least) {
            (MoveLoss { fatal: true, .. }, _) => format!(": the board can no longer be {done}"),
            (MoveLoss { most: Some(0), .. }, _) => String::new(),
            (MoveLoss { most: Some(most), .. }, least) if *most == least => {
                format!(" (optimum + {least})")
            }
            (_, least) if least > 0 => format!(" (at least optimum + {least})"),
            _ => String::new(),
        };
        let behind = if self.scale.is_score { behind.replace(" + ", " - ") } else { behind };
        let is_optimal = lost.is_nothing() && board.is_settled() && !board.never;
        let GameStatus { move_count: moves, value, final_value, is_solved, is_over } = game.status();
        if is_over {
            let end = match (final_value, is_solved) {
                (Some(_), _) if self.objective.is_goal_only() => done.to_owned(),
                (Some(value), true) if !self.scale.is_score => format!("solved with {}", self.many(value)),
                (Some(value), _) => self.many(value),
                (None, _) => format!("over, and not {done}"),
            };
            let limit = self.limit.filter(|_| self.is_over_limit(game));
            let over = limit.map(|limit| format!(", over the limit of {limit}")).unwrap_or_default();
            return if is_optimal { format!("{end}{over}: optimal") } else { format!("{end}{behind}{over}") };
        }
        let so_far = match self.objective.sense {
            _ if moves == 0 => "no move".to_owned(),
            ObjectiveSense::Maximise { .. } => format!("{} so far", self.many(value)),
            ObjectiveSense::Reach | ObjectiveSense::Minimise => plural(moves, game.move_word()),
        };
        let ahead = match now {
            Range { never: true, .. } => String::new(),
            _ if self.objective.is_goal_only() => String::new(),
            Range { least: Some(least), most: Some(most), .. } if least == most => {
                format!("; best possible {}", self.many(self.value(most)))
            }
            _ => format!("; best possible {}", self.optimum(now)),
        };
        let limit = match self.limit.map(|limit| i64::from(limit) - moves as i64) {
            Some(left @ 0..) => format!(", {left} left to the limit"),
            Some(_) => ", over the limit".to_owned(),
            None => String::new(),
        };
        let praise = if is_optimal && moves > 0 { ", optimal so far" } else { "" };
        format!("{so_far}{limit}{praise}{ahead}{behind}")
    }

    fn is_over_limit(self, game: &dyn Gameplay) -> bool {
        self.limit.is_some_and(|limit| game.status().move_count > limit as usize)
    }

    /// How a game has ended: `board` is the range of the whole game, `now` that of the end.
    /// `moves` are the costs of the moves.
    pub(super) fn end<'l>(
        self,
        game: &dyn Gameplay,
        (board, now): (Range, Range),
        moves: impl Iterator<Item = &'l MoveLoss> + Clone,
    ) -> GameEnd {
        let lost = MoveLoss::between(board, now);
        let is_best = lost.is_nothing() && board.is_settled() && !board.never;
        let over = self.is_over_limit(game);
        let Some(value) = game.status().final_value else {
            let not_done = format!("not {}", self.objective.done);
            return GameEnd { headline: not_done.clone(), result: not_done, optimal: false };
        };
        if self.objective.is_goal_only() {
            let done = self.objective.done;
            return GameEnd { headline: format!("{done}!"), result: done.to_owned(), optimal: !over };
        }
        let sign = if self.scale.is_score { '−' } else { '+' };
        let headline = match lost.most {
            _ if over => "over the limit".to_owned(),
            Some(0) if is_best => "optimal!".to_owned(),
            Some(most) if most == lost.least => format!("{sign}{most}"),
            _ => self.many(value),
        };
        let optimum = match (board.least, board.most) {
            (Some(least), Some(most)) if least == most => format!("{value}/{}", self.many(self.value(most))),
            _ => format!("{}, optimum {}", self.many(value), self.optimum(board)),
        };
        let optimal = moves.clone().filter(|lost| lost.is_nothing()).count();
        let proven = if moves.clone().any(MoveLoss::is_open) { "proven " } else { "" };
        let some = || format!("{optimal} of {} {proven}optimal", moves.count());
        let moves = if is_best { "all optimal".to_owned() } else { some() };
        let limit = if over { ", over the limit" } else { "" };
        GameEnd { headline, result: format!("{optimum}, {moves}{limit}"), optimal: is_best && !over }
    }

    /// What a move costs.
    pub(super) fn lost(self, lost: &MoveLoss) -> String {
        match *lost {
            MoveLoss { fatal: true, .. } => {
                format!("loses the game: the board can no longer be {}", self.objective.done)
            }
            MoveLoss { most: Some(0), .. } => "optimal".to_owned(),
            MoveLoss { least, most: Some(most), .. } if least == most => format!("loses {}", self.many(least)),
            MoveLoss { least, most: Some(most), .. } => format!("loses {least} to {}", self.many(most)),
            MoveLoss { least, most: None, .. } if least > 0 => format!("loses at least {}", self.many(least)),
            MoveLoss { .. } => "not known yet".to_owned(),
        }
    }

    /// How many moves are optimal here.
    pub(super) fn here(self, moves: &[&MoveLoss]) -> String {
        if moves.is_empty() {
            return "no move is left".to_owned();
        }
        let optimal = moves.iter().filter(|lost| lost.is_nothing()).count();
        let open = moves.iter().filter(|lost| lost.is_open()).count();
        let all = moves.len();
        let moves = if all == 1 { "move" } else { "moves" };
        match open {
            0 => format!("{optimal} of {all} {moves} optimal"),
            _ => format!("{optimal} of {all} {moves} proven optimal, {open} open"),
        }
    }
}
