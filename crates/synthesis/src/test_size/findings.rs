//! The results of tried bodies.

use super::prefix::Prefix;

/// The results of some bodies. Programs are [codes](crate::codes).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Findings {
    /// The first program of the size under test. Not in checkpoints, because the search ends with it.
    #[serde(skip)]
    pub(crate) program: Option<Vec<u16>>,
    /// The first program of one more token that ends with an instruction after a loop.
    pub(crate) one_token_longer: Option<Vec<u16>>,
    pub(crate) tried_bodies: u64,
    /// Whether a loop has untried counts.
    pub(crate) has_untried_counts: bool,
    /// Prefixes that end with a loop that is not in the bank, each after its number of tokens.
    pub(super) prefixes: Vec<(usize, Prefix)>,
}

impl Findings {
    pub(super) fn append(&mut self, later: Self) {
        self.program = self.program.take().or(later.program);
        self.one_token_longer = self.one_token_longer.take().or(later.one_token_longer);
        self.tried_bodies += later.tried_bodies;
        self.has_untried_counts |= later.has_untried_counts;
        self.prefixes.extend(later.prefixes);
    }
}
