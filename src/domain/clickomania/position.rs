//! Boards with what there is to be counted of them.

use super::column::Column;
use super::grid::{Grid, Group, Shape};
use crate::domain::wide::for_each_level;

/// A board as it lies, its single cells and groups, and how many cells of each colour there are. What was counted is brought up to date click by
/// click: only columns around the clicked group are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Position<T: Column, const C: usize, const P: usize> {
    grid: Grid<T, C, P>,
    shape: Shape<T::Counts>,
    /// From the first colour on.
    counts: T::Counts,
}

/// What is counted depends on the board alone.
impl<T: Column, const C: usize, const P: usize> PartialEq for Position<T, C, P> {
    fn eq(&self, other: &Self) -> bool {
        self.grid == other.grid
    }
}

impl<T: Column, const C: usize, const P: usize> Eq for Position<T, C, P> {}

impl<T: Column, const C: usize, const P: usize> Position<T, C, P> {
    /// Counts a board.
    pub(super) fn new(grid: Grid<T, C, P>) -> Self {
        counted(grid)
    }

    /// The board.
    #[inline(always)]
    pub(super) fn grid(&self) -> &Grid<T, C, P> {
        &self.grid
    }

    #[cfg(test)]
    pub(super) fn shape(&self) -> &Shape<T::Counts> {
        &self.shape
    }

    /// Cells of the first so many colours.
    #[inline(always)]
    pub(super) fn counts(&self, colours: u8) -> &[u16] {
        &self.counts.as_ref()[..colours.into()]
    }

    /// How far from cleared it looks, less is better, below 2^30, in sixteenths: one for a group; where single cells have to find others, three more for
    /// each, and up to ten for the singles of each colour, by their share of its cells: the fewer others there are, the harder they are to get
    /// rid of.
    #[inline(always)]
    pub(super) fn lack(&self, colours: u8, min_group: u32) -> u32 {
        let mut lack = 16 * self.groups();
        if min_group == 1 {
            return lack;
        }
        let counts = self.counts(colours);
        for (at, &singles) in self.shape.singles.as_ref()[..colours.into()].iter().enumerate() {
            let (singles, count) = (u32::from(singles), u32::from(counts[at]).max(1));
            lack += 48 * singles + 160 * singles / count;
        }
        lack
    }

    /// Groups, less the holes in them.
    #[inline(always)]
    pub(super) fn groups(&self) -> u32 {
        self.shape.groups.max(0) as u32
    }

    /// Takes a group away; how many columns close up.
    #[inline(always)]
    pub(super) fn remove(&mut self, group: &Group<T, C>, closes: bool) -> usize {
        let (from, to) = touched(group);
        let before = self.grid.shape_of(from, to);
        self.remove_from(group, closes, &before)
    }

    /// Takes a group away from columns that had the shape `before`, all that it touches; how many close up.
    #[inline(always)]
    pub(super) fn remove_from(&mut self, group: &Group<T, C>, closes: bool, before: &Shape<T::Counts>) -> usize {
        let (from, to) = touched(group);
        let colour = self.grid.colour_of(group);
        let closed = self.grid.remove(group, closes);
        self.counts.as_mut()[usize::from(colour) - 1] -= group.size() as u16;
        // Behind closed columns there is nothing when nothing stands there.
        let after = self.grid.shape_of(from, to.saturating_sub(closed).max(from));
        self.shape = self.shape.less(before).and(&after);
        closed
    }
}

/// The columns in which single cells or links may come or go with a group.
#[inline(always)]
fn touched<T: Column, const C: usize>(group: &Group<T, C>) -> (usize, usize) {
    (group.first.saturating_sub(1), (group.last + 1).min(C - 1))
}

/// The shapes of the columns of a board, for its children.
pub(super) struct Tally<T: Column, const C: usize>([Shape<T::Counts>; C]);

impl<T: Column, const C: usize> Tally<T, C> {
    #[inline(always)]
    pub(super) fn of<const P: usize>(state: &Position<T, C, P>) -> Self {
        Self(state.grid.shapes())
    }

    /// What a group touches.
    #[inline(always)]
    pub(super) fn around(&self, group: &Group<T, C>) -> Shape<T::Counts> {
        let (from, to) = touched(group);
        if from > 0 { self.0[to].less(&self.0[from - 1]) } else { self.0[to] }
    }
}

for_each_level! {
    fn counted<const C: usize, const P: usize; T: Column>(grid: Grid<T, C, P>) -> Position<T, C, P> = count_all
}

#[inline(always)]
fn count_all<T: Column, const C: usize, const P: usize>(grid: Grid<T, C, P>) -> Position<T, C, P> {
    let mut counts = T::NO_COUNTS;
    for (colour, count) in (1..1 << P).zip(counts.as_mut()) {
        *count = grid.count(colour) as u16;
    }
    Position { grid, shape: grid.shape_of(0, C - 1), counts }
}
