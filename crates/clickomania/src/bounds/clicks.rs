//! A lower bound on the number of clicks, summed over components of pieces. `one_click.rs` and `first_click.rs` have
//! the proofs; the second is used if `uses_first_click` is true.

use super::one_click::{OrderScratch, OrderedPieces, Orders, collect_pieces, orders_all};
use crate::Game;
use crate::state::{Column, Grid};
use gridhunt_search::domain::{Bound, Cost};
use gridhunt_search::multiversion;

multiversion! {
    /// The bound at `state`. If it is at least `enough`, the result may be any number from `enough` up to the bound.
    pub(super) fn fewest_clicks<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, uses_first_click: bool, enough: Cost, scratch: &mut OrderScratch,
    ) -> Bound = fewest
}

#[inline(always)]
fn fewest<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    uses_first_click: bool,
    enough: Cost,
    scratch: &mut OrderScratch,
) -> Bound {
    let mut pieces = OrderedPieces::new();
    let Some(mut clicks) = collect_pieces(game, state, &mut pieces) else { return Bound::DEAD_END };
    // The first click may be on any piece, so this needs all pieces.
    let uses_first_click = uses_first_click && orders_all(game);
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut remaining = orders.all_pieces();
    while remaining != 0 {
        let component = orders.component_of(remaining);
        remaining &= !component;
        let cap = enough.saturating_sub(clicks);
        let Some(mut extra) = orders.extra_clicks(component, cap, scratch) else { return Bound::DEAD_END };
        if uses_first_click && extra == 1 && extra < cap {
            orders.retain_ordered(scratch);
            extra += Cost::from(!orders.has_first_click(component, game, state, scratch));
        }
        clicks += extra;
    }
    Bound(clicks)
}
