//! Pieces of a colour, and whether their cells may be connected.
//!
//! A *piece* is a set of cells of one colour such that no click ever takes cells of it together with cells of another
//! piece. Where columns close up, it is all cells of the colour. Where columns stay, it is the cells in columns side by
//! side.
//!
//! **When a piece may be connected.** Of the cells beside a piece, some stay for now (they are *fixed*), and others may
//! go or may be gone. Cells of the piece in one column, with no fixed cell between them, are a *run*. A run lies no
//! lower than the number of cells below it that stay, and no higher than it lies while no other cell goes. Runs in
//! columns that can come to lie side by side may touch when these ranges of heights overlap. The real heights lie
//! within the ranges, so the condition is necessary.

use crate::puzzles::clickomania::state::{Cells, Column};
use gridhunt_search::for_each_level;

/// A set of pieces, bit `i` for piece `i`.
pub(super) type Pieces = u32;

/// Cells of one colour that no click takes together with others; see above.
#[derive(Clone, Copy)]
pub(super) struct Piece<T, const C: usize> {
    pub(super) cells: Cells<T, C>,
    /// The first and the last of its columns.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether it has cells enough for two clicks.
    pub(super) may_split: bool,
    /// The other pieces that have a column in common with it.
    pub(super) near: Pieces,
}

impl<T: Column, const C: usize> Piece<T, C> {
    /// Takes the leftmost piece out of the cells of a colour.
    #[inline(always)]
    pub(super) fn take(rest: &mut Cells<T, C>, cols: usize, closes: bool) -> Option<Self> {
        let mut first = 0;
        while rest[first].is_empty() {
            first += 1;
            if first == cols {
                return None;
            }
        }
        let mut cells = [T::default(); C];
        let mut last = first;
        for col in first..cols {
            if rest[col].is_empty() {
                if closes {
                    continue;
                }
                break;
            }
            cells[col] = std::mem::take(&mut rest[col]);
            last = col;
        }
        Some(Self { cells, first, last, may_split: false, near: 0 })
    }

    /// [`break_from_left`] for a piece that stays as a `WHOLE`. Otherwise: the same for those of its cells that are
    /// `staying`, which may be in as many parts as the piece has clicks. With several clicks its own cells hold nothing
    /// up.
    #[inline(always)]
    fn falls_apart<const WHOLE: bool>(
        &self,
        staying: &Cells<T, C>,
        left: &Cells<T, C>,
        clicks: u32,
        parts: &mut [Parts; 2],
        reversed: bool,
    ) -> Option<usize> {
        // The parts up to some column that reach that column, and the number of parts with a staying cell that ended
        // before it.
        let [parts, next] = parts;
        let (mut parts, mut next, mut over) = (parts, next, 0);
        let start = if reversed { self.last } else { self.first };
        self.runs::<WHOLE>(start, staying, left, clicks, parts);
        let mut is_apart = false;
        for step in 1..=self.last - self.first {
            let col = if reversed { start - step } else { start + step };
            if self.cells[col].is_empty() {
                // Only a column that may close up has no cell of the piece.
                is_apart |= !staying[col].is_empty();
                continue;
            }
            if WHOLE && is_apart {
                return Some(col);
            }
            self.runs::<WHOLE>(col, staying, left, clicks, next);
            for at in 0..parts.count {
                let stays = WHOLE || parts.staying >> at & 1 == 1;
                if !next.join::<WHOLE>(parts.heights[at], stays) {
                    if WHOLE {
                        return Some(col);
                    }
                    over += u32::from(stays);
                }
            }
            if !WHOLE && over + u32::from(next.staying != 0) > clicks {
                return Some(col);
            }
            std::mem::swap(&mut parts, &mut next);
        }
        let last = if WHOLE { parts.count as u32 } else { parts.staying.count_ones() };
        (over + last > clicks).then_some(if reversed { self.first } else { self.last })
    }

    /// The runs of the piece in one column, as parts.
    #[inline(always)]
    fn runs<const WHOLE: bool>(
        &self,
        col: usize,
        staying: &Cells<T, C>,
        left: &Cells<T, C>,
        clicks: u32,
        parts: &mut Parts,
    ) {
        let (own, stays) = (self.cells[col], staying[col]);
        let fixed = if WHOLE {
            own | stays
        } else if clicks > 1 {
            stays & !own
        } else {
            stays
        };
        parts.runs::<WHOLE, T>(own, fixed, stays, left[col]);
    }
}

/// The runs of a column, from the bottom: own cells with no fixed cell between them except own cells.
pub(super) struct Runs {
    rest: u64,
    fixed: u64,
    others: u64,
    left: u64,
}

impl Runs {
    /// `fixed` are the cells that stay, own cells among them; `left` are all cells that may be there.
    #[inline(always)]
    pub(super) fn new(own: u64, fixed: u64, left: u64) -> Self {
        Self { rest: own, fixed, others: fixed & !own, left }
    }

    /// The cells of the next run, and the heights at which its cells may lie, as bits.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(u64, u64)> {
        if self.rest == 0 {
            return None;
        }
        let below = (self.rest & self.rest.wrapping_neg()) - 1;
        let bars = self.others & !below;
        let run = if bars == 0 { self.rest } else { self.rest & ((bars & bars.wrapping_neg()) - 1) };
        self.rest &= !run;
        let top = 63 - run.leading_zeros();
        let lowest = (self.fixed & below).count_ones();
        let highest = (self.left & ((1 << top) - 1)).count_ones();
        Some((run, u64::MAX << lowest & u64::MAX >> (63 - highest)))
    }
}

/// Parts of a piece, each by the heights at which its cells may lie in one column, as bits.
pub(super) struct Parts {
    /// A column of 64 cells has at most 32 runs.
    heights: [u64; 32],
    count: usize,
    /// The parts with a staying cell, as bits.
    staying: u32,
}

impl Default for Parts {
    #[inline(always)]
    fn default() -> Self {
        Self { heights: [0; 32], count: 0, staying: 0 }
    }
}

impl Parts {
    /// Starts with the runs of a column. Which of them have staying cells is recorded unless the piece stays as a
    /// `WHOLE`.
    #[inline(always)]
    fn runs<const WHOLE: bool, T: Column>(&mut self, own: T, fixed: T, staying: T, left: T) {
        (self.count, self.staying) = (0, 0);
        let mut runs = Runs::new(own.to_bits(), fixed.to_bits(), left.to_bits());
        while let Some((cells, heights)) = runs.next() {
            self.heights[self.count] = heights;
            if !WHOLE {
                self.staying |= u32::from(cells & staying.to_bits() != 0) << self.count;
            }
            self.count += 1;
        }
    }

    /// Joins all parts that touch these heights of another part, which has staying cells if `stays`. Returns false when
    /// there are none.
    #[inline(always)]
    fn join<const WHOLE: bool>(&mut self, heights: u64, stays: bool) -> bool {
        let (mut joined, mut kept) = (0, 0);
        let (mut staying, mut joined_stays) = (0, u32::from(stays));
        for at in 0..self.count {
            let part = self.heights[at];
            let stays = if WHOLE { 0 } else { self.staying >> at & 1 };
            if part & heights == 0 {
                self.heights[kept] = part;
                staying |= stays << kept;
                kept += 1;
            } else {
                joined |= part;
                joined_stays |= stays;
            }
        }
        if joined != 0 {
            self.heights[kept] = joined;
            staying |= joined_stays << kept;
            kept += 1;
        }
        self.count = kept;
        if !WHOLE {
            self.staying = staying;
        }
        joined != 0
    }
}

for_each_level! {
    /// The column at which it shows that a piece cannot be connected while its own cells and those of `fixed` stay, and
    /// others of `left` may go. Columns are visited from the left. The columns behind the result have no influence on
    /// it, as long as the piece keeps its cells up to there. `None` when the piece may be connected.
    pub(super) fn break_from_left<const C: usize; T: Column>(
        piece: &Piece<T, C>, fixed: &Cells<T, C>, left: &Cells<T, C>, parts: &mut [Parts; 2],
    ) -> Option<usize> = first_break
}

#[inline(always)]
fn first_break<T: Column, const C: usize>(
    piece: &Piece<T, C>,
    fixed: &Cells<T, C>,
    left: &Cells<T, C>,
    parts: &mut [Parts; 2],
) -> Option<usize> {
    piece.falls_apart::<true>(fixed, left, 1, parts, false)
}

for_each_level! {
    /// [`break_from_left`] with columns visited from the right.
    pub(super) fn break_from_right<const C: usize; T: Column>(
        piece: &Piece<T, C>, fixed: &Cells<T, C>, left: &Cells<T, C>, parts: &mut [Parts; 2],
    ) -> Option<usize> = last_break
}

#[inline(always)]
fn last_break<T: Column, const C: usize>(
    piece: &Piece<T, C>,
    fixed: &Cells<T, C>,
    left: &Cells<T, C>,
    parts: &mut [Parts; 2],
) -> Option<usize> {
    piece.falls_apart::<true>(fixed, left, 1, parts, true)
}

for_each_level! {
    /// Whether the staying cells of a piece may be in no more parts than it has `clicks`, when others of `left` may be
    /// there; for boards whose columns stay. With several clicks its own cells hold no other cell up.
    pub(super) fn hangs<const C: usize; T: Column>(
        piece: &Piece<T, C>, staying: &Cells<T, C>, left: &Cells<T, C>, clicks: u32, parts: &mut [Parts; 2],
    ) -> bool = hangs_together
}

#[inline(always)]
fn hangs_together<T: Column, const C: usize>(
    piece: &Piece<T, C>,
    staying: &Cells<T, C>,
    left: &Cells<T, C>,
    clicks: u32,
    parts: &mut [Parts; 2],
) -> bool {
    piece.falls_apart::<false>(staying, left, clicks, parts, false).is_none()
}
