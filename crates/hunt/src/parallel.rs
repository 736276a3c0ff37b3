//! The use of threads in a run: boards side by side, or one search on all threads.

use gridhunt_puzzle::UnknownName;
use std::fmt;
use std::str::FromStr;

/// The use of the threads of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// Boards side by side, each on one thread.
    Boards,
    /// One board after another, each on all threads.
    Search,
}

impl Parallel {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Boards, Self::Search];

    /// The value's name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Boards => "boards",
            Self::Search => "search",
        }
    }
}

impl FromStr for Parallel {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let error = || UnknownName::new("parallel", text, Self::ALL.map(Self::name));
        Self::ALL.into_iter().find(|p| p.name() == text).ok_or_else(error)
    }
}

impl fmt::Display for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
