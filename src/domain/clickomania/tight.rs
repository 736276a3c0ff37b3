//! Clicks that may leave less to do.
//!
//! A search that has no click to spare wants those children alone of which `once.rs` says one click less than of their parent. Let there be one. A set S of
//! pieces that goes at once there is, without what is left of the clicked piece, a set of the parent's (see "Consistent" in `once.rs`); so the largest
//! sets of the parent tell which clicks come into question:
//!
//! * **A piece goes with the click.** S lacks as many pieces as the largest sets of the parent do, and with the piece, which is the first to go, it is one of
//!   them.
//! * **A piece is left of it.** S lacks one piece less than the largest sets of the parent do, so what is left is in S, and without it S is one of them: one
//!   without the clicked piece.
//! * **Several pieces are left of it**, where columns stay. Each of them makes one click more, and spares one at most when it goes at once;
//!   so nothing is won, whatever goes.
//!
//! Of a click that comes into question it is asked whether such a set goes at once after it.

use super::column::Column;
use super::grid::{Grid, Group, Groups, count};
use super::once::{OrderScratch, OrderedPieces, Orders, orders_all, pieces_of};
use super::pieces::Pieces;
use super::{Game, Position};
use crate::domain::wide::for_each_level;
use crate::domain::{Cost, Successor};

/// What is known of a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Click {
    /// Nobody wants to know.
    Unwanted,
    /// It may leave less to do.
    MayHelp,
    /// After it there is as much to do as before.
    LeavesAll,
}

/// Working memory of [`dismiss`]: what is known of the clicks of a state, by their numbers.
#[derive(Default)]
pub struct TightScratch(Vec<Click>);

for_each_level! {
    /// Drops children of `state` that leave as much to do as there is, if that and the click are `enough`.
    pub(super) fn dismiss<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, enough: Cost, children: &mut Vec<Successor<Position<T, C, P>>>, scratch: &mut TightScratch,
        orders: &mut OrderScratch,
    ) = dismiss_all
}

#[inline(always)]
fn dismiss_all<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    enough: Cost,
    children: &mut Vec<Successor<Position<T, C, P>>>,
    TightScratch(wanted): &mut TightScratch,
    scratch: &mut OrderScratch,
) {
    let mut pieces = OrderedPieces::new();
    // Where there are more pieces than orders are looked for, one of the others may be clicked.
    let (true, Some(mut clicks)) = (orders_all(game), pieces_of(game, state, &mut pieces)) else { return };
    wanted.clear();
    for child in &*children {
        let number = usize::from(child.mv);
        if wanted.len() <= number {
            wanted.resize(number + 1, Click::Unwanted);
        }
        wanted[number] = Click::MayHelp;
    }
    let links = state.links();
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut left = orders.all_pieces();
    while left != 0 {
        let these = orders.together(left);
        left &= !these;
        let Some(more) = orders.more_clicks(these, Cost::MAX, scratch) else { return };
        clicks += more;
        orders.keep_orders(scratch);
        let mut groups = Groups::of(&links, game.rules.min_group);
        while let Some((number, group)) = groups.next() {
            let number = usize::from(number);
            let is_wanted = wanted.get(number) == Some(&Click::MayHelp);
            if is_wanted
                && let Some(its) = orders.piece_of(these, group)
                && !orders.helps(its, group, game, scratch)
            {
                wanted[number] = Click::LeavesAll;
            }
        }
    }
    if clicks.saturating_add(1) >= enough {
        children.retain(|child| wanted[usize::from(child.mv)] != Click::LeavesAll);
    }
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Which of `these` pieces a group is part of.
    #[inline(always)]
    fn piece_of(&self, these: Pieces, group: &Group<T, C>) -> Option<usize> {
        let (mut rest, col) = (these, group.first);
        while rest != 0 {
            let its = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if !(self.pieces[its].cells[col] & group.cells[col]).is_empty() {
                return Some(its);
            }
        }
        None
    }

    /// Whether less may be left after a click on a group of a piece, when the largest sets that go at once are [`OrderScratch::sets`].
    #[inline(always)]
    fn helps<const P: usize>(
        &mut self,
        its: usize,
        group: &Group<T, C>,
        game: &Game<T, C, P>,
        scratch: &mut OrderScratch,
    ) -> bool {
        if count(&self.pieces[its].cells) == group.size() {
            return self.goes_first(its, scratch);
        }
        let OrderScratch { sets, seen, open, .. } = scratch;
        if sets.iter().all(|set| set >> its & 1 == 1) {
            return false;
        }
        let before = self.take_out(its, group);
        let mut helps = false;
        if self.is_piece(its, game) {
            for set in sets.iter().filter(|&&set| set >> its & 1 == 0).map(|set| set | 1 << its) {
                helps = helps || self.conflict_with(its, set).is_none() && self.has_order(set, seen, open);
            }
        }
        self.put_back(its, before);
        helps
    }
}
