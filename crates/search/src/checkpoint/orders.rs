//! The queue of the writer thread.

use super::files::last_checkpoint;
use super::manifest::BodyState;
use super::progress::WriterProgress;
use crate::store::{Change, ChangeSink, DiskUsage};
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};

/// An order to the writer. The writer carries orders out one after the other.
#[derive(Debug)]
pub(super) enum Order {
    /// Write the records that were in the store before it had files, and their marks. The list has the number of these
    /// records for each shard; they are its first ones.
    Snapshot(Vec<u32>),
    /// Write a change of the store.
    Change(Change),
    /// Make a checkpoint of all orders before this one, of the first records of each shard (`records` has their
    /// numbers), of the payload, and of the body, which is durable already.
    Cut { records: Vec<u32>, payload: Vec<u8>, body: Option<BodyState> },
    /// Another rank has made its part of a checkpoint durable. Only the leader gets this order.
    RankPart(Vec<u8>),
    /// End. No orders follow.
    End,
}

/// How far the writer is.
#[derive(Debug, Default)]
pub(super) struct WriterState {
    pub(super) usage: Arc<DiskUsage>,
    pub(super) writing: Arc<WriterProgress>,
    /// The number of checkpoints that are durable, and of cuts that were ordered. A rank that does not lead counts its
    /// own parts of checkpoints.
    pub(super) checkpoints: AtomicU64,
    pub(super) cuts: AtomicU64,
    /// The last part of this rank, if the rank does not lead.
    pub(super) part: Mutex<Option<Vec<u8>>>,
    /// Whether the leader does not know that part yet.
    pub(super) has_news: AtomicBool,
    /// Notified when an order was carried out.
    pub(super) changed: Condvar,
    pub(super) lock: Mutex<()>,
}

/// The sending end of the queue.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    sender: Sender<Order>,
    pub(super) usage: Arc<DiskUsage>,
    /// Bytes of a full segment.
    segment: u64,
}

impl Orders {
    /// Makes a queue for a rank with `shards` shards, whose segments have `segment` bytes. Reserves disk for a last
    /// checkpoint.
    pub(super) fn new(shards: usize, segment: u64) -> (Self, Receiver<Order>) {
        let (sender, receiver) = unbounded();
        let usage = Arc::new(DiskUsage::reserving(last_checkpoint(shards as u64 * segment)));
        (Self { sender, usage, segment }, receiver)
    }

    /// Appends an order.
    pub(super) fn give(&self, order: Order) {
        // The writer reads the queue up to the order to end. Later orders belong to no checkpoint.
        let _ = self.sender.send(order);
    }
}

impl ChangeSink for Orders {
    fn take(&self, change: Change) {
        if matches!(change, Change::Sealed { .. }) {
            self.usage.backlog.fetch_add(self.segment, Relaxed);
        }
        self.give(Order::Change(change));
    }
}
