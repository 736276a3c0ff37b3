//! The handle of a puzzle.

use super::Puzzle;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// The handle of a puzzle: it dereferences to the [`Puzzle`], and is told from others by its name.
///
/// To get a handle, parse a name (`"clickomania".parse()`), iterate over [`PuzzleId::all`], or take the default.
#[derive(Clone, Copy)]
pub struct PuzzleId(&'static dyn Puzzle);

impl PuzzleId {
    /// The handle of a puzzle.
    #[must_use]
    pub const fn of(puzzle: &'static dyn Puzzle) -> Self {
        Self(puzzle)
    }

    /// The puzzle's name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.info().names[0]
    }
}

impl Deref for PuzzleId {
    type Target = dyn Puzzle;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for PuzzleId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for PuzzleId {}

impl Serialize for PuzzleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for PuzzleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Debug for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PuzzleId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PuzzleId".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}
