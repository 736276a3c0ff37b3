//! The least number of clicks, piece by piece: what [`one_click`](super::one_click) proves, and beyond that what
//! `first_click` or `two_clicks` prove, where that is asked for.

use super::one_click::{OrderScratch, OrderedPieces, Orders, orders_all, pieces_of};
use crate::puzzles::clickomania::Game;
use crate::puzzles::clickomania::state::{Column, Grid};
use gridhunt_search::domain::{Bound, Cost};
use gridhunt_search::for_each_level;

/// The questions beyond the first one, which pieces go by one click. Each question includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Further {
    /// Nothing.
    Nothing,
    /// Whether there is a first click after which the others can follow; see `first_click.rs`.
    FirstClick,
    /// Whether the other pieces go by two clicks each; see `two_clicks.rs`.
    Twice,
}

for_each_level! {
    /// The least number of clicks that the pieces left allow; or no less than `enough`.
    pub(super) fn fewest_clicks<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, further: Further, enough: Cost, scratch: &mut OrderScratch,
    ) -> Bound = fewest
}

#[inline(always)]
fn fewest<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    further: Further,
    enough: Cost,
    scratch: &mut OrderScratch,
) -> Bound {
    let mut pieces = OrderedPieces::new();
    let Some(mut clicks) = pieces_of(game, state, &mut pieces) else { return Bound::DEAD_END };
    // The further questions are about all pieces.
    let further = if orders_all(game) { further } else { Further::Nothing };
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut left = orders.all_pieces();
    while left != 0 {
        let these = orders.together(left);
        left &= !these;
        let wanted = enough.saturating_sub(clicks);
        let Some(mut more) = orders.more_clicks(these, wanted, scratch) else { return Bound::DEAD_END };
        let (goes_ahead, plans) = (further >= Further::FirstClick && more == 1, further >= Further::Twice);
        if more > 0 && more < wanted && (goes_ahead || plans) {
            orders.keep_orders(scratch);
            let may_be = (!goes_ahead || orders.has_first_click(these, game, state, scratch))
                && (!plans || orders.goes_by_two(these, game.rules.min_group, &scratch.sets));
            more += Cost::from(!may_be);
        }
        clicks += more;
    }
    Bound(clicks)
}
