//! The registry of puzzles.
//!
//! To add a puzzle, add one file to this folder and one entry to [`PUZZLES`].

mod bunny;
mod clickomania;
mod floodit;

use super::names::UnknownName;
use super::puzzle::Puzzle;
use super::puzzle_id::PuzzleId;
use gridhunt_boards::nearest;
use std::ops::Deref;
use std::str::FromStr;

/// Every puzzle. The first one is the default of `--domain`.
static PUZZLES: [&dyn Puzzle; 3] = [&floodit::FloodItPuzzle, &clickomania::ClickomaniaPuzzle, &bunny::BunnyPuzzle];

impl PuzzleId {
    /// Every puzzle of the registry; the default comes first.
    pub fn all() -> impl Iterator<Item = Self> {
        PUZZLES.iter().map(|puzzle| Self::named(puzzle.name()))
    }
}

impl Deref for PuzzleId {
    type Target = dyn Puzzle;

    fn deref(&self) -> &Self::Target {
        // Only the registry makes handles, so the search always finds the name.
        PUZZLES.into_iter().find(|puzzle| puzzle.name() == self.name()).unwrap_or(PUZZLES[0])
    }
}

impl Default for PuzzleId {
    fn default() -> Self {
        Self::named(PUZZLES[0].name())
    }
}

impl FromStr for PuzzleId {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let is_meant = |puzzle: &PuzzleId| puzzle.name() == text || puzzle.aliases().contains(&text);
        Self::all().find(is_meant).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            let error = UnknownName::new("domain", text, names);
            // An error in typing another name of a puzzle is answered with the puzzle's own name.
            let is_near = |puzzle: &PuzzleId| nearest(text, puzzle.aliases().iter().copied()).is_some();
            let nearest = error.nearest.or_else(|| Self::all().find(is_near).map(|puzzle| puzzle.name().to_owned()));
            UnknownName { nearest, ..error }
        })
    }
}
