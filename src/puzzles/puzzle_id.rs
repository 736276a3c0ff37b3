//! The handle of a puzzle: its name.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The handle of a puzzle in the registry. `--domain` selects a puzzle by its name. The handle dereferences to the
/// [`Puzzle`](super::Puzzle) object.
///
/// To get a handle, parse a name (`"clickomania".parse()`), iterate over [`PuzzleId::all`], or take the default.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct PuzzleId(&'static str);

impl PuzzleId {
    /// The handle of the puzzle with this name. Only the registry calls this function, so each handle names a puzzle.
    pub(super) fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// The puzzle's name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl Serialize for PuzzleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for PuzzleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Debug for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
