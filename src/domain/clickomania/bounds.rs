//! Admissible lower bounds of Clickomania.

use super::grid::{Cells, count};
use super::line::{LineScratch, is_line, least_loss};
use super::once::{Further, OrderScratch, fewest_clicks};
use super::permanent::permanent;
use super::tight::{TightScratch, dismiss};
use super::{Column, Game, Position};
use crate::board::{Columns, Objective};
use crate::domain::{Bound, Cost, LowerBound, Successor};

/// One lower bound of Clickomania.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameBoundKind {
    /// What the numbers of cells say.
    Colours,
    /// Cells that can never go; see `permanent.rs`.
    Permanent,
    /// Orders in which colours can go by one click each; see `once.rs`.
    Once,
    /// The same, and whether a first click is one of those that it takes; see `ahead.rs`.
    Ahead,
    /// The same, and whether the others can go by two clicks each; see `twice.rs`.
    Twice,
    /// Every state of a board of one line exactly; see `line.rs`.
    Line,
}

impl GameBoundKind {
    /// Every bound. Of those that know a game the last but [`Self::Twice`] is chosen.
    pub const ALL: [Self; 6] = [Self::Colours, Self::Permanent, Self::Once, Self::Ahead, Self::Twice, Self::Line];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Colours => "colours",
            Self::Permanent => "permanent",
            Self::Once => "once",
            Self::Ahead => "ahead",
            Self::Twice => "twice",
            Self::Line => "line",
        }
    }

    /// One line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Colours => "colours left, and cells of colours with too few for a click",
            Self::Permanent => "colours, and cells that can never touch another of their colour",
            Self::Once => "orders in which colours may go by one click each; for the fewest clicks",
            Self::Ahead => {
                "once, and whether one of the groups can be the first click of as few; for the fewest clicks"
            }
            Self::Twice => {
                "ahead, and whether the other colours may go by two clicks each; for the fewest clicks where columns stay"
            }
            Self::Line => "exact, for one column or one row that closes up; not for scores",
        }
    }

    /// Whether it says anything of such a game.
    #[must_use]
    pub fn knows<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> bool {
        match self {
            Self::Colours => true,
            Self::Permanent => {
                game.rules.min_group > 1 && (game.objective == Objective::Left || game.rules.columns == Columns::Stay)
            }
            Self::Once | Self::Ahead => game.objective == Objective::Clicks,
            Self::Twice => game.objective == Objective::Clicks && game.rules.columns == Columns::Stay,
            Self::Line => game.objective != Objective::Score && is_line(game),
        }
    }
}

/// A lower bound on a game. Made by [`GameBound::new`] or [`GameBound::best`].
///
/// **Dead colours.** Cells of a colour of which fewer are left than a group needs never go: no click brings cells. So the board is not
/// cleared any more, and that many cells at least are left.
///
/// **Permanent cells.** The same holds for all cells that can never go, and dead colours are among them.
///
/// **Clicks.** A click takes cells of one colour; so there are as many to come as there are colours left.
///
/// **Consistent.** What is dead stays dead with all its cells; a click takes one colour at most away, and costs 1 where clicks are
/// counted. For the others see their files; what is exact is consistent.
#[derive(Clone, Copy, Debug)]
pub struct GameBound<'a, T: Column, const C: usize, const P: usize> {
    game: &'a Game<T, C, P>,
    kind: GameBoundKind,
}

/// Working memory of a [`GameBound`].
#[derive(Default)]
pub struct GameScratch {
    orders: OrderScratch,
    tight: TightScratch,
    line: LineScratch,
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
            GameBoundKind::Once => self.of_orders(state, Further::Nothing, enough, scratch),
            GameBoundKind::Ahead => self.of_orders(state, Further::FirstClick, enough, scratch),
            GameBoundKind::Twice => self.of_orders(state, Further::Twice, enough, scratch),
            GameBoundKind::Line => least_loss(self.game, state.grid(), &mut scratch.line),
        }
    }

    fn dismiss(
        &self,
        parent: &Position<T, C, P>,
        enough: Cost,
        children: &mut Vec<Successor<Position<T, C, P>>>,
        scratch: &mut GameScratch,
    ) {
        if matches!(self.kind, GameBoundKind::Once | GameBoundKind::Ahead | GameBoundKind::Twice) {
            dismiss(self.game, parent.grid(), enough, children, &mut scratch.tight, &mut scratch.orders);
        }
    }

    fn consistent(&self) -> bool {
        true
    }
}

impl<'a, T: Column, const C: usize, const P: usize> GameBound<'a, T, C, P> {
    /// That bound, if it knows such games.
    #[must_use]
    pub fn new(game: &'a Game<T, C, P>, kind: GameBoundKind) -> Option<Self> {
        kind.knows(game).then_some(Self { game, kind })
    }

    /// The strongest that knows the game and takes no longer than it spares: that excludes [`GameBoundKind::Twice`], which spares memory.
    #[must_use]
    pub fn best(game: &'a Game<T, C, P>) -> Self {
        let known = GameBoundKind::ALL.into_iter().rfind(|&kind| kind.knows(game) && kind != GameBoundKind::Twice);
        Self { game, kind: known.unwrap_or(GameBoundKind::Colours) }
    }

    /// What the orders say in which colours can go.
    #[inline(always)]
    fn of_orders(&self, state: &Position<T, C, P>, further: Further, enough: Cost, scratch: &mut GameScratch) -> Bound {
        fewest_clicks(self.game, state.grid(), further, enough, &mut scratch.orders)
    }

    /// What the numbers of cells say, with those that can never go, if they are known.
    fn of_colours(&self, state: &Position<T, C, P>, permanent: Option<&Cells<T, C>>) -> Bound {
        let (min_group, objective) = (self.game.rules.min_group, self.game.objective);
        let stays = permanent.map_or(0, count);
        let mut h = if objective == Objective::Left { stays } else { 0 };
        let mut is_stuck = stays > 0;
        for cells in state.counts(self.game.colours).iter().map(|&cells| Cost::from(cells)).filter(|&cells| cells > 0) {
            let is_dead = cells < min_group;
            is_stuck |= is_dead;
            match objective {
                Objective::Clicks => h += 1,
                Objective::Left if is_dead && permanent.is_none() => h += cells,
                _ => {}
            }
        }
        match objective {
            Objective::Clear | Objective::Clicks if is_stuck => Bound::DEAD_END,
            // What it costs to stop there is lost whichever way is taken.
            Objective::Score if is_stuck => Bound(super::CLEARED),
            _ => Bound(h),
        }
    }
}
