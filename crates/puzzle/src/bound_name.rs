//! The names of lower bounds, as `--bound` accepts them.

use super::names::join;
use super::{PuzzleError, PuzzleId};
use gridhunt_boards::{closest_name, did_you_mean};
use std::fmt;
use std::str::FromStr;

/// The name of a lower bound of at least one puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundName(String);

impl BoundName {
    /// The name as the user wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `puzzle` has this bound.
    #[must_use]
    pub fn is_of(&self, puzzle: PuzzleId) -> bool {
        puzzle.info().has_bound(&self.0)
    }

    /// The first puzzle of the registry that has this bound.
    #[must_use]
    pub fn domain(&self) -> PuzzleId {
        PuzzleId::all().find(|puzzle| self.is_of(*puzzle)).unwrap_or_default()
    }

    /// Refuses a bound that `domain` does not have.
    ///
    /// # Errors
    /// When only other puzzles have it.
    pub fn check(&self, domain: PuzzleId) -> Result<(), PuzzleError> {
        if self.is_of(domain) {
            return Ok(());
        }
        Err(PuzzleError::Foreign { what: format!("the bound {self}"), domain, expected: self.domain() })
    }
}

impl fmt::Display for BoundName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name that no lower bound has.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("found bound {found:?},{} expected {expected}", did_you_mean(nearest.as_deref()))]
pub struct UnknownBoundName {
    /// The unknown name.
    pub found: String,
    /// The bound whose name is most similar to `found`, if one is similar enough.
    pub nearest: Option<String>,
    /// The names that exist, grouped by puzzle.
    pub expected: String,
}

impl FromStr for BoundName {
    type Err = UnknownBoundName;

    fn from_str(text: &str) -> Result<Self, UnknownBoundName> {
        if PuzzleId::all().any(|puzzle| puzzle.info().has_bound(text)) {
            return Ok(Self(text.to_owned()));
        }
        let with_bounds = PuzzleId::all().filter(|puzzle| !puzzle.info().bounds.is_empty());
        let expected = with_bounds.map(|puzzle| {
            let names = join(puzzle.info().bounds.iter().map(|bound| bound.name));
            format!("one of: {names} for {puzzle}")
        });
        let expected = expected.collect::<Vec<_>>().join("; or ");
        let names: Vec<_> = PuzzleId::all().flat_map(|puzzle| puzzle.info().bounds).map(|bound| bound.name).collect();
        let nearest = closest_name(text, names).map(str::to_owned);
        Err(UnknownBoundName { found: text.to_owned(), nearest, expected })
    }
}
