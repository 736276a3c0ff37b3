//! The least number of clicks, piece by piece: what [`one_click`](super::one_click) proves, and `ahead` of that what
//! `first_click` proves.

use super::one_click::{OrderScratch, OrderedPieces, Orders, orders_all, pieces_of};
use crate::Game;
use crate::state::{Column, Grid};
use gridhunt_search::domain::{Bound, Cost};
use gridhunt_search::for_each_level;

for_each_level! {
    /// The least number of clicks that the pieces left allow; or no less than `enough`.
    pub(super) fn fewest_clicks<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, ahead: bool, enough: Cost, scratch: &mut OrderScratch,
    ) -> Bound = fewest
}

#[inline(always)]
fn fewest<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    ahead: bool,
    enough: Cost,
    scratch: &mut OrderScratch,
) -> Bound {
    let mut pieces = OrderedPieces::new();
    let Some(mut clicks) = pieces_of(game, state, &mut pieces) else { return Bound::DEAD_END };
    // A first click is looked for among all pieces.
    let ahead = ahead && orders_all(game);
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut left = orders.all_pieces();
    while left != 0 {
        let these = orders.together(left);
        left &= !these;
        let wanted = enough.saturating_sub(clicks);
        let Some(mut more) = orders.more_clicks(these, wanted, scratch) else { return Bound::DEAD_END };
        if ahead && more == 1 && more < wanted {
            orders.keep_orders(scratch);
            more += Cost::from(!orders.has_first_click(these, game, state, scratch));
        }
        clicks += more;
    }
    Bound(clicks)
}
