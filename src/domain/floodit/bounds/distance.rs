//! Bounds from plain distances: `layers`, `release` and `critical`.
//!
//! The distance of a region is the number of moves after which a player who plays every colour at once would reach it.

use crate::domain::Cost;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};

/// Distances of all regions from one flood; reused from state to state.
#[derive(Clone, Debug)]
pub(super) struct Distances<const W: usize> {
    flood: Option<Bits<W>>,
    /// `layers[t]` holds the regions at distance `t + 1`.
    layers: Vec<Bits<W>>,
    /// Release time of each unfinished colour: the distance of its farthest region; 0 for a finished one.
    release: Vec<Cost>,
}

impl<const W: usize> Default for Distances<W> {
    fn default() -> Self {
        Self { flood: None, layers: Vec::new(), release: Vec::new() }
    }
}

impl<const W: usize> Distances<W> {
    /// Measures from `state`; free when `state` was measured last.
    pub(super) fn measure(&mut self, puzzle: &FloodIt<W>, state: &Flood<W>) -> &mut Self {
        if self.flood == Some(state.set) {
            return self;
        }
        self.flood = Some(state.set);
        self.layers.clear();
        self.release.clear();
        self.release.resize(puzzle.of_colour.len(), 0);
        let mut layer = state.near;
        let mut unseen = bits::minus(&bits::minus(&puzzle.all, &state.set), &layer);
        while !bits::is_empty(&layer) {
            self.layers.push(layer);
            for (colour, regions) in puzzle.of_colour.iter().enumerate() {
                if bits::intersects(regions, &layer) {
                    self.release[colour] = self.layers.len() as Cost;
                }
            }
            layer = puzzle.neighbours(&layer, &unseen);
            unseen = bits::minus(&unseen, &layer);
        }
        self
    }

    /// Distance of the farthest region, or the number of unfinished colours.
    pub(super) fn layers(&self) -> Cost {
        let unfinished = self.release.iter().filter(|&&t| t > 0).count();
        (self.layers.len() as Cost).max(unfinished as Cost)
    }

    /// The last moves of the colours are different moves, and the last move of colour `c` cannot come before the
    /// release time of `c`: the end of a schedule of unit jobs with release times.
    pub(super) fn release(&self) -> Cost {
        end_of_schedule(self.release.clone())
    }

    /// [`Distances::release`], with the release time of a colour one later when its farthest regions cannot all be
    /// reached in time.
    ///
    /// To flood a region at its distance `t`, each of the `t` moves has to be a step of a shortest path to it. So a
    /// word that floods all farthest regions of a colour in time has, on each turn, a colour that lies at that turn on
    /// a shortest path to each of them. Where these sets of colours have nothing in common on some turn, no word does.
    ///
    /// **Consistent.** If a move brings all farthest regions of a colour nearer, the shortest paths that are left are
    /// the tails of those before: what had nothing in common then has nothing in common now. Otherwise the distance
    /// stays.
    pub(super) fn critical(&self, puzzle: &FloodIt<W>) -> Cost {
        let mut release = self.release.clone();
        for (colour, time) in release.iter_mut().enumerate() {
            if *time > 1 && self.in_conflict(puzzle, colour, *time) {
                *time += 1;
            }
        }
        end_of_schedule(release)
    }

    /// Whether the regions of `colour` at distance `time` have, on some turn, no colour in common.
    fn in_conflict(&self, puzzle: &FloodIt<W>, colour: usize, time: Cost) -> bool {
        let farthest = bits::and(&puzzle.of_colour[colour], &self.layers[time as usize - 1]);
        let turns = time as usize - 1;
        let mut common = vec![u64::MAX; turns];
        let mut conflict = false;
        bits::for_each(&farthest, |target| {
            let mut on_paths = bits::empty();
            bits::set(&mut on_paths, target);
            for turn in (0..turns).rev() {
                if conflict {
                    return;
                }
                on_paths = puzzle.neighbours(&on_paths, &self.layers[turn]);
                common[turn] &= colours_of(puzzle, &on_paths);
                conflict = common[turn] == 0;
            }
        });
        conflict
    }
}

fn colours_of<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>) -> u64 {
    let of_colour = puzzle.of_colour.iter().enumerate();
    of_colour.filter(|(_, regions)| bits::intersects(regions, set)).fold(0, |mask, (colour, _)| mask | 1 << colour)
}

/// The end of a schedule of one unit job for each release time above 0.
fn end_of_schedule(mut release: Vec<Cost>) -> Cost {
    release.sort_unstable();
    release.into_iter().filter(|&t| t > 0).fold(0, |end, t| t.max(end + 1))
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{board, puzzle, random_board, walk};
    use super::*;
    use crate::domain::Domain;

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
        let measured = distances.measure(&puzzle, &puzzle.root());
        assert_eq!(measured.release, [0, 3, 2, 4, 1]);
        assert_eq!((measured.layers(), measured.release(), measured.critical(&puzzle)), (4, 4, 5));
        let goal = puzzle.flood(puzzle.all);
        let measured = distances.measure(&puzzle, &goal);
        assert_eq!((measured.layers(), measured.release(), measured.critical(&puzzle)), (0, 0, 0));
    }

    #[test]
    fn more_colours_than_layers() {
        // A start that touches every region.
        let puzzle = puzzle::<1>(&board(&["23", "11", "45"], 1, 0));
        let mut distances = Distances::default();
        let measured = distances.measure(&puzzle, &puzzle.root());
        assert_eq!((measured.layers(), measured.release(), measured.critical(&puzzle)), (4, 4, 4));
    }

    #[test]
    fn scratch_remembers_only_the_same_state() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 6, 2));
        let mut reused = Distances::default();
        for state in walk(&puzzle, 1) {
            for _ in 0..2 {
                let mut fresh = Distances::default();
                let (a, b) = (reused.measure(&puzzle, &state), fresh.measure(&puzzle, &state));
                assert_eq!((&a.layers, &a.release), (&b.layers, &b.release));
                assert!(a.layers() <= a.release() && a.release() <= a.critical(&puzzle));
            }
        }
    }
}
