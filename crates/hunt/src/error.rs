//! The errors of a search.

use super::RunError;
use gridhunt_boards::{BoardError, plural};
use gridhunt_puzzle::PuzzleError;
use gridhunt_search::engine::ProofError;
use std::error::Error;

pub(super) type Result<T, E = HuntError> = std::result::Result<T, E>;

/// Why a board has no record, or a batch cannot run.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// The puzzle refuses the board, the request or a solution, or cannot search.
    #[error(transparent)]
    Puzzle(#[from] PuzzleError),
    /// The run directory cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The search panicked.
    #[error("{board}: the search panicked: {message}")]
    Panicked {
        /// The board.
        board: String,
        /// The message of the panic.
        message: String,
    },
    /// The threads of a batch cannot be started.
    #[error("cannot start {}: {reason}; raise the limits on threads (ulimit -u) and address space (ulimit -v)", plural(*threads, "thread"))]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The error of the system.
        reason: String,
    },
    /// An order of the leader cannot be sent or executed.
    #[error("the ranks cannot search together: {0}")]
    Ranks(String),
}

/// Writes an error with its causes.
#[must_use]
pub fn error_chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

impl From<BoardError> for HuntError {
    fn from(error: BoardError) -> Self {
        Self::Puzzle(error.into())
    }
}

impl HuntError {
    /// Whether this is a fault of the program, not of its input.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        match self {
            Self::Puzzle(PuzzleError::ReplayFailed { .. })
            // The search has proven something false, or the certificate cannot be made from a correct proof.
            | Self::Puzzle(PuzzleError::NotCertified { reason: ProofError::Solved(_) | ProofError::NotRefuted, .. })
            | Self::Puzzle(PuzzleError::CertificateRefused { .. })
            | Self::Panicked { .. }
            | Self::Ranks(_) => true,
            Self::Puzzle(_) | Self::Run(_) | Self::Threads { .. } => false,
        }
    }
}
