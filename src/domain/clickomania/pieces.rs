//! What may hang together.
//!
//! A *piece* is cells of one colour of which no click ever takes any together with others: all cells of the colour; where columns stay,
//! those in columns side by side.
//!
//! **May hang together.** Of the cells beside a piece some stay for now (*fixed*), and others may go or be gone. Cells of the piece between
//! which nothing lies that is fixed are a *run* of their column. A run lies no lower than what stays below it is high, and no higher than it does while
//! nothing else goes. Runs of columns that can come to lie side by side may touch when those ranges overlap. Real heights lie within the ranges, so
//! this is necessary.

use super::column::Column;
use super::grid::Cells;
use crate::domain::wide::for_each_level;

/// Pieces, by their places.
pub(super) type Pieces = u32;

/// What goes by one click or by several.
#[derive(Clone, Copy)]
pub(super) struct Piece<T, const C: usize> {
    pub(super) cells: Cells<T, C>,
    /// Its columns.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether it has cells for two clicks.
    pub(super) may_split: bool,
    /// The others in its columns.
    pub(super) near: Pieces,
}

impl<T: Column, const C: usize> Piece<T, C> {
    /// The leftmost piece of the cells of a colour, which it takes out of them.
    #[inline(always)]
    pub(super) fn take(rest: &mut Cells<T, C>, cols: usize, closes: bool) -> Option<Self> {
        let first = rest[..cols].iter().position(|column| !column.is_empty())?;
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

    /// The column at which it turns out that the piece cannot hang together while its own cells and those of `fixed` stay, and others of those `left`
    /// may go; the columns are gone through from the left, or from the right if it is `reversed`. As long as the piece has its cells there, nothing
    /// of the columns behind has a say in that. `None` when it may hang together.
    #[inline(always)]
    pub(super) fn break_at(
        &self,
        fixed: &Cells<T, C>,
        left: &Cells<T, C>,
        parts: &mut [Parts; 2],
        reversed: bool,
    ) -> Option<usize> {
        self.falls_apart::<true>(fixed, left, 1, parts, reversed)
    }

    /// The same for what of the piece is `staying`, if it does not stay as a `WHOLE`, and for as many parts as it has clicks. With several its own
    /// cells hold nothing up.
    #[inline(always)]
    fn falls_apart<const WHOLE: bool>(
        &self,
        staying: &Cells<T, C>,
        left: &Cells<T, C>,
        clicks: u32,
        parts: &mut [Parts; 2],
        reversed: bool,
    ) -> Option<usize> {
        // The parts that hang together up to some column, and how many are over before it with something that stays.
        let [parts, next] = parts;
        let (mut parts, mut next, mut over) = (parts, next, 0);
        let start = if reversed { self.last } else { self.first };
        self.runs::<WHOLE>(start, staying, left, clicks, parts);
        let mut is_apart = false;
        for step in 1..=self.last - self.first {
            let col = if reversed { start - step } else { start + step };
            if self.cells[col].is_empty() {
                // A column without cells of a piece is one that may close up.
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

    /// Its parts in one column.
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

/// The runs of a column, from the bottom: cells of its `own` with nothing `fixed` between them, but own ones.
pub(super) struct Runs {
    rest: u64,
    fixed: u64,
    others: u64,
    left: u64,
}

impl Runs {
    /// Of own cells and others some are `fixed`; of all these cells are `left`.
    #[inline(always)]
    pub(super) fn new(own: u64, fixed: u64, left: u64) -> Self {
        Self { rest: own, fixed, others: fixed & !own, left }
    }

    /// The cells of the next run, and the heights at which it may lie, as bits.
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

/// Parts of a piece, each by the heights at which it may be touched in one column, as bits.
pub(super) struct Parts {
    /// Runs of a column of 64 cells, of which every other one is a run.
    heights: [u64; 32],
    count: usize,
    /// Those with something that stays, as bits.
    staying: u32,
}

impl Default for Parts {
    #[inline(always)]
    fn default() -> Self {
        Self { heights: [0; 32], count: 0, staying: 0 }
    }
}

impl Parts {
    /// The runs of a column; what stays of them is of interest if it is not the `WHOLE`.
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

    /// Makes one part of all that touch these heights, of a part of which something `stays` or not. Whether there are any.
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
    /// Whether what stays of a piece whose columns stay may be in no more parts than it has `clicks`, when others of those `left` may be there. If
    /// it has several, its own cells hold none of the others up.
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
