//! A lower bound on the number of clicks, piece by piece, by the proof of [`one_click`](super::one_click) and, if
//! `ahead` is true, also by the proof of `first_click`.

use super::one_click::{OrderScratch, OrderedPieces, Orders, orders_all, pieces_of};
use crate::Game;
use crate::state::{Column, Grid};
use gridhunt_search::domain::{Bound, Cost};
use gridhunt_search::multiversion;

multiversion! {
    /// The bound at `state`. If it is at least `enough`, the result may be any number from `enough` up to the bound.
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
    // The first click may be on any piece, so this needs all pieces.
    let ahead = ahead && orders_all(game);
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut left = orders.all_pieces();
    while left != 0 {
        let these = orders.component_of(left);
        left &= !these;
        let wanted = enough.saturating_sub(clicks);
        let Some(mut more) = orders.extra_clicks(these, wanted, scratch) else { return Bound::DEAD_END };
        if ahead && more == 1 && more < wanted {
            orders.retain_ordered(scratch);
            more += Cost::from(!orders.has_first_click(these, game, state, scratch));
        }
        clicks += more;
    }
    Bound(clicks)
}
