//! The minimal pairs before a target; `table` says what they are.

use super::target::Target;
use crate::domain::floodit::FloodIt;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::wide::for_each_level;

/// The minimal pairs of one level after the other, each both ways round.
#[derive(Clone, Debug)]
pub(super) struct MinimalPairs<const W: usize> {
    reached: Vec<Bits<W>>,
    last: Vec<Bits<W>>,
    next: Vec<Bits<W>>,
    /// Regions `a` such that `(a, a)` or `(a, start)` is nearer than the next level: no pair with `a` is minimal there.
    near: Bits<W>,
    start: usize,
}

impl<const W: usize> Default for MinimalPairs<W> {
    fn default() -> Self {
        Self { reached: Vec::new(), last: Vec::new(), next: Vec::new(), near: bits::empty(), start: 0 }
    }
}

impl<const W: usize> MinimalPairs<W> {
    /// Begins with level 0: the target itself.
    pub(super) fn begin(&mut self, puzzle: &FloodIt<W>, target: Target) {
        for rows in [&mut self.reached, &mut self.last, &mut self.next] {
            rows.clear();
            rows.resize(puzzle.regions(), bits::empty());
        }
        let [u, v] = target.map(usize::from);
        bits::set(&mut self.last[u], v);
        bits::set(&mut self.last[v], u);
        (self.near, self.start) = (bits::empty(), puzzle.start);
        self.count_last();
    }

    /// Whether both walkers may be at the start; no flood is farther then.
    pub(super) fn holds_start(&self) -> bool {
        bits::contains(&self.near, self.start)
    }

    /// The level that was reached last: regions in rising order, each with its partners.
    pub(super) fn level(&self) -> Vec<(usize, Bits<W>)> {
        self.last.iter().copied().enumerate().filter(|(_, row)| !bits::is_empty(row)).collect()
    }

    /// Goes on to the next level: the minimal pairs from which one letter leads to a pair of the level before.
    pub(super) fn spread_back(&mut self, puzzle: &FloodIt<W>) {
        spread_back(puzzle, self);
    }

    /// Bytes of the working memory.
    pub(super) fn bytes(&self) -> u64 {
        3 * size_of_val(&*self.last) as u64
    }

    #[inline(always)]
    fn count_last(&mut self) {
        for (a, (last, reached)) in self.last.iter().zip(&mut self.reached).enumerate() {
            *reached = bits::or(reached, last);
            if bits::contains(last, a) || bits::contains(last, self.start) {
                bits::set(&mut self.near, a);
            }
        }
    }
}

for_each_level! {
    fn spread_back<const W: usize>(puzzle: &FloodIt<W>, minimal: &mut MinimalPairs<W>) = back
}

#[inline(always)]
fn back<const W: usize>(puzzle: &FloodIt<W>, minimal: &mut MinimalPairs<W>) {
    let MinimalPairs { reached, last, next, near, .. } = minimal;
    for a in 0..last.len() {
        let row = last[a];
        if bits::is_empty(&row) {
            continue;
        }
        // The first walker waits at a, the second comes from anywhere beside the row.
        let unreached = bits::minus(&puzzle.all, &reached[a]);
        next[a] = bits::or(&next[a], &puzzle.neighbours(&row, &unreached));
        // The first comes to a by the colour of a; the second waits, or comes by the same colour.
        let colour = &puzzle.of_colour[usize::from(puzzle.colour[a])];
        let mut from = row;
        bits::for_each(&bits::and(&row, colour), |b| from = bits::or(&from, &puzzle.neighbours[b]));
        bits::for_each(&puzzle.neighbours[a], |b| next[b] = bits::or(&next[b], &from));
    }
    for (a, last) in last.iter_mut().enumerate() {
        let is_far = !bits::contains(near, a);
        *last = if is_far { bits::minus(&bits::minus(&next[a], near), &reached[a]) } else { bits::empty() };
        next[a] = bits::empty();
    }
    minimal.count_last();
}
