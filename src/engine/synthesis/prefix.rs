//! How a program may begin.

use super::levels::{Id, Levels};
use super::order;
use crate::domain::Machine;

/// A fragment at the start of a program.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Prefix {
    /// Where it ends.
    pub(super) state: u16,
    /// Goals that it leaves, as a set.
    pub(super) missing: Vec<u64>,
    /// What it is, as codes of [`crate::board::Program`].
    pub(super) codes: Vec<u16>,
}

impl Prefix {
    /// The empty one.
    pub(super) fn nothing<M: Machine>(levels: &Levels<'_, M>) -> Self {
        Self { state: levels.start(), missing: levels.all_goals(), codes: Vec::new() }
    }

    /// Followed by a fragment, if that leaves no more goals than `most`.
    pub(super) fn then<M: Machine>(&self, levels: &Levels<'_, M>, id: Id, most: u32) -> Option<Self> {
        let mut missing = self.missing.clone();
        let state = levels.apply(id, self.state, &mut missing);
        (count(&missing) <= most).then(|| {
            let mut codes = self.codes.clone();
            levels.write(id, &mut codes);
            Self { state, missing, codes }
        })
    }
}

/// How many goals a set has.
#[inline]
pub(super) fn count(goals: &[u64]) -> u32 {
    goals.iter().map(|word| word.count_ones()).sum()
}

/// One of those that lead to the same: the smallest in lexical order.
pub(super) fn distinct(mut prefixes: Vec<Prefix>) -> Vec<Prefix> {
    let key = |prefix: &Prefix| (prefix.state, prefix.missing.clone());
    prefixes.sort_by(|a, b| (a.state, &a.missing).cmp(&(b.state, &b.missing)).then_with(|| order(&a.codes, &b.codes)));
    prefixes.dedup_by_key(|prefix| key(prefix));
    prefixes
}
