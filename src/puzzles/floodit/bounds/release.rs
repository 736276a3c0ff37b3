//! Schedule of the colours' last moves.
//!
//! **Admissible.** The last moves of the colours are different moves, and the last move of a colour cannot come before
//! the distance of its farthest region, its release time: a solution is at least as long as a schedule of unit jobs
//! with these release times. **Consistent**, because each release time falls by one at most, and only the release time
//! of the colour that a move finishes becomes 0.
//!
//! Source: the posts of April 2015 on optimal Flood-It solvers.

use super::distance::Distances;
use crate::puzzles::floodit::{Flood, FloodIt};
use gridhunt_search::domain::Cost;

pub(super) const SUMMARY: &str = "schedule of the colours' last moves, each after its farthest region can be reached";

#[inline]
pub(super) fn evaluate<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    _: Cost,
    distances: &mut Distances<W>,
) -> Cost {
    end_of_schedule(distances.measure(puzzle, state).release().to_vec())
}

/// The end of a schedule of one unit job for each release time above 0.
pub(super) fn end_of_schedule(mut release: Vec<Cost>) -> Cost {
    release.sort_unstable();
    release.into_iter().filter(|&t| t > 0).fold(0, |end, t| t.max(end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_of_unit_jobs() {
        for (release, end) in [
            (vec![], 0),
            (vec![0, 0, 1], 1),
            (vec![3, 1, 2], 3),
            (vec![2, 2, 0, 2], 4),
            (vec![1, 1, 5, 1], 5),
            (vec![5, 4, 5, 1], 6),
        ] {
            assert_eq!(end_of_schedule(release.clone()), end, "{release:?}");
        }
    }
}
