//! Boards of fallen cells as bit planes, and their groups.
//!
//! Plane `p` holds bit `p` of the colour of each cell, column by column, colours counting from 1; where all planes have 0 there is no
//! cell. So what many cells have in common is found out with a few operations for all columns at once, and a
//! column from which cells go is closed up with a few shifts.

#![expect(clippy::needless_range_loop, reason = "a column has its place in several arrays")]

use super::column::Column;
use crate::domain::MoveIndex;

/// Colours of one cell each: `C` columns of `P` planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid<T, const C: usize, const P: usize> {
    pub(super) planes: [[T; C]; P],
}

/// Cells of some columns.
pub(super) type Cells<T, const C: usize> = [T; C];

/// How many cells these are. A loop: closures are not compiled for the processor at hand.
#[inline(always)]
pub(super) fn count<T: Column, const C: usize>(cells: &Cells<T, C>) -> u32 {
    let mut count = 0;
    for column in cells {
        count += column.count();
    }
    count
}

/// Adds cells to others, column by column. A loop, as in [`count`].
#[inline(always)]
pub(super) fn add<T: Column>(cells: &mut [T], more: &[T]) {
    for col in 0..cells.len() {
        cells[col] |= more[col];
    }
}

/// Takes cells away from others, column by column; nothing falls.
#[inline(always)]
pub(super) fn take<T: Column>(cells: &mut [T], gone: &[T]) {
    for col in 0..cells.len() {
        cells[col] &= !gone[col];
    }
}

/// What hangs together with what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links<T, const C: usize> {
    pub(super) cells: Cells<T, C>,
    /// Cells with the colour of the one above.
    pub(super) up: Cells<T, C>,
    /// Cells with the colour of the one in the next column.
    pub(super) right: Cells<T, C>,
}

/// A group of cells of one colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<T, const C: usize> {
    /// Nothing outside of `first..=last` is to be looked at.
    pub(super) cells: Cells<T, C>,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl<T: Column, const C: usize> Group<T, C> {
    /// Its cells in the columns in which it has some.
    #[inline(always)]
    pub(super) fn cells(&self) -> &[T] {
        &self.cells[self.first..=self.last]
    }

    /// How many cells.
    #[inline(always)]
    pub(super) fn size(&self) -> u32 {
        let mut size = 0;
        for cells in self.cells() {
            size += cells.count();
        }
        size
    }
}

/// What there is to be counted of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape<N> {
    /// Cells without a neighbour of their colour, by colour from the first on.
    pub(super) singles: N,
    /// Groups, less the holes in them: by Euler's formula cells less links and plus squares of four.
    pub(super) groups: i32,
}

impl<N: AsRef<[u16]> + AsMut<[u16]>> Shape<N> {
    #[inline(always)]
    pub(super) fn less(mut self, part: &Self) -> Self {
        let (singles, less) = (self.singles.as_mut(), part.singles.as_ref());
        for at in 0..singles.len() {
            singles[at] -= less[at];
        }
        self.groups -= part.groups;
        self
    }

    #[inline(always)]
    pub(super) fn and(mut self, part: &Self) -> Self {
        let (singles, more) = (self.singles.as_mut(), part.singles.as_ref());
        for at in 0..singles.len() {
            singles[at] += more[at];
        }
        self.groups += part.groups;
        self
    }
}

impl<T: Column, const C: usize, const P: usize> Grid<T, C, P> {
    /// No cells.
    pub(super) fn empty() -> Self {
        Self { planes: [[T::default(); C]; P] }
    }

    /// Puts a colour, from 1 on, where there is no cell.
    pub(super) fn put(&mut self, (col, height): (usize, u32), colour: u8) {
        for (p, plane) in self.planes.iter_mut().enumerate() {
            if colour >> p & 1 == 1 {
                plane[col] |= T::from_bits(1 << height);
            }
        }
    }

    /// The colour of a cell, from 1 on; 0 where there is none.
    #[inline(always)]
    pub(super) fn colour(&self, (col, height): (usize, u32)) -> u8 {
        let mut colour = 0;
        for p in 0..P {
            colour |= ((self.planes[p][col].to_bits() >> height & 1) as u8) << p;
        }
        colour
    }

    /// All cells.
    #[inline(always)]
    pub(super) fn cells(&self) -> Cells<T, C> {
        let mut cells = [T::default(); C];
        for col in 0..C {
            cells[col] = self.column(col);
        }
        cells
    }

    /// The cells of that colour, from 1 on.
    #[inline(always)]
    pub(super) fn of(&self, colour: u8) -> Cells<T, C> {
        let mut of_colour = [!T::default(); C];
        for (p, plane) in self.planes.iter().enumerate() {
            let inverted = if colour >> p & 1 == 1 { T::default() } else { !T::default() };
            for (cells, bits) in of_colour.iter_mut().zip(plane) {
                *cells &= *bits ^ inverted;
            }
        }
        of_colour
    }

    /// How many cells have that colour, from 1 on.
    #[inline(always)]
    pub(super) fn count(&self, colour: u8) -> u32 {
        count(&self.of(colour))
    }

    /// Which neighbours have the same colour.
    #[inline(always)]
    pub(super) fn links(&self) -> Links<T, C> {
        let (mut cells, mut up, mut right) = ([T::default(); C], [T::default(); C], [T::default(); C]);
        for col in 0..C {
            (cells[col], up[col], right[col]) = (self.column(col), self.up(col), self.right(col));
        }
        Links { cells, up, right }
    }

    /// The colour of a group.
    #[inline(always)]
    pub(super) fn colour_of(&self, group: &Group<T, C>) -> u8 {
        self.colour((group.first, group.cells[group.first].to_bits().trailing_zeros()))
    }

    /// Takes a group away and lets the others fall; columns close up if it `closes`. How many did.
    #[inline(always)]
    pub(super) fn remove(&mut self, group: &Group<T, C>, closes: bool) -> usize {
        for plane in &mut self.planes {
            for col in group.first..=group.last {
                plane[col] = plane[col].without(group.cells[col]);
            }
        }
        let mut closed = 0;
        if closes {
            for col in (group.first..=group.last).rev() {
                if self.column(col).is_empty() {
                    closed += 1;
                    for plane in &mut self.planes {
                        plane.copy_within(col + 1.., col);
                        plane[C - 1] = T::default();
                    }
                }
            }
        }
        closed
    }

    /// What the columns `from..=to` add to the shape of the board, each with its links to the one before.
    #[inline(always)]
    pub(super) fn shape_of(&self, from: usize, to: usize) -> Shape<T::Counts> {
        let mut shape = Shape { singles: T::NO_COUNTS, groups: 0 };
        let mut before = self.edge(from);
        for col in from..=to {
            self.add_column(col, &mut before, &mut shape);
        }
        shape
    }

    /// The shape of as much of the board as lies in the columns up to each.
    #[inline(always)]
    pub(super) fn shapes(&self) -> [Shape<T::Counts>; C] {
        let mut shape = Shape { singles: T::NO_COUNTS, groups: 0 };
        let (mut shapes, mut before) = ([shape; C], self.edge(0));
        for col in 0..C {
            self.add_column(col, &mut before, &mut shape);
            shapes[col] = shape;
        }
        shapes
    }

    /// The cells of the column before that are linked to this one, and those that are linked to the one above.
    #[inline(always)]
    fn edge(&self, col: usize) -> (T, T) {
        if col > 0 { (self.right(col - 1), self.up(col - 1)) } else { (T::default(), T::default()) }
    }

    /// Adds a column, and goes on to the next one.
    #[inline(always)]
    fn add_column(&self, col: usize, (left, left_up): &mut (T, T), shape: &mut Shape<T::Counts>) {
        let (cells, up, right) = (self.column(col), self.up(col), self.right(col));
        let alone = cells & !(up | up << 1 | *left | right);
        let singles = shape.singles.as_mut();
        for colour in 1..1 << P {
            singles[colour - 1] += (alone & self.of_column(colour as u8, col)).count() as u16;
        }
        let squares = (*left_up & up & *left).count() as i32;
        shape.groups += cells.count() as i32 - up.count() as i32 - left.count() as i32 + squares;
        (*left, *left_up) = (right, up);
    }

    /// The cells of that colour, from 1 on, in a column.
    #[inline(always)]
    fn of_column(&self, colour: u8, col: usize) -> T {
        let mut cells = !T::default();
        for p in 0..P {
            let plane = self.planes[p][col];
            cells &= if colour >> p & 1 == 1 { plane } else { !plane };
        }
        cells
    }

    /// The cells of a column.
    #[inline(always)]
    fn column(&self, col: usize) -> T {
        let mut cells = T::default();
        for plane in &self.planes {
            cells |= plane[col];
        }
        cells
    }

    /// Cells of a column with the colour of the one above.
    #[inline(always)]
    fn up(&self, col: usize) -> T {
        let cells = self.column(col);
        let mut differs = T::default();
        for plane in &self.planes {
            differs |= plane[col] ^ plane[col] >> 1;
        }
        cells & cells >> 1 & !differs
    }

    /// Cells of a column with the colour of the one in the next column.
    #[inline(always)]
    fn right(&self, col: usize) -> T {
        if col + 1 == C {
            return T::default();
        }
        let mut differs = T::default();
        for plane in &self.planes {
            differs |= plane[col] ^ plane[col + 1];
        }
        self.column(col) & self.column(col + 1) & !differs
    }
}

impl<T: Column, const C: usize> Links<T, C> {
    /// Cells with a neighbour of their colour.
    #[inline(always)]
    pub(super) fn linked(&self) -> Cells<T, C> {
        let mut linked = [T::default(); C];
        for col in 0..C {
            linked[col] = self.up[col] | self.up[col] << 1 | self.right[col];
        }
        for col in 1..C {
            linked[col] |= self.right[col - 1];
        }
        linked
    }

    /// The group of a cell that is alone in `seed`, in column `col`.
    #[inline(always)]
    pub(super) fn group(&self, col: usize, seed: T) -> Group<T, C> {
        let mut group = Group { cells: [T::default(); C], first: col, last: col };
        self.grow(&mut group, seed);
        group
    }

    /// Makes the group of a cell that is alone in `seed` of one that has no cells and is in its column.
    #[inline(always)]
    fn grow(&self, group: &mut Group<T, C>, seed: T) {
        // Cells that may lead into the columns beside them, and the columns that have some.
        let (mut open, mut cols) = ([T::default(); C], 0_u64);
        self.enter(group, group.first, seed, &mut open, &mut cols);
        while cols != 0 {
            let col = cols.trailing_zeros() as usize;
            cols &= cols - 1;
            let from = std::mem::take(&mut open[col]);
            if col + 1 < C {
                self.enter(group, col + 1, from & self.right[col], &mut open, &mut cols);
            }
            if col > 0 {
                self.enter(group, col - 1, from & self.right[col - 1], &mut open, &mut cols);
            }
        }
    }

    /// Adds what hangs together in a column with cells that touch the group.
    #[inline(always)]
    fn enter(&self, group: &mut Group<T, C>, col: usize, cells: T, open: &mut Cells<T, C>, cols: &mut u64) {
        let mut new = cells & !group.cells[col];
        if new.is_empty() {
            return;
        }
        group.first = group.first.min(col);
        group.last = group.last.max(col);
        *cols |= 1 << col;
        while !new.is_empty() {
            let run = self.run(col, new.to_bits().trailing_zeros());
            new &= !run;
            group.cells[col] |= run;
            open[col] |= run;
        }
    }

    /// The cells that hang together with one in its column.
    #[inline(always)]
    fn run(&self, col: usize, height: u32) -> T {
        let up = self.up[col].to_bits();
        let top = height + (!(up >> height)).trailing_zeros();
        let bottom = height - (!(up << 1 << (63 - height))).leading_zeros();
        T::from_bits(u64::MAX >> (63 - top) & u64::MAX << bottom)
    }
}

/// The groups of a board that are large enough, by their lowest cell in their leftmost column, leftmost columns first, with their
/// numbers from 0. No iterator: an adapter would not be compiled for the processor at hand, and it would hand on a copy of each group; a
/// wide copy of what was just written column by column stalls the processor.
pub(super) struct Groups<'a, T, const C: usize> {
    links: &'a Links<T, C>,
    /// Cells of which the groups are not known.
    left: Cells<T, C>,
    /// The first column that may have some.
    col: usize,
    min: u32,
    /// The one that was found last.
    group: Group<T, C>,
    /// How many were found.
    found: MoveIndex,
}

impl<'a, T: Column, const C: usize> Groups<'a, T, C> {
    #[inline(always)]
    pub(super) fn of(links: &'a Links<T, C>, min: u32) -> Self {
        let left = if min > 1 { links.linked() } else { links.cells };
        Self { links, left, col: 0, min, group: Group { cells: [T::default(); C], first: 0, last: 0 }, found: 0 }
    }

    /// Those that have one of these cells, by the first of them that they have; of any size, but for single cells where those are too small.
    #[inline(always)]
    pub(super) fn around(links: &'a Links<T, C>, min: u32, cells: &Cells<T, C>) -> Self {
        let mut groups = Self { min: 1, ..Self::of(links, min) };
        for col in 0..C {
            groups.left[col] &= cells[col];
        }
        groups
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(MoveIndex, &Group<T, C>)> {
        while self.col < C {
            if self.left[self.col].is_empty() {
                self.col += 1;
                continue;
            }
            self.find();
            if self.group.size() >= self.min {
                self.found += 1;
                return Some((self.found - 1, &self.group));
            }
        }
        None
    }

    /// Finds the lowest group in the column.
    #[inline(always)]
    fn find(&mut self) {
        let (group, col) = (&mut self.group, self.col);
        for at in group.first..=group.last {
            group.cells[at] = T::default();
        }
        (group.first, group.last) = (col, col);
        self.links.grow(group, self.left[col].lowest());
        for at in group.first..=group.last {
            self.left[at] &= !group.cells[at];
        }
    }
}
