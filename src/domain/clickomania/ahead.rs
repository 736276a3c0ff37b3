//! One click ahead of what `once.rs` proves.
//!
//! Where all pieces but one go at once, and that one by two clicks, nothing is to spare: the first click takes a group of the board as it
//! lies, and after it all that is left goes at once. Either that group is a piece, which goes first in an order of those that go at once; or it is
//! part of the one that takes two clicks, whose other cells go at once with all others, when the group is gone. Where no group does it, there is one
//! click more.
//!
//! **Consistent.** What it asks of a group is what `once.rs` asks of the child, so no child is nearer than that.
//!
//! **Groups that do not help.** When a part of a piece is gone, one of the pieces is the first to go: it hangs together as the board lies. Where
//! it does not so before, the column at which that shows, from the left, depends on the columns before it alone, and likewise from the right. So the group
//! reaches from the one to the other; those that do so for none of the pieces need not be looked at.

use super::Game;
use super::column::Column;
use super::grid::{Cells, Grid, Group, Groups, Links, count, take};
use super::once::{MOST_PIECES, OrderScratch, Orders};
use super::pieces::{Piece, Pieces};
use arrayvec::ArrayVec;

/// Where a piece does not hang together: what closes it begins in column `to` or before it, and ends in column `from` or behind it.
#[derive(Clone, Copy)]
struct Gap {
    to: usize,
    from: usize,
}

/// Whether a group reaches far enough for a gap, if there is one.
#[inline(always)]
fn closes<T, const C: usize>(group: &Group<T, C>, gap: Option<Gap>) -> bool {
    match gap {
        Some(Gap { to, from }) => group.first <= to && from <= group.last,
        None => true,
    }
}

/// For each piece, if it has one.
type Gaps = ArrayVec<Option<Gap>, MOST_PIECES>;

/// What changes when a group goes.
pub(super) struct Before<T, const C: usize> {
    piece: Piece<T, C>,
    all: Cells<T, C>,
    before: [Pieces; MOST_PIECES],
    behind: [Pieces; MOST_PIECES],
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Whether one of the groups is a first click after which all of `these` pieces that are left may go at once. Of them all but one may, and the sets
    /// in which they may are [`OrderScratch::sets`].
    #[inline(always)]
    pub(super) fn has_first_click<const P: usize>(
        &mut self,
        these: Pieces,
        game: &Game<T, C, P>,
        state: &Grid<T, C, P>,
        scratch: &mut OrderScratch,
    ) -> bool {
        let gaps = self.gaps(these);
        for its in 0..self.pieces.len() {
            // Without a gap it is a group.
            if these >> its & 1 == 1 && gaps[its].is_none() && self.goes_first(its, scratch) {
                return true;
            }
        }
        let links = state.links();
        for at in 0..scratch.sets.len() {
            let its = (these & !scratch.sets[at]).trailing_zeros() as usize;
            if self.goes_in_two(its, these, game, &links, &gaps, scratch) {
                return true;
            }
        }
        false
    }

    /// Where these pieces do not hang together while everything stays.
    #[inline(always)]
    fn gaps(&mut self, these: Pieces) -> Gaps {
        let mut gaps = Gaps::new();
        for its in 0..self.pieces.len() {
            let all = self.all;
            gaps.push(if these >> its & 1 == 1 { self.gap(its, &all) } else { None });
        }
        gaps
    }

    /// Where a piece does not hang together while the cells of `fixed` stay.
    #[inline(always)]
    fn gap(&mut self, its: usize, fixed: &Cells<T, C>) -> Option<Gap> {
        let piece = &self.pieces[its];
        let to = piece.break_at(fixed, &self.all, &mut self.parts, false)?;
        let from = piece.break_at(fixed, &self.all, &mut self.parts, true)?;
        Some(Gap { to, from })
    }

    /// Where a piece is to go before one with which it has a conflict, or that before it, if it has one.
    #[inline(always)]
    fn conflict_gaps(&mut self, its: usize, these: Pieces) -> Option<[Option<Gap>; 2]> {
        let other = self.conflict_with(its, these)?;
        let (its_cells, other_cells) = (self.pieces[its].cells, self.pieces[other].cells);
        Some([self.gap(its, &other_cells), self.gap(other, &its_cells)])
    }

    /// Whether a piece that is a group of the board goes first of a set.
    #[inline(always)]
    pub(super) fn goes_first(&mut self, its: usize, scratch: &mut OrderScratch) -> bool {
        let Piece { cells, first, last, .. } = self.pieces[its];
        let OrderScratch { sets, seen, open, .. } = scratch;
        let before = self.take_out(its, &Group { cells, first, last });
        let mut has_order = false;
        for &set in &*sets {
            has_order = has_order || set >> its & 1 == 1 && self.has_order(set & !(1 << its), seen, open);
        }
        self.put_back(its, before);
        has_order
    }

    /// Whether a group of a piece may go first, and its other cells with all others of `these`.
    #[inline(always)]
    fn goes_in_two<const P: usize>(
        &mut self,
        its: usize,
        these: Pieces,
        game: &Game<T, C, P>,
        links: &Links<T, C>,
        gaps: &Gaps,
        scratch: &mut OrderScratch,
    ) -> bool {
        let mut seeds = [T::default(); C];
        for (place, gap) in gaps.iter().enumerate() {
            if these >> place & 1 == 0 {
                continue;
            }
            // What reaches from a column to one behind it has cells in both.
            let (from, to) = gap.map_or((0, C - 1), |Gap { to, from }| (from.min(to), to));
            seeds[from..=to].copy_from_slice(&self.pieces[its].cells[from..=to]);
        }
        let min_group = game.rules.min_group;
        // Not looked at yet, none, or where.
        let mut conflict = None;
        let mut groups = Groups::around(links, min_group, &seeds);
        while let Some((_, group)) = groups.next() {
            let mut helps = false;
            for (place, &gap) in gaps.iter().enumerate() {
                helps |= these >> place & 1 == 1 && closes(group, gap);
            }
            if !helps || group.size() < min_group {
                continue;
            }
            if conflict.is_none() {
                conflict = Some(self.conflict_gaps(its, these));
            }
            if let Some(Some([before, behind])) = conflict
                && !closes(group, before)
                && !closes(group, behind)
            {
                continue;
            }
            let OrderScratch { seen, open, .. } = &mut *scratch;
            let before = self.take_out(its, group);
            let helps = self.is_piece(its, game)
                && self.conflict_with(its, these).is_none()
                && self.has_order(these, seen, open);
            self.put_back(its, before);
            if helps {
                return true;
            }
        }
        false
    }

    /// Takes a group out of a piece. What may not go before another may not without the group either, but where the piece has a part in it; and what
    /// is not in its columns may as before.
    #[inline(always)]
    pub(super) fn take_out(&mut self, its: usize, group: &Group<T, C>) -> Before<T, C> {
        let saved = Before { piece: self.pieces[its], all: self.all, before: self.before, behind: self.behind };
        for (other, piece) in self.pieces.iter().enumerate() {
            if other == its || piece.first <= group.last && group.first <= piece.last {
                self.before[other] = 0;
            }
            self.behind[other] &= !(1 << its);
        }
        self.behind[its] = 0;
        let piece = &mut self.pieces[its];
        let (columns, gone) = (group.first..=group.last, group.cells());
        take(&mut piece.cells[columns.clone()], gone);
        take(&mut self.all[columns], gone);
        while piece.first < piece.last && piece.cells[piece.first].is_empty() {
            piece.first += 1;
        }
        while piece.first < piece.last && piece.cells[piece.last].is_empty() {
            piece.last -= 1;
        }
        saved
    }

    /// Undoes it.
    #[inline(always)]
    pub(super) fn put_back(&mut self, its: usize, saved: Before<T, C>) {
        Before { piece: self.pieces[its], all: self.all, before: self.before, behind: self.behind } = saved;
    }

    /// Whether there is enough for a click, and nothing keeps it apart for ever.
    #[inline(always)]
    pub(super) fn is_piece<const P: usize>(&self, its: usize, game: &Game<T, C, P>) -> bool {
        let Piece { cells, first, last, .. } = &self.pieces[its];
        let mut is_whole = true;
        for column in &cells[*first..=*last] {
            is_whole &= game.closes() || !column.is_empty();
        }
        is_whole && count(cells) >= game.rules.min_group
    }
}
