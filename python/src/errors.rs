//! The exceptions, and which error becomes which exception.

use gridhunt::hunt::{Config, ConfigError, HuntError, RunError, error_chain};
use gridhunt::play::PlayError;
use gridhunt::puzzles::PuzzleError;
use gridhunt::views::page::GatherError;
use gridhunt_boards::{BoardError, WriteError};
use gridhunt_search::engine::PARAMETERS;
use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};
use std::error::Error;

/// The exception classes of Python.
pub mod python {
    use super::{PyException, create_exception};

    create_exception!(gridhunt, GridhuntError, PyException, "The base of all errors of gridhunt.");
    create_exception!(gridhunt, BoardError, GridhuntError, "A text, file, link or array is not a board of the puzzle.");
    create_exception!(gridhunt, OptionError, GridhuntError, "There is no such option, or it has no such value.");
    create_exception!(gridhunt, SolutionError, GridhuntError, "A text is not a solution of the puzzle.");
    create_exception!(gridhunt, CertificateError, GridhuntError, "A certificate is refused, or cannot be made.");
    create_exception!(gridhunt, RunError, GridhuntError, "A run directory cannot be used.");
}

pub use python::{CertificateError, GridhuntError};

/// Turns an error of the library into an exception.
pub trait Raise {
    /// The exception.
    fn raise(self) -> PyErr;
}

impl Raise for BoardError {
    fn raise(self) -> PyErr {
        python::BoardError::new_err(error_chain(&self))
    }
}

impl Raise for WriteError {
    fn raise(self) -> PyErr {
        python::BoardError::new_err(error_chain(&self))
    }
}

impl Raise for PlayError {
    fn raise(self) -> PyErr {
        python::BoardError::new_err(self.error)
    }
}

impl Raise for ConfigError {
    fn raise(self) -> PyErr {
        option_error(error_chain(&self))
    }
}

impl Raise for RunError {
    fn raise(self) -> PyErr {
        match self {
            Self::InputBoard(error) => error.raise(),
            error => python::RunError::new_err(error_chain(&error)),
        }
    }
}

impl Raise for GatherError {
    fn raise(self) -> PyErr {
        match self {
            Self::Run(error) => error.raise(),
            error => python::RunError::new_err(error_chain(&error)),
        }
    }
}

impl Raise for PuzzleError {
    fn raise(self) -> PyErr {
        let text = error_chain(&self);
        match self {
            Self::Board(error) => error.raise(),
            Self::CellsOfOtherPuzzle { .. } | Self::InvalidCells { .. } | Self::InvalidPosition(_) => {
                python::BoardError::new_err(text)
            }
            Self::InvalidSolution { .. } => python::SolutionError::new_err(text),
            Self::NotCertified { .. } | Self::CertificateRefused { .. } | Self::TooLargeForCertificate { .. } => {
                CertificateError::new_err(text)
            }
            Self::Checkpoint(_) => python::RunError::new_err(text),
            Self::ReplayFailed { .. } => GridhuntError::new_err(text),
            _ => option_error(text),
        }
    }
}

impl Raise for HuntError {
    fn raise(self) -> PyErr {
        match self {
            Self::Puzzle(error) => error.raise(),
            Self::Run(error) => error.raise(),
            error => GridhuntError::new_err(error_chain(&error)),
        }
    }
}

/// The exception for a wrong option. Options are named as Python spells them: `time_limit` for `time-limit` and
/// `--time-limit`.
pub fn option_error(text: impl ToString) -> PyErr {
    let keys: Vec<_> = Config::keys().chain(PARAMETERS.iter().map(|parameter| parameter.name)).collect();
    // A path is one word.
    let is_in_word = |c: char| c.is_alphanumeric() || "-_./\\".contains(c);
    let text = text.to_string();
    let respell = |part: &str| {
        let word = part.trim_end_matches(|c| !is_in_word(c) || c == '.');
        let key = word.strip_prefix("--").unwrap_or(word);
        let is_key = keys.contains(&key);
        if is_key { key.replace('-', "_") + &part[word.len()..] } else { part.to_owned() }
    };
    python::OptionError::new_err(text.split_inclusive(|c| !is_in_word(c)).map(respell).collect::<String>())
}

/// The exception for a wrong solution.
pub fn solution_error(error: impl Error + 'static) -> PyErr {
    python::SolutionError::new_err(error_chain(&error))
}

/// The exception for an error of the system.
pub fn system_error(error: impl Error + 'static) -> PyErr {
    GridhuntError::new_err(error_chain(&error))
}
