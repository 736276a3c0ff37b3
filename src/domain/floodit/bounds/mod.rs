//! Admissible lower bounds of Flood-It, and their maximum.
//!
//! A new bound is one file here, a variant of [`BoundKind`] and a line in [`FloodBound::evaluate`].

mod distance;
mod elimination;

use super::{Flood, FloodIt};
use crate::domain::{Bound, Cost, LowerBound};
use distance::Distances;

/// Which lower bounds to take the maximum of, as `--bound` names them: `elimination+release`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSpec(Vec<BoundKind>);

/// One lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    /// Distance of the farthest region, or colours left.
    Layers,
    /// Schedule of the last moves of the colours.
    Release,
    /// Release times raised by critical colours.
    Critical,
    /// Elimination layers.
    Elimination,
}

impl BoundKind {
    /// Every bound, weak to strong.
    pub const ALL: [Self; 4] = [Self::Layers, Self::Release, Self::Critical, Self::Elimination];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Layers => "layers",
            Self::Release => "release",
            Self::Critical => "critical",
            Self::Elimination => "elimination",
        }
    }

    /// One line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Layers => "distance of the farthest region; colours left",
            Self::Release => "schedule of the colours' last moves, each after its farthest region can be reached",
            Self::Critical => "release times raised where no colour serves all farthest regions at once",
            Self::Elimination => "breadth-first layers in which finished colours are played first",
        }
    }
}

/// A name in `--bound` that no bound has.
#[derive(Debug, thiserror::Error)]
#[error("found bound {found:?}, expected one or several (joined by +) of: {expected}")]
pub struct UnknownBound {
    /// What was named.
    pub found: String,
    /// What could have been.
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

/// The maximum of the bounds of a [`BoundSpec`].
#[derive(Clone, Debug)]
pub struct FloodBound<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    spec: BoundSpec,
}

/// Working memory of the bounds.
#[derive(Clone, Debug)]
pub struct BoundScratch<const W: usize>(Distances<W>);

impl<const W: usize> Default for BoundScratch<W> {
    fn default() -> Self {
        Self(Distances::default())
    }
}

impl<'a, const W: usize> FloodBound<'a, W> {
    /// The bounds of `spec` on `puzzle`.
    #[must_use]
    pub fn new(puzzle: &'a FloodIt<W>, spec: &BoundSpec) -> Self {
        Self { puzzle, spec: spec.clone() }
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
            let value = match kind {
                BoundKind::Elimination => elimination::evaluate(self.puzzle, state, enough),
                BoundKind::Layers => scratch.0.measure(self.puzzle, state).layers(),
                BoundKind::Release => scratch.0.measure(self.puzzle, state).release(),
                BoundKind::Critical => scratch.0.measure(self.puzzle, state).critical(self.puzzle),
            };
            best = best.max(value);
            if best >= enough {
                break;
            }
        }
        Bound(best)
    }

    /// All four are: `critical` and `elimination` have proofs beside them, and a move brings each distance of which the
    /// others take the greatest down by one at most. The greatest of consistent bounds is consistent.
    fn consistent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{puzzle, random_board, walk};
    use super::*;

    #[test]
    fn names_and_back() {
        for kind in BoundKind::ALL {
            assert_eq!(kind.name().parse::<BoundSpec>().unwrap(), BoundSpec::new(&[kind]));
        }
        let several: BoundSpec = "critical+layers".parse().unwrap();
        assert_eq!(several, BoundSpec::new(&[BoundKind::Critical, BoundKind::Layers]));
        assert_eq!(several.to_string(), "critical+layers");
        assert_eq!(BoundSpec::default().to_string(), "elimination");
    }

    #[test]
    fn unknown_names_are_named() {
        for (text, found) in [("", ""), ("layer", "layer"), ("layers+", ""), ("layers+Release", "Release")] {
            let error = text.parse::<BoundSpec>().unwrap_err();
            assert_eq!(error.found, found);
            assert!(error.to_string().contains("layers, release, critical, elimination"), "{error}");
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
            leaders.extend((0..4).filter(|&kind| (0..4).all(|other| other == kind || each[other] < most)));
        }
        assert!(
            leaders.contains(&2) && leaders.contains(&3),
            "no state tells a maximum from a single bound: {leaders:?}"
        );
    }
}
