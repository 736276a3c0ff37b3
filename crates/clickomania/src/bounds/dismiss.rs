//! Dismissal of clicks that do not reduce the bound.
//!
//! If a search cannot afford a wasted click, it needs only those children for which `one_click.rs` gives one click less
//! than for their parent. Take such a child. Let S be the set of pieces that go by one click each in the child. S
//! without the rest of the clicked piece has an order in the parent (see "Consistent" in `one_click.rs`). So the
//! largest sets of the parent that have an order say which clicks may help. There are three cases:
//!
//! * **The click takes a whole piece.** S is without as many pieces as the largest sets of the parent. With the clicked
//!   piece, which goes first, S is one of these sets.
//! * **One piece is left of it.** S is without one piece less than the largest sets of the parent. So the rest is in S,
//!   and S without the rest is one of these sets: one that does not hold the clicked piece.
//! * **Several pieces are left of it**, where columns stay. Each of them but the first adds two clicks, and its
//!   membership in S saves at most one. So the click does not help.
//!
//! Each click that may help is tried: it helps only if the set of its case has an order after the click.

use super::one_click::{OrderScratch, OrderedPieces, Orders, collect_pieces, orders_all};
use super::pieces::Pieces;
use crate::Game;
use crate::state::{Column, Grid, Group, Groups, Position, count};
use gridhunt_search::domain::{Cost, Successor};
use gridhunt_search::multiversion;

/// The effect of a click on the value of the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Not examined: the click leads to none of the children in question.
    Skipped,
    /// The click may lead to a smaller value.
    MayHelp,
    /// The value after the click is the same as before it.
    Useless,
}

/// Working memory of [`dismiss`]: the effects of the clicks of a state, indexed by the numbers of the clicks.
#[derive(Default)]
pub struct DismissScratch(Vec<Effect>);

multiversion! {
    /// Drops the children of `state` whose value is the same as that of `state`, if this value plus one click is at
    /// least `enough`.
    pub(super) fn dismiss<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, enough: Cost, children: &mut Vec<Successor<Position<T, C, P>>>,
        scratch: &mut DismissScratch, orders: &mut OrderScratch,
    ) = dismiss_all
}

#[inline(always)]
fn dismiss_all<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    enough: Cost,
    children: &mut Vec<Successor<Position<T, C, P>>>,
    DismissScratch(effects): &mut DismissScratch,
    scratch: &mut OrderScratch,
) {
    let mut pieces = OrderedPieces::new();
    // If some pieces take no part in orders, the click may be on one of the other pieces.
    let (true, Some(mut clicks)) = (orders_all(game), collect_pieces(game, state, &mut pieces)) else { return };
    effects.clear();
    for child in &*children {
        let number = usize::from(child.mv);
        if effects.len() <= number {
            effects.resize(number + 1, Effect::Skipped);
        }
        effects[number] = Effect::MayHelp;
    }
    let links = state.links();
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut remaining = orders.all_pieces();
    while remaining != 0 {
        let component = orders.component_of(remaining);
        remaining &= !component;
        let Some(extra) = orders.extra_clicks(component, Cost::MAX, scratch) else { return };
        clicks += extra;
        orders.retain_ordered(scratch);
        let mut groups = Groups::of(&links, game.rules.min_group);
        while let Some((number, group)) = groups.next() {
            let number = usize::from(number);
            let is_child = effects.get(number) == Some(&Effect::MayHelp);
            if is_child
                && let Some(index) = orders.piece_of(component, group)
                && !orders.may_help(index, group, game, scratch)
            {
                effects[number] = Effect::Useless;
            }
        }
    }
    if clicks.saturating_add(1) >= enough {
        children.retain(|child| effects[usize::from(child.mv)] != Effect::Useless);
    }
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Finds the piece of `component` that contains a group.
    #[inline(always)]
    fn piece_of(&self, component: Pieces, group: &Group<T, C>) -> Option<usize> {
        let (mut candidates, col) = (component, group.first);
        while candidates != 0 {
            let index = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            if !(self.pieces[index].cells[col] & group.cells[col]).is_empty() {
                return Some(index);
            }
        }
        None
    }

    /// Whether a click on a group of a piece may lead to a smaller value. [`OrderScratch::sets`] holds the largest sets
    /// that have an order.
    #[inline(always)]
    fn may_help<const P: usize>(
        &mut self,
        index: usize,
        group: &Group<T, C>,
        game: &Game<T, C, P>,
        scratch: &mut OrderScratch,
    ) -> bool {
        if count(&self.pieces[index].cells) == group.size() {
            return self.may_go_first(index, scratch);
        }
        let OrderScratch { sets, seen, open, .. } = scratch;
        if sets.iter().all(|set| set >> index & 1 == 1) {
            return false;
        }
        let saved = self.remove_group(index, group);
        let mut helps = false;
        if self.is_piece(index, game) {
            for set in sets.iter().filter(|&&set| set >> index & 1 == 0).map(|set| set | 1 << index) {
                helps = helps || self.conflict_with(index, set).is_none() && self.has_order(set, seen, open);
            }
        }
        self.restore(index, saved);
        helps
    }
}
