//! Admissible lower bounds of Flood-It, and their maximum.
//!
//! A new bound is one file here and a line in `registry.rs`.

mod critical;
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

/// Which lower bounds to take the maximum of, as `--bound` names them: `elimination+critical`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSpec(Vec<BoundKind>);

/// A name in `--bound` that no bound has.
#[derive(Debug, thiserror::Error)]
#[error("found bound {found:?}, expected one or several (joined by +) of: {expected}")]
pub struct UnknownBound {
    /// The unknown name.
    pub found: String,
    /// The names that there are.
    pub expected: String,
}

impl BoundSpec {
    /// Exactly these bounds.
    #[must_use]
    pub fn new(kinds: &[BoundKind]) -> Self {
        Self(kinds.to_vec())
    }
}

impl std::str::FromStr for BoundSpec {
    type Err = UnknownBound;

    fn from_str(text: &str) -> Result<Self, UnknownBound> {
        text.split('+')
            .map(|name| {
                BoundKind::ALL.into_iter().find(|b| b.name() == name).ok_or_else(|| UnknownBound {
                    found: name.to_owned(),
                    expected: BoundKind::ALL.map(BoundKind::name).join(", "),
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl std::fmt::Display for BoundSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.iter().map(|b| b.name()).collect::<Vec<_>>().join("+"))
    }
}

impl Default for BoundSpec {
    fn default() -> Self {
        Self(vec![BoundKind::Elimination])
    }
}

#[cfg(not(target_family = "wasm"))]
pub(super) use critical::end_of_schedule;

/// For each colour the least number of moves that may reach all its regions; 0 for a finished one.
#[cfg(not(target_family = "wasm"))]
pub(super) fn release_times<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Vec<Cost> {
    Distances::default().measure(puzzle, state).release().to_vec()
}

/// The maximum of the bounds of a [`BoundSpec`].
#[derive(Debug)]
pub struct FloodBound<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    spec: BoundSpec,
    /// What lies around each region, for explanations; made when it is needed first.
    balls: OnceLock<Balls<W>>,
}

/// Working memory of the bounds.
#[derive(Clone, Debug, Default)]
pub struct BoundScratch<const W: usize> {
    distances: Distances<W>,
    stages: Stages<W>,
}

impl<'a, const W: usize> FloodBound<'a, W> {
    /// The bounds of `spec` on `puzzle`.
    #[must_use]
    pub fn new(puzzle: &'a FloodIt<W>, spec: &BoundSpec) -> Self {
        Self { puzzle, spec: spec.clone(), balls: OnceLock::new() }
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for FloodBound<'_, W> {
    type Scratch = BoundScratch<W>;

    fn name(&self) -> String {
        self.spec.to_string()
    }

    #[inline]
    fn evaluate(&self, state: &Flood<W>, enough: Cost, scratch: &mut BoundScratch<W>) -> Bound {
        let mut best = 0;
        for kind in &self.spec.0 {
            best = best.max(kind.evaluate(self.puzzle, state, enough, &mut scratch.distances));
            if best >= enough {
                break;
            }
        }
        Bound(best)
    }

    /// Elimination explains itself, whatever else the bound consists of.
    fn explain(
        &self,
        state: &Flood<W>,
        need: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut BoundScratch<W>,
    ) -> bool {
        if !self.spec.0.contains(&BoundKind::Elimination) {
            return false;
        }
        let balls = self.balls.get_or_init(|| Balls::of(self.puzzle));
        let mut of_words = bits::empty();
        of_words.iter_mut().zip(wanted).for_each(|(word, wanted)| *word = *wanted);
        let Some(reason) = elimination::explain(self.puzzle, state, need, &of_words, (balls, &mut scratch.stages))
        else {
            return false;
        };
        out.fill(0);
        out.iter_mut().zip(reason).for_each(|(out, word)| *out = word);
        true
    }

    fn explains_all(&self) -> bool {
        self.spec.0 == [BoundKind::Elimination]
    }

    fn bytes(&self) -> u64 {
        self.balls.get().map_or(0, Balls::bytes)
    }

    /// All are: `critical` and `elimination` have proofs beside them, and a move brings each distance of
    /// which the others take the greatest down by one at most. The greatest of consistent bounds is consistent.
    fn consistent(&self) -> bool {
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
        let all: Vec<u64> = puzzle.all().to_vec();
        let joined = BoundSpec::new(&[BoundKind::Elimination, BoundKind::Critical]);
        assert!(!FloodBound::new(&puzzle, &joined).explains_all(), "critical refutes more");
        let bound = FloodBound::new(&puzzle, &BoundSpec::default());
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
    fn several_bounds_take_the_maximum() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 5, 8));
        let mut scratch = BoundScratch::default();
        let (mut leaders, all) =
            (std::collections::BTreeSet::new(), FloodBound::new(&puzzle, &BoundSpec::new(&BoundKind::ALL)));
        for state in (0..30).flat_map(|seed| walk(&puzzle, seed)) {
            let each = BoundKind::ALL.map(|kind| {
                FloodBound::new(&puzzle, &BoundSpec::new(&[kind])).evaluate(&state, Cost::MAX, &mut scratch)
            });
            let most = each.into_iter().max().unwrap();
            assert_eq!(all.evaluate(&state, Cost::MAX, &mut scratch), most);
            leaders.extend((0..3).filter(|&kind| (0..3).all(|other| other == kind || each[other] < most)));
        }
        assert!(
            leaders.contains(&1) && leaders.contains(&2),
            "no state tells a maximum from a single bound: {leaders:?}"
        );
    }
}
