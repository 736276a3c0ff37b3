//! The range, state and end of a game, in words.

use super::game::CheckedGame;
use super::knowledge::{MoveLoss, Range, Scale};
use crate::puzzles::{GameStatus, Gameplay, Objective, ObjectiveSense};
use gridhunt_boards::plural;
use serde::Serialize;

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameEnd {
    /// `optimal!`, `+2`.
    pub headline: String,
    /// The result without the moves, to share: `19/19 moves, all optimal`.
    pub result: String,
    /// Whether the game is proven to be optimal, and within its limit.
    pub optimal: bool,
}

/// Describes ranges, moves and results of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    objective: Objective,
    scale: Scale,
    /// The limit of moves that the player has set.
    limit: Option<u32>,
}

impl Words {
    pub(super) fn of(game: &CheckedGame, limit: Option<u32>) -> Self {
        Self { objective: game.objective, scale: Scale::of(game), limit }
    }

    pub(super) fn unit(self) -> &'static str {
        self.objective.unit[1]
    }

    fn with_unit(self, number: i64) -> String {
        let [one, many] = self.objective.unit;
        format!("{number} {}", if number == 1 { one } else { many })
    }

    /// The objective value of a normalised value.
    fn value(self, normalised: i64) -> i64 {
        self.scale.normalised(normalised)
    }

    /// The known range of the final value.
    pub(super) fn optimum(self, range: Range) -> String {
        if range.is_unsolvable {
            return format!("cannot be {} (proven)", self.objective.solved_word);
        }
        if self.objective.is_goal_only() {
            let can_be = || format!("can be {}", self.objective.solved_word);
            return range.most.map_or_else(|| "not known yet".to_owned(), |_| can_be());
        }
        match (range.least.map(|least| self.value(least)), range.most.map(|most| self.value(most))) {
            (Some(bound), Some(best)) if bound == best => format!("{} (proven)", self.with_unit(best)),
            (Some(bound), Some(best)) => format!("{} to {}", bound.min(best), self.with_unit(bound.max(best))),
            (Some(bound), None) if self.scale.is_score => format!("at most {}", self.with_unit(bound)),
            (Some(bound), None) => format!("at least {}", self.with_unit(bound)),
            (None, Some(best)) if self.scale.is_score => format!("at least {}", self.with_unit(best)),
            (None, Some(best)) => format!("at most {}", self.with_unit(best)),
            (None, None) => "not known yet".to_owned(),
        }
    }

    /// The state of the game: `board` is the range of the whole game, `current` the range of the position.
    pub(super) fn standing(self, game: &dyn Gameplay, board: Range, current: Range) -> String {
        let (lost, done) = (MoveLoss::between(board, current), self.objective.solved_word);
        let gap = match (&lost, lost.least) {
            (MoveLoss { fatal: true, .. }, _) => format!(": the board can no longer be {done}"),
            (MoveLoss { most: Some(0), .. }, _) => String::new(),
            (MoveLoss { most: Some(most), .. }, least) if *most == least => format!(" (optimum + {least})"),
            (_, least) if least > 0 => format!(" (at least optimum + {least})"),
            _ => String::new(),
        };
        let gap = if self.scale.is_score { gap.replace(" + ", " - ") } else { gap };
        let is_optimal = lost.is_optimal() && board.is_exact() && !board.is_unsolvable;
        let GameStatus { move_count: moves, value, final_value, is_solved, is_over } = game.status();
        if is_over {
            let end = match (final_value, is_solved) {
                (Some(_), _) if self.objective.is_goal_only() => done.to_owned(),
                (Some(value), true) if !self.scale.is_score => format!("solved with {}", self.with_unit(value)),
                (Some(value), _) => self.with_unit(value),
                (None, _) => format!("over, and not {done}"),
            };
            let limit = self.limit.filter(|_| self.is_over_limit(game));
            let over = limit.map(|limit| format!(", over the limit of {limit}")).unwrap_or_default();
            return if is_optimal { format!("{end}{over}: optimal") } else { format!("{end}{gap}{over}") };
        }
        let so_far = match self.objective.sense {
            _ if moves == 0 => "no move".to_owned(),
            ObjectiveSense::Maximise { .. } => format!("{} so far", self.with_unit(value)),
            ObjectiveSense::Reach | ObjectiveSense::Minimise => plural(moves, game.move_word()),
        };
        let best_possible = match current {
            Range { is_unsolvable: true, .. } => String::new(),
            _ if self.objective.is_goal_only() => String::new(),
            Range { least: Some(least), most: Some(most), .. } if least == most => {
                format!("; best possible {}", self.with_unit(self.value(most)))
            }
            _ => format!("; best possible {}", self.optimum(current)),
        };
        let limit = match self.limit.map(|limit| i64::from(limit) - moves as i64) {
            Some(left @ 0..) => format!(", {left} left to the limit"),
            Some(_) => ", over the limit".to_owned(),
            None => String::new(),
        };
        let praise = if is_optimal && moves > 0 { ", optimal so far" } else { "" };
        format!("{so_far}{limit}{praise}{best_possible}{gap}")
    }

    fn is_over_limit(self, game: &dyn Gameplay) -> bool {
        self.limit.is_some_and(|limit| game.status().move_count > limit as usize)
    }

    /// The end of a game: `board` is the range of the whole game, `current` that of the end, `moves` has the losses.
    pub(super) fn end<'l>(
        self,
        game: &dyn Gameplay,
        (board, current): (Range, Range),
        moves: impl Iterator<Item = &'l MoveLoss> + Clone,
    ) -> GameEnd {
        let lost = MoveLoss::between(board, current);
        let is_best = lost.is_optimal() && board.is_exact() && !board.is_unsolvable;
        let over = self.is_over_limit(game);
        let Some(value) = game.status().final_value else {
            let not_done = format!("not {}", self.objective.solved_word);
            return GameEnd { headline: not_done.clone(), result: not_done, optimal: false };
        };
        if self.objective.is_goal_only() {
            let done = self.objective.solved_word;
            return GameEnd { headline: format!("{done}!"), result: done.to_owned(), optimal: !over };
        }
        let sign = if self.scale.is_score { '−' } else { '+' };
        let headline = match lost.most {
            _ if over => "over the limit".to_owned(),
            Some(0) if is_best => "optimal!".to_owned(),
            Some(most) if most == lost.least => format!("{sign}{most}"),
            _ => self.with_unit(value),
        };
        let optimum = match (board.least, board.most) {
            (Some(least), Some(most)) if least == most => format!("{value}/{}", self.with_unit(self.value(most))),
            _ => format!("{}, optimum {}", self.with_unit(value), self.optimum(board)),
        };
        let optimal = moves.clone().filter(|lost| lost.is_optimal()).count();
        let proven = if moves.clone().any(MoveLoss::is_open) { "proven " } else { "" };
        let count = || format!("{optimal} of {} {proven}optimal", moves.count());
        let moves = if is_best { "all optimal".to_owned() } else { count() };
        let limit = if over { ", over the limit" } else { "" };
        GameEnd { headline, result: format!("{optimum}, {moves}{limit}"), optimal: is_best && !over }
    }

    /// The loss of a move.
    pub(super) fn loss_text(self, lost: &MoveLoss) -> String {
        match *lost {
            MoveLoss { fatal: true, .. } => {
                format!("loses the game: the board can no longer be {}", self.objective.solved_word)
            }
            MoveLoss { most: Some(0), .. } => "optimal".to_owned(),
            MoveLoss { least, most: Some(most), .. } if least == most => format!("loses {}", self.with_unit(least)),
            MoveLoss { least, most: Some(most), .. } => format!("loses {least} to {}", self.with_unit(most)),
            MoveLoss { least, most: None, .. } if least > 0 => format!("loses at least {}", self.with_unit(least)),
            MoveLoss { .. } => "not known yet".to_owned(),
        }
    }

    /// How many of the possible moves are optimal, from the losses of all.
    pub(super) fn choices_text(self, losses: &[&MoveLoss]) -> String {
        if losses.is_empty() {
            return "no move is left".to_owned();
        }
        let optimal = losses.iter().filter(|lost| lost.is_optimal()).count();
        let open = losses.iter().filter(|lost| lost.is_open()).count();
        let moves = plural(losses.len(), "move");
        match open {
            0 => format!("{optimal} of {moves} optimal"),
            _ => format!("{optimal} of {moves} proven optimal, {open} open"),
        }
    }
}
