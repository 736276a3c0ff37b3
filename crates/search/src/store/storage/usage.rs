//! Counts bytes on disk.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The bytes that a search has on disk, and the bytes that it will still write.
#[derive(Debug, Default)]
pub(crate) struct DiskUsage {
    /// Bytes in files with names.
    pub(crate) written: AtomicU64,
    /// Bytes in temporary files.
    temporary: AtomicU64,
    /// Bytes of full segments that wait to be written.
    pub(crate) backlog_bytes: AtomicU64,
    /// All other bytes that will be written in any case.
    pub(crate) reserved: AtomicU64,
    /// Whether all records that are older than the files are written.
    pub(crate) is_snapshot_written: AtomicBool,
}

impl DiskUsage {
    /// No bytes on disk, and `reserved` bytes to be written.
    pub(crate) fn with_reserved(reserved: u64) -> Self {
        Self { reserved: AtomicU64::new(reserved), ..Self::default() }
    }

    /// Bytes that will be written in any case.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.backlog_bytes.load(Relaxed) + self.reserved.load(Relaxed)
    }

    /// Bytes on disk.
    pub(crate) fn used(&self) -> u64 {
        self.written.load(Relaxed) + self.temporary.load(Relaxed)
    }

    /// Adds bytes of a temporary file.
    pub(super) fn add_temporary(&self, bytes: u64) {
        self.temporary.fetch_add(bytes, Relaxed);
    }

    /// Subtracts bytes of a temporary file that is gone.
    pub(super) fn remove_temporary(&self, bytes: u64) {
        self.temporary.fetch_sub(bytes, Relaxed);
    }
}
