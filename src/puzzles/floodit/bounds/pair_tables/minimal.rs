//! The minimal pairs before a target; `table` says what they are.

use super::effort::{Cut, Effort};
use super::target::{HOMES, Target};
use crate::puzzles::floodit::FloodIt;
use crate::puzzles::floodit::bits::{self, Bits};
use gridhunt_search::for_each_level;

/// The minimal pairs of one level after the other, each both ways round.
#[derive(Clone, Debug)]
pub(super) struct MinimalPairs<const W: usize> {
    reached: Vec<Bits<W>>,
    last: Vec<Bits<W>>,
    next: Vec<Bits<W>>,
    /// Positions `a` such that `(a, a)` or `(a, start)` is nearer than the next level: no pair with `a` is minimal
    /// there.
    near: Bits<W>,
    start: usize,
    steps: Steps<W>,
}

/// The steps of the walkers of one target.
#[derive(Clone, Debug, Default)]
struct Steps<const W: usize> {
    /// For each position, the regions from which a letter leads there.
    before: Vec<Bits<W>>,
    /// The letter that leads to each position.
    letter: Vec<u8>,
    /// The positions to which each letter leads.
    by_letter: Vec<Bits<W>>,
}

impl<const W: usize> Default for MinimalPairs<W> {
    fn default() -> Self {
        Self {
            reached: Vec::new(),
            last: Vec::new(),
            next: Vec::new(),
            near: bits::empty(),
            start: 0,
            steps: Steps::default(),
        }
    }
}

impl<const W: usize> Steps<W> {
    /// The steps of walkers to the two regions of the target, which end at these homes.
    fn prepare(&mut self, puzzle: &FloodIt<W>, target: Target, homes: [usize; 2]) {
        let positions = puzzle.regions() + HOMES;
        self.before.clone_from(&puzzle.neighbours);
        self.before.resize(positions, bits::empty());
        self.letter.clone_from(&puzzle.colour);
        self.letter.resize(positions, 0);
        self.by_letter.clone_from(&puzzle.of_colour);
        for (region, home) in target.map(usize::from).into_iter().zip(homes) {
            let letter = puzzle.colour[region];
            self.before[home] = puzzle.neighbours[region];
            bits::set(&mut self.before[home], region);
            self.letter[home] = letter;
            bits::set(&mut self.by_letter[usize::from(letter)], home);
        }
    }
}

impl<const W: usize> MinimalPairs<W> {
    /// Begins with level 0: both walkers at home.
    pub(super) fn begin(&mut self, puzzle: &FloodIt<W>, target: Target, homes: [usize; 2]) {
        for rows in [&mut self.reached, &mut self.last, &mut self.next] {
            rows.clear();
            rows.resize(puzzle.regions() + HOMES, bits::empty());
        }
        self.steps.prepare(puzzle, target, homes);
        let [one, other] = homes;
        bits::set(&mut self.last[one], other);
        bits::set(&mut self.last[other], one);
        (self.near, self.start) = (bits::empty(), puzzle.start);
        self.count_last();
    }

    /// Whether both walkers may be at the start; no flood is farther then.
    pub(super) fn holds_start(&self) -> bool {
        bits::contains(&self.near, self.start)
    }

    /// The level that was reached last: positions in rising order, each with its partners.
    pub(super) fn level(&self) -> Vec<(usize, Bits<W>)> {
        self.last.iter().copied().enumerate().filter(|(_, row)| !bits::is_empty(row)).collect()
    }

    /// Goes on to the next level: the minimal pairs from which one letter leads to a pair of the level before.
    pub(super) fn spread_back(&mut self, effort: &mut Effort<'_>) -> Result<(), Cut> {
        spread_back(self, effort)
    }

    /// Bytes of the working memory for a puzzle, one level as a list included.
    pub(super) fn bytes(puzzle: &FloodIt<W>) -> u64 {
        (5 * (puzzle.regions() + HOMES) * size_of::<(usize, Bits<W>)>()) as u64
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
    fn spread_back<const W: usize>(minimal: &mut MinimalPairs<W>, effort: &mut Effort<'_>) -> Result<(), Cut> = back
}

#[inline(always)]
fn back<const W: usize>(minimal: &mut MinimalPairs<W>, effort: &mut Effort<'_>) -> Result<(), Cut> {
    effort.spend(4 * W * minimal.last.len())?;
    let MinimalPairs { reached, last, next, near, steps, .. } = minimal;
    for a in 0..last.len() {
        let row = last[a];
        if bits::is_empty(&row) {
            continue;
        }
        effort.spend(2 * W * bits::count(&row) as usize)?;
        // The first walker waits at a, the second comes from anywhere beside the row.
        let mut beside = next[a];
        bits::for_each(&row, |b| beside = bits::or(&beside, &steps.before[b]));
        next[a] = beside;
        // The first comes to a by its letter; the second waits, or comes by the same letter.
        let same = &steps.by_letter[usize::from(steps.letter[a])];
        let mut from = row;
        bits::for_each(&bits::and(&row, same), |b| from = bits::or(&from, &steps.before[b]));
        bits::for_each(&steps.before[a], |b| next[b] = bits::or(&next[b], &from));
    }
    for (a, last) in last.iter_mut().enumerate() {
        let is_far = !bits::contains(near, a);
        *last = if is_far { bits::minus(&bits::minus(&next[a], near), &reached[a]) } else { bits::empty() };
        next[a] = bits::empty();
    }
    minimal.count_last();
    Ok(())
}
