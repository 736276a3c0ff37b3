//! Breadth-first distances of the regions from the flood, for the bound `layers`.
//!
//! The distance of a region is the number of moves after which the flood would reach it, if each move played every
//! colour at once.

use crate::bits::{self, Bits};
use crate::{Flood, FloodIt};
use gridhunt_search::domain::Cost;

/// Distances of all regions from one flood; reused from state to state.
#[derive(Clone, Debug, Default)]
pub(super) struct Distances<const W: usize> {
    flood: Option<Bits<W>>,
    /// `layers[t]` holds the regions at distance `t + 1`.
    pub(super) layers: Vec<Bits<W>>,
    /// Release time of each unfinished colour: the distance of its farthest region; 0 for a finished one.
    pub(super) release: Vec<Cost>,
}

impl<const W: usize> Distances<W> {
    /// Measures the distances from `state`. Does nothing if the last measurement was from `state` too.
    #[inline(always)]
    pub(super) fn measure(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>) -> &Self {
        if self.flood == Some(state.flooded) {
            return self;
        }
        self.flood = Some(state.flooded);
        self.layers.clear();
        self.release.clear();
        self.release.resize(puzzle.of_colour.len(), 0);
        let mut layer = state.adjacent;
        let mut unseen = bits::difference(&bits::difference(&puzzle.all_regions, &state.flooded), &layer);
        while !bits::is_empty(&layer) {
            self.layers.push(layer);
            for (colour, regions) in puzzle.of_colour.iter().enumerate() {
                if bits::intersects(regions, &layer) {
                    self.release[colour] = self.layers.len() as Cost;
                }
            }
            layer = puzzle.neighbours(&layer, &unseen);
            unseen = bits::difference(&unseen, &layer);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{puzzle, random_board, walk};
    use super::*;

    #[test]
    fn scratch_remembers_only_the_same_state() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 6, 2));
        let mut reused = Distances::default();
        for state in walk(&puzzle, 1) {
            for _ in 0..2 {
                let mut fresh = Distances::default();
                let (a, b) = (reused.measure(&puzzle, &state), fresh.measure(&puzzle, &state));
                assert_eq!((&a.layers, &a.release), (&b.layers, &b.release));
            }
        }
    }
}
