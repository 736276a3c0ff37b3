//! The folders and the identity of the checkpoints of a search.

use crate::store::StorageConfig;
use std::path::PathBuf;

/// The folders and the identity of the checkpoints of a search.
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

/// The most bytes of a last checkpoint: unfinished segments, buffered ids and marks, and the manifest. `segment_bytes`
/// is the length of one segment, times the number of shards of this rank.
pub(super) fn last_checkpoint_bytes(segment_bytes: u64) -> u64 {
    segment_bytes + (8 << 20)
}
