//! A lower bound on the number of clicks: whether there is a first click after which the others can follow.
//!
//! Suppose that all pieces but one may go by one click each, and that piece by two clicks. A solution with only these
//! clicks begins with a group of the board as it lies, and after that click every remaining piece goes by one click.
//! There are two cases. The group is a whole piece, which goes first in an order. Or the group is a part of the piece
//! that takes two clicks; then the rest of that piece has an order together with all other pieces. If no group of the
//! board fits either case, one more click is needed.
//!
//! **Consistent.** The question about a group is the question of `one_click.rs` about the child, so no child has a
//! smaller value.
//!
//! **Groups that cannot help.** After a part of a piece is gone, the next piece that goes is connected on the board of
//! that moment. If that piece is not connected before the click, look for the first column, from the left, at which
//! this shows. Which column this is depends only on the columns to its left. The same holds for the first such column
//! from the right. So the group extends from one of these two columns to the other. A group that does not do so for any
//! piece need not be tried.

use super::one_click::{MAX_PIECES, OrderScratch, Orders};
use super::pieces::{Piece, Pieces, break_from_left, break_from_right};
use crate::Game;
use crate::state::{Cells, Column, Grid, Group, Groups, Links, count, subtract};
use arrayvec::ArrayVec;

/// Where a piece is not connected. A group whose removal connects it begins in column `to` or before, and ends in
/// column `from` or after.
#[derive(Clone, Copy)]
struct Gap {
    to: usize,
    from: usize,
}

/// Whether a group reaches across a gap; true if there is no gap.
#[inline(always)]
fn spans<T, const C: usize>(group: &Group<T, C>, gap: Option<Gap>) -> bool {
    match gap {
        Some(Gap { to, from }) => group.first <= to && from <= group.last,
        None => true,
    }
}

/// The gap of each piece, if it has one.
type Gaps = ArrayVec<Option<Gap>, MAX_PIECES>;

/// The fields that [`Orders::remove_group`] changes, as they were before.
pub(super) struct SavedOrders<T, const C: usize> {
    piece: Piece<T, C>,
    cells: Cells<T, C>,
    can_precede: [Pieces; MAX_PIECES],
    cannot_precede: [Pieces; MAX_PIECES],
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Whether there is a group such that, after a click on it, each remaining piece of `component` may go by one
    /// click. As the board lies, all but one may; [`OrderScratch::sets`] holds the sets of pieces that may.
    pub(super) fn has_first_click<const P: usize>(
        &mut self,
        component: Pieces,
        game: &Game<T, C, P>,
        state: &Grid<T, C, P>,
        scratch: &mut OrderScratch,
    ) -> bool {
        let gaps = self.gaps(component);
        for index in 0..self.pieces.len() {
            // A piece without a gap is a group.
            if component >> index & 1 == 1 && gaps[index].is_none() && self.may_go_first(index, scratch) {
                return true;
            }
        }
        let links = state.links();
        for at in 0..scratch.sets.len() {
            let index = (component & !scratch.sets[at]).trailing_zeros() as usize;
            if self.may_go_in_two_clicks(index, component, game, &links, &gaps, scratch) {
                return true;
            }
        }
        false
    }

    /// Finds where each piece of `component` is not connected while all cells stay.
    fn gaps(&mut self, component: Pieces) -> Gaps {
        let mut gaps = Gaps::new();
        for index in 0..self.pieces.len() {
            let cells = self.cells;
            gaps.push(if component >> index & 1 == 1 { self.gap(index, &cells) } else { None });
        }
        gaps
    }

    /// Finds where a piece is not connected while the cells of `fixed` stay.
    fn gap(&mut self, index: usize, fixed: &Cells<T, C>) -> Option<Gap> {
        let piece = &self.pieces[index];
        let to = break_from_left(piece, fixed, &self.cells, &mut self.parts)?;
        let from = break_from_right(piece, fixed, &self.cells, &mut self.parts)?;
        Some(Gap { to, from })
    }

    /// Finds the gaps of a piece with a conflict: its gap while the other piece stays, and the gap of the other piece
    /// while this one stays. `None` if it has no conflict.
    fn conflict_gaps(&mut self, index: usize, component: Pieces) -> Option<[Option<Gap>; 2]> {
        let other = self.conflict_with(index, component)?;
        let (piece_cells, other_cells) = (self.pieces[index].cells, self.pieces[other].cells);
        Some([self.gap(index, &other_cells), self.gap(other, &piece_cells)])
    }

    /// Whether a piece that is a group of the board may go first in an order of one of the sets.
    pub(super) fn may_go_first(&mut self, index: usize, scratch: &mut OrderScratch) -> bool {
        let Piece { cells, first, last, .. } = self.pieces[index];
        let OrderScratch { sets, seen, open, .. } = scratch;
        let saved = self.remove_group(index, &Group { cells, first, last });
        let mut has_order = false;
        for &set in &*sets {
            has_order = has_order || set >> index & 1 == 1 && self.has_order(set & !(1 << index), seen, open);
        }
        self.restore(index, saved);
        has_order
    }

    /// Whether a group of a piece may go first, and then the rest of the piece in an order with the other pieces of
    /// `component`.
    #[inline(always)]
    fn may_go_in_two_clicks<const P: usize>(
        &mut self,
        index: usize,
        component: Pieces,
        game: &Game<T, C, P>,
        links: &Links<T, C>,
        gaps: &Gaps,
        scratch: &mut OrderScratch,
    ) -> bool {
        let mut seeds = [T::default(); C];
        for (place, gap) in gaps.iter().enumerate() {
            if component >> place & 1 == 0 {
                continue;
            }
            // A group that reaches across a gap has cells in both columns of the gap.
            let (from, to) = gap.map_or((0, C - 1), |Gap { to, from }| (from.min(to), to));
            seeds[from..=to].copy_from_slice(&self.pieces[index].cells[from..=to]);
        }
        let min_group = game.rules.min_group;
        // `None` until it is computed; then `Some(None)` if the piece has no conflict, otherwise the gaps.
        let mut conflict = None;
        let mut groups = Groups::touching(links, min_group, &seeds);
        while let Some((_, group)) = groups.next() {
            let mut helps = false;
            for (place, &gap) in gaps.iter().enumerate() {
                helps |= component >> place & 1 == 1 && spans(group, gap);
            }
            if !helps || group.size() < min_group {
                continue;
            }
            if conflict.is_none() {
                conflict = Some(self.conflict_gaps(index, component));
            }
            if let Some(Some([piece_gap, other_gap])) = conflict
                && !spans(group, piece_gap)
                && !spans(group, other_gap)
            {
                continue;
            }
            let OrderScratch { seen, open, .. } = &mut *scratch;
            let saved = self.remove_group(index, group);
            let helps = self.is_piece(index, game)
                && self.conflict_with(index, component).is_none()
                && self.has_order(component, seen, open);
            self.restore(index, saved);
            if helps {
                return true;
            }
        }
        false
    }

    /// Takes a group out of a piece. Keeps the entries of `can_precede` and `cannot_precede` that stay right. A piece
    /// that cannot precede another one cannot do so without the group either, unless one of the two is the piece of the
    /// group. A piece outside the columns of the group can precede the same pieces as before.
    #[inline(always)]
    pub(super) fn remove_group(&mut self, index: usize, group: &Group<T, C>) -> SavedOrders<T, C> {
        let saved = SavedOrders {
            piece: self.pieces[index],
            cells: self.cells,
            can_precede: self.can_precede,
            cannot_precede: self.cannot_precede,
        };
        for (other, piece) in self.pieces.iter().enumerate() {
            if other == index || piece.first <= group.last && group.first <= piece.last {
                self.can_precede[other] = 0;
            }
            self.cannot_precede[other] &= !(1 << index);
        }
        self.cannot_precede[index] = 0;
        let piece = &mut self.pieces[index];
        let (columns, gone) = (group.first..=group.last, group.cells());
        subtract(&mut piece.cells[columns.clone()], gone);
        subtract(&mut self.cells[columns], gone);
        while piece.first < piece.last && piece.cells[piece.first].is_empty() {
            piece.first += 1;
        }
        while piece.first < piece.last && piece.cells[piece.last].is_empty() {
            piece.last -= 1;
        }
        saved
    }

    /// Undoes [`Orders::remove_group`].
    #[inline(always)]
    pub(super) fn restore(&mut self, index: usize, saved: SavedOrders<T, C>) {
        SavedOrders {
            piece: self.pieces[index],
            cells: self.cells,
            can_precede: self.can_precede,
            cannot_precede: self.cannot_precede,
        } = saved;
    }

    /// Whether the rest of a piece has enough cells for a click, and no empty column that stays lies between its cells.
    pub(super) fn is_piece<const P: usize>(&self, index: usize, game: &Game<T, C, P>) -> bool {
        let Piece { cells, first, last, .. } = &self.pieces[index];
        let mut has_no_gap = true;
        for column in &cells[*first..=*last] {
            has_no_gap &= game.closes() || !column.is_empty();
        }
        has_no_gap && count(cells) >= game.rules.min_group
    }
}
