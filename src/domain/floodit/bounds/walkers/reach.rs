//! How far a flood is from all pairs of regions, and from all triples.

use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};
use crate::domain::wide::for_each_level;

/// Rows of regions that are reached level by level: level `k` holds all to which `k` letters lead.
#[derive(Clone, Debug, Default)]
struct Spread<const W: usize> {
    levels: Vec<Vec<Bits<W>>>,
    depth: usize,
    /// What was reached so far, what was reached last, and what is next.
    reached: Vec<Bits<W>>,
    last: Vec<Bits<W>>,
    next: Vec<Bits<W>>,
    /// The puzzle as seen from the flood: one region stands for all that are flooded.
    touching: Vec<Bits<W>>,
}

impl<const W: usize> Spread<W> {
    /// Begins with so many rows, in one of which is the start.
    #[inline(always)]
    fn begin(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>, (rows, of_start): (usize, usize)) {
        self.touching.clear();
        for touching in &puzzle.touching {
            self.touching.push(bits::minus(touching, &state.set));
        }
        self.touching[puzzle.start] = state.near;
        for of_rows in [&mut self.reached, &mut self.last, &mut self.next] {
            of_rows.clear();
            of_rows.resize(rows, bits::empty());
        }
        bits::set(&mut self.next[of_start], puzzle.start);
        self.depth = 0;
    }

    /// Makes a level of what is next. Whether there was anything; otherwise there are all levels.
    #[inline(always)]
    fn settle(&mut self) -> bool {
        let mut any = bits::empty();
        for ((reached, last), next) in self.reached.iter_mut().zip(&mut self.last).zip(&mut self.next) {
            *last = bits::minus(next, reached);
            *reached = bits::or(reached, last);
            any = bits::or(&any, last);
            *next = bits::empty();
        }
        let grows = !bits::is_empty(&any);
        if grows {
            match self.levels.get_mut(self.depth) {
                Some(level) => level.clone_from(&self.reached),
                None => self.levels.push(self.reached.clone()),
            }
            self.depth += 1;
        }
        grows
    }

    #[inline(always)]
    fn beside(&self, row: &Bits<W>) -> Bits<W> {
        let mut beside = bits::empty();
        bits::for_each(row, |region| beside = bits::or(&beside, &self.touching[region]));
        beside
    }

    #[inline(always)]
    fn add(&mut self, row: usize, regions: &Bits<W>) {
        self.next[row] = bits::or(&self.next[row], regions);
    }
}

/// How far a flood is from every pair of regions outside it.
#[derive(Clone, Debug, Default)]
pub(super) struct PairReach<const W: usize>(Spread<W>);

impl<const W: usize> PairReach<W> {
    /// Measures from `state`.
    pub(super) fn measure(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>) {
        measure_pairs(puzzle, state, &mut self.0);
    }

    /// The number of levels: no pair is farther than this, less one.
    pub(super) fn depth(&self) -> usize {
        self.0.depth
    }

    /// The regions `b` to which, with `a`, `k` letters lead.
    pub(super) fn row(&self, k: usize, a: usize) -> &Bits<W> {
        &self.0.levels[k][a]
    }
}

for_each_level! {
    fn measure_pairs<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, spread: &mut Spread<W>) = spread_pairs
}

#[inline(always)]
fn spread_pairs<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, spread: &mut Spread<W>) {
    spread.begin(puzzle, state, (puzzle.regions(), puzzle.start));
    while spread.settle() {
        for a in 0..puzzle.regions() {
            let row = spread.last[a];
            if bits::is_empty(&row) {
                continue;
            }
            let beside = spread.beside(&row);
            spread.add(a, &beside);
            let to_a = spread.touching[a];
            for x in bits::elements(&to_a) {
                let colour = &puzzle.of_colour[usize::from(puzzle.colour[x])];
                spread.add(x, &bits::or(&row, &bits::and(&beside, colour)));
            }
        }
    }
}

/// How far a flood is from every three regions outside it.
#[derive(Clone, Debug, Default)]
pub(super) struct TripleReach<const W: usize> {
    spread: Spread<W>,
    /// The regions outside the flood, and the one that stands for all that are flooded.
    regions: Vec<usize>,
    /// Where they stand there; others nowhere.
    number: Vec<u16>,
}

/// What is worked with beside the levels takes as much as so many of them.
const WORKING: u64 = 3;

/// The row of two regions by their numbers.
#[inline(always)]
fn row_of(a: usize, b: usize) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high + 1) / 2 + low
}

impl<const W: usize> TripleReach<W> {
    /// Measures from `state`, in time and memory as the cube of the number of regions outside. Whether so many bytes were enough;
    /// otherwise nothing was measured.
    pub(super) fn measure(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>, bytes: u64) -> bool {
        let mut outside = bits::minus(&puzzle.all, &state.set);
        bits::set(&mut outside, puzzle.start);
        self.regions.clear();
        bits::for_each(&outside, |region| self.regions.push(region));
        self.number.clear();
        self.number.resize(puzzle.regions(), u16::MAX);
        for (number, &region) in self.regions.iter().enumerate() {
            self.number[region] = number as u16;
        }
        let rows = row_of(0, self.regions.len()) as u64;
        let levels = bytes / (rows * size_of::<Bits<W>>() as u64);
        let is_measured = levels > WORKING && measure_triples(puzzle, state, self, (levels - WORKING) as usize);
        if !is_measured {
            *self = Self::default();
        }
        is_measured
    }

    /// The number of levels: no triple is farther than this, less one.
    pub(super) fn depth(&self) -> usize {
        self.spread.depth
    }

    /// The regions `c` to which, with `a` and `b`, `k` letters lead; both are outside the flood.
    pub(super) fn row(&self, k: usize, a: usize, b: usize) -> &Bits<W> {
        &self.spread.levels[k][row_of(usize::from(self.number[a]), usize::from(self.number[b]))]
    }
}

for_each_level! {
    fn measure_triples<const W: usize>(
        puzzle: &FloodIt<W>, state: &Flood<W>, reach: &mut TripleReach<W>, most_levels: usize,
    ) -> bool = spread_triples
}

#[inline(always)]
fn spread_triples<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    reach: &mut TripleReach<W>,
    most_levels: usize,
) -> bool {
    let TripleReach { spread, regions, number } = reach;
    let start = usize::from(number[puzzle.start]);
    spread.begin(puzzle, state, (row_of(0, regions.len()), row_of(start, start)));
    while spread.settle() {
        if spread.depth > most_levels {
            return false;
        }
        for a in 0..regions.len() {
            for b in 0..=a {
                let row = spread.last[row_of(a, b)];
                if bits::is_empty(&row) {
                    continue;
                }
                let beside = spread.beside(&row);
                spread.add(row_of(a, b), &beside);
                let [to_a, to_b] = [spread.touching[regions[a]], spread.touching[regions[b]]];
                for y in bits::elements(&to_b) {
                    let thirds = bits::or(&row, &bits::and(&beside, &puzzle.of_colour[usize::from(puzzle.colour[y])]));
                    spread.add(row_of(a, usize::from(number[y])), &thirds);
                }
                for x in bits::elements(&to_a) {
                    let of_letter = &puzzle.of_colour[usize::from(puzzle.colour[x])];
                    let thirds = bits::or(&row, &bits::and(&beside, of_letter));
                    let x = usize::from(number[x]);
                    spread.add(row_of(x, b), &thirds);
                    for y in bits::elements(&bits::and(&to_b, of_letter)) {
                        spread.add(row_of(x, usize::from(number[y])), &thirds);
                    }
                }
            }
        }
    }
    true
}
