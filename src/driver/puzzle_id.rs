//! The handle of a puzzle: its name.

use std::fmt;

/// A puzzle of the registry, as `--domain` names it. Dereferences to its [`Puzzle`](super::Puzzle) object.
///
/// A handle is made from a name (`"clickomania".parse()`), is listed by [`PuzzleId::all`], or is the default puzzle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PuzzleId(&'static str);

impl PuzzleId {
    /// The handle of the puzzle with this name. The registry alone makes handles, so each of them names a puzzle.
    pub(super) fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// The puzzle's name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
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
