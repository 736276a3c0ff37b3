//! Release times raised where no colour serves all farthest regions at once.
//!
//! The release time of a colour is one later when its farthest regions cannot all be reached in time. To flood a region
//! at its distance `t`, each of the `t` moves has to be a step of a shortest path to the region. So a word that floods
//! all farthest regions of a colour in time has, on each turn, a colour that lies at that turn on a shortest path to
//! each of them. Where these sets of colours have no common colour on some turn, there is no such word.
//!
//! **Consistent.** If a move brings all farthest regions of a colour nearer, the shortest paths that are left are tails
//! of the shortest paths before. Sets without a common colour before have none now. Otherwise the distance stays.
//!
//! Source: the post "One More Tweak", in its general form.

use super::distance::Distances;
use super::release::end_of_schedule;
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};
use gridhunt_search::domain::Cost;

pub(super) const SUMMARY: &str = "release times raised where no colour serves all farthest regions at once";

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
    use super::super::{layers, release};
    use super::*;
    use gridhunt_search::domain::Domain;

    #[test]
    fn values_known_by_hand() {
        // Left of the start 5 3 2 4, right of it 2 3 2 4: each colour has a turn of its own, but nothing serves both
        // sides at once.
        let puzzle = puzzle::<1>(&board(&["423512324"], 0, 4));
        let mut distances = Distances::default();
        assert_eq!(distances.measure(&puzzle, &puzzle.root()).release(), [0, 3, 2, 4, 1]);
        assert_eq!(release::evaluate(&puzzle, &puzzle.root(), Cost::MAX, &mut distances), 4);
        assert_eq!(evaluate(&puzzle, &puzzle.root(), Cost::MAX, &mut distances), 5);
        assert_eq!(evaluate(&puzzle, &puzzle.flood(puzzle.all), Cost::MAX, &mut distances), 0);
    }

    #[test]
    fn each_of_three_says_no_less_than_the_one_before() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 6, 2));
        let mut distances = Distances::default();
        for state in walk(&puzzle, 1) {
            let [one, two, three] = [layers::evaluate, release::evaluate, evaluate]
                .map(|evaluate| evaluate(&puzzle, &state, Cost::MAX, &mut distances));
            assert!(one <= two && two <= three, "{one} {two} {three}");
        }
    }
}
