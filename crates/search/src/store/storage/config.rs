//! Where files lie, and how much memory and disk may be used.

use super::backend::{Disk, StorageBackend};
use super::error::StorageError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the files of a search lie, and the limits of memory and disk.
#[derive(Clone, Debug)]
pub struct StorageConfig {
    /// The run directory.
    pub run: PathBuf,
    /// Folders for records, used in turn. Without folders, records go to the run directory.
    pub spill_folders: Vec<PathBuf>,
    /// The most bytes on disk.
    pub max_disk_bytes: Option<u64>,
    /// The bytes to leave free on each disk.
    pub min_free_bytes: u64,
    /// The most physical memory of the whole process, in bytes.
    pub max_resident_bytes: Option<u64>,
    /// The most bytes that records, marks and index take in memory.
    pub max_store_bytes: Option<u64>,
    /// The file system.
    pub backend: Arc<dyn StorageBackend>,
}

impl StorageConfig {
    /// Puts all files into the run directory, on this machine's disk, without limits.
    #[must_use]
    pub fn unlimited(run: PathBuf) -> Self {
        Self {
            run,
            spill_folders: Vec::new(),
            max_disk_bytes: None,
            min_free_bytes: 0,
            max_resident_bytes: None,
            max_store_bytes: None,
            backend: Arc::new(Disk),
        }
    }

    /// Checks that `more` bytes can be written while `used` bytes are on disk. Each folder needs room for all of them,
    /// because all may go to one folder.
    ///
    /// # Errors
    /// [`StorageError::Full`] when the bytes would pass the limit, or leave less than `min_free_bytes` bytes free.
    pub(crate) fn check_room(&self, used: u64, more: u64) -> Result<(), StorageError> {
        self.check(used, more, self.min_free_bytes)
    }

    /// [`StorageConfig::check_room`] for a last checkpoint, which may use half of `min_free_bytes`.
    pub(crate) fn check_last_checkpoint_room(&self, used: u64, more: u64) -> Result<(), StorageError> {
        self.check(used, more, self.min_free_bytes / 2)
    }

    fn check(&self, used: u64, more: u64, min_free_bytes: u64) -> Result<(), StorageError> {
        let budget = self.max_disk_bytes.map(|disk| (&self.run, disk.saturating_sub(used), None));
        // A folder that does not exist yet will lie on the disk of the folder above it.
        let free = |folder: &Path| folder.ancestors().find_map(|above| self.backend.free_bytes(above).ok());
        let folders = std::iter::once(&self.run).chain(&self.spill_folders);
        let left = |folder| free(folder).map_or(u64::MAX, |free| free.saturating_sub(min_free_bytes));
        let disks = folders.map(|folder| (folder, left(folder), Some(min_free_bytes)));
        match budget.into_iter().chain(disks).find(|&(_, left, _)| left < more) {
            Some((path, left, reserve)) => Err(StorageError::Full { path: path.clone(), left, wanted: more, reserve }),
            None => Ok(()),
        }
    }
}
