//! Keeps the first error of several threads.

use super::error::StorageError;
use crate::sync::lock;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

/// Keeps the first error that any thread reports.
#[derive(Debug, Default)]
pub(crate) struct ErrorLatch(OnceLock<StorageError>);

impl ErrorLatch {
    /// Reports an error.
    pub(crate) fn fail(&self, error: StorageError) {
        let _ = self.0.set(error);
    }

    /// Joins a thread, unless this was done before. Reports a panic of the thread.
    pub(crate) fn join(&self, thread: &Mutex<Option<JoinHandle<()>>>, name: &str) {
        let thread = lock(thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            let reason = Arc::new(std::io::Error::other("its thread panicked"));
            self.fail(StorageError::Io { action: "go on with the", path: name.into(), reason });
        }
    }

    /// The first error, if any was reported.
    pub(crate) fn error(&self) -> Option<&StorageError> {
        self.0.get()
    }
}
