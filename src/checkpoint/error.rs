//! Errors of checkpoints.

use crate::store::StorageError;
use std::path::{Path, PathBuf};

/// Why a checkpoint cannot be written or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be written or read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// No generation of the manifest can be used.
    #[error("{}: found no checkpoint{}", path.display(), unusable(path, reasons))]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// For each generation that exists, why it cannot be used.
        reasons: Vec<String>,
    },
    /// The checkpoint belongs to another search.
    #[error("{}: found a checkpoint of {found}, expected one of {expected}", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The search that wrote the checkpoint.
        found: String,
        /// The search that reads the checkpoint.
        expected: String,
    },
    /// The caller stopped the recovery.
    #[error("{}: interrupted while it was read", path.display())]
    Interrupted {
        /// The folder.
        path: PathBuf,
    },
}

fn unusable(path: &Path, reasons: &[String]) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    format!(
        " that can be used:\n{}\nrestore these files (is a spill folder missing?), or remove {} to go on without them",
        reasons.join("\n"),
        path.display()
    )
}

impl CheckpointError {
    /// Whether the disk has no room, which is a limit and not a failure.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_full())
    }

    /// Whether a file is broken, so that an older generation may be better.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_damage())
    }
}
