//! Admissible lower bounds of Clickomania.

use super::line::{LineScratch, is_line, least_loss};
use super::once::{OrderScratch, fewest_clicks};
use super::{Column, Game, Position};
use crate::board::Objective;
use crate::domain::{Bound, Cost, LowerBound};

/// One lower bound of Clickomania.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameBoundKind {
    /// What the numbers of cells say.
    Colours,
    /// Orders in which colours can go by one click each; see `once.rs`.
    Once,
    /// The same, and whether a first click is one of those that it takes; see `ahead.rs`.
    Ahead,
    /// Every state of a board of one line exactly; see `line.rs`.
    Line,
}

impl GameBoundKind {
    /// Every bound, weak to strong.
    pub const ALL: [Self; 4] = [Self::Colours, Self::Once, Self::Ahead, Self::Line];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Colours => "colours",
            Self::Once => "once",
            Self::Ahead => "ahead",
            Self::Line => "line",
        }
    }

    /// One line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Colours => "colours left, and cells of colours with too few for a click",
            Self::Once => "orders in which colours may go by one click each; for the fewest clicks",
            Self::Ahead => {
                "once, and whether one of the groups can be the first click of as few; for the fewest clicks"
            }
            Self::Line => "exact, for one column or one row that closes up; not for scores",
        }
    }

    /// Whether it says anything of such a game.
    #[must_use]
    pub fn knows<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> bool {
        match self {
            Self::Colours => true,
            Self::Once | Self::Ahead => game.objective == Objective::Clicks,
            Self::Line => game.objective != Objective::Score && is_line(game),
        }
    }
}

/// A lower bound on a game. Made by [`GameBound::new`] or [`GameBound::best`].
///
/// **Dead colours.** Cells of a colour of which fewer are left than a group needs never go: no click brings cells. So the board is not
/// cleared any more, and that many cells at least are left.
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
            GameBoundKind::Colours => self.of_colours(state),
            GameBoundKind::Once => fewest_clicks(self.game, state.grid(), false, enough, &mut scratch.orders),
            GameBoundKind::Ahead => fewest_clicks(self.game, state.grid(), true, enough, &mut scratch.orders),
            GameBoundKind::Line => least_loss(self.game, state.grid(), &mut scratch.line),
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

    /// The strongest that knows the game.
    #[must_use]
    pub fn best(game: &'a Game<T, C, P>) -> Self {
        let known = GameBoundKind::ALL.into_iter().rfind(|kind| kind.knows(game));
        Self { game, kind: known.unwrap_or(GameBoundKind::Colours) }
    }

    fn of_colours(&self, state: &Position<T, C, P>) -> Bound {
        let (min_group, objective) = (self.game.rules.min_group, self.game.objective);
        let mut h = 0;
        for count in state.counts(self.game.colours).iter().map(|&count| Cost::from(count)).filter(|&count| count > 0) {
            let is_dead = count < min_group;
            match objective {
                Objective::Clear | Objective::Clicks if is_dead => return Bound::DEAD_END,
                Objective::Clicks => h += 1,
                Objective::Left if is_dead => h += count,
                // What it costs to stop there is lost whichever way is taken.
                Objective::Score if is_dead => h = super::CLEARED,
                _ => {}
            }
        }
        Bound(h)
    }
}
