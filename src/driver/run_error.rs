//! The errors of configurations and run directories.

use crate::board::{BoardError, WriteError};
use crate::checkpoint::CheckpointError;
use std::io;
use std::path::PathBuf;

/// The folder of configurations that are given by a bare name, relative to the working directory.
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
    /// The text is not a valid configuration.
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

/// A run directory that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An operation on a file failed.
    #[error("cannot {action} {}: {reason}", path.display())]
    Io {
        /// The operation.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// Another process uses the directory.
    #[error("{}: found a hunt under way (process {process}), expected a directory that nobody uses", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The number of the process that holds the lock.
        process: String,
    },
    /// The directory already holds a run.
    #[error("{}: found a run, expected no directory or an empty one; `gridhunt resume` goes on with it", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// The directory or a file in it does not have the expected content.
    #[error("{}: found {found}, expected {expected}", path.display())]
    Unexpected {
        /// The file or directory.
        path: PathBuf,
        /// The content found.
        found: String,
        /// The content expected.
        expected: &'static str,
    },
    /// The configuration in the directory is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A board is invalid, in the directory or in the input.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A board cannot be written to the directory.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A checkpoint in the directory cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}
