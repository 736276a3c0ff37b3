//! Temporary files.

use super::backend::StorageFile;
use super::config::StorageConfig;
use super::error::{IoContext, StorageError};
use super::usage::DiskUsage;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A file without a name, which disappears with the process.
#[derive(Debug)]
pub(crate) struct TempFile {
    file: Box<dyn StorageFile>,
    /// A name for messages, in the folder of the file.
    path: PathBuf,
    bytes: AtomicU64,
    usage: Arc<DiskUsage>,
}

impl TempFile {
    /// An empty file in the spill folder that `number` selects. Creates the folder if it is missing.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(crate) fn create(
        config: &StorageConfig,
        name: &str,
        number: usize,
        usage: &Arc<DiskUsage>,
    ) -> Result<Self, StorageError> {
        let folder = config.spill_folders.get(number % config.spill_folders.len().max(1)).unwrap_or(&config.run);
        let path = folder.join(name);
        config.backend.create_folder(folder).context("create", folder)?;
        let file = config.backend.create_temporary(folder).context("create", &path)?;
        Ok(Self { file, path, bytes: AtomicU64::new(0), usage: Arc::clone(usage) })
    }

    /// The length of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    pub(crate) fn read(&self, bytes: &mut [u8], offset: u64) -> Result<(), StorageError> {
        self.file.read(bytes, offset).context("read", &self.path)
    }

    pub(crate) fn write(&self, bytes: &[u8], offset: u64) -> Result<(), StorageError> {
        let end = offset + bytes.len() as u64;
        let previous_end = self.bytes.fetch_max(end, Relaxed);
        self.usage.add_temporary(end.saturating_sub(previous_end));
        self.file.write(bytes, offset).context("write", &self.path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        self.usage.remove_temporary(self.bytes());
    }
}
