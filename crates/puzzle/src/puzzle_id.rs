//! The handle of a puzzle.

use super::Puzzle;
use super::names::impl_handle_traits;
use std::ops::Deref;

/// The handle of a puzzle. It dereferences to the [`Puzzle`]; two handles are equal if their names are equal.
///
/// To get a handle, parse a name (`"clickomania".parse()`), iterate over [`PuzzleId::all`], or take the default.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, from = "String", into = "String"))]
pub struct PuzzleId(&'static dyn Puzzle);

impl_handle_traits!(PuzzleId);

impl PuzzleId {
    /// Makes the handle of a puzzle.
    #[must_use]
    pub const fn new(puzzle: &'static dyn Puzzle) -> Self {
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
