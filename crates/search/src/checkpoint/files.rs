//! Where the checkpoints of a search lie, and to which search they belong.

use crate::store::{StorageConfig, StorageError};
use std::path::PathBuf;

/// Where the checkpoints of a search lie, and to which search they belong.
#[derive(Clone, Debug)]
pub struct CheckpointFiles {
    /// Folders, and limits of memory and disk.
    pub storage: StorageConfig,
    /// The puzzle, board and lower bound of the search. A checkpoint with another identity is refused. An empty
    /// identity accepts every checkpoint.
    pub identity: String,
}

impl CheckpointFiles {
    /// All files in the run directory, on this machine's disk, without limits.
    #[must_use]
    pub fn unlimited(run: PathBuf, identity: impl Into<String>) -> Self {
        Self { storage: StorageConfig::unlimited(run), identity: identity.into() }
    }

    /// Checks whether the disk has room for checkpoints of a store that holds `held` bytes. `segments` are the bytes of
    /// one segment of each shard.
    ///
    /// # Errors
    /// [`StorageError::Full`] when the room does not suffice.
    pub(super) fn check_room(&self, segments: u64, held: u64) -> Result<(), StorageError> {
        self.storage.check_room(0, held + last_checkpoint(segments))
    }
}

/// The most bytes of a last checkpoint: unfinished segments, closed ids and marks that wait, and the manifest.
/// `segments` are the bytes of one segment of each shard of this rank.
pub(super) fn last_checkpoint(segments: u64) -> u64 {
    segments + (8 << 20)
}
