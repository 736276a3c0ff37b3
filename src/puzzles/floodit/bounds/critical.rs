//! Schedule of the colours' last moves, with release times raised where no colour serves all farthest regions at once.
//!
//! **Admissible.** The last moves of the colours are different moves, and the last move of a colour cannot come before
//! the distance of its farthest region, its *release time*: a solution is at least as long as a schedule of unit jobs
//! with these release times. The release time of a colour is one later when its farthest regions cannot all be reached
//! in time. To flood a region at its distance `t`, each of the `t` moves has to be a step of a shortest path to the
//! region. So a word that floods all farthest regions of a colour in time has, on each turn, a colour that lies at that
//! turn on a shortest path to each of them. Where these sets of colours have no common colour on some turn, there is no
//! such word.
//!
//! **Consistent.** Each release time falls by one at most, and only the release time of the colour that a move finishes
//! becomes 0. If a move brings all farthest regions of a colour nearer, the shortest paths that are left are tails of
//! the shortest paths before. Sets without a common colour before have none now. Otherwise the distance stays.
//!
//! Source: the posts of April 2015 on optimal Flood-It solvers, and the post "One More Tweak", in its general form.

use super::distance::Distances;
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};
use gridhunt_search::domain::Cost;

pub(super) const SUMMARY: &str =
    "schedule of the colours' last moves, later where no colour serves all farthest regions";

pub(super) fn evaluate<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    _: Cost,
    distances: &mut Distances<W>,
) -> Cost {
    let measured = distances.measure(puzzle, state);
    let (mut release, few) = (measured.release().to_vec(), puzzle.of_colour.len() <= 64);
    for (colour, time) in release.iter_mut().enumerate() {
        let layers = &measured.layers()[..*time as usize];
        let in_conflict = if few { in_conflict::<W, 1> } else { in_conflict::<W, { bits::COLOUR_WORDS }> };
        if *time > 1 && in_conflict(puzzle, colour, layers) {
            *time += 1;
        }
    }
    end_of_schedule(release)
}

/// The end of a schedule of one unit job for each release time above 0.
pub(in crate::puzzles::floodit) fn end_of_schedule(mut release: Vec<Cost>) -> Cost {
    release.sort_unstable();
    release.into_iter().filter(|&t| t > 0).fold(0, |end, t| t.max(end + 1))
}

/// Whether the regions of `colour` in the last of these layers have, on some turn, no colour in common. Sets of colours
/// have `M` words.
fn in_conflict<const W: usize, const M: usize>(puzzle: &FloodIt<W>, colour: usize, layers: &[Bits<W>]) -> bool {
    let Some((last, before)) = layers.split_last() else { return false };
    let farthest = bits::and(&puzzle.of_colour[colour], last);
    let mut common = vec![[u64::MAX; M]; before.len()];
    let mut conflict = false;
    bits::for_each(&farthest, |target| {
        let mut on_paths = bits::empty();
        bits::set(&mut on_paths, target);
        for (turn, layer) in before.iter().enumerate().rev() {
            if conflict {
                return;
            }
            on_paths = puzzle.neighbours(&on_paths, layer);
            common[turn] = bits::and(&common[turn], &colours_of(puzzle, &on_paths));
            conflict = bits::is_empty(&common[turn]);
        }
    });
    conflict
}

fn colours_of<const W: usize, const M: usize>(puzzle: &FloodIt<W>, set: &Bits<W>) -> Bits<M> {
    let mut colours = bits::empty();
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if bits::intersects(regions, set) {
            bits::set(&mut colours, colour);
        }
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{board, puzzle, random_board, walk};
    use super::super::layers;
    use super::*;
    use gridhunt_search::domain::Domain;

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

    #[test]
    fn values_known_by_hand() {
        // Left of the start 5 3 2 4, right of it 2 3 2 4: each colour has a turn of its own, but nothing serves both
        // sides at once.
        let puzzle = puzzle::<1>(&board(&["423512324"], 0, 4));
        let mut distances = Distances::default();
        assert_eq!(distances.measure(&puzzle, &puzzle.root()).release(), [0, 3, 2, 4, 1]);
        assert_eq!(evaluate(&puzzle, &puzzle.root(), Cost::MAX, &mut distances), 5);
        assert_eq!(evaluate(&puzzle, &puzzle.flood(puzzle.all), Cost::MAX, &mut distances), 0);
    }

    #[test]
    fn no_value_is_below_that_of_layers() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 6, 2));
        let mut distances = Distances::default();
        for state in walk(&puzzle, 1) {
            let [one, other] =
                [layers::evaluate, evaluate].map(|evaluate| evaluate(&puzzle, &state, Cost::MAX, &mut distances));
            assert!(one <= other, "{one} {other}");
        }
    }
}
