//! The names of lower bounds, as `--bound` accepts them.

use super::{PuzzleError, PuzzleId, UnknownName, join_names};
use gridhunt_boards::closest_name;
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
    pub fn belongs_to(&self, puzzle: PuzzleId) -> bool {
        puzzle.info().has_bound(&self.0)
    }

    /// The first puzzle of the registry that has this bound.
    #[must_use]
    pub fn domain(&self) -> PuzzleId {
        PuzzleId::all().find(|puzzle| self.belongs_to(*puzzle)).unwrap_or_default()
    }

    /// Refuses a bound that `domain` does not have.
    ///
    /// # Errors
    /// When only other puzzles have it.
    pub fn check(&self, domain: PuzzleId) -> Result<(), PuzzleError> {
        if self.belongs_to(domain) {
            return Ok(());
        }
        Err(PuzzleError::OtherDomain { what: format!("the bound {self}"), domain, expected: self.domain() })
    }
}

impl fmt::Display for BoundName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BoundName {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        if PuzzleId::all().any(|puzzle| puzzle.info().has_bound(text)) {
            return Ok(Self(text.to_owned()));
        }
        let with_bounds = PuzzleId::all().filter(|puzzle| !puzzle.info().bounds.is_empty());
        let expected = with_bounds
            .map(|puzzle| format!("{} for {puzzle}", join_names(puzzle.info().bounds.iter().map(|bound| bound.name))));
        let expected = expected.collect::<Vec<_>>().join("; or one of: ");
        let names: Vec<_> = PuzzleId::all().flat_map(|puzzle| puzzle.info().bounds).map(|bound| bound.name).collect();
        let nearest = closest_name(text, names).map(str::to_owned);
        Err(UnknownName { what: "bound", found: text.to_owned(), nearest, expected })
    }
}
