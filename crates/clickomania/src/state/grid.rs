//! Boards of fallen cells as bit planes, and their groups.
//!
//! Plane `p` holds bit `p` of the colour of each cell, column by column. Colours count from 1; where all planes have 0
//! there is no cell. So a few operations compare the colours of many cells at once, and a few shifts let a column fall.

#![expect(clippy::needless_range_loop, reason = "a column has its place in several arrays")]

use super::column::Column;
use gridhunt_search::domain::MoveIndex;

/// With no more planes than this, cells are counted colour by colour; with more planes cell by cell, because most
/// columns then have fewer cells than the board has colours.
pub(crate) const MAX_PLANES_BY_COLOUR: usize = 4;

/// The colours of all cells: `P` bit planes of `C` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid<T, const C: usize, const P: usize> {
    pub(crate) planes: [[T; C]; P],
}

/// A set of cells, column by column.
pub(crate) type Cells<T, const C: usize> = [T; C];

/// The number of cells. A plain loop, because closures are not compiled for the instruction set of `multiversion`.
#[inline(always)]
pub(crate) fn count<T: Column, const C: usize>(cells: &Cells<T, C>) -> u32 {
    let mut count = 0;
    for column in cells {
        count += column.count();
    }
    count
}

/// Adds cells to others, column by column. A loop, as in [`count`].
#[inline(always)]
pub(crate) fn add<T: Column>(cells: &mut [T], more: &[T]) {
    for col in 0..cells.len() {
        cells[col] |= more[col];
    }
}

/// Takes cells away from others, column by column; nothing falls.
#[inline(always)]
pub(crate) fn subtract<T: Column>(cells: &mut [T], gone: &[T]) {
    for col in 0..cells.len() {
        cells[col] &= !gone[col];
    }
}

/// Which neighbouring cells have the same colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links<T, const C: usize> {
    pub(crate) cells: Cells<T, C>,
    /// Cells with the colour of the one above.
    pub(crate) up: Cells<T, C>,
    /// Cells with the colour of the one in the next column.
    pub(crate) right: Cells<T, C>,
}

/// A group of cells of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<T, const C: usize> {
    /// Only the columns `first..=last` are meaningful.
    pub(crate) cells: Cells<T, C>,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl<T: Column, const C: usize> Group<T, C> {
    /// The cells of its columns.
    #[inline(always)]
    pub(crate) fn cells(&self) -> &[T] {
        &self.cells[self.first..=self.last]
    }

    /// The number of cells.
    #[inline(always)]
    pub(crate) fn size(&self) -> u32 {
        let mut size = 0;
        for cells in self.cells() {
            size += cells.count();
        }
        size
    }
}

/// Counts of a board. A click changes them in few columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupCounts<N> {
    /// Cells without a neighbour of their colour, by colour from the first on.
    pub(crate) singles: N,
    /// The number of groups, less the number of holes in them. By Euler's formula, this is the number of cells, less
    /// the number of links, plus the number of squares of four linked cells.
    pub(crate) groups: i32,
}

impl<N: AsRef<[u16]> + AsMut<[u16]>> GroupCounts<N> {
    #[inline(always)]
    pub(crate) fn minus(mut self, part: &Self) -> Self {
        let (singles, less) = (self.singles.as_mut(), part.singles.as_ref());
        for at in 0..singles.len() {
            singles[at] -= less[at];
        }
        self.groups -= part.groups;
        self
    }

    #[inline(always)]
    pub(crate) fn plus(mut self, part: &Self) -> Self {
        let (singles, more) = (self.singles.as_mut(), part.singles.as_ref());
        for at in 0..singles.len() {
            singles[at] += more[at];
        }
        self.groups += part.groups;
        self
    }
}

impl<T: Column, const C: usize, const P: usize> Grid<T, C, P> {
    /// Makes a board without cells.
    pub(crate) fn empty() -> Self {
        Self { planes: [[T::default(); C]; P] }
    }

    /// Puts a colour, from 1 on, where there is no cell.
    pub(crate) fn put(&mut self, (col, height): (usize, u32), colour: u8) {
        for (p, plane) in self.planes.iter_mut().enumerate() {
            if colour >> p & 1 == 1 {
                plane[col] |= T::from_bits(1 << height);
            }
        }
    }

    /// The colour of a cell, from 1 on; 0 if there is no cell.
    #[inline(always)]
    pub(crate) fn colour(&self, (col, height): (usize, u32)) -> u8 {
        let mut colour = 0;
        for p in 0..P {
            colour |= ((self.planes[p][col].to_bits() >> height & 1) as u8) << p;
        }
        colour
    }

    /// All cells.
    #[inline(always)]
    pub(crate) fn cells(&self) -> Cells<T, C> {
        let mut cells = [T::default(); C];
        for col in 0..C {
            cells[col] = self.column(col);
        }
        cells
    }

    /// The cells of a colour, from 1 on.
    #[inline(always)]
    pub(crate) fn cells_of(&self, colour: u8) -> Cells<T, C> {
        let mut of_colour = [!T::default(); C];
        for p in 0..P {
            let inverted = if colour >> p & 1 == 1 { T::default() } else { !T::default() };
            for col in 0..C {
                of_colour[col] &= self.planes[p][col] ^ inverted;
            }
        }
        of_colour
    }

    /// The number of cells of a colour, from 1 on.
    #[inline(always)]
    pub(crate) fn count(&self, colour: u8) -> u32 {
        count(&self.cells_of(colour))
    }

    /// Finds which neighbouring cells have the same colour.
    #[inline(always)]
    pub(crate) fn links(&self) -> Links<T, C> {
        let (mut cells, mut up, mut right) = ([T::default(); C], [T::default(); C], [T::default(); C]);
        for col in 0..C {
            (cells[col], up[col], right[col]) = (self.column(col), self.up(col), self.right(col));
        }
        Links { cells, up, right }
    }

    /// The colour of a group.
    #[inline(always)]
    pub(crate) fn colour_of(&self, group: &Group<T, C>) -> u8 {
        self.colour((group.first, group.cells[group.first].to_bits().trailing_zeros()))
    }

    /// Takes a group away and lets the other cells fall. Columns close up if `closes`. Returns the number of columns
    /// that closed up.
    #[inline(always)]
    pub(crate) fn remove(&mut self, group: &Group<T, C>, closes: bool) -> usize {
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

    /// The share of the columns `from..=to` in the counts of the board: each column with its links to the one before.
    #[inline(always)]
    pub(crate) fn group_counts(&self, from: usize, to: usize) -> GroupCounts<T::Counts> {
        let mut counts = GroupCounts { singles: T::NO_COUNTS, groups: 0 };
        let mut before = self.edge(from);
        for col in from..=to {
            self.add_column(col, &mut before, &mut counts);
        }
        counts
    }

    /// For each column, the counts of the part of the board up to this column.
    #[inline(always)]
    pub(crate) fn prefix_counts(&self) -> [GroupCounts<T::Counts>; C] {
        let mut counts = GroupCounts { singles: T::NO_COUNTS, groups: 0 };
        let (mut prefixes, mut before) = ([counts; C], self.edge(0));
        for col in 0..C {
            self.add_column(col, &mut before, &mut counts);
            prefixes[col] = counts;
        }
        prefixes
    }

    /// Two sets of cells of the column before `col`: those that are linked to `col`, and those that are linked to the
    /// cell above.
    #[inline(always)]
    fn edge(&self, col: usize) -> (T, T) {
        if col > 0 { (self.right(col - 1), self.up(col - 1)) } else { (T::default(), T::default()) }
    }

    /// Adds the share of a column to the counts. `left` and `left_up` are the edge to the column before, and become the
    /// edge to the next.
    #[inline(always)]
    fn add_column(&self, col: usize, (left, left_up): &mut (T, T), counts: &mut GroupCounts<T::Counts>) {
        let (cells, up, right) = (self.column(col), self.up(col), self.right(col));
        let alone = cells & !(up | up << 1 | *left | right);
        let singles = counts.singles.as_mut();
        if P <= MAX_PLANES_BY_COLOUR {
            for colour in 1..1 << P {
                singles[colour - 1] += (alone & self.column_of(colour as u8, col)).count() as u16;
            }
        } else {
            let mut unvisited = alone;
            while !unvisited.is_empty() {
                let cell = unvisited.lowest();
                unvisited &= !cell;
                singles[usize::from(self.colour((col, cell.to_bits().trailing_zeros()))) - 1] += 1;
            }
        }
        let squares = (*left_up & up & *left).count() as i32;
        counts.groups += cells.count() as i32 - up.count() as i32 - left.count() as i32 + squares;
        (*left, *left_up) = (right, up);
    }

    /// The cells of a colour, from 1 on, in a column.
    #[inline(always)]
    fn column_of(&self, colour: u8, col: usize) -> T {
        let mut cells = !T::default();
        for p in 0..P {
            let plane = self.planes[p][col];
            cells &= if colour >> p & 1 == 1 { plane } else { !plane };
        }
        cells
    }

    /// The cells of a column.
    #[inline(always)]
    pub(crate) fn column(&self, col: usize) -> T {
        let mut cells = T::default();
        for plane in &self.planes {
            cells |= plane[col];
        }
        cells
    }

    /// The cells of a column with the colour of the cell above.
    #[inline(always)]
    fn up(&self, col: usize) -> T {
        let cells = self.column(col);
        let mut differs = T::default();
        for plane in &self.planes {
            differs |= plane[col] ^ plane[col] >> 1;
        }
        cells & cells >> 1 & !differs
    }

    /// The cells of a column with the colour of the cell beside them in the next column.
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
    /// The cells with a neighbour of their colour.
    #[inline(always)]
    pub(crate) fn linked(&self) -> Cells<T, C> {
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
    pub(crate) fn group(&self, col: usize, seed: T) -> Group<T, C> {
        let mut group = Group { cells: [T::default(); C], first: col, last: col };
        self.grow(&mut group, seed);
        group
    }

    /// Fills an empty group in column `group.first` with the group of the one cell in `seed`.
    #[inline(always)]
    fn grow(&self, group: &mut Group<T, C>, seed: T) {
        // New cells whose links into the columns beside them are still to be followed, and the columns with such cells.
        let (mut open, mut cols) = ([T::default(); C], 0_u64);
        self.add_runs(group, group.first, seed, &mut open, &mut cols);
        while cols != 0 {
            let col = cols.trailing_zeros() as usize;
            cols &= cols - 1;
            let from = std::mem::take(&mut open[col]);
            if col + 1 < C {
                self.add_runs(group, col + 1, from & self.right[col], &mut open, &mut cols);
            }
            if col > 0 {
                self.add_runs(group, col - 1, from & self.right[col - 1], &mut open, &mut cols);
            }
        }
    }

    /// Adds cells of a column that are linked to the group, with the runs in which they lie.
    #[inline(always)]
    fn add_runs(&self, group: &mut Group<T, C>, col: usize, cells: T, open: &mut Cells<T, C>, cols: &mut u64) {
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

    /// The run of a cell: the cells of its column that are linked to it within the column.
    #[inline(always)]
    fn run(&self, col: usize, height: u32) -> T {
        let up = self.up[col].to_bits();
        let top = height + (!(up >> height)).trailing_zeros();
        let bottom = height - (!(up << 1 << (63 - height))).leading_zeros();
        T::from_bits(u64::MAX >> (63 - top) & u64::MAX << bottom)
    }
}

/// The groups of a board that are large enough, with their numbers from 0: by their lowest cell in their leftmost
/// column, leftmost columns first. Not an `Iterator`: adapters would not be compiled for the instruction sets of
/// `multiversion`, and would copy each group. A wide copy of words that were just written one by one stalls the
/// processor.
pub(crate) struct Groups<'a, T, const C: usize> {
    links: &'a Links<T, C>,
    /// Cells whose groups have not been found yet.
    remaining: Cells<T, C>,
    /// The first column that may have cells in `remaining`.
    col: usize,
    min: u32,
    /// The group that was found last.
    group: Group<T, C>,
    /// The number of groups found.
    found: MoveIndex,
}

impl<'a, T: Column, const C: usize> Groups<'a, T, C> {
    #[inline(always)]
    pub(crate) fn of(links: &'a Links<T, C>, min: u32) -> Self {
        let remaining = if min > 1 { links.linked() } else { links.cells };
        Self { links, remaining, col: 0, min, group: Group { cells: [T::default(); C], first: 0, last: 0 }, found: 0 }
    }

    /// The groups with one of `cells`, in the order of their first such cell. They may be too small, but are not single
    /// cells if `min` is greater than 1.
    #[inline(always)]
    pub(crate) fn touching(links: &'a Links<T, C>, min: u32, cells: &Cells<T, C>) -> Self {
        let mut groups = Self { min: 1, ..Self::of(links, min) };
        for col in 0..C {
            groups.remaining[col] &= cells[col];
        }
        groups
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(MoveIndex, &Group<T, C>)> {
        while self.col < C {
            if self.remaining[self.col].is_empty() {
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
        self.links.grow(group, self.remaining[col].lowest());
        for at in group.first..=group.last {
            self.remaining[at] &= !group.cells[at];
        }
    }
}
