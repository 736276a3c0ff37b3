//! A board with counts that are kept up to date.

use super::column::Column;
use super::grid::{Grid, Group, GroupCounts, MAX_PLANES_BY_COLOUR};
use gridhunt_search::multiversion;

/// A board as it lies, with the numbers of its single cells, of its groups, and of its cells of each colour. A click
/// updates the counts and looks only at the columns around the clicked group.
#[derive(Clone, Copy, Debug)]
pub struct Position<T: Column, const C: usize, const P: usize> {
    grid: Grid<T, C, P>,
    group_counts: GroupCounts<T::Counts>,
    /// From the first colour on.
    counts: T::Counts,
}

/// The weights of [`Position::estimate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weights {
    /// The weight of a single cell, in addition to its weight as a group.
    single: u32,
    /// The weight of all single cells of a colour together, if the colour has no other cells.
    share: u32,
    /// Four bits for each colour select how much more or less its single cells count. If all bits are 0, the colours do
    /// not differ.
    bits: u64,
}

impl Weights {
    /// The weight of a group.
    const GROUP: u32 = 16;

    /// The weight of a group in the unit of [`Weights::fine_single`].
    pub(crate) const FINE_GROUP: i16 = Self::GROUP as i16 * Self::FINE as i16;

    /// The number of fine units in a unit of [`Position::estimate`], which rounds the share of a colour.
    const FINE: u32 = 16;

    /// The weight of a single cell of a colour with `cells` cells, with its part of the share.
    #[inline(always)]
    pub(crate) fn fine_single(self, colour: usize, cells: u16) -> i16 {
        let share = Self::FINE * self.share / u32::from(cells).max(2);
        (self.of_colour(colour) * (Self::FINE * self.single + share) / Self::FINE) as i16
    }

    /// The factor by which the single cells of a colour, from 0 on, count, in parts of [`Weights::FINE`].
    #[inline(always)]
    fn of_colour(self, colour: usize) -> u32 {
        const PARTS: [u32; 8] = [9, 11, 13, 15, 17, 20, 23, 27];
        if self.bits == 0 { Self::FINE } else { PARTS[(self.bits >> (4 * (colour % 16)) & 7) as usize] }
    }

    /// A single cell weighs as much as three groups, and the share as much as ten.
    pub(crate) const DEFAULT: Self = Self { single: 48, share: 160, bits: 0 };

    /// Other weights for each number: `single` from a quarter of the default weight to four times, `share` from a
    /// quarter to eight times. There are 9 and 11 values, and 9 and 11 have no common divisor, so there are 99 pairs.
    /// From number 99 on, the colours differ too, so that a long search does not repeat itself.
    #[inline(always)]
    pub(crate) fn varied(variation: u32) -> Self {
        const SINGLE: [u32; 9] = [12, 17, 24, 34, 48, 68, 96, 136, 192];
        const SHARE: [u32; 11] = [40, 57, 80, 113, 160, 226, 320, 453, 640, 905, 1280];
        // Consecutive numbers have weights that differ much.
        let pick = |step: u32, modulus: u32| (variation.wrapping_mul(step) % modulus) as usize;
        // The bits of the colours come from a product with an irregular constant. All are 0 in the first 99 variations.
        let bits = u64::from(variation / 99).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self { single: SINGLE[pick(4, 9)], share: SHARE[pick(4, 11)], bits }
    }
}

/// Compares the boards alone: equal boards have equal counts.
impl<T: Column, const C: usize, const P: usize> PartialEq for Position<T, C, P> {
    fn eq(&self, other: &Self) -> bool {
        self.grid == other.grid
    }
}

impl<T: Column, const C: usize, const P: usize> Eq for Position<T, C, P> {}

impl<T: Column, const C: usize, const P: usize> Position<T, C, P> {
    /// Counts a board.
    pub(crate) fn new(grid: Grid<T, C, P>) -> Self {
        counted(grid)
    }

    /// The board.
    #[inline(always)]
    pub(crate) fn grid(&self) -> &Grid<T, C, P> {
        &self.grid
    }

    #[cfg(test)]
    pub(crate) fn group_counts(&self) -> &GroupCounts<T::Counts> {
        &self.group_counts
    }

    /// The number of cells of each of the first `colours` colours.
    #[inline(always)]
    pub(crate) fn counts(&self, colours: u8) -> &[u16] {
        &self.counts.as_ref()[..colours.into()]
    }

    /// The number of single cells of each of the first `colours` colours: cells without a neighbour of their colour.
    #[inline(always)]
    pub(crate) fn singles(&self, colours: u8) -> &[u16] {
        &self.group_counts.singles.as_ref()[..colours.into()]
    }

    /// Estimates the work left, below 2^30, in sixteenths of a group; less is better. If single cells cannot be
    /// clicked, they count more than other groups. They count the more, the larger their share of the cells of their
    /// colour is: the fewer other cells a colour has, the harder its single cells are to clear.
    #[inline(always)]
    pub(crate) fn estimate(&self, colours: u8, min_group: u32, weights: Weights) -> u32 {
        let mut estimate = Weights::GROUP * self.groups();
        if min_group == 1 {
            return estimate;
        }
        let counts = self.counts(colours);
        for (at, &singles) in self.group_counts.singles.as_ref()[..colours.into()].iter().enumerate() {
            let (singles, count) = (u32::from(singles), u32::from(counts[at]).max(1));
            let of_single = weights.single * singles + weights.share * singles / count;
            estimate += weights.of_colour(at) * of_single / Weights::FINE;
        }
        estimate
    }

    /// The number of groups, less the number of holes in them.
    #[inline(always)]
    pub(crate) fn groups(&self) -> u32 {
        self.group_counts.groups.max(0) as u32
    }

    /// Takes a group away. Returns the number of columns that closed up.
    #[inline(always)]
    pub(crate) fn remove(&mut self, group: &Group<T, C>, closes: bool) -> usize {
        let (from, to) = affected(group);
        let before = self.grid.group_counts(from, to);
        self.remove_from(group, closes, &before)
    }

    /// As [`Position::remove`], if the columns that the group affects have the counts `before`.
    #[inline(always)]
    pub(crate) fn remove_from(&mut self, group: &Group<T, C>, closes: bool, before: &GroupCounts<T::Counts>) -> usize {
        let (from, to) = affected(group);
        let colour = self.grid.colour_of(group);
        let closed = self.grid.remove(group, closes);
        self.counts.as_mut()[usize::from(colour) - 1] -= group.size() as u16;
        // The columns after the group have moved by as many places as columns closed up.
        let after = self.grid.group_counts(from, to.saturating_sub(closed).max(from));
        self.group_counts = self.group_counts.minus(before).plus(&after);
        closed
    }
}

/// The columns in which single cells or links may appear or vanish when a group goes.
#[inline(always)]
pub(crate) fn affected<T: Column, const C: usize>(group: &Group<T, C>) -> (usize, usize) {
    (group.first.saturating_sub(1), (group.last + 1).min(C - 1))
}

/// For each column, the counts of the part of a board up to this column. Used to make children.
pub(crate) struct PrefixCounts<T: Column, const C: usize>([GroupCounts<T::Counts>; C]);

impl<T: Column, const C: usize> PrefixCounts<T, C> {
    #[inline(always)]
    pub(crate) fn of<const P: usize>(state: &Position<T, C, P>) -> Self {
        Self(state.grid.prefix_counts())
    }

    /// The counts of the columns that a group affects.
    #[inline(always)]
    pub(crate) fn around(&self, group: &Group<T, C>) -> GroupCounts<T::Counts> {
        let (from, to) = affected(group);
        if from > 0 { self.0[to].minus(&self.0[from - 1]) } else { self.0[to] }
    }
}

multiversion! {
    fn counted<const C: usize, const P: usize; T: Column>(grid: Grid<T, C, P>) -> Position<T, C, P> = count_all
}

#[inline(always)]
fn count_all<T: Column, const C: usize, const P: usize>(grid: Grid<T, C, P>) -> Position<T, C, P> {
    let mut counts = T::NO_COUNTS;
    if P <= MAX_PLANES_BY_COLOUR {
        for (colour, count) in (1..1 << P).zip(counts.as_mut()) {
            *count = grid.count(colour as u8) as u16;
        }
    } else {
        let cells = grid.cells();
        for (col, &column) in cells.iter().enumerate() {
            let mut cells_left = column;
            while !cells_left.is_empty() {
                let cell = cells_left.lowest();
                cells_left &= !cell;
                counts.as_mut()[usize::from(grid.colour((col, cell.to_bits().trailing_zeros()))) - 1] += 1;
            }
        }
    }
    Position { grid, group_counts: grid.group_counts(0, C - 1), counts }
}
