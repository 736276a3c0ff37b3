//! The registry of puzzles. Each crate of a puzzle registers its puzzle.

use super::names::UnknownName;
use super::puzzle::{Puzzle, PuzzleInfo};
use super::puzzle_id::PuzzleId;
use super::task::Task;
use super::{OptionValues, PuzzleError};
use gridhunt_boards::{Board, Frame, closest_name};
use std::str::FromStr;
use std::sync::LazyLock;

/// A puzzle in the registry.
#[doc(hidden)]
pub struct RegistryEntry {
    pub order: u32,
    pub puzzle: &'static dyn Puzzle,
}

inventory::collect!(RegistryEntry);

/// Registers a puzzle in each program to which its crate is linked. The arguments are the position of the puzzle in
/// lists, and a constant of the puzzle's type. The puzzle with the least position is the default of `--domain`.
#[macro_export]
macro_rules! register {
    ($order:literal, $puzzle:expr) => {
        $crate::inventory::submit! { $crate::RegistryEntry { order: $order, puzzle: &$puzzle } }
    };
}

/// Every puzzle, in the order of lists.
static PUZZLES: LazyLock<Vec<PuzzleId>> = LazyLock::new(|| {
    let mut all: Vec<&RegistryEntry> = inventory::iter::<RegistryEntry>.into_iter().collect();
    all.sort_by_key(|entry| entry.order);
    all.into_iter().map(|entry| PuzzleId::new(entry.puzzle)).collect()
});

impl PuzzleId {
    /// Every puzzle of the registry; the default comes first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        PUZZLES.iter().copied()
    }

    /// The kinds of boards that can be generated, with their puzzles.
    pub fn kinds() -> impl Iterator<Item = (Self, &'static str)> + Clone {
        Self::all().flat_map(|puzzle| puzzle.info().kinds.iter().map(move |kind| (puzzle, *kind)))
    }

    /// The puzzle that generates boards of this kind, with the kind.
    ///
    /// # Errors
    /// When there is no such kind.
    pub fn of_kind(kind: &str) -> Result<(Self, &'static str), UnknownName> {
        let unknown = || UnknownName::new("kind", kind, Self::kinds().map(|(_, known)| known));
        Self::kinds().find(|(_, known)| *known == kind).ok_or_else(unknown)
    }

    /// Makes the task of this puzzle on a board.
    ///
    /// # Errors
    /// When the cells belong to [another puzzle](Puzzle::distinctive_cells), or the rules do not allow a cell.
    pub fn checked_task<'b>(self, board: &'b Board, values: &OptionValues) -> Result<Box<dyn Task + 'b>, PuzzleError> {
        self.check_cells(board)?;
        self.task(board, values)
    }

    /// Refuses a board with the cells of another puzzle. An accepted board may still break the rules of this one.
    ///
    /// # Errors
    /// When the cells belong to [another puzzle](Puzzle::distinctive_cells), which the error names.
    pub fn check_cells(self, board: &Board) -> Result<(), PuzzleError> {
        let mut others = Self::all().filter(|puzzle| *puzzle != self);
        let found = others.find_map(|expected| Some((expected, expected.distinctive_cells(board)?)));
        let Some((expected, found)) = found else { return Ok(()) };
        Err(PuzzleError::CellsOfOtherPuzzle { board: board.name().to_owned(), found, domain: self, expected })
    }
}

/// The first puzzle of the registry.
impl Default for PuzzleId {
    fn default() -> Self {
        PUZZLES.first().copied().unwrap_or(Self::new(&NoPuzzle))
    }
}

/// The default puzzle of a program to which no puzzle is linked.
struct NoPuzzle;

impl Puzzle for NoPuzzle {
    fn info(&self) -> &'static PuzzleInfo {
        &PuzzleInfo::NONE
    }

    fn board_frame(&self, _: &Board) -> Result<Frame, PuzzleError> {
        Err(PuzzleError::NoPuzzle)
    }

    fn task<'b>(&self, _: &'b Board, _: &OptionValues) -> Result<Box<dyn Task + 'b>, PuzzleError> {
        Err(PuzzleError::NoPuzzle)
    }
}

impl FromStr for PuzzleId {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let has_name = |puzzle: &PuzzleId| puzzle.info().names.contains(&text);
        Self::all().find(has_name).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            let error = UnknownName::new("domain", text, names);
            // If `text` is nearly another name of a puzzle, the error suggests the puzzle's first name.
            let is_similar = |puzzle: &PuzzleId| closest_name(text, puzzle.info().names.iter().copied()).is_some();
            let nearest = error.nearest.or_else(|| Self::all().find(is_similar).map(|puzzle| puzzle.name().to_owned()));
            UnknownName { nearest, ..error }
        })
    }
}
