//! Distance of the farthest region, or the number of unfinished colours.
//!
//! **Admissible.** A move lowers the distance of each region by at most one, and finishes at most one colour.
//! **Consistent** for the same reason: both numbers fall by at most one.

use super::distance::Distances;
use crate::{Flood, FloodIt};
use gridhunt_search::domain::Cost;

pub(super) const SUMMARY: &str = "distance of the farthest region; colours left";

#[inline]
pub(super) fn evaluate<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    _: Cost,
    distances: &mut Distances<W>,
) -> Cost {
    let measured = distances.measure(puzzle, state);
    let unfinished = measured.release.iter().filter(|&&time| time > 0).count();
    (measured.layers.len() as Cost).max(unfinished as Cost)
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{board, puzzle};
    use super::*;
    use gridhunt_search::domain::Domain;

    #[test]
    fn values_known_by_hand() {
        // Four layers; four colours around a start that touches every region.
        for (lines, row, col, expected) in [(&["423512324"][..], 0, 4, 4), (&["23", "11", "45"], 1, 0, 4)] {
            let puzzle = puzzle::<1>(&board(lines, row, col));
            let value = |state| evaluate(&puzzle, &state, Cost::MAX, &mut Distances::default());
            assert_eq!((value(puzzle.root()), value(puzzle.flood(puzzle.all_regions))), (expected, 0), "{lines:?}");
        }
    }
}
