//! The contract of a task: a board under one set of rules.

use super::error::Result;
use super::gameplay::{Gameplay, ProgramRun};
use super::option::Fact;
use super::playback::Playback;
use super::verdict::Verdict;
use super::{BoundName, EngineKind, Objective, PuzzleId, StartPosition};
use gridhunt_boards::{Board, BoardError, SolutionReader};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{Context, Outcome, Parameters, RefutedSets, Solution};
use gridhunt_search::expand::StateSpace;
use std::io::BufRead;
use std::path::PathBuf;

/// A reader of solutions from a file or from standard input.
pub type Solutions = SolutionReader<Box<dyn BufRead + Send>>;

/// The description of a task.
#[derive(Clone, Debug)]
pub struct TaskInfo<'b> {
    /// The puzzle.
    pub puzzle: PuzzleId,
    /// The board.
    pub board: &'b Board,
    /// The meaning of costs.
    pub objective: Objective,
    /// The facts for records.
    pub facts: Vec<Fact>,
}

/// The engine, the lower bound and the parameters of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchMethod<'a> {
    /// The engine.
    pub engine: EngineKind,
    /// The lower bound; `None` selects the puzzle's default.
    pub bound: Option<&'a BoundName>,
    /// The parameters of the engines.
    pub parameters: &'a Parameters,
}

/// A board that its puzzle has accepted, under one set of rules.
pub trait Task: Send + Sync {
    /// The board, the objective and the facts.
    fn info(&self) -> &TaskInfo<'_>;

    /// Searches the board. The search reports `known`, which [`Task::replay`] has accepted, or a better solution.
    ///
    /// # Errors
    /// When the engine cannot search this board, or a checkpoint cannot be used.
    fn search(&self, method: &SearchMethod<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome>;

    /// Replays a solution with the plain rules. Returns its moves as text.
    ///
    /// # Errors
    /// When the rules refuse a move, the moves do not reach the goal, or the replayed cost differs from the solution's.
    fn replay(&self, solution: &Solution) -> Result<Vec<String>, String>;

    /// Reads the next solution; `None` at the end of `solutions`.
    ///
    /// # Errors
    /// When the text cannot be parsed. A wrong solution is not an error.
    fn read_solution<'t>(&'t self, solutions: &mut Solutions) -> ReadSolution<'t>;

    /// The task as [`StateTask`]; `None` if solutions are programs.
    fn as_state_task(&self) -> Option<&dyn StateTask> {
        None
    }

    /// The task as [`ProgramTask`]; `None` if solutions are moves.
    fn as_program_task(&self) -> Option<&dyn ProgramTask> {
        None
    }

    /// The task as [`CertifiableTask`]; `None` if its lower bounds have no certificates.
    fn as_certifiable(&self) -> Option<&dyn CertifiableTask> {
        None
    }

    /// Begins a game on the board; `None` if the puzzle is not played move by move.
    fn game(&self) -> Option<Box<dyn Gameplay + '_>> {
        None
    }
}

/// The next solution of a file; `None` at its end.
pub type ReadSolution<'t> = Result<Option<Box<dyn CandidateSolution<'t> + 't>>, BoardError>;

/// A parsed solution of a task, right or wrong.
pub trait CandidateSolution<'t> {
    /// The verdict of the plain rules.
    fn verdict(&self) -> Verdict;

    /// The position after the first `after` moves, as [`StartPosition::after_moves`] makes it.
    ///
    /// # Errors
    /// When the rules refuse the solution, or it has fewer moves than `after`.
    fn start_after(&self, after: usize) -> Result<StartPosition>;

    /// Turns the solution into a playback.
    ///
    /// # Errors
    /// When the rules refuse the solution.
    fn playback(self: Box<Self>) -> Result<Playback<'t>>;
}

/// Makes the search spaces of a board, one for each lower bound. `'p` is the lifetime of the puzzle on the board.
pub trait SpaceFactory<'p> {
    /// The space with this bound; `None` selects the default bound.
    ///
    /// # Errors
    /// When the bound does not [apply](SpaceFactory::applies) to the board.
    fn space(&self, bound: Option<&BoundName>) -> Result<Box<dyn StateSpace + 'p>>;

    /// The space whose bound is fastest to evaluate, for a search of all states.
    fn fast_space(&self) -> Box<dyn StateSpace + 'p>;

    /// The bounds that apply to this board, in the order of [`super::PuzzleInfo::bounds`].
    fn applicable_bounds(&self) -> Vec<&'static str>;

    /// Whether this bound applies to this board.
    fn applies(&self, bound: &BoundName) -> bool {
        self.applicable_bounds().contains(&bound.as_str())
    }
}

/// A function that gets the search spaces of a board.
pub type SpaceVisitor<'a> = &'a mut dyn for<'p> FnMut(&dyn SpaceFactory<'p>) -> Result<()>;

/// A task whose searches have states.
pub trait StateTask: Sync {
    /// Calls `visit` once, with the search spaces of the board.
    ///
    /// # Errors
    /// When `visit` returns an error.
    fn with_spaces(&self, visit: SpaceVisitor<'_>) -> Result<()>;

    /// The names of consecutive moves from the board on; `None` if one of them is not a legal move.
    fn move_names(&self, moves: &[MoveIndex]) -> Option<Vec<String>>;

    /// The moves with these names, up to the first name that denotes no move.
    fn moves_named(&self, names: &[String]) -> Vec<MoveIndex>;
}

/// A task whose solutions are programs.
pub trait ProgramTask: Sync {
    /// Runs a program on the board, and returns the first `max_steps` steps. A program need not solve the board.
    ///
    /// # Errors
    /// When the text is not a program.
    fn run(&self, text: &str, max_steps: usize) -> Result<ProgramRun>;
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateClaim<'a> {
    /// The lower bound of the cost; [`Cost::MAX`] if there is no solution.
    pub bound: Cost,
    /// The moves of a solution of cost `bound`, if one is known.
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

/// Evidence for a [`CertificateClaim`], which a checker verifies without a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundCertificate {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The formula that the file refutes, if the file is a proof for VeriPB.
    pub formula: Option<Vec<u8>>,
    /// The number of records in the file.
    pub records: usize,
}

impl BoundCertificate {
    /// The path of the certificate, and all files to write. If there is a formula, the extension of `path` is replaced:
    /// by `pbp` for the proof, and by `opb` for the formula.
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

/// The data of a board in a certificate, besides its size and its colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifiedBoard {
    /// The start cell, or the rules, as numbers.
    pub rules: Vec<usize>,
    /// The number of an empty cell; `None` if no cell is empty.
    pub empty_cell: Option<usize>,
}

/// A task whose lower bounds have certificates.
pub trait CertifiableTask: Sync {
    /// Makes the certificate of a claim, which is the same for any number of threads. `refuted` has the sets that a
    /// search of the board has refuted; the fewer there are, the longer this takes.
    ///
    /// # Errors
    /// When the claim is wrong, and when a limit of `context` is reached.
    fn certify(
        &self,
        claim: &CertificateClaim<'_>,
        form: CertificateForm,
        refuted: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate>;

    /// Checks, before a search, that the task has certificates of this form.
    ///
    /// # Errors
    /// When it has none.
    fn check_form(&self, form: CertificateForm) -> Result<()>;

    /// The data of the board in a certificate.
    fn certified_board(&self) -> CertifiedBoard;
}
