//! Why a configuration or a run directory cannot be used.

use crate::board::{BoardError, WriteError};
use crate::checkpoint::CheckpointError;
use std::io;
use std::path::PathBuf;

/// The folder of configurations that are named without a path, relative to the working directory.
pub(super) const FOLDER: &str = "configs";

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No configuration has this bare name.
    #[error("found no configuration {name:?} in {}, expected a path or one of: {known}", FOLDER)]
    UnknownName {
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Something stands where something else should.
    #[error("{file}:{line}:{column}: {message}")]
    Unexpected {
        /// The file.
        file: String,
        /// Line from 1.
        line: usize,
        /// Column from 1, in characters.
        column: usize,
        /// What was found and what was expected.
        message: String,
    },
}

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system refuses.
    #[error("cannot {action} {}: {reason}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Another process uses the directory.
    #[error("{}: found a hunt under way (process {process}), expected a directory that nobody uses", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
        /// Who has it.
        process: String,
    },
    /// There is a run already.
    #[error("{}: found a run, expected no directory or an empty one; `gridhunt resume` goes on with it", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds something else.
    #[error("{}: found {found}, expected {expected}", path.display())]
    Unexpected {
        /// The file or directory.
        path: PathBuf,
        /// What is there.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// The configuration in it is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A board is wrong, in it or on the way there.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A board cannot be kept.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An archive in it cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}
