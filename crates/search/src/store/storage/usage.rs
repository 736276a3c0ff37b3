//! Counts bytes on disk.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes that one search has on disk, and bytes that will follow.
#[derive(Debug, Default)]
pub(crate) struct DiskUsage {
    /// Bytes in files with names.
    pub(crate) written: AtomicU64,
    /// Bytes in temporary files.
    temporary: AtomicU64,
    /// Bytes of full segments that wait to be written.
    pub(crate) backlog: AtomicU64,
    /// Bytes of everything else that will be written in any case.
    pub(crate) reserved: AtomicU64,
    /// Whether all records are written that were in memory when the files were created.
    pub(crate) caught_up: AtomicBool,
}

impl DiskUsage {
    /// Begins with no bytes on disk, and with `reserved` bytes to come.
    pub(crate) fn reserving(reserved: u64) -> Self {
        Self { reserved: AtomicU64::new(reserved), ..Self::default() }
    }

    /// Bytes that will be written in any case.
    pub(crate) fn to_come(&self) -> u64 {
        self.backlog.load(Relaxed) + self.reserved.load(Relaxed)
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
