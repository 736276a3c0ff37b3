//! Admissible lower bounds of Clickomania.

use super::once::{OrderScratch, fewest_clicks};
use super::{Column, Game, Position};
use crate::board::Objective;
use crate::domain::{Bound, Cost, LowerBound};

/// What the colours that are left say; for clicks `once` (see `once.rs`).
///
/// **Dead colours.** Cells of a colour of which fewer are left than a group needs never go: no click brings cells. So the board is not
/// cleared any more, and that many cells at least are left.
///
/// **Consistent.** What is dead stays dead with all its cells.
#[derive(Clone, Copy, Debug)]
pub struct GameBound<'a, T: Column, const C: usize, const P: usize>(pub &'a Game<T, C, P>);

impl<T: Column, const C: usize, const P: usize> LowerBound<Game<T, C, P>> for GameBound<'_, T, C, P> {
    type Scratch = OrderScratch;

    fn name(&self) -> String {
        if self.0.objective() == Objective::Clicks { "once" } else { "colours" }.to_owned()
    }

    #[inline(never)]
    fn evaluate(&self, state: &Position<T, C, P>, enough: Cost, scratch: &mut OrderScratch) -> Bound {
        if self.0.objective() == Objective::Clicks {
            return fewest_clicks(self.0, state.grid(), enough, scratch);
        }
        self.of_colours(state)
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
                Objective::Clear if is_dead => return Bound::DEAD_END,
                Objective::Left if is_dead => h += count,
                // What it costs to stop there is lost whichever way is taken.
                Objective::Score if is_dead => h = super::CLEARED,
                _ => {}
            }
        }
        Bound(h)
    }
}
