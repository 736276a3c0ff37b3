//! A board under one set of rules: what hunts, views and games ask of a puzzle.

use super::error::Result;
use super::gameplay::{Gameplay, ProgramRun};
use super::option::Fact;
use super::playback::Playback;
use super::verdict::Verdict;
use super::{BoundName, EngineKind, Objective, PuzzleId, Start};
use gridhunt_boards::{Board, BoardError, SolutionReader};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{Context, Outcome, Parameters, RefutedSets, Solution};
use gridhunt_search::expand::StateSpace;
use std::io::BufRead;
use std::path::PathBuf;

/// A reader of solutions from a file or from standard input.
pub type Solutions = SolutionReader<Box<dyn BufRead + Send>>;

/// What is known of a task before a search.
#[derive(Clone, Debug)]
pub struct TaskInfo<'b> {
    /// The puzzle.
    pub puzzle: PuzzleId,
    /// The board.
    pub board: &'b Board,
    /// What the cost of a solution means.
    pub objective: Objective,
    /// The facts that a record holds.
    pub facts: Vec<Fact>,
}

/// How a board is searched.
#[derive(Clone, Copy, Debug)]
pub struct Method<'a> {
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

    /// Searches the board. `known` is a solution that [`Task::replay`] accepts; the search reports it or a better one.
    ///
    /// # Errors
    /// When the engine cannot search this board, or a checkpoint cannot be used.
    fn search(&self, method: &Method<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome>;

    /// Replays a solution with the plain rules. Returns its moves as text.
    ///
    /// # Errors
    /// When the rules refuse a move, the moves do not reach the goal, or the replayed cost differs from the solution's.
    fn replay(&self, solution: &Solution) -> Result<Vec<String>, String>;

    /// Reads the next solution; `None` at the end of `solutions`.
    ///
    /// # Errors
    /// When the text is not a solution of this puzzle. A wrong solution is no error.
    fn read<'t>(&'t self, solutions: &mut Solutions) -> Result<Option<Box<dyn Written<'t> + 't>>, BoardError>;

    /// The task as [`States`]; `None` if programs solve it.
    fn states(&self) -> Option<&dyn States> {
        None
    }

    /// The task as [`Programs`]; `None` if moves solve it.
    fn programs(&self) -> Option<&dyn Programs> {
        None
    }

    /// The task as [`Certificates`]; `None` if its lower bounds have no certificates.
    fn certificates(&self) -> Option<&dyn Certificates> {
        None
    }

    /// Begins a game on the board; `None` if the puzzle is not played move by move.
    fn game(&self) -> Option<Box<dyn Gameplay + '_>> {
        None
    }
}

/// A solution of a task that somebody wrote, right or wrong.
pub trait Written<'t> {
    /// The verdict of the plain rules.
    fn verdict(&self) -> Verdict;

    /// The position after the first `after` moves, with the rest of the solution. If the solution does not reach the
    /// goal, the start has no rest; this is allowed only if `after` is not 0.
    ///
    /// # Errors
    /// When the rules refuse the solution, or it has fewer moves than `after`.
    fn start(&self, after: usize) -> Result<Start>;

    /// Turns the solution into a playback, which shows it step by step on the board.
    ///
    /// # Errors
    /// When the rules refuse the solution.
    fn playback(self: Box<Self>) -> Result<Playback<'t>>;
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

    /// The bounds that apply to this board, in the order of [`super::PuzzleInfo::bounds`].
    fn applicable(&self) -> Vec<&'static str>;

    /// Whether the bound of that name applies to this board.
    fn applies(&self, bound: &BoundName) -> bool {
        self.applicable().contains(&bound.as_str())
    }
}

/// A function that is called with the search spaces of a board.
pub type Visit<'a> = &'a mut dyn for<'p> FnMut(&dyn SpaceFactory<'p>) -> Result<()>;

/// A task whose searches have states.
pub trait States: Sync {
    /// Calls `visit` once with the search spaces of the board, one for each lower bound.
    ///
    /// # Errors
    /// When `visit` returns an error.
    fn with_spaces(&self, visit: Visit<'_>) -> Result<()>;

    /// The names of moves that are made one after another from the board on; `None` if one of them is no move.
    fn move_names(&self, moves: &[MoveIndex]) -> Option<Vec<String>>;

    /// The moves with these names, up to the first name that means no move.
    fn moves_named(&self, names: &[String]) -> Vec<MoveIndex>;
}

/// A task that programs solve.
pub trait Programs: Sync {
    /// Runs a program on the board, and keeps the first `most` steps. A program that does not solve the board is no
    /// error.
    ///
    /// # Errors
    /// When the text is no program.
    fn run(&self, text: &str, most: usize) -> Result<ProgramRun>;
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// No solution costs less; [`Cost::MAX`] if there is no solution.
    pub bound: Cost,
    /// The moves of a solution that costs `bound`, if one is known.
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

/// What a certificate says of a board, besides its size and its colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifiedBoard {
    /// The start, or the rules, as numbers.
    pub rules: Vec<usize>,
    /// The number that stands for an empty cell; `None` if no cell is empty.
    pub empty: Option<usize>,
}

/// A task whose lower bounds have certificates.
pub trait Certificates: Sync {
    /// Makes the certificate of a claim. It is the same for any number of threads. `refuted` is what a search of the
    /// board has refuted; the less it holds, the longer this takes.
    ///
    /// # Errors
    /// When the claim is wrong, and when a limit of `context` is reached.
    fn certify(
        &self,
        claim: &Claim<'_>,
        form: CertificateForm,
        refuted: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate>;

    /// Refuses a task that has no certificates of this form, before a search.
    ///
    /// # Errors
    /// When the task has none.
    fn check_form(&self, form: CertificateForm) -> Result<()>;

    /// What a certificate says of the board.
    fn certified_board(&self) -> CertifiedBoard;
}
