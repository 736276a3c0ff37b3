//! Admissible lower bounds of Clickomania.

use super::once::least_clicks;
use super::{Column, Game, Position};
use crate::board::Objective;
use crate::domain::{Bound, Cost, LowerBound};

/// What the colours that are left say; for clicks `once` (see `once.rs`), where there are not too many colours.
///
/// **Dead colours.** Cells of a colour of which fewer are left than a group needs never go: no click brings cells. So the board is not
/// cleared any more, and that many cells at least are left.
///
/// **Clicks.** A click takes cells of one colour; so there are as many to come as there are colours left.
///
/// **Consistent.** What is dead stays dead with all its cells; a click takes one colour at most away, and costs 1 where clicks are
/// counted.
#[derive(Clone, Copy, Debug)]
pub struct GameBound<'a, T: Column, const C: usize, const P: usize>(pub &'a Game<T, C, P>);

impl<T: Column, const C: usize, const P: usize> LowerBound<Game<T, C, P>> for GameBound<'_, T, C, P> {
    type Scratch = ();

    fn name(&self) -> String {
        if self.0.objective() == Objective::Clicks { "once" } else { "colours" }.to_owned()
    }

    #[inline(never)]
    fn evaluate(&self, state: &Position<T, C, P>, enough: Cost, (): &mut ()) -> Bound {
        let is_clicks = self.0.objective() == Objective::Clicks;
        let clicks = if is_clicks { least_clicks(self.0, state.grid(), enough) } else { None };
        clicks.unwrap_or_else(|| self.of_colours(state))
    }

    fn consistent(&self) -> bool {
        true
    }
}

impl<T: Column, const C: usize, const P: usize> GameBound<'_, T, C, P> {
    fn of_colours(&self, state: &Position<T, C, P>) -> Bound {
        let (min_group, objective) = (self.0.rules().min_group, self.0.objective());
        let mut h = 0;
        for count in state.counts(self.0.colours).iter().map(|&count| Cost::from(count)).filter(|&count| count > 0) {
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
