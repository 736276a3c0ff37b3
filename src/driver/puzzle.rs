//! The contract of a puzzle towards the driver: one object for each puzzle.
//!
//! The driver, the reports and the command line reach a puzzle through this trait alone. The registry
//! (`puzzles/mod.rs`) lists the objects.

use super::playback::{Drawing, Playback};
use super::verdict::Verdict;
use super::{BoundName, HuntError, ObjectiveValue, Request};
use crate::board::{Board, BoardError, Entry, Format, SolutionReader, Style};
use crate::engine::{Context, EngineKind, Outcome, Solution};
use crate::expand::RefinableSpace;
use std::io::BufRead;

/// Where solutions are read from.
pub type Solutions = SolutionReader<Box<dyn BufRead + Send>>;

/// A lower bound of a puzzle, for lists and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundInfo {
    /// Its name for `--bound`.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Whether a search uses it when no bound is named, whatever the board.
    pub default: bool,
}

/// The search spaces of one board, one for each lower bound. `'p` is the lifetime of the puzzle on the board.
pub trait Spaces<'p> {
    /// The space with the bound of that name, made within the limits of `context`; without a name with the default.
    ///
    /// # Errors
    /// When the bound does not [apply](Spaces::applies) to the board.
    fn space(
        &self,
        bound: Option<&BoundName>,
        context: &Context<'_>,
    ) -> Result<Box<dyn RefinableSpace<'p> + 'p>, HuntError>;

    /// The space with a bound that needs no preparation, for a search of all states.
    fn plain(&self) -> Box<dyn RefinableSpace<'p> + 'p>;

    /// The single bounds that apply to this board and request, in the order of [`Puzzle::bounds`].
    fn applicable(&self) -> Vec<&'static str>;

    /// Whether the bound of that name applies to this board and request.
    fn applies(&self, bound: &BoundName) -> bool {
        self.applicable().contains(&bound.as_str())
    }
}

/// What is done with the search spaces of a board.
pub type Visit<'a> = &'a mut dyn for<'p> FnMut(&dyn Spaces<'p>) -> Result<(), HuntError>;

/// A puzzle.
///
/// # Contract
/// * [`Puzzle::name`] is unique in the registry.
/// * [`Puzzle::search`] may be wrong about its incumbent without harm, [`Puzzle::replay`] may not: the replay uses
///   the plain rules of the `verify` module and shares no code with the search.
/// * Every function with a `request` gets one that [`Puzzle::check_request`] accepts, and a board that
///   [`Puzzle::check_board`] accepts, but for these two functions themselves.
pub trait Puzzle: Sync {
    /// Its name on the command line, in configurations and in JSON.
    fn name(&self) -> &'static str;

    /// Other names that `--domain` accepts.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// The format of its boards, where no format is given and the content does not tell.
    fn format(&self) -> Option<Format> {
        None
    }

    /// What the cells of the board are called if they can belong to this puzzle alone; `None` if they need not.
    fn recognises(&self, board: &Board) -> Option<&'static str> {
        let _ = board;
        None
    }

    /// Refuses a board that is not a position of this puzzle.
    ///
    /// # Errors
    /// At the first cell that the rules do not allow.
    fn check_board(&self, board: &Board, request: &Request) -> Result<(), HuntError>;

    /// Refuses options of this puzzle that contradict each other or the engine.
    ///
    /// # Errors
    /// At the first contradiction.
    fn check_request(&self, request: &Request) -> Result<(), HuntError> {
        let _ = request;
        Ok(())
    }

    /// Whether an engine searches this puzzle.
    fn knows(&self, engine: EngineKind) -> bool;

    /// Its lower bounds; none for a puzzle whose engines use no lower bounds.
    fn bounds(&self) -> Vec<BoundInfo> {
        Vec::new()
    }

    /// Whether `--bound` takes several of its bounds, joined by `+`.
    fn combines_bounds(&self) -> bool {
        false
    }

    /// Whether `--bound` takes this text for this puzzle.
    fn has_bound(&self, text: &str) -> bool {
        let names: Vec<_> = self.bounds().iter().map(|bound| bound.name).collect();
        let mut parts = text.split('+');
        if self.combines_bounds() { parts.all(|part| names.contains(&part)) } else { names.contains(&text) }
    }

    /// What the cost of a solution of this board stands for.
    fn objective_value(&self, board: &Board, request: &Request) -> ObjectiveValue;

    /// The part of a run's identity that tells one variant of the puzzle from others. A checkpoint is only continued
    /// with equal rules, because the rules decide which states it holds.
    fn rules_identity(&self, request: &Request) -> String {
        let _ = request;
        String::new()
    }

    /// The part of a run's identity that tells the lower bound.
    fn bound_identity(&self, request: &Request) -> String;

    /// Searches a board with the engine of the request. Nobody sees the incumbent before [`Puzzle::replay`] accepts it.
    ///
    /// # Errors
    /// When the engine cannot search this board, or a checkpoint cannot be used.
    fn search(&self, board: &Board, request: &Request, context: &Context<'_>) -> Result<Outcome, HuntError>;

    /// Replays a solution with the plain rules. Returns its moves as text.
    ///
    /// # Errors
    /// When the rules refuse a move, the moves do not reach the goal, or the cost is another.
    fn replay(&self, board: &Board, request: &Request, solution: &Solution) -> Result<Vec<String>, String>;

    /// Calls `visit` once with the search spaces of a board, to compare lower bounds.
    ///
    /// # Errors
    /// When the puzzle has no lower bounds, and the error of `visit`.
    fn with_spaces(&self, board: &Board, request: &Request, visit: Visit<'_>) -> Result<(), HuntError>;

    /// Reads the next solution and replays it on the board of `entry`; `None` at the end of `solutions`.
    ///
    /// # Errors
    /// When the text is not a solution of this puzzle. A wrong solution is a [`Verdict`], not an error.
    fn verify_next(
        &self,
        entry: &Entry,
        request: &Request,
        solutions: &mut Solutions,
    ) -> Result<Option<Verdict>, BoardError>;

    /// Draws a board.
    ///
    /// # Errors
    /// When the board is not one of this puzzle.
    fn draw(&self, board: &Board, style: Style) -> Result<Drawing, HuntError>;

    /// Reads the next solution and prepares to draw its steps on the board; `None` at the end of `solutions`.
    ///
    /// # Errors
    /// When the text is not a solution of this puzzle, or the rules refuse the solution.
    fn play_next<'b>(
        &self,
        board: &'b Board,
        request: &Request,
        solutions: &mut Solutions,
    ) -> Result<Option<Box<dyn Playback + 'b>>, HuntError>;
}
