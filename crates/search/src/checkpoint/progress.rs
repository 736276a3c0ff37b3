//! What the writer thread does now, and its last checkpoint, for everyone who shows progress.

use crate::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A checkpoint that is durable.
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

/// The state of the writer thread. The thread alone changes it.
#[derive(Debug, Default)]
pub struct WriterProgress {
    done: AtomicU64,
    /// 0 while no checkpoint is written.
    total: AtomicU64,
    last: Mutex<Option<WrittenCheckpoint>>,
}

impl WriterProgress {
    /// The number of parts of the checkpoint under way that are written, and the number of all its parts; `None` while
    /// no checkpoint is under way.
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

    /// Notes that a checkpoint of `total` parts begins.
    pub(super) fn begin(&self, total: u64) {
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Notes that one more part is written.
    pub(super) fn step(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    /// Notes that the checkpoint is durable.
    pub(super) fn end(&self, written: WrittenCheckpoint) {
        *lock(&self.last) = Some(written);
        self.total.store(0, Relaxed);
    }
}
