//! How many letters lead two walkers from one flood to each pair of regions.

use super::super::distance::Distances;
use super::effort::{Cut, Effort};
use super::table::MOST_LEVELS;
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};
use gridhunt_search::for_each_level;

/// The distances of all pairs of regions from one flood, level by level. Level `k` holds the pairs to which at most `k`
/// letters lead: a row of partners for each region.
#[derive(Clone, Debug, Default)]
pub(super) struct PairReach<const W: usize> {
    levels: Vec<Vec<Bits<W>>>,
    depth: usize,
    /// Pairs that were reached so far, those that were reached last, and those that come next.
    reached: Vec<Bits<W>>,
    last: Vec<Bits<W>>,
    next: Vec<Bits<W>>,
    /// The neighbours of each region as seen from the flood: the start stands for all flooded regions.
    neighbours: Vec<Bits<W>>,
}

impl<const W: usize> PairReach<W> {
    /// Measures from `state`. When it is cut, nothing is known.
    pub(super) fn measure(
        &mut self,
        puzzle: &FloodIt<W>,
        state: &Flood<W>,
        effort: &mut Effort<'_>,
    ) -> Result<(), Cut> {
        self.depth = 0;
        // A walker takes as many letters as its region is far, so there are so many levels at least.
        let least = Distances::default().measure(puzzle, state).layers().len() + 1;
        effort.fits(Self::bytes_of(puzzle, least.min(MOST_LEVELS).max(self.levels.len())))?;
        measure_pairs(puzzle, state, self, effort)
    }

    /// Bytes of so many levels, and of the working memory.
    fn bytes_of(puzzle: &FloodIt<W>, levels: usize) -> u64 {
        ((levels + 4) * puzzle.regions() * size_of::<Bits<W>>()) as u64
    }

    /// Bytes that are held now.
    pub(super) fn bytes(&self) -> u64 {
        ((self.levels.len() + 4) * size_of_val(&*self.reached)) as u64
    }

    /// The number of levels, at most [`MOST_LEVELS`]. A pair that is not in the last of them is at least as many
    /// letters away as there are levels.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The regions `b` such that at most `k` letters lead to `a` and `b`.
    pub(super) fn row(&self, k: usize, a: usize) -> &Bits<W> {
        &self.levels[k][a]
    }

    /// Begins at the flood itself: both walkers at the start.
    #[inline(always)]
    fn begin(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>) {
        self.neighbours.clear();
        self.neighbours.reserve_exact(puzzle.regions());
        for neighbours in &puzzle.neighbours {
            self.neighbours.push(bits::minus(neighbours, &state.set));
        }
        self.neighbours[puzzle.start] = state.near;
        for rows in [&mut self.reached, &mut self.last, &mut self.next] {
            rows.clear();
            rows.resize(puzzle.regions(), bits::empty());
        }
        bits::set(&mut self.next[puzzle.start], puzzle.start);
    }

    /// Makes a level of the pairs that come next. Returns false, and makes no level, when all of them were reached
    /// before.
    #[inline(always)]
    fn settle(&mut self, puzzle: &FloodIt<W>, effort: &Effort<'_>) -> Result<bool, Cut> {
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
                None => {
                    effort.fits(Self::bytes_of(puzzle, self.depth + 1))?;
                    self.levels.push(self.reached.clone());
                }
            }
            self.depth += 1;
        }
        Ok(grows)
    }

    /// The neighbours of the regions of a row.
    #[inline(always)]
    fn beside(&self, row: &Bits<W>) -> Bits<W> {
        let mut beside = bits::empty();
        bits::for_each(row, |region| beside = bits::or(&beside, &self.neighbours[region]));
        beside
    }

    #[inline(always)]
    fn add(&mut self, region: usize, partners: &Bits<W>) {
        self.next[region] = bits::or(&self.next[region], partners);
    }
}

for_each_level! {
    fn measure_pairs<const W: usize>(
        puzzle: &FloodIt<W>, state: &Flood<W>, reach: &mut PairReach<W>, effort: &mut Effort<'_>,
    ) -> Result<(), Cut> = spread_pairs
}

#[inline(always)]
fn spread_pairs<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    reach: &mut PairReach<W>,
    effort: &mut Effort<'_>,
) -> Result<(), Cut> {
    reach.begin(puzzle, state);
    while reach.depth < MOST_LEVELS && reach.settle(puzzle, effort)? {
        effort.spend(4 * W * puzzle.regions())?;
        for a in 0..puzzle.regions() {
            let row = reach.last[a];
            if bits::is_empty(&row) {
                continue;
            }
            effort.spend(W * bits::count(&row) as usize)?;
            // The first walker waits at `a`, the second steps to any neighbour.
            let beside = reach.beside(&row);
            reach.add(a, &beside);
            // The first walker steps to `x`; the second waits, or steps by the same letter.
            let to_a = reach.neighbours[a];
            for x in bits::elements(&to_a) {
                let colour = &puzzle.of_colour[usize::from(puzzle.colour[x])];
                reach.add(x, &bits::or(&row, &bits::and(&beside, colour)));
            }
        }
    }
    Ok(())
}
