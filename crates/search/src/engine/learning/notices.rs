//! Notices of workers, and the inboxes in which they arrive.

use crate::domain::Cost;
use crossbeam::queue::SegQueue;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A worker: the number of its rank, and its own number within the rank.
pub(super) type WorkerId = (u32, u32);

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Notice {
    pub(super) from: WorkerId,
    pub(super) kind: NoticeKind,
    pub(super) budget: Cost,
    pub(super) set: Box<[u64]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NoticeKind {
    /// The set is a no-good of the budget.
    NoGood,
    /// The worker searches the set with the budget, at this depth of its stack.
    Visit(u32),
}

/// The part of a worker that the other workers of its rank use.
#[derive(Debug, Default)]
pub(super) struct Peer {
    pub(super) inbox: SegQueue<Arc<Notice>>,
    pub(super) generated: AtomicU64,
}
