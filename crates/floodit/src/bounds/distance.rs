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
    /// `layers[t]` holds the regions at distance `t + 1`.
    pub(super) layers: Vec<Bits<W>>,
    /// Release time of each unfinished colour: the distance of its farthest region; 0 for a finished one.
    pub(super) release: Vec<Cost>,
}

impl<const W: usize> Distances<W> {
    /// Measures the distances from `state`.
    #[inline(always)]
    pub(super) fn measure(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>) -> &Self {
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
