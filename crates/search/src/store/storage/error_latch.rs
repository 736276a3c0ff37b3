//! Keeps the first error.

use super::error::StorageError;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Keeps the first error that any thread reports.
#[derive(Debug, Default)]
pub(crate) struct ErrorLatch {
    failed: AtomicBool,
    error: OnceLock<StorageError>,
}

impl ErrorLatch {
    /// Reports an error.
    pub(crate) fn fail(&self, error: StorageError) {
        let _ = self.error.set(error);
        self.failed.store(true, Relaxed);
    }

    /// The first error, if any was reported.
    pub(crate) fn error(&self) -> Option<&StorageError> {
        if self.failed.load(Relaxed) { self.error.get() } else { None }
    }
}
