//! What can go wrong between the store and its files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a store cannot be written or read back.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The system refuses.
    #[error("cannot {action} {}: {reason}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system says.
        reason: Arc<io::Error>,
    },
    /// The space that may be used is used up.
    #[error("{}: found room for {left} bytes more, expected {wanted}", path.display())]
    Full {
        /// Where there is no room.
        path: PathBuf,
        /// Bytes that may still be written.
        left: u64,
        /// Bytes that have to be written.
        wanted: u64,
    },
    /// A file is not what was written.
    #[error("{}: at byte {at}: found {found}, expected {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in it.
        at: u64,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// There is no generation of the manifest that can be used.
    #[error("{}: found no checkpoint{}", path.display(), unusable(reasons))]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// Why not, for each generation that is there.
        reasons: Vec<String>,
    },
    /// What the checkpoint holds is of something else.
    #[error("{}: found a checkpoint of {found}, expected one of {expected}", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What the checkpoint belongs to.
        found: String,
        /// What it should belong to.
        expected: String,
    },
    /// Whoever wanted it does not want it any more.
    #[error("{}: interrupted while it was read", path.display())]
    Interrupted {
        /// The folder.
        path: PathBuf,
    },
}

fn unusable(reasons: &[String]) -> String {
    if reasons.is_empty() { String::new() } else { format!(" that can be used:\n{}", reasons.join("\n")) }
}

impl ArchiveError {
    pub(super) fn damaged(path: &Path, at: u64, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), at, found: found.into(), expected: expected.into() }
    }

    /// Whether a file is broken, so that another generation may do better. What passes (too many open files, no right to
    /// read) is no such fault: nothing may be given up for it.
    pub(super) fn is_damage(&self) -> bool {
        use io::ErrorKind::{NotFound, UnexpectedEof};
        match self {
            Self::Damaged { .. } => true,
            Self::Io { reason, .. } => {
                matches!(reason.kind(), NotFound | UnexpectedEof)
                    || reason.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
            }
            _ => false,
        }
    }

    /// Whether there was no room, which is a limit and no fault.
    #[must_use]
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match self {
            Self::Full { .. } => true,
            Self::Io { reason, .. } => matches!(reason.kind(), StorageFull | QuotaExceeded | FileTooLarge),
            _ => false,
        }
    }
}

/// Says what was done to which file when it failed.
pub(super) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, ArchiveError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, ArchiveError> {
        self.map_err(|reason| ArchiveError::Io { action, path: path.to_owned(), reason: Arc::new(reason) })
    }
}
