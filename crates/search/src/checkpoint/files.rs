//! Where the checkpoints of a search lie, and to which search they belong.

use crate::store::StorageConfig;
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
    /// Puts all files into the run directory, on this machine's disk, without limits.
    #[must_use]
    pub fn unlimited(run: PathBuf, identity: impl Into<String>) -> Self {
        Self { storage: StorageConfig::unlimited(run), identity: identity.into() }
    }
}

/// The most bytes of a last checkpoint: unfinished segments, closed ids and marks that wait, and the manifest.
/// `segments` is the number of bytes of one segment of each shard of this rank, added up.
pub(super) fn last_checkpoint(segments: u64) -> u64 {
    segments + (8 << 20)
}
