//! The commands to the writer thread, and their queue.

use super::files::last_checkpoint_bytes;
use super::manifest::BodyState;
use crate::runtime::WriterProgress;
use crate::store::{Change, ChangeSink, DiskUsage};
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};

/// A command to the writer, which executes commands in order.
#[derive(Debug)]
pub(super) enum Command {
    /// Write the records that are older than the store's files, and their marks. Has their number by shard.
    Snapshot(Vec<u32>),
    /// Write a change of the store.
    Change(Change),
    /// Make a checkpoint of all earlier commands, the first records of each shard (`record_counts`), the payload, and
    /// the body, which is durable already.
    Cut { record_counts: Vec<u32>, payload: Vec<u8>, body: Option<BodyState> },
    /// Add the part of another rank to the checkpoint. Only the leader gets this command.
    AddPart(Vec<u8>),
    /// End. No command follows.
    End,
}

/// The state of the writer that other threads read.
#[derive(Debug, Default)]
pub(super) struct WriterState {
    pub(super) usage: Arc<DiskUsage>,
    pub(super) progress: Arc<WriterProgress>,
    /// The numbers of durable checkpoints and of ordered cuts. A rank other than the leader counts its own parts.
    pub(super) checkpoints: AtomicU64,
    pub(super) cuts: AtomicU64,
    /// See [`Checkpoints::last_part`](super::Checkpoints::last_part).
    pub(super) part: Mutex<Option<Vec<u8>>>,
    /// Whether [`Checkpoints::new_part`](super::Checkpoints::new_part) has not returned `part` yet.
    pub(super) has_new_part: AtomicBool,
    /// Notified after each command.
    pub(super) changed: Condvar,
    pub(super) lock: Mutex<()>,
}

/// The sending end of the queue.
#[derive(Clone, Debug)]
pub(super) struct CommandQueue {
    sender: Sender<Command>,
    pub(super) usage: Arc<DiskUsage>,
    /// Bytes of a full segment.
    segment_bytes: u64,
}

impl CommandQueue {
    /// A queue for a rank with this number of shards. Reserves disk space for a last checkpoint.
    pub(super) fn new(shards: usize, segment_bytes: u64) -> (Self, Receiver<Command>) {
        let (sender, receiver) = unbounded();
        let usage = Arc::new(DiskUsage::with_reserved(last_checkpoint_bytes(shards as u64 * segment_bytes)));
        (Self { sender, usage, segment_bytes }, receiver)
    }

    /// Appends a command.
    pub(super) fn send(&self, command: Command) {
        // The writer may have ended. Commands after its end belong to no checkpoint.
        let _ = self.sender.send(command);
    }
}

impl ChangeSink for CommandQueue {
    fn report(&self, change: Change) {
        if matches!(change, Change::FullSegment { .. }) {
            self.usage.backlog_bytes.fetch_add(self.segment_bytes, Relaxed);
        }
        self.send(Command::Change(change));
    }
}
