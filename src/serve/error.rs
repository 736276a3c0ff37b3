//! Errors at the start of a server.

use crate::report::watch::SourceError;
use std::io;
use std::net::SocketAddr;

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
    /// A source is no run.
    #[error(transparent)]
    Source(#[from] SourceError),
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
