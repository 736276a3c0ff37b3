//! Prefixes: the part of a program before its endless loop.

use crate::domain::Machine;
use crate::engine::synthesis::bank::{Fragments, Id};
use crate::engine::synthesis::codes::order;

/// A prefix with its effect.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Prefix {
    /// The end state.
    pub(super) state: u16,
    /// The set of goals that the prefix leaves unmarked.
    pub(super) missing: Vec<u64>,
    /// The program, as codes of [`crate::board::Program`].
    pub(super) codes: Vec<u16>,
}

impl Prefix {
    /// The empty prefix.
    pub(super) fn empty<M: Machine>(fragments: &Fragments<'_, M>) -> Self {
        Self { state: fragments.machine.start(), missing: fragments.all_goals(), codes: Vec::new() }
    }

    /// This prefix followed by a fragment; `None` where more than `most` goals are left.
    pub(super) fn then<M: Machine>(&self, fragments: &Fragments<'_, M>, id: Id, most: u32) -> Option<Self> {
        let mut missing = self.missing.clone();
        let state = fragments.apply(id, self.state, &mut missing);
        (count(&missing) <= most).then(|| {
            let mut codes = self.codes.clone();
            fragments.write(id, &mut codes);
            Self { state, missing, codes }
        })
    }
}

/// The number of goals of a set.
#[inline]
pub(super) fn count(goals: &[u64]) -> u32 {
    goals.iter().map(|word| word.count_ones()).sum()
}

/// The first goals that every one of these prefixes leaves.
pub(super) fn common_missing(prefixes: &[Prefix]) -> u64 {
    prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0])
}

/// One of all prefixes that lead to the same state and leave the same goals: the lexically smallest. Sorted by state.
pub(super) fn distinct(mut prefixes: Vec<Prefix>) -> Vec<Prefix> {
    prefixes.sort_by(|a, b| (a.state, &a.missing).cmp(&(b.state, &b.missing)).then_with(|| order(&a.codes, &b.codes)));
    prefixes.dedup_by(|a, b| (a.state, &a.missing) == (b.state, &b.missing));
    prefixes
}
