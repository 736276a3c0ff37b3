//! Errors at the start of a server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be used.
    #[error("{listen}: {error}; --listen ADDRESS:PORT names another one, and port 0 any that is free")]
    Listen {
        /// The address and port.
        listen: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// The system has no random numbers.
    #[error("no random token: {0}")]
    Token(io::Error),
    /// A source is not a folder.
    #[error("{}: found no folder, expected a run directory or a folder of them", .0.display())]
    Source(PathBuf),
    /// A folder cannot be read.
    #[error("{folder}: {error}")]
    Folder {
        /// The folder.
        folder: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The threads of the server cannot be started.
    #[error("the server cannot start: {0}")]
    Threads(io::Error),
}
