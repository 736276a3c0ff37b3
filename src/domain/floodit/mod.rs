//! Flood-It: one colour everywhere, in the fewest moves.
//!
//! A move index is the colour (an index into [`Board::symbols`]).

use super::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
use crate::board::Board;

/// The board contracted to regions, with states of `W` 64-bit words.
pub struct FloodIt<const W: usize> {}

/// Work to be done on a [`FloodIt`] of whatever width the board needs.
pub trait Visitor {
    /// What comes out of it.
    type Output;
    /// Does the work.
    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output;
}

/// Contracts the board and hands the puzzle to `visitor`.
pub fn with_puzzle<V: Visitor>(_board: &Board, visitor: V) -> V::Output {
    visitor.visit(&FloodIt::<2> {})
}

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
pub struct FloodBound<'a, const W: usize> {
    _puzzle: &'a FloodIt<W>,
    spec: BoundSpec,
}

impl<'a, const W: usize> FloodBound<'a, W> {
    /// The bounds of `spec` on `puzzle`.
    #[must_use]
    pub fn new(puzzle: &'a FloodIt<W>, spec: &BoundSpec) -> Self {
        Self { _puzzle: puzzle, spec: spec.clone() }
    }
}

impl<const W: usize> Domain for FloodIt<W> {
    type State = [u64; W];
    fn key_len(&self) -> usize {
        8 * W
    }
    fn mask_bits(&self) -> u32 {
        0
    }
    fn root(&self) -> [u64; W] {
        [0; W]
    }
    fn pack(&self, _: &[u64; W], _: &mut [u8]) {}
    fn unpack(&self, _: &[u8], _: &mut [u64; W]) {}
    fn successors(&self, _: &[u64; W], _: MoveMask, _: &mut Vec<Successor<[u64; W]>>) {}
    fn terminal(&self, _: &[u64; W]) -> Option<Cost> {
        None
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for FloodBound<'_, W> {
    type Scratch = ();
    fn name(&self) -> String {
        self.spec.to_string()
    }
    fn evaluate(&self, _: &[u64; W], _: Cost, (): &mut ()) -> Bound {
        Bound(0)
    }
    fn consistent(&self) -> bool {
        true
    }
}
