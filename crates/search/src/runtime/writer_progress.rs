//! The progress of the thread that writes checkpoints, and its last checkpoint.

use crate::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A durable checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrittenCheckpoint {
    /// The checkpoint's number, from 1.
    pub number: u64,
    /// The time of the checkpoint, in seconds since 1970.
    pub time: f64,
    /// The seconds that the writer took for it.
    pub seconds: f64,
    /// The bytes of its files.
    pub bytes: u64,
}

/// The progress of the thread that writes checkpoints. Only this thread changes it.
#[derive(Debug, Default)]
pub struct WriterProgress {
    done: AtomicU64,
    /// 0 while no checkpoint is written.
    total: AtomicU64,
    last: Mutex<Option<WrittenCheckpoint>>,
}

impl WriterProgress {
    /// The numbers of written parts and of all parts of the checkpoint under way; `None` if there is none.
    #[must_use]
    pub fn under_way(&self) -> Option<(u64, u64)> {
        let (done, total) = (self.done.load(Relaxed), self.total.load(Relaxed));
        (total > 0).then(|| (done.min(total), total))
    }

    /// The last checkpoint of this search.
    #[must_use]
    pub fn last(&self) -> Option<WrittenCheckpoint> {
        *lock(&self.last)
    }

    /// Begins a checkpoint of `total` parts.
    pub(crate) fn begin(&self, total: u64) {
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Counts a written part.
    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    /// Ends the checkpoint, which is durable.
    pub(crate) fn end(&self, written: WrittenCheckpoint) {
        *lock(&self.last) = Some(written);
        self.total.store(0, Relaxed);
    }
}
