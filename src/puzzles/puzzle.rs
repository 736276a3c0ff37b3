//! The interface between hunts and a puzzle: one object for each puzzle.
//!
//! Hunts, reports and the command line reach a puzzle through this trait alone. The registry
//! (`registry.rs`) lists the objects.

use super::error::Result;
use super::gameplay::{Gameplay, ProgramRun};
use super::playback::Playback;
use super::verdict::Verdict;
use super::{BoundName, ObjectiveValue, PuzzleError, Request, Start};
use gridhunt_boards::{Board, BoardError, Format, Frame, SolutionReader};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{Context, EngineKind, Outcome, RefutedSets, Solution};
use gridhunt_search::expand::StateSpace;
use std::io::BufRead;
use std::path::PathBuf;

/// A reader of solutions from a file or from standard input.
pub type Solutions = SolutionReader<Box<dyn BufRead + Send>>;

/// An instance of a puzzle: a board, with the request about it.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'b> {
    /// The board.
    pub board: &'b Board,
    /// The puzzle, its rules and its objective, and how they are searched.
    pub request: &'b Request,
}

/// The description of a lower bound, for lists and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundInfo {
    /// The name for `--bound`.
    pub name: &'static str,
    /// A description of one line.
    pub summary: &'static str,
    /// Whether the bound is the default on every board.
    pub default: bool,
}

/// The search spaces of one board, one for each lower bound. `'p` is the lifetime of the puzzle on the board.
pub trait SpaceFactory<'p> {
    /// The space with the bound of that name. `None` selects the default bound.
    ///
    /// # Errors
    /// When the bound does not [apply](SpaceFactory::applies) to the board.
    fn space(&self, bound: Option<&BoundName>) -> Result<Box<dyn StateSpace + 'p>>;

    /// The space with a bound that is evaluated quickly, for a search of all states.
    fn plain(&self) -> Box<dyn StateSpace + 'p>;

    /// The bounds that apply to this board and request, in the order of [`StatePuzzle::bounds`].
    fn applicable(&self) -> Vec<&'static str>;

    /// Whether the bound of that name applies to this board and request.
    fn applies(&self, bound: &BoundName) -> bool {
        self.applicable().contains(&bound.as_str())
    }
}

/// A function that is called with the search spaces of a board.
pub type Visit<'a> = &'a mut dyn for<'p> FnMut(&dyn SpaceFactory<'p>) -> Result<()>;

/// A puzzle.
///
/// # Contract
/// * The first of the [names](Puzzle::names) is unique in the registry.
/// * [`Puzzle::replay`] must refuse every wrong incumbent of [`Puzzle::search`]. The replay uses the plain rules of
///   `gridhunt_boards::verify` and shares no code with the search.
/// * Hunts call the other functions with a `request` only after [`Puzzle::check_board`] accepts the board.
pub trait Puzzle: Sync {
    /// The puzzle's name on the command line, in configurations and in JSON, then other names that `--domain` accepts.
    fn names(&self) -> &'static [&'static str];

    /// The default format of the boards. The reader uses it when no format is given and the content is ambiguous.
    fn format(&self) -> Option<Format> {
        None
    }

    /// The name of the board's cells, if no other puzzle has such cells; otherwise `None`.
    fn recognises(&self, board: &Board) -> Option<&'static str> {
        let _ = board;
        None
    }

    /// Refuses a board that is not a position of this puzzle.
    ///
    /// # Errors
    /// At the first cell that the rules do not allow.
    fn check_board(&self, board: &Board, request: &Request) -> Result<()>;

    /// Whether `engine` can search this puzzle.
    fn supports(&self, engine: EngineKind) -> bool;

    /// The meaning of a solution's cost on this board.
    fn objective_value(&self, board: &Board, request: &Request) -> ObjectiveValue;

    /// Searches a board with the engine of its request. The incumbent is reported only after [`Puzzle::replay`] accepts
    /// it. `known` is a solution that [`Puzzle::replay`] accepts; the search reports it or a better one.
    ///
    /// # Errors
    /// When the engine cannot search this board, or a checkpoint cannot be used.
    fn search(&self, instance: Instance<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome>;

    /// Replays a solution with the plain rules. Returns its moves as text.
    ///
    /// # Errors
    /// When the rules refuse a move, the moves do not reach the goal, or the replayed cost differs from the solution's.
    fn replay(&self, board: &Board, request: &Request, solution: &Solution) -> Result<Vec<String>, String>;

    /// Reads the next solution and replays it on the board; `None` at the end of `solutions`.
    ///
    /// # Errors
    /// When the text is not a solution of this puzzle. A wrong solution is a [`Verdict`], not an error.
    fn verify_next(&self, instance: Instance<'_>, solutions: &mut Solutions) -> Result<Option<Verdict>, BoardError>;

    /// Reads the next solution, plays its first `after` moves on the board, and returns the position with the rest of
    /// the solution; `None` at the end of `solutions`. The rest is missing if the solution does not reach
    /// the goal; this is allowed only if `after` is not 0.
    ///
    /// # Errors
    /// When the text is not a solution of this puzzle, or the rules refuse the solution.
    fn read_start(&self, instance: Instance<'_>, after: usize, solutions: &mut Solutions) -> Result<Option<Start>>;

    /// The frame of a board by itself.
    ///
    /// # Errors
    /// When the board does not belong to this puzzle.
    fn still(&self, board: &Board) -> Result<Frame>;

    /// Reads the next solution and prepares to show its steps on the board; `None` at the end of `solutions`.
    ///
    /// # Errors
    /// When the text is not a solution of this puzzle, or the rules refuse the solution.
    fn play_next<'b>(&self, instance: Instance<'b>, solutions: &mut Solutions) -> Result<Option<Playback<'b>>>;

    /// The puzzle as one whose searches have states; `None` if programs solve it.
    fn states(&self) -> Option<&dyn StatePuzzle> {
        None
    }

    /// The puzzle as one whose lower bounds have certificates; `None` if they have none.
    fn certified(&self) -> Option<&dyn CertifiedPuzzle> {
        None
    }

    /// Runs a program on the board, and keeps the first `most` steps. A program that does not solve the board is no
    /// error.
    ///
    /// # Errors
    /// When the text is no program, or the solutions of this puzzle are no programs.
    fn run_program(&self, instance: Instance<'_>, text: &str, most: usize) -> Result<ProgramRun> {
        let _ = (text, most);
        Err(PuzzleError::NoPrograms { domain: instance.request.domain })
    }
}

/// A puzzle whose searches have states.
pub trait StatePuzzle: Sync {
    /// The lower bounds.
    fn bounds(&self) -> Vec<BoundInfo>;

    /// The lower bound as a part of a checkpoint's identity.
    fn bound_identity(&self, request: &Request) -> String;

    /// Calls `visit` once with the search spaces of a board, one for each lower bound.
    ///
    /// # Errors
    /// When `visit` returns an error, or the puzzle has no states on this board.
    fn with_spaces(&self, board: &Board, request: &Request, visit: Visit<'_>) -> Result<()>;

    /// Moves of a search from the board on as text; `None` if there is no such move.
    fn move_names(&self, board: &Board, request: &Request, moves: &[MoveIndex]) -> Option<Vec<String>>;

    /// A game on the board, before its first move, with the rules and the objective of the request.
    ///
    /// # Errors
    /// When the board is no position of the puzzle.
    fn gameplay<'b>(&self, board: &'b Board, request: &'b Request) -> Result<Box<dyn Gameplay + 'b>>;
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// No solution costs less; [`Cost::MAX`] if there is no solution.
    pub bound: Cost,
    /// The moves of a solution that costs so much, if there is one.
    pub moves: Option<&'a [MoveIndex]>,
}

/// The form of a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateForm {
    /// The records of `docs/certificates.md`, for a checker of this puzzle.
    #[default]
    Records,
    /// A pseudo-Boolean formula and a proof for VeriPB that it has no solution.
    #[cfg(not(target_family = "wasm"))]
    VeriPb,
}

/// Evidence for a [`Claim`] that a program without a search can check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundCertificate {
    /// The file.
    pub bytes: Vec<u8>,
    /// The formula that the file refutes, if it is a proof of that kind.
    pub formula: Option<Vec<u8>>,
    /// The number of its records.
    pub records: usize,
}

impl BoundCertificate {
    /// The path of the certificate, and all files to write. Of a proof with a formula the ending is replaced.
    #[must_use]
    pub fn files(&self, path: PathBuf) -> (PathBuf, Vec<(PathBuf, &[u8])>) {
        match &self.formula {
            None => (path.clone(), vec![(path, &self.bytes)]),
            Some(formula) => {
                let proof = path.with_extension("pbp");
                (proof.clone(), vec![(path.with_extension("opb"), formula), (proof, &self.bytes)])
            }
        }
    }
}

/// A puzzle whose lower bounds have certificates.
pub trait CertifiedPuzzle: Sync {
    /// Makes the certificate of a claim about a board, the same for any number of threads. `refuted` is what a search
    /// of the board has refuted; what is missing there costs time alone.
    ///
    /// # Errors
    /// When the claim is wrong, and when a limit of `context` is reached.
    fn certify(
        &self,
        board: &Board,
        request: &Request,
        claim: &Claim<'_>,
        form: CertificateForm,
        refuted: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate>;

    /// Refuses a board or a request that has no certificates of this form, before a search.
    ///
    /// # Errors
    /// When it has none.
    fn check_form(&self, board: &Board, request: &Request, form: CertificateForm) -> Result<()>;

    /// The numbers that a certificate has beside the size and the cells of the board: the start, or the rules.
    fn certified_rules(&self, board: &Board, request: &Request) -> Vec<usize>;

    /// The moves of a solution from their names, as far as there are such moves.
    fn moves_named(&self, board: &Board, request: &Request, names: &[String]) -> Vec<MoveIndex>;
}

/// What follows from the methods of a puzzle.
impl dyn Puzzle + '_ {
    /// The lower bounds; none if programs solve the puzzle.
    #[must_use]
    pub fn bounds(&self) -> Vec<BoundInfo> {
        self.states().map_or_else(Vec::new, StatePuzzle::bounds)
    }

    /// Whether `--bound` accepts `text` for this puzzle.
    #[must_use]
    pub fn has_bound(&self, text: &str) -> bool {
        self.bounds().iter().any(|bound| bound.name == text)
    }

    /// The lower bound as a part of a checkpoint's identity. Where programs solve the puzzle, it is their size.
    #[must_use]
    pub fn bound_identity(&self, request: &Request) -> String {
        self.states().map_or_else(|| "that is its size".to_owned(), |states| states.bound_identity(request))
    }
}
