//! Why a puzzle refuses a board, a request or a solution.

use super::names::join_names;
use super::{BoundName, EngineKind, PuzzleId};
use bytesize::ByteSize;
use gridhunt_boards::{Board, BoardError};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::engine::ProofError;
use std::error::Error;
use std::path::PathBuf;

/// The names of the engines that search a puzzle.
fn engines_of(domain: PuzzleId) -> String {
    join_names((domain.info().engines)().into_iter().map(|engine| engine.name))
}

/// The names of the puzzles that have lower bounds.
fn puzzles_with_bounds() -> String {
    join_names(PuzzleId::all().filter(|puzzle| !puzzle.info().bounds.is_empty()).map(PuzzleId::name))
}

/// The names of the puzzles whose lower bounds have certificates.
fn certified_puzzles() -> String {
    let certified = PuzzleId::all().filter(|puzzle| puzzle.info().has_certificates);
    certified.map(PuzzleId::name).collect::<Vec<_>>().join(" or ")
}

/// The result of a puzzle's work.
pub type Result<T, E = PuzzleError> = std::result::Result<T, E>;

/// Why a puzzle refuses a board, a request or a solution, or cannot search.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    /// The input is not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// No puzzle is linked to the program.
    #[error("found no puzzle in this program, expected one: link its crate")]
    NoPuzzle,
    /// The solutions of the domain are programs, so its searches have no states.
    #[error(
        "found the domain {0}, whose solutions are programs, expected one with states: {names}",
        names = puzzles_with_bounds()
    )]
    NoStates(PuzzleId),
    /// The solutions of the domain are not programs.
    #[error("found the domain {0}, whose solutions are not programs, expected one whose solutions are programs")]
    NoPrograms(PuzzleId),
    /// The lower bounds of the domain have no certificates.
    #[error("found the domain {0}, expected one with certificates: {names}", names = certified_puzzles())]
    NoCertificates(PuzzleId),
    /// The objective, or the form of certificate, is not supported.
    #[error("found {found}, expected {expected} for a certificate")]
    NotCertifiable {
        /// The objective, or the form.
        found: &'static str,
        /// The objectives, or the forms, that have certificates.
        expected: &'static str,
    },
    /// The puzzle cannot generate boards of this kind.
    #[error("found the kind {found:?} of boards, expected {}", if expected.is_empty() { "none".to_owned() } else { format!("one of: {}", join_names(expected.iter().copied())) })]
    UnknownKind {
        /// The kind.
        found: String,
        /// The kinds that the puzzle has.
        expected: &'static [&'static str],
    },
    /// The search for a certificate ended without one.
    #[error("{board}: no certificate: {reason}")]
    NotCertified {
        /// The board's name.
        board: String,
        /// Why.
        reason: ProofError,
    },
    /// The checker refuses the certificate. This is a fault of the program.
    #[error("{board}: no certificate: the checker refuses the result: {reason}")]
    CertificateRefused {
        /// The board's name.
        board: String,
        /// What the checker says.
        reason: String,
    },
    /// The board is too large for a certificate of this form.
    #[error("{board}: found {rows} x {cols} cells, expected at most {expected}")]
    TooLargeForCertificate {
        /// The board's name.
        board: String,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// The largest size, and the form of certificate with this limit.
        expected: &'static str,
    },
    /// The output file of a board would replace an input, or the output file of another board.
    #[error(
        "{board}: its file would overwrite {}, expected boards with different names, and other inputs", .file.display()
    )]
    FileConflict {
        /// The board's name.
        board: String,
        /// The file.
        file: PathBuf,
    },
    /// The memory limit is too small for any search.
    #[error("found a memory limit of {}, expected at least {}: raise --memory", ByteSize(*found), ByteSize(*expected))]
    MemoryLimitTooSmall {
        /// The limit, in bytes.
        found: u64,
        /// The least limit, in bytes.
        expected: u64,
    },
    /// The engine cannot search the domain.
    #[error("found the engine {} for the domain {domain}, expected one of: {}", engine.name(), engines_of(*domain))]
    UnsupportedEngine {
        /// The engine.
        engine: EngineKind,
        /// The domain.
        domain: PuzzleId,
    },
    /// The board has the cells of another puzzle.
    #[error("{board}: found {found} for the domain {domain}, expected --domain {expected}")]
    CellsOfOtherPuzzle {
        /// The board's name.
        board: String,
        /// The cells, in words.
        found: &'static str,
        /// The domain that was asked for.
        domain: PuzzleId,
        /// The domain that the cells belong to.
        expected: PuzzleId,
    },
    /// The board has cells that the puzzle does not have.
    #[error("{board}: found {found}, expected {expected}")]
    InvalidCells {
        /// The board's name.
        board: String,
        /// The cells found.
        found: String,
        /// The cells that the puzzle has.
        expected: &'static str,
    },
    /// The board is not a position of the puzzle.
    #[error(transparent)]
    InvalidPosition(Box<dyn Error + Send + Sync>),
    /// The plain rules refuse a solution.
    #[error("{board}: {reason}")]
    InvalidSolution {
        /// The board's name.
        board: String,
        /// The error of the replay.
        reason: String,
    },
    /// A cost may exceed the greatest cost that the engine can store.
    #[error(
        "{board}: found solutions up to {found} points below the best score, expected at most {most} for the engine {engine}; engines without this limit: auto, beam, anneal"
    )]
    CostTooLarge {
        /// The board.
        board: String,
        /// The engine.
        engine: &'static str,
        /// The greatest loss: how far the score of a solution may lie below the score that no solution exceeds.
        found: u32,
        /// The greatest loss that the engine accepts.
        most: u32,
    },
    /// The bound does not apply to the objective.
    #[error("{board}: found the bound {bound} for the objective {objective}, expected one that supports it: {}", join_names(applicable.iter().copied()))]
    InapplicableBound {
        /// The board.
        board: String,
        /// The bound.
        bound: BoundName,
        /// The objective.
        objective: &'static str,
        /// The bounds that apply to the objective.
        applicable: Vec<&'static str>,
    },
    /// The option or the bound belongs to another domain.
    #[error("found {what} for the domain {domain}, expected the domain {expected}")]
    OtherDomain {
        /// The option or the bound.
        what: String,
        /// The domain.
        domain: PuzzleId,
        /// The domain that has the option or the bound.
        expected: PuzzleId,
    },
    /// The plain rules refuse the solution that an engine found. This is a fault of the program.
    #[error("{board}: the solution of engine {engine} fails its replay: {reason}")]
    ReplayFailed {
        /// The board.
        board: String,
        /// The engine.
        engine: &'static str,
        /// The error of the replay.
        reason: String,
    },
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl PuzzleError {
    /// Makes the error for a board that is not a position of the puzzle.
    pub fn invalid_position(reason: impl Error + Send + Sync + 'static) -> Self {
        Self::InvalidPosition(Box::new(reason))
    }

    /// Makes the error for a solution that the plain rules refuse.
    pub fn invalid_solution(board: &Board, reason: impl ToString) -> Self {
        Self::InvalidSolution { board: board.name().to_owned(), reason: reason.to_string() }
    }
}
