//! The ordering heuristics: which states, or which clicks of one state, come first. `promise.rs` computes them.

use gridhunt_boards::names;

/// An ordering heuristic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// States with few single cells and few groups.
    #[default]
    Singles,
    /// States whose single cells are near to others of their colour, then those with few groups.
    Distances,
    /// Clicks far from the corner, then near to a cell of the same colour.
    FarThenNear,
    /// Clicks far from the corner, then low.
    FarThenLow,
    /// Clicks far from the corner, then high.
    FarThenHigh,
}

names!(
    Order:
    Singles "singles", Distances "distances", FarThenNear "maxX+distance", FarThenLow "maxX+minY", FarThenHigh "maxX+maxY"
);

impl Order {
    /// One line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Singles => "few single cells, weighed by their colour, and few groups",
            Self::Distances => "single cells near to others of their colour, then few groups",
            Self::FarThenNear => "clicks whose last column is farthest, then nearest to a cell of the same colour",
            Self::FarThenLow => "clicks whose last column is farthest, then lowest",
            Self::FarThenHigh => "clicks whose last column is farthest, then highest",
        }
    }

    /// Whether the order compares the clicks of one state instead of states.
    #[must_use]
    pub fn is_of_clicks(self) -> bool {
        matches!(self, Self::FarThenNear | Self::FarThenLow | Self::FarThenHigh)
    }
}
