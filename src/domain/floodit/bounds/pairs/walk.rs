//! Two walkers and one word: relations between regions, raised level by level.
//!
//! A letter lets each of the two walkers step to a touching region of that colour, or wait. A *relation* is a symmetric
//! set of pairs of regions, a bitset for each region; a level is spread over all pairs at once, a row at a time.

use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::wide::for_each_level;
use crate::domain::floodit::{Flood, FloodIt};

/// The pairs reached so far, and those that were reached last.
#[derive(Clone, Debug)]
pub(super) struct Relation<const W: usize> {
    pub(super) reached: Vec<Bits<W>>,
    last: Vec<Bits<W>>,
    next: Vec<Bits<W>>,
    /// Whether the last level reached anything.
    grows: bool,
}

impl<const W: usize> Relation<W> {
    /// The pair alone, both ways round.
    pub(super) fn new(regions: usize, (u, v): (usize, usize)) -> Self {
        let mut reached = vec![bits::empty(); regions];
        bits::set(&mut reached[u], v);
        bits::set(&mut reached[v], u);
        Self { last: reached.clone(), next: vec![bits::empty(); regions], reached, grows: true }
    }

    /// Counts what was gathered in `next` as reached.
    #[inline(always)]
    fn settle(&mut self) {
        let mut any = bits::empty();
        for ((reached, last), next) in self.reached.iter_mut().zip(&mut self.last).zip(&mut self.next) {
            *last = bits::minus(next, reached);
            *reached = bits::or(reached, last);
            any = bits::or(&any, last);
            *next = bits::empty();
        }
        self.grows = !bits::is_empty(&any);
    }
}

for_each_level! {
    /// Adds the pairs from which one letter leads to a pair reached before.
    pub(super) fn spread_back<const W: usize>(puzzle: &FloodIt<W>, relation: &mut Relation<W>) = back
}

#[inline(always)]
fn back<const W: usize>(puzzle: &FloodIt<W>, relation: &mut Relation<W>) {
    for a in 0..relation.last.len() {
        let row = relation.last[a];
        if bits::is_empty(&row) {
            continue;
        }
        // The first walker waits at a, the second comes from anywhere beside the row.
        let unreached = bits::minus(&puzzle.all, &relation.reached[a]);
        let beside = puzzle.neighbours(&row, &unreached);
        relation.next[a] = bits::or(&relation.next[a], &beside);
        // The first comes to a by the colour of a; the second waits, or comes by the same colour.
        let colour = &puzzle.of_colour[usize::from(puzzle.colour[a])];
        let mut from = row;
        bits::for_each(&bits::and(&row, colour), |b| from = bits::or(&from, &puzzle.touching[b]));
        bits::for_each(&puzzle.touching[a], |b| relation.next[b] = bits::or(&relation.next[b], &from));
    }
    relation.settle();
}

/// How far a flood is from every pair of regions outside it: level `k` holds the pairs to which `k` letters lead.
#[derive(Clone, Debug)]
pub(super) struct Reach<const W: usize> {
    levels: Vec<Vec<Bits<W>>>,
    /// The puzzle as seen from the flood: one region stands for all that are flooded.
    touching: Vec<Bits<W>>,
    depth: usize,
}

impl<const W: usize> Default for Reach<W> {
    fn default() -> Self {
        Self { levels: Vec::new(), touching: Vec::new(), depth: 0 }
    }
}

impl<const W: usize> Reach<W> {
    /// Measures from `state`.
    pub(super) fn measure(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>) {
        measure(puzzle, state, self);
    }

    /// Letters that lead to a pair.
    pub(super) fn distance(&self, u: usize, v: usize) -> usize {
        (0..self.depth).find(|&k| bits::contains(self.row(k, u), v)).unwrap_or(self.depth)
    }

    /// The number of levels: no pair is farther than this, less one.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The regions `b` to which, with `a`, `k` letters lead.
    pub(super) fn row(&self, k: usize, a: usize) -> &Bits<W> {
        &self.levels[k][a]
    }
}

for_each_level! {
    fn measure<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, reach: &mut Reach<W>) = forth
}

#[inline(always)]
fn forth<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, reach: &mut Reach<W>) {
    let regions = puzzle.regions();
    reach.touching.clear();
    for touching in &puzzle.touching {
        reach.touching.push(bits::minus(touching, &state.set));
    }
    reach.touching[puzzle.start] = state.near;
    let mut relation = Relation::new(regions, (puzzle.start, puzzle.start));
    reach.depth = 0;
    while relation.grows {
        match reach.levels.get_mut(reach.depth) {
            Some(level) => level.clone_from(&relation.reached),
            None => reach.levels.push(relation.reached.clone()),
        }
        reach.depth += 1;
        for a in 0..regions {
            let row = relation.last[a];
            if bits::is_empty(&row) {
                continue;
            }
            let mut beside = bits::empty();
            bits::for_each(&row, |b| beside = bits::or(&beside, &reach.touching[b]));
            relation.next[a] = bits::or(&relation.next[a], &beside);
            bits::for_each(&reach.touching[a], |b| {
                let colour = &puzzle.of_colour[usize::from(puzzle.colour[b])];
                let to = bits::or(&row, &bits::and(&beside, colour));
                relation.next[b] = bits::or(&relation.next[b], &to);
            });
        }
        relation.settle();
    }
}
