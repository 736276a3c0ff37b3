//! The results of the bodies that were tried.

use super::prefix::Prefix;

/// The result of some bodies. Programs are [codes](crate::codes).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Findings {
    /// The first program of the size under test. Never part of a checkpoint, because the search ends with it.
    #[serde(skip)]
    pub(crate) program: Option<Vec<u16>>,
    /// The first program of one token more that ends with an instruction behind a loop.
    pub(crate) next: Option<Vec<u16>>,
    /// Bodies tried.
    pub(crate) tried: u64,
    /// Whether a loop has more counts than are tried.
    pub(crate) truncated: bool,
    /// Prefixes that end with a loop which the bank does not have, with their tokens.
    pub(super) prefixes: Vec<(usize, Prefix)>,
}

impl Findings {
    /// Adds the findings of later bodies.
    pub(super) fn append(&mut self, later: Self) {
        self.program = self.program.take().or(later.program);
        self.next = self.next.take().or(later.next);
        self.tried += later.tried;
        self.truncated |= later.truncated;
        self.prefixes.extend(later.prefixes);
    }
}
