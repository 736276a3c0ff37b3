//! The minimal triples before three targets; `table` says what they are.

use super::table::{Levels, Minimal, Target};
use crate::domain::floodit::FloodIt;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::wide::for_each_level;

/// What is known of two regions.
#[derive(Clone, Debug)]
struct Row<const W: usize> {
    /// The lower one first.
    regions: (usize, usize),
    /// The third ones: of all levels so far, of the last, of the next.
    reached: Bits<W>,
    last: Bits<W>,
    next: Bits<W>,
}

/// The minimal triples of one level after the other. Each is in the rows of each two of its regions.
#[derive(Clone, Debug)]
pub(super) struct MinimalTriples<const W: usize> {
    /// The row of each two regions, the lower one first; `NONE` where there is none.
    place: Vec<u32>,
    rows: Vec<Row<W>>,
    /// Rows with triples of the last level, and those with any of the next.
    active: Vec<u32>,
    touched: Vec<u32>,
    /// Regions that are nearer, alone or with the start, than the next level: no triple with them is minimal there.
    near: Bits<W>,
    /// The same of two regions.
    near_with: Vec<Bits<W>>,
    start: usize,
}

const NONE: u32 = u32::MAX;

impl<const W: usize> Default for MinimalTriples<W> {
    fn default() -> Self {
        Self {
            place: Vec::new(),
            rows: Vec::new(),
            active: Vec::new(),
            touched: Vec::new(),
            near: bits::empty(),
            near_with: Vec::new(),
            start: 0,
        }
    }
}

impl<const W: usize> Minimal<W> for MinimalTriples<W> {
    fn begin(&mut self, puzzle: &FloodIt<W>, target: Target) {
        let [u, v, w] = target.map(usize::from);
        let regions = puzzle.regions();
        self.place.clear();
        self.place.resize(regions * regions, NONE);
        self.rows.clear();
        self.active.clear();
        self.near_with.clear();
        self.near_with.resize(regions, bits::empty());
        (self.near, self.start) = (bits::empty(), puzzle.start);
        for (a, b, c) in [(u, v, w), (u, w, v), (v, w, u)] {
            let mut third = bits::empty();
            bits::set(&mut third, c);
            self.add(a, b, &third);
        }
        self.settle();
    }

    fn holds_start(&self) -> bool {
        bits::contains(&self.near, self.start)
    }

    fn write(&self, levels: &mut Levels<W>) {
        let mut rows = Vec::with_capacity(2 * self.active.len());
        for &at in &self.active {
            let Row { regions: (a, b), last, .. } = self.rows[at as usize];
            rows.push((a, b, last));
            if a != b {
                rows.push((b, a, last));
            }
        }
        rows.sort_unstable_by_key(|row| (row.0, row.1));
        levels.push_triples(&rows);
    }

    fn spread_back(&mut self, puzzle: &FloodIt<W>) {
        spread_back(puzzle, self);
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.rows) as u64
    }
}

impl<const W: usize> MinimalTriples<W> {
    /// Gathers triples of the next level.
    #[inline(always)]
    fn add(&mut self, a: usize, b: usize, thirds: &Bits<W>) {
        let (a, b) = (a.min(b), a.max(b));
        if bits::contains(&self.near, a) || bits::contains(&self.near, b) || bits::contains(&self.near_with[a], b) {
            return;
        }
        let place = &mut self.place[a * self.near_with.len() + b];
        if *place == NONE {
            *place = self.rows.len() as u32;
            let nothing = bits::empty();
            self.rows.push(Row { regions: (a, b), reached: nothing, last: nothing, next: nothing });
        }
        let row = &mut self.rows[*place as usize];
        if bits::is_empty(&row.next) {
            self.touched.push(*place);
        }
        row.next = bits::or(&row.next, thirds);
    }

    /// Keeps what is minimal of the next level, which becomes the last.
    #[inline(always)]
    fn settle(&mut self) {
        for &at in &self.active {
            self.rows[at as usize].last = bits::empty();
        }
        self.active.clear();
        for &at in &self.touched {
            let Row { regions: (a, b), reached, last, next } = &mut self.rows[at as usize];
            let near = bits::or(&self.near, &bits::or(&self.near_with[*a], &self.near_with[*b]));
            *last = bits::minus(&bits::minus(next, &near), reached);
            *next = bits::empty();
            *reached = bits::or(reached, last);
            if !bits::is_empty(last) {
                self.active.push(at);
            }
        }
        self.touched.clear();
        for &at in &self.active {
            let Row { regions: (a, b), last, .. } = &self.rows[at as usize];
            let is_near = [*a, *b, self.start].into_iter().any(|c| bits::contains(last, c));
            if is_near {
                bits::set(&mut self.near_with[*a], *b);
                bits::set(&mut self.near_with[*b], *a);
            }
            // Made of one region and the start.
            for (one, other) in [(*a, *b), (*b, *a)] {
                if is_near && (other == one || other == self.start) {
                    bits::set(&mut self.near, one);
                }
            }
        }
    }
}

for_each_level! {
    fn spread_back<const W: usize>(puzzle: &FloodIt<W>, minimal: &mut MinimalTriples<W>) = back
}

#[inline(always)]
fn back<const W: usize>(puzzle: &FloodIt<W>, minimal: &mut MinimalTriples<W>) {
    let active = std::mem::take(&mut minimal.active);
    for &at in &active {
        let Row { regions: (a, b), reached, last, .. } = minimal.rows[at as usize];
        // Two walkers wait, the third comes from anywhere beside.
        let unreached = bits::minus(&puzzle.all, &reached);
        let beside = puzzle.neighbours(&last, &unreached);
        if !bits::is_empty(&beside) {
            minimal.add(a, b, &beside);
        }
        // The walker at a comes there by the colour of a, or waits, like every other whose colour it is.
        let letters = [puzzle.colour[a], puzzle.colour[b]];
        for (number, &letter) in letters.iter().enumerate() {
            if number == 1 && letters[0] == letter {
                continue;
            }
            let mut thirds = last;
            let colour = &puzzle.of_colour[usize::from(letter)];
            bits::for_each(&bits::and(&last, colour), |c| thirds = bits::or(&thirds, &puzzle.touching[c]));
            let (from_a, from_b) = (comes_from(puzzle, a, letter), comes_from(puzzle, b, letter));
            for a in bits::elements(&from_a) {
                for b in bits::elements(&from_b) {
                    minimal.add(a, b, &thirds);
                }
            }
        }
    }
    // Their `last` goes when the next level is settled.
    minimal.active = active;
    minimal.settle();
}

/// Where a walker may be before a letter that leaves it at a region.
#[inline(always)]
fn comes_from<const W: usize>(puzzle: &FloodIt<W>, region: usize, letter: u8) -> Bits<W> {
    let mut from = if puzzle.colour[region] == letter { puzzle.touching[region] } else { bits::empty() };
    bits::set(&mut from, region);
    from
}
