//! Admissible lower bounds of Clickomania.

mod clicks;
mod dismiss;
mod first_click;
mod one_click;
mod permanent;
mod pieces;
#[cfg(test)]
mod tests;

use super::score::ScoreTable;
use super::state::{Cells, count};
use super::{Column, Game, Position};
use crate::{Columns, Goal};
use clicks::fewest_clicks;
use dismiss::{DismissScratch, dismiss};
use gridhunt_search::domain::{Bound, Cost, LowerBound, Successor};
use one_click::OrderScratch;
use permanent::permanent;

/// One lower bound of Clickomania.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameBoundKind {
    /// Colours left, and colours with too few cells for a click.
    Colours,
    /// Cells that can never go; see `permanent.rs`.
    Permanent,
    /// Orders in which pieces can go by one click each; see `one_click.rs`.
    OneClick,
    /// [`Self::OneClick`], and whether there is a first click after which the others can follow; see `first_click.rs`.
    FirstClick,
}

impl GameBoundKind {
    /// Every bound. The default for a game is the last bound that supports it.
    pub const ALL: [Self; 4] = [Self::Colours, Self::Permanent, Self::OneClick, Self::FirstClick];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Colours => "colours",
            Self::Permanent => "permanent",
            Self::OneClick => "once",
            Self::FirstClick => "ahead",
        }
    }

    /// One line for people.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Colours => "colours left, and cells of colours with too few cells for a click",
            Self::Permanent => "colours, and cells that can never touch another of their colour",
            Self::OneClick => "colours that one click each can remove, in some order; for the fewest clicks",
            Self::FirstClick => {
                "once, and whether some group can be the first of this many clicks; for the fewest clicks"
            }
        }
    }

    /// Whether the bound can be used for a game.
    #[must_use]
    pub fn supports<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> bool {
        match self {
            Self::Colours => true,
            Self::Permanent => {
                game.rules.min_group > 1
                    && match (game.objective, game.rules.columns) {
                        (Goal::Left, _) | (_, Columns::Stay) => true,
                        (Goal::Clear | Goal::Clicks | Goal::Score, Columns::Close) => false,
                    }
            }
            Self::OneClick | Self::FirstClick => match game.objective {
                Goal::Clicks => true,
                Goal::Clear | Goal::Left | Goal::Score => false,
            },
        }
    }
}

/// A lower bound on a game. Made by [`GameBound::new`] or [`GameBound::best`].
///
/// **Dead colours.** When fewer cells of a colour are left than a group needs, these cells never go, because no click
/// adds cells. So the board cannot be cleared, and at least these cells are left at the end.
///
/// **Permanent cells.** The same holds for all cells that can never go. The cells of dead colours are among them.
///
/// **Clicks.** A click takes cells of one colour, so at least as many clicks follow as there are colours left.
///
/// **Consistent.** A dead colour stays dead with all its cells. A click removes at most one colour, and costs 1 where
/// clicks are counted. For the other bounds see their files.
#[derive(Clone, Copy, Debug)]
pub struct GameBound<'a, T: Column, const C: usize, const P: usize> {
    game: &'a Game<T, C, P>,
    kind: GameBoundKind,
}

/// Working memory of a [`GameBound`].
#[derive(Default)]
pub struct GameScratch {
    orders: OrderScratch,
    dismissal: DismissScratch,
}

impl<T: Column, const C: usize, const P: usize> LowerBound<Game<T, C, P>> for GameBound<'_, T, C, P> {
    type Scratch = GameScratch;

    fn name(&self) -> String {
        self.kind.name().to_owned()
    }

    #[inline(never)]
    fn evaluate(&self, state: &Position<T, C, P>, enough: Cost, scratch: &mut GameScratch) -> Bound {
        match self.kind {
            GameBoundKind::Colours => self.of_colours(state, None),
            GameBoundKind::Permanent => self.of_colours(state, Some(&permanent(self.game, state))),
            GameBoundKind::OneClick => self.of_orders(state, false, enough, scratch),
            GameBoundKind::FirstClick => self.of_orders(state, true, enough, scratch),
        }
    }

    fn dismiss(
        &self,
        parent: &Position<T, C, P>,
        enough: Cost,
        children: &mut Vec<Successor<Position<T, C, P>>>,
        scratch: &mut GameScratch,
    ) {
        if matches!(self.kind, GameBoundKind::OneClick | GameBoundKind::FirstClick) {
            dismiss(self.game, parent.grid(), enough, children, &mut scratch.dismissal, &mut scratch.orders);
        }
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

impl<'a, T: Column, const C: usize, const P: usize> GameBound<'a, T, C, P> {
    /// The bound of a kind, if it can be used for the game.
    #[must_use]
    pub fn new(game: &'a Game<T, C, P>, kind: GameBoundKind) -> Option<Self> {
        kind.supports(game).then_some(Self { game, kind })
    }

    /// The strongest bound for the game.
    #[must_use]
    pub fn best(game: &'a Game<T, C, P>) -> Self {
        let kind = GameBoundKind::ALL.into_iter().rfind(|&kind| kind.supports(game));
        Self { game, kind: kind.unwrap_or(GameBoundKind::Colours) }
    }

    /// Evaluates a bound by orders of pieces.
    #[inline(always)]
    fn of_orders(&self, state: &Position<T, C, P>, ahead: bool, enough: Cost, scratch: &mut GameScratch) -> Bound {
        fewest_clicks(self.game, state.grid(), ahead, enough, &mut scratch.orders)
    }

    /// Evaluates a bound by numbers of cells and, if `permanent` is given, by the cells that can never go.
    fn of_colours(&self, state: &Position<T, C, P>, permanent: Option<&Cells<T, C>>) -> Bound {
        let (min_group, objective) = (self.game.rules.min_group, self.game.objective);
        let permanent_count = permanent.map_or(0, count);
        let mut h = match objective {
            Goal::Left => permanent_count,
            Goal::Clear | Goal::Clicks | Goal::Score => 0,
        };
        let mut is_stuck = permanent_count > 0;
        for cells in state.counts(self.game.colours).iter().map(|&cells| Cost::from(cells)).filter(|&cells| cells > 0) {
            let is_dead = cells < min_group;
            is_stuck |= is_dead;
            match objective {
                Goal::Clicks => h += 1,
                Goal::Left if is_dead && permanent.is_none() => h += cells,
                _ => {}
            }
        }
        match objective {
            Goal::Clear | Goal::Clicks if is_stuck => Bound::DEAD_END,
            // The board cannot be cleared, so the bonus for that is lost.
            Goal::Score if is_stuck => Bound(self.game.score.as_deref().map_or(0, ScoreTable::clear_bonus)),
            _ => Bound(h),
        }
    }
}
