//! What a search that learns has refuted.

use super::no_goods::NoGoods;
use super::visited::Visited;
use std::fmt;

/// The no-goods of one budget, and the sets that were searched with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) no_goods: NoGoods,
    pub(super) visited: Visited,
}

/// The no-goods that a search has left, whatever has ended it. Any of them may be missing.
#[derive(Clone, Default, PartialEq)]
pub struct RefutedSets {
    /// By budget.
    pub(super) levels: Vec<Level>,
    /// All elements.
    pub(super) all: Vec<u64>,
}

impl fmt::Debug for RefutedSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: usize = self.levels.iter().map(|level| level.no_goods.len()).sum();
        write!(f, "RefutedSets({count})")
    }
}
