//! The registry of puzzles.
//!
//! To add a puzzle, add a folder beside this file and one entry to [`PUZZLES`].

use super::names::UnknownName;
use super::puzzle::{Puzzle, StatePuzzle};
use super::puzzle_id::PuzzleId;
use super::{PuzzleError, Request, bunny, clickomania, floodit};
use gridhunt_boards::{Board, Positions, Rules, nearest};
use std::ops::Deref;
use std::str::FromStr;
use std::sync::LazyLock;

/// Every puzzle. The first one is the default of `--domain`.
static PUZZLES: [&dyn Puzzle; 3] = [&floodit::FloodItPuzzle, &clickomania::ClickomaniaPuzzle, &bunny::BunnyPuzzle];

/// The first name of a puzzle.
fn name_of(puzzle: &dyn Puzzle) -> &'static str {
    puzzle.names().first().copied().unwrap_or_default()
}

impl PuzzleId {
    /// The puzzle as one whose searches have states.
    ///
    /// # Errors
    /// [`PuzzleError::NoStates`] if programs solve the puzzle.
    pub fn with_states(&self) -> Result<&dyn StatePuzzle, PuzzleError> {
        self.states().ok_or(PuzzleError::NoStates { domain: *self })
    }

    /// Every puzzle of the registry; the default comes first.
    pub fn all() -> impl Iterator<Item = Self> {
        PUZZLES.iter().map(|puzzle| Self::named(name_of(*puzzle)))
    }
}

impl Deref for PuzzleId {
    type Target = dyn Puzzle;

    fn deref(&self) -> &Self::Target {
        // Only the registry makes handles, so the search always finds the name.
        PUZZLES.into_iter().find(|puzzle| name_of(*puzzle) == self.name()).unwrap_or(PUZZLES[0])
    }
}

impl Default for PuzzleId {
    fn default() -> Self {
        Self::named(name_of(PUZZLES[0]))
    }
}

impl FromStr for PuzzleId {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let is_meant = |puzzle: &PuzzleId| puzzle.names().contains(&text);
        Self::all().find(is_meant).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            let error = UnknownName::new("domain", text, names);
            // An error in typing another name of a puzzle is answered with the puzzle's own name.
            let is_near = |puzzle: &PuzzleId| nearest(text, puzzle.names().iter().copied()).is_some();
            let nearest = error.nearest.or_else(|| Self::all().find(is_near).map(|puzzle| puzzle.name().to_owned()));
            UnknownName { nearest, ..error }
        })
    }
}

/// Refuses a board that is not a position of the request's puzzle. A search makes the same check.
///
/// # Errors
/// When [`check_cells`] refuses the board, or the rules do not allow a cell.
pub fn check_board(board: &Board, request: &Request) -> Result<(), PuzzleError> {
    check_cells(board, request)?;
    request.domain.check_board(board, request)
}

/// The positions of a puzzle with these rules, for the reader of boards. Without a puzzle, files may name one.
#[must_use]
pub fn positions_of(domain: Option<PuzzleId>, rules: Rules) -> Positions {
    /// The other options say nothing about boards, and their defaults ask the system for its processors.
    static OTHERS: LazyLock<Request> = LazyLock::new(Request::default);
    let is_allowed = |domain: &str, rules, board: &Board| {
        let accepts = |domain| {
            let clickomania = clickomania::Options { rules, ..OTHERS.clickomania.clone() };
            check_board(board, &Request { domain, clickomania, ..OTHERS.clone() }).is_ok()
        };
        domain.parse().is_ok_and(accepts)
    };
    Positions { domain: domain.map(|domain| domain.name().to_owned()), rules, are_allowed: Some(is_allowed) }
}

/// Refuses a board with the cells of another puzzle. An accepted board may still break the rules of the request's
/// puzzle.
///
/// # Errors
/// When another puzzle [recognises](Puzzle::recognises) the board. The error names the other puzzle.
pub fn check_cells(board: &Board, request: &Request) -> Result<(), PuzzleError> {
    let domain = request.domain;
    let mut others = PuzzleId::all().filter(|puzzle| *puzzle != domain);
    match others.find_map(|expected| Some((expected, expected.recognises(board)?))) {
        Some((expected, found)) => {
            Err(PuzzleError::OtherPuzzle { board: board.name().to_owned(), found, domain, expected })
        }
        None => Ok(()),
    }
}
