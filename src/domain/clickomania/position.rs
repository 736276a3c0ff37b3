//! Boards with what there is to be counted of them.

use super::column::Column;
use super::grid::{Grid, Group, Shape};
use crate::domain::wide::for_each_level;

/// A board as it lies, its single cells and groups, and how many cells of each colour there are. What was counted is brought up to date click by
/// click: only columns around the clicked group are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Position<T: Column, const C: usize, const P: usize> {
    grid: Grid<T, C, P>,
    shape: Shape,
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

    #[inline(always)]
    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Cells of the first so many colours.
    #[inline(always)]
    pub(super) fn counts(&self, colours: u8) -> &[u16] {
        &self.counts.as_ref()[..colours.into()]
    }

    /// Takes a group away.
    #[inline(always)]
    pub(super) fn remove(&mut self, group: &Group<T, C>, closes: bool) {
        let (from, to) = (group.first.saturating_sub(1), (group.last + 1).min(C - 1));
        let (colour, before) = (self.grid.colour_of(group), self.grid.shape_of(from, to));
        let closed = self.grid.remove(group, closes);
        self.counts.as_mut()[usize::from(colour) - 1] -= group.size() as u16;
        // Behind closed columns there is nothing when nothing stands there.
        let after = self.grid.shape_of(from, to.saturating_sub(closed).max(from));
        self.shape = self.shape.less(before).and(after);
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
