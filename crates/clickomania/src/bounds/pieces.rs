//! Pieces of a colour, and whether their cells may be connected.
//!
//! A *piece* is a set of cells of one colour such that no click ever takes cells of it together with cells of another
//! piece. Where columns close up, it is all cells of the colour. Where columns stay, it is all cells of the colour in a
//! block of neighbouring columns.
//!
//! **When a piece may be connected.** Of the cells that are not in the piece, some stay for now (they are *fixed*), and
//! others may go or may be gone. Cells of the piece in one column, with no fixed cell between them, are a *run*. The
//! least height of a run is the number of cells below it that stay. Its greatest height is its height if no cell below
//! it goes. Runs in columns that can come to lie side by side may touch when these ranges of heights overlap. The real
//! heights lie within the ranges, so the condition is necessary.

use crate::state::{Cells, Column};
use gridhunt_search::multiversion;

/// A set of pieces, bit `i` for piece `i`.
pub(super) type Pieces = u32;

/// A piece; see the head of the module.
#[derive(Clone, Copy)]
pub(super) struct Piece<T, const C: usize> {
    pub(super) cells: Cells<T, C>,
    /// The first and the last of its columns.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether it has enough cells for two clicks.
    pub(super) may_split: bool,
    /// The other pieces that have a column in common with it.
    pub(super) overlapping: Pieces,
}

impl<T: Column, const C: usize> Piece<T, C> {
    /// Takes the leftmost piece out of the cells of a colour.
    #[inline(always)]
    pub(super) fn take(colour_cells: &mut Cells<T, C>, cols: usize, closes: bool) -> Option<Self> {
        let mut first = 0;
        while colour_cells[first].is_empty() {
            first += 1;
            if first == cols {
                return None;
            }
        }
        let mut cells = [T::default(); C];
        let mut last = first;
        for col in first..cols {
            if colour_cells[col].is_empty() {
                if closes {
                    continue;
                }
                break;
            }
            cells[col] = std::mem::take(&mut colour_cells[col]);
            last = col;
        }
        Some(Self { cells, first, last, may_split: false, overlapping: 0 })
    }

    /// Computes [`break_from_left`] or, if `reversed` is true, [`break_from_right`].
    #[inline(always)]
    fn find_break(
        &self,
        fixed: &Cells<T, C>,
        remaining: &Cells<T, C>,
        parts: &mut [Parts; 2],
        reversed: bool,
    ) -> Option<usize> {
        // `parts`: the connected parts of the columns visited so far, by their heights in the last of them.
        let [parts, next] = parts;
        let (mut parts, mut next) = (parts, next);
        let start = if reversed { self.last } else { self.first };
        let set_runs = |col: usize, parts: &mut Parts| parts.set_to_runs(self.cells[col], fixed[col], remaining[col]);
        set_runs(start, parts);
        let mut is_blocked = false;
        for step in 1..=self.last - self.first {
            let col = if reversed { start - step } else { start + step };
            if self.cells[col].is_empty() {
                // A column without a cell of the piece may close up, unless a cell stays in it.
                is_blocked |= !fixed[col].is_empty();
                continue;
            }
            if is_blocked {
                return Some(col);
            }
            set_runs(col, next);
            for at in 0..parts.count {
                if !next.join(parts.heights[at]) {
                    return Some(col);
                }
            }
            std::mem::swap(&mut parts, &mut next);
        }
        (parts.count > 1).then_some(if reversed { self.first } else { self.last })
    }
}

/// The runs of a column, from the bottom: cells of the piece with no fixed cell of another piece between them.
struct Runs {
    unvisited: u64,
    fixed: u64,
    others: u64,
    remaining: u64,
}

impl Runs {
    /// `cells` are those of the piece, `fixed` all cells that stay (also `cells`), `remaining` all that may be there.
    #[inline(always)]
    fn new(cells: u64, fixed: u64, remaining: u64) -> Self {
        Self { unvisited: cells, fixed, others: fixed & !cells, remaining }
    }

    /// The heights at which the cells of the next run may lie, as bits.
    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.unvisited == 0 {
            return None;
        }
        let below = (self.unvisited & self.unvisited.wrapping_neg()) - 1;
        let walls = self.others & !below;
        let run = if walls == 0 { self.unvisited } else { self.unvisited & ((walls & walls.wrapping_neg()) - 1) };
        self.unvisited &= !run;
        let top = 63 - run.leading_zeros();
        let lowest = (self.fixed & below).count_ones();
        let highest = (self.remaining & ((1 << top) - 1)).count_ones();
        Some(u64::MAX << lowest & u64::MAX >> (63 - highest))
    }
}

/// Parts of a piece: for each part, the heights at which its cells may lie in one column, as bits.
pub(super) struct Parts {
    /// A column of 64 cells has at most 32 runs.
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
    /// Replaces all parts by the runs of a column.
    #[inline(always)]
    fn set_to_runs<T: Column>(&mut self, cells: T, fixed: T, remaining: T) {
        self.count = 0;
        let mut runs = Runs::new(cells.to_bits(), (cells | fixed).to_bits(), remaining.to_bits());
        while let Some(heights) = runs.next() {
            self.heights[self.count] = heights;
            self.count += 1;
        }
    }

    /// Joins all parts that touch these heights of another part. Returns false if no part does.
    #[inline(always)]
    fn join(&mut self, heights: u64) -> bool {
        let (mut joined, mut len) = (0, 0);
        for at in 0..self.count {
            let part = self.heights[at];
            if part & heights == 0 {
                self.heights[len] = part;
                len += 1;
            } else {
                joined |= part;
            }
        }
        if joined != 0 {
            self.heights[len] = joined;
            len += 1;
        }
        self.count = len;
        joined != 0
    }
}

multiversion! {
    /// Visits the columns of a piece from the left. Returns the first column at which it shows that the piece cannot be
    /// connected while its own cells and those of `fixed` stay, and other cells of `remaining` may go. `None` if the
    /// piece may be connected. The result depends only on the columns up to it: it stays the same if later columns
    /// change.
    pub(super) fn break_from_left<const C: usize; T: Column>(
        piece: &Piece<T, C>, fixed: &Cells<T, C>, remaining: &Cells<T, C>, parts: &mut [Parts; 2],
    ) -> Option<usize> = first_break_from_left
}

#[inline(always)]
fn first_break_from_left<T: Column, const C: usize>(
    piece: &Piece<T, C>,
    fixed: &Cells<T, C>,
    remaining: &Cells<T, C>,
    parts: &mut [Parts; 2],
) -> Option<usize> {
    piece.find_break(fixed, remaining, parts, false)
}

multiversion! {
    /// As [`break_from_left`], but visits the columns from the right.
    pub(super) fn break_from_right<const C: usize; T: Column>(
        piece: &Piece<T, C>, fixed: &Cells<T, C>, remaining: &Cells<T, C>, parts: &mut [Parts; 2],
    ) -> Option<usize> = first_break_from_right
}

#[inline(always)]
fn first_break_from_right<T: Column, const C: usize>(
    piece: &Piece<T, C>,
    fixed: &Cells<T, C>,
    remaining: &Cells<T, C>,
    parts: &mut [Parts; 2],
) -> Option<usize> {
    piece.find_break(fixed, remaining, parts, true)
}
