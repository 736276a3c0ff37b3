//! Prefixes: the part of a program before its endless loop.

use crate::bank::{Fragments, Id};
use crate::codes::Codes;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Prefix {
    pub(super) state: u16,
    /// The set of unmarked goals.
    pub(super) missing: Vec<u64>,
    /// The program, as [`Codes`].
    pub(super) codes: Vec<u16>,
}

impl Prefix {
    pub(super) fn empty(fragments: &Fragments<'_>) -> Self {
        Self { state: fragments.machine.start(), missing: fragments.all_goals(), codes: Vec::new() }
    }

    /// Whether the state is one of the machine, and there is a word for each plane of goals.
    pub(super) fn is_sound(&self, fragments: &Fragments<'_>) -> bool {
        usize::from(self.state) < fragments.shape.states && self.missing.len() == fragments.shape.planes
    }

    /// This prefix followed by a fragment; `None` if it leaves more than `max_missing` goals unmarked.
    pub(super) fn followed_by(&self, fragments: &Fragments<'_>, id: Id, max_missing: u32) -> Option<Self> {
        let mut missing = self.missing.clone();
        let state = fragments.apply(id, self.state, &mut missing);
        (count_goals(&missing) <= max_missing).then(|| {
            let mut codes = self.codes.clone();
            fragments.write(id, &mut codes);
            Self { state, missing, codes }
        })
    }
}

#[inline]
pub(super) fn count_goals(goals: &[u64]) -> u32 {
    goals.iter().map(|word| word.count_ones()).sum()
}

/// Keeps the lexically smallest of all prefixes with the same end state and the same missing goals. Sorts the prefixes
/// by state.
pub(super) fn deduplicated(codes: Codes, mut prefixes: Vec<Prefix>) -> Vec<Prefix> {
    let order = |a: &Prefix, b: &Prefix| (a.state, &a.missing).cmp(&(b.state, &b.missing));
    prefixes.sort_by(|a, b| order(a, b).then_with(|| codes.order(&a.codes, &b.codes)));
    prefixes.dedup_by(|a, b| (a.state, &a.missing) == (b.state, &b.missing));
    prefixes
}
