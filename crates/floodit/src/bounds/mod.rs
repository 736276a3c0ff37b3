//! Admissible lower bounds of Flood-It.
//!
//! A new bound is one file here and a line in `registry.rs`.

mod distance;
mod elimination;
mod layers;
mod registry;

pub use registry::BoundKind;

use super::{Flood, FloodIt, bits};
use distance::Distances;
use elimination::{Balls, Stages};
use gridhunt_search::domain::{Bound, Cost, LowerBound};
use std::sync::OnceLock;

/// Schedules one job of length 1 for each release time above 0, as early as possible, one job at a time. Returns the
/// end of the last job.
#[cfg(not(target_family = "wasm"))]
pub(super) fn end_of_schedule(mut release: Vec<Cost>) -> Cost {
    release.sort_unstable();
    release.into_iter().filter(|&t| t > 0).fold(0, |end, t| t.max(end + 1))
}

/// For each colour, a lower bound on the number of moves that reach all its regions; 0 for a finished colour.
#[cfg(not(target_family = "wasm"))]
pub(super) fn release_times<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Vec<Cost> {
    Distances::default().measure(puzzle, state).release.clone()
}

/// A lower bound of a board.
#[derive(Debug)]
pub struct FloodBound<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    kind: BoundKind,
    /// The balls around each region, for explanations; computed when first needed.
    balls: OnceLock<Balls<W>>,
}

/// Working memory of the bounds.
#[derive(Clone, Debug, Default)]
pub struct BoundScratch<const W: usize> {
    distances: Distances<W>,
    stages: Stages<W>,
}

impl<'a, const W: usize> FloodBound<'a, W> {
    /// The bound `kind` on `puzzle`.
    #[must_use]
    pub fn new(puzzle: &'a FloodIt<W>, kind: BoundKind) -> Self {
        Self { puzzle, kind, balls: OnceLock::new() }
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for FloodBound<'_, W> {
    type Scratch = BoundScratch<W>;

    fn name(&self) -> String {
        self.kind.name().to_owned()
    }

    #[inline]
    fn evaluate(&self, state: &Flood<W>, enough: Cost, scratch: &mut BoundScratch<W>) -> Bound {
        Bound(self.kind.evaluate(self.puzzle, state, enough, &mut scratch.distances))
    }

    fn explain(
        &self,
        state: &Flood<W>,
        need: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut BoundScratch<W>,
    ) -> bool {
        if self.kind != BoundKind::Elimination {
            return false;
        }
        let balls = self.balls.get_or_init(|| Balls::of(self.puzzle));
        let mut wanted_set = bits::empty();
        wanted_set.iter_mut().zip(wanted).for_each(|(word, wanted)| *word = *wanted);
        let Some(reason) = elimination::explain(self.puzzle, state, need, &wanted_set, (balls, &mut scratch.stages))
        else {
            return false;
        };
        out.fill(0);
        out.iter_mut().zip(reason).for_each(|(out, word)| *out = word);
        true
    }

    fn explains_all(&self) -> bool {
        self.kind == BoundKind::Elimination
    }

    fn bytes(&self) -> u64 {
        self.balls.get().map_or(0, Balls::bytes)
    }

    /// Both bounds are consistent: `elimination.rs` and `layers.rs` have the proofs.
    fn is_consistent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{puzzle, random_board, walk};
    use super::*;

    #[test]
    fn elimination_alone_explains_all_that_it_refutes() {
        let puzzle = puzzle::<4>(&random_board(8, 8, 5, 8));
        let all: Vec<u64> = puzzle.all_regions().to_vec();
        assert!(!FloodBound::new(&puzzle, BoundKind::Layers).explains_all());
        let bound = FloodBound::new(&puzzle, BoundKind::Elimination);
        assert!(bound.explains_all());
        let (mut scratch, mut out) = (BoundScratch::default(), vec![0; all.len()]);
        for state in (0..30).flat_map(|seed| walk(&puzzle, seed)) {
            let Bound(value) = bound.evaluate(&state, Cost::MAX, &mut scratch);
            for need in 0..=value + 2 {
                assert_eq!(bound.explain(&state, need, &all, &mut out, &mut scratch), need <= value, "{state:?}");
            }
        }
    }

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
