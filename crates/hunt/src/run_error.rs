//! The errors of configurations and run directories.

use super::{Contradiction, shell_quoted};
use gridhunt_boards::{BoardError, WriteError, did_you_mean};
use gridhunt_search::checkpoint::CheckpointError;
use std::io;
use std::path::PathBuf;

/// The version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The path leads to a directory.
    #[error("{}: found a directory, expected a configuration file", .0.display())]
    Directory(PathBuf),
    /// No configuration has this bare name.
    #[error("found no configuration {name:?},{} expected a path or one of: {names}", did_you_mean(nearest.as_deref()))]
    UnknownName {
        /// The name.
        name: String,
        /// The path `./NAME.toml` of an existing file, or else the existing name that is most similar to `name`.
        nearest: Option<String>,
        /// The names that exist, separated by commas.
        names: String,
    },
    /// Options do not make a valid configuration.
    #[error("options: {0}")]
    Options(String),
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
    #[error("cannot {action} {}: {reason}{}", path.display(), gridhunt_search::store::limit_advice(reason))]
    Io {
        /// The operation.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// Another process uses the directory.
    #[error("{}: in use by process {process}; stop it first: gridhunt stop {}", path.display(), shell_quoted(path))]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The number of the process that holds the lock.
        process: String,
    },
    /// The directory already holds a run.
    #[error(
        "{}: found a run, expected no directory or an empty one; continue it with: gridhunt resume {}",
        .0.display(),
        shell_quoted(.0)
    )]
    Exists(PathBuf),
    /// The creation of the run was interrupted.
    #[error(
        "{}: found a run whose creation did not finish, expected a run directory; start again with: \
         gridhunt solve BOARD --run {quoted}, or: gridhunt hunt CONFIG --run {quoted}",
        .0.display(),
        quoted = shell_quoted(.0)
    )]
    Incomplete(PathBuf),
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
    /// A file in the directory is not as it was written.
    #[error("{}: {place}: found {found}, expected {expected}; {remedy}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The place in the file.
        place: String,
        /// The content found.
        found: String,
        /// The content expected.
        expected: String,
        /// What to do.
        remedy: String,
    },
    /// Results about one board cannot all be true.
    #[error(
        "{board}: found {contradiction}, expected results that agree; check each run: gridhunt status RUN --check, and \
         search the board again in a new one"
    )]
    Contradiction {
        /// The board.
        board: String,
        /// What the results say.
        contradiction: Contradiction,
    },
    /// A rank does not see the directory of rank 0, or cannot write there.
    #[error(
        "{}: {rank} found {found}, expected to read what rank 0 has just written, and to write; give a --run on a file \
         system that all ranks share, under the same path",
        path.display()
    )]
    NotShared {
        /// The directory.
        path: PathBuf,
        /// The rank, with its host.
        rank: String,
        /// What the rank found.
        found: String,
    },
    /// A file is undamaged, but does not have the form that this version writes.
    #[error(
        "{0}: found the format of another version, expected that of gridhunt {VERSION}; start a new run (results.jsonl \
         of this one is JSON, which other programs read)"
    )]
    OtherVersion(String),
    /// The configuration in the directory is invalid.
    #[error("{0}; restore the file from a copy")]
    StoredConfig(ConfigError),
    /// A board in the directory is invalid.
    #[error("{0}; restore the file from a copy")]
    StoredBoard(BoardError),
    /// A board of the input is invalid.
    #[error(transparent)]
    InputBoard(#[from] BoardError),
    /// A board cannot be written to the directory.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A checkpoint in the directory cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}
