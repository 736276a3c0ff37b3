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
        // The parts that hang together up to some column.
        let [parts, next] = parts;
        let (mut parts, mut next) = (parts, next);
        let start = if reversed { self.last } else { self.first };
        parts.runs(self.cells[start].to_bits(), (self.cells[start] | fixed[start]).to_bits(), left[start].to_bits());
        let mut is_apart = false;
        for step in 1..=self.last - self.first {
            let col = if reversed { start - step } else { start + step };
            if self.cells[col].is_empty() {
                // A column without cells of a piece is one that may close up.
                is_apart |= !fixed[col].is_empty();
                continue;
            }
            if is_apart {
                return Some(col);
            }
            next.runs(self.cells[col].to_bits(), (self.cells[col] | fixed[col]).to_bits(), left[col].to_bits());
            for &heights in &parts.heights[..parts.count] {
                if !next.join(heights) {
                    return Some(col);
                }
            }
            std::mem::swap(&mut parts, &mut next);
        }
        (parts.count > 1).then_some(if reversed { self.first } else { self.last })
    }
}

/// Parts of a piece, each by the heights at which it may be touched in one column, as bits.
pub(super) struct Parts {
    /// Runs of a column of 64 cells, of which every other one is a run.
    heights: [u64; 32],
    count: usize,
}

impl Default for Parts {
    #[inline(always)]
    fn default() -> Self {
        Self { heights: [0; 32], count: 0 }
    }
}

impl Parts {
    /// The runs of a column: cells of its `own` with nothing `fixed` between them.
    #[inline(always)]
    fn runs(&mut self, own: u64, fixed: u64, left: u64) {
        let later = fixed & !own;
        self.count = 0;
        let mut rest = own;
        while rest != 0 {
            let below = (rest & rest.wrapping_neg()) - 1;
            let bars = later & !below;
            let run = if bars == 0 { rest } else { rest & ((bars & bars.wrapping_neg()) - 1) };
            rest &= !run;
            let top = 63 - run.leading_zeros();
            let lowest = (fixed & below).count_ones();
            let highest = (left & ((1 << top) - 1)).count_ones();
            self.heights[self.count] = u64::MAX << lowest & u64::MAX >> (63 - highest);
            self.count += 1;
        }
    }

    /// Makes one part of all that touch these heights. Whether there are any.
    #[inline(always)]
    fn join(&mut self, heights: u64) -> bool {
        let (mut joined, mut kept) = (0, 0);
        for at in 0..self.count {
            let part = self.heights[at];
            if part & heights == 0 {
                self.heights[kept] = part;
                kept += 1;
            } else {
                joined |= part;
            }
        }
        self.heights[kept] = joined;
        self.count = kept + usize::from(joined != 0);
        joined != 0
    }
}
