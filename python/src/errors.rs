//! The exceptions, and which error becomes which exception.

use gridhunt::hunt::{ConfigError, HuntError, RunError, error_chain};
use gridhunt::play::PlayError;
use gridhunt::puzzles::PuzzleError;
use gridhunt::views::page::GatherError;
use gridhunt_boards::{BoardError, WriteError};
use pyo3::PyErr;
use std::error::Error;

/// The exception classes of `_errors.py`. They turn flags in a message into arguments of Python.
pub mod python {
    use pyo3::import_exception;

    import_exception!(gridhunt, GridhuntError);
    import_exception!(gridhunt, BoardError);
    import_exception!(gridhunt, OptionError);
    import_exception!(gridhunt, SolutionError);
    import_exception!(gridhunt, CertificateError);
    import_exception!(gridhunt, RunError);
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

/// The exception for a wrong option.
pub fn option_error(text: impl ToString) -> PyErr {
    python::OptionError::new_err(text.to_string())
}

/// The exception for a wrong solution.
pub fn solution_error(error: impl Error + 'static) -> PyErr {
    python::SolutionError::new_err(error_chain(&error))
}

/// The exception for an error of the system.
pub fn system_error(error: impl Error + 'static) -> PyErr {
    GridhuntError::new_err(error_chain(&error))
}
