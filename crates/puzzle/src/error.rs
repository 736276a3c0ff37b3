//! Why a puzzle refuses a board, a request or a solution.

use super::names::join;
use super::{BoundName, EngineKind, PuzzleId};
use gridhunt_boards::{Board, BoardError};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::engine::ProofError;
use std::error::Error;
use std::path::PathBuf;

/// The names of the engines that search a puzzle.
fn engines_of(domain: PuzzleId) -> String {
    join((domain.info().engines)().into_iter().map(|engine| engine.name))
}

/// The names of the puzzles that have lower bounds.
fn puzzles_with_bounds() -> String {
    join(PuzzleId::all().filter(|puzzle| !puzzle.info().bounds.is_empty()).map(PuzzleId::name))
}

/// The names of the puzzles whose lower bounds have certificates.
fn certified_puzzles() -> String {
    let certified = PuzzleId::all().filter(|puzzle| puzzle.info().has_certificates);
    certified.map(PuzzleId::name).collect::<Vec<_>>().join(" or ")
}

/// Writes a number of bytes for a message.
fn shown(bytes: u64) -> bytesize::ByteSize {
    bytesize::ByteSize(bytes)
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
    /// Programs solve the domain, so its searches have no states to look at.
    #[error(
        "found the domain {domain}, whose solutions are programs, expected one with states: {}",
        puzzles_with_bounds()
    )]
    NoStates {
        /// The domain that was asked for.
        domain: PuzzleId,
    },
    /// The solutions of the domain are no programs.
    #[error("found the domain {domain}, whose solutions are no programs, expected one whose solutions are")]
    NoPrograms {
        /// The domain that was asked for.
        domain: PuzzleId,
    },
    /// The lower bounds of the domain have no certificates.
    #[error("found the domain {domain}, expected {}: they alone have certificates", certified_puzzles())]
    NoCertificates {
        /// The domain that was asked for.
        domain: PuzzleId,
    },
    /// The objective, or the form, has no certificates.
    #[error("found {found}, expected {expected} for a certificate")]
    NoCertificatesOf {
        /// The objective, or the form.
        found: &'static str,
        /// The objectives, or the forms, that have certificates.
        expected: &'static str,
    },
    /// No boards of this kind can be generated.
    #[error("found the kind {found:?} of boards, expected {}", if expected.is_empty() { "none".to_owned() } else { format!("one of: {}", join(expected.iter().copied())) })]
    Kind {
        /// The kind.
        found: String,
        /// The kinds that the puzzle has.
        expected: &'static [&'static str],
    },
    /// A certificate could not be made.
    #[error("{board}: no certificate: {reason}")]
    NotCertified {
        /// The board's name.
        board: String,
        /// Why.
        reason: ProofError,
    },
    /// The checker refuses a certificate that was made.
    #[error("{board}: no certificate: the checker refuses the one that was made: {reason}")]
    CertificateRefused {
        /// The board's name.
        board: String,
        /// What the checker says.
        reason: String,
    },
    /// The board is too large for a certificate of the form that is wanted.
    #[error("{board}: found {rows} x {cols} cells, expected at most {expected}")]
    LargeForCertificate {
        /// The board's name.
        board: String,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// The largest size, and the form of certificate that it is the limit of.
        expected: &'static str,
    },
    /// The file of a board would replace that of another board, or an input.
    #[error(
        "{board}: its file would replace {}, expected boards with names that differ, and other inputs", .file.display()
    )]
    SameName {
        /// The board's name.
        board: String,
        /// The file.
        file: PathBuf,
    },
    /// The limit of memory is too small for any search.
    #[error("found a memory limit of {}, expected at least {}: raise --memory", shown(*found), shown(*expected))]
    Memory {
        /// The limit, in bytes.
        found: u64,
        /// The least limit, in bytes.
        expected: u64,
    },
    /// The engine cannot search the domain.
    #[error("found the engine {} for the domain {domain}, expected one of: {}", engine.name(), engines_of(*domain))]
    Engine {
        /// The engine.
        engine: EngineKind,
        /// The domain.
        domain: PuzzleId,
    },
    /// The board has the cells of another puzzle.
    #[error("{board}: found {found} for the domain {domain}, expected --domain {expected}")]
    OtherPuzzle {
        /// The board's name.
        board: String,
        /// The name of its cells.
        found: &'static str,
        /// The domain that was asked for.
        domain: PuzzleId,
        /// The domain that the cells belong to.
        expected: PuzzleId,
    },
    /// The board has cells that the puzzle does not have.
    #[error("{board}: found {found}, expected {expected}")]
    Cells {
        /// The board's name.
        board: String,
        /// The cells found.
        found: String,
        /// The cells that the puzzle needs.
        expected: &'static str,
    },
    /// The board is not a position of the puzzle.
    #[error(transparent)]
    Position(Box<dyn Error + Send + Sync>),
    /// The rules refuse a solution that is to be drawn.
    #[error("{board}: {reason}")]
    Solution {
        /// The board's name.
        board: String,
        /// The error of the replay.
        reason: String,
    },
    /// The scores are too far apart for the records in which an engine stores states.
    #[error(
        "{board}: found solutions up to {found} points below the best score, expected at most {most} for the engine {engine}; engines without this limit: auto, beam, anneal"
    )]
    TooDear {
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
    #[error("{board}: found the bound {bound} for the objective {objective}, expected one that knows it: {}", join(known.iter().copied()))]
    Bound {
        /// The board.
        board: String,
        /// The bound.
        bound: BoundName,
        /// The objective.
        objective: &'static str,
        /// The bounds that apply to the objective.
        known: Vec<&'static str>,
    },
    /// An option or a bound of another domain.
    #[error("found {what} for the domain {domain}, expected it for {expected} alone")]
    Foreign {
        /// The option or the bound.
        what: String,
        /// The domain.
        domain: PuzzleId,
        /// The domain that has the option or the bound.
        expected: PuzzleId,
    },
    /// The plain rules refuse the solution of an engine.
    #[error("{board}: the solution of engine {engine} fails its replay: {reason}")]
    Replay {
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
    /// The board is not a position of the puzzle, for this reason.
    pub fn position(reason: impl Error + Send + Sync + 'static) -> Self {
        Self::Position(Box::new(reason))
    }

    /// The rules refuse a solution of `board`, for this reason.
    pub fn solution(board: &Board, reason: impl ToString) -> Self {
        Self::Solution { board: board.name().to_owned(), reason: reason.to_string() }
    }
}
