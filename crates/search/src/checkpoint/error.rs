//! Errors of checkpoints.

use crate::platform::HAS_FILES;
use crate::store::StorageError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Checks that the platform has files, which checkpoints need.
///
/// # Errors
/// On a platform without files.
#[inline]
pub(super) fn require_files(run: &Path) -> Result<(), CheckpointError> {
    if HAS_FILES {
        return Ok(());
    }
    let reason = Arc::new(io::ErrorKind::Unsupported.into());
    Err(StorageError::Io { action: "keep checkpoints in", path: run.to_owned(), reason }.into())
}

/// Why a checkpoint cannot be written or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be written or read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// No generation of the manifest can be used.
    #[error("{}: found no checkpoint{}", path.display(), unusable_generations(path, reasons))]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// For each generation that exists, why it cannot be used.
        reasons: Vec<String>,
    },
    /// The checkpoint belongs to another search.
    #[error("{}: found a checkpoint of {found}, expected one of {expected}", path.display())]
    OtherSearch {
        /// The folder.
        path: PathBuf,
        /// The search that wrote the checkpoint.
        found: String,
        /// The search that reads the checkpoint.
        expected: String,
    },
    /// A step failed on another rank, so it fails on this rank too.
    #[error("{}: rank {rank} reports: {reason}", path.display())]
    OtherRank {
        /// The folder.
        path: PathBuf,
        /// The other rank.
        rank: usize,
        /// The error of that rank.
        reason: String,
        /// Whether the disk of that rank has no room.
        is_full: bool,
        /// Whether that rank has found a damaged file.
        is_damage: bool,
    },
    /// The caller stopped the recovery.
    #[error("{}: interrupted while it was read", path.display())]
    Interrupted {
        /// The folder.
        path: PathBuf,
    },
}

fn unusable_generations(path: &Path, reasons: &[String]) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    format!(
        " that can be used:\n{}\nrestore these files (is a spill folder missing?), or remove {} to continue without \
         them",
        reasons.join("\n"),
        path.display()
    )
}

impl CheckpointError {
    /// Whether the disk has no room, which is a limit and not a failure.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self {
            Self::Storage(error) => error.is_full(),
            Self::OtherRank { is_full, .. } => *is_full,
            _ => false,
        }
    }

    /// Whether a file is damaged, so that an older generation may be usable.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Storage(error) => error.is_damage(),
            Self::OtherRank { is_damage, .. } => *is_damage,
            _ => false,
        }
    }
}
