//! Keeps the first error.

use super::error::StorageError;
use std::sync::OnceLock;

/// Keeps the first error that any thread reports.
#[derive(Debug, Default)]
pub(crate) struct ErrorLatch {
    error: OnceLock<StorageError>,
}

impl ErrorLatch {
    /// Reports an error.
    pub(crate) fn fail(&self, error: StorageError) {
        let _ = self.error.set(error);
    }

    /// The first error, if any was reported.
    pub(crate) fn error(&self) -> Option<&StorageError> {
        self.error.get()
    }
}
