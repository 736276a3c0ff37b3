//! The checkpoints of a running search.

use super::agreement::{agree_on_result, run_on_leader};
use super::body::{self, BODY_FILES};
use super::commands::{Command, CommandQueue, WriterState};
use super::error::{CheckpointError, require_files};
use super::files::{CheckpointFiles, last_checkpoint_bytes};
use super::journal::Journal;
use super::manifest::BodyState;
use super::writer::{RankShards, RecordFiles, Writer, begin_run, create_folders};
use crate::platform::Instant;
use crate::runtime::{Exchange, WriterProgress};
use crate::store::{ErrorLatch, IoContext, SegmentWriter, StorageConfig, StorageError, Store};
use crate::sync::lock;
use crossbeam::channel::Receiver;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Workers wait while more bytes of full segments are still to be written.
const MAX_BACKLOG_BYTES: u64 = 256 << 20;

/// The checkpoints of a running search, written by a thread.
#[derive(Debug)]
pub struct Checkpoints {
    files: Arc<CheckpointFiles>,
    queue: CommandQueue,
    errors: Arc<ErrorLatch>,
    state: Arc<WriterState>,
    /// The number of the last checkpoint before the first cut.
    sequence: u64,
    /// The bytes of the bodies.
    bodies: [AtomicU64; BODY_FILES],
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// The arguments of [`Checkpoints::start`].
pub(super) struct WriterSetup {
    pub(super) files: Arc<CheckpointFiles>,
    pub(super) shards: RankShards,
    pub(super) queue: CommandQueue,
    pub(super) receiver: Receiver<Command>,
    pub(super) errors: Arc<ErrorLatch>,
}

impl WriterSetup {
    /// The setup for an engine without records.
    pub(super) fn without_records(files: CheckpointFiles) -> Self {
        let (queue, receiver) = CommandQueue::new(0, 0);
        queue.usage.is_snapshot_written.store(true, Relaxed);
        Self { files: Arc::new(files), shards: RankShards::of(None, 0), queue, receiver, errors: Arc::default() }
    }
}

impl Checkpoints {
    /// Begins checkpoints of a search with a store, and creates the files of the store. Needs exclusive use of the
    /// store, which must have no files. All ranks call this together.
    ///
    /// # Errors
    /// When a file cannot be created. An error on one rank is an error on all.
    pub fn of_store(
        files: CheckpointFiles,
        store: &Store,
        exchange: Option<&Exchange>,
    ) -> Result<Self, CheckpointError> {
        let run = files.storage.run.clone();
        require_files(&run)?;
        // The leader removes old manifests before any rank replaces a file that they name.
        run_on_leader(exchange, &run, || Ok(begin_run(&files)?))?;
        let shards = RankShards::of(exchange, store.layout().shards);
        agree_on_result(exchange, &run, Self::of_shards(files, store, shards))
    }

    /// [`Checkpoints::of_store`] for the shards of this rank.
    fn of_shards(files: CheckpointFiles, store: &Store, shards: RankShards) -> Result<Self, CheckpointError> {
        create_folders(&files)?;
        let files = Arc::new(files);
        let journal = Journal::create(&files.storage, shards.rank, shards.journal_range())?;
        let (queue, receiver) = CommandQueue::new(shards.owned.len(), store.layout().segment_bytes());
        let (storage, usage) = (Arc::new(files.storage.clone()), Arc::clone(&queue.usage));
        let record_counts = store.attach_files(storage, usage, Arc::new(queue.clone()))?;
        let Some(segments) = store.segments() else {
            return Err(StorageError::damaged(&files.storage.run, 0, "a store without files", "files").into());
        };
        let reserved = record_counts.iter().map(|&records| segments.bytes_with_marks(records)).sum();
        queue.usage.reserved.fetch_add(reserved, Relaxed);
        let errors = Arc::clone(segments.errors());
        queue.send(Command::Snapshot(record_counts));
        let records = RecordFiles { segments: SegmentWriter::new(segments.clone()), journal };
        Ok(Self::start(WriterSetup { files, shards, queue, receiver, errors }, Some(records), 0))
    }

    /// Begins checkpoints of a search without records. A checkpoint has a payload, and may have a body.
    ///
    /// # Errors
    /// When the folder cannot be created, or holds manifests that cannot be removed.
    pub fn without_records(files: CheckpointFiles) -> Result<Self, CheckpointError> {
        require_files(&files.storage.run)?;
        begin_run(&files)?;
        Ok(Self::start(WriterSetup::without_records(files), None, 0))
    }

    /// Starts the writer thread, after checkpoint `sequence`. If that fails, [`Checkpoints::error`] returns the error.
    pub(super) fn start(setup: WriterSetup, records: Option<RecordFiles>, sequence: u64) -> Self {
        let WriterSetup { files, shards, queue, receiver, errors } = setup;
        let state = Arc::new(WriterState { usage: Arc::clone(&queue.usage), ..WriterState::default() });
        let writer = Writer {
            files: Arc::clone(&files),
            errors: Arc::clone(&errors),
            state: Arc::clone(&state),
            records,
            shards,
            sequence,
            cut_time: Instant::now(),
            pending: None,
            has_new_files: true,
        };
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || writer.run(&receiver));
        let thread = thread.context("start a thread for", &files.storage.run);
        let writer = Mutex::new(thread.map_err(|error| errors.fail(error)).ok());
        Self { files, queue, errors, state, sequence, bodies: Default::default(), writer }
    }

    /// Orders a checkpoint of the payload and of the current contents of the store, if there is one.
    ///
    /// Needs exclusive use of the store. All closed states must have been reported to [`Store::note_closed`]. On
    /// several ranks, each rank orders the checkpoint; the payload of the leader is used.
    pub fn cut(&self, store: Option<&Store>, payload: Vec<u8>) {
        self.send_cut(store, payload, None);
    }

    /// Writes a body, and orders a checkpoint of body and payload. `storage` has the limits of disk space.
    ///
    /// # Errors
    /// When the body cannot be written; then no checkpoint is ordered.
    pub fn cut_with_body(
        &self,
        payload: Vec<u8>,
        storage: &StorageConfig,
        body: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), StorageError> {
        let number = ((self.sequence + self.state.cuts.load(Relaxed) + 1) % BODY_FILES as u64) as usize;
        self.bodies[number].store(0, Relaxed);
        let body = body::write(storage, number, self.body_bytes(), body)?;
        self.note_body(body);
        self.send_cut(None, payload, Some(body));
        Ok(())
    }

    /// Records the length of a body.
    pub(super) fn note_body(&self, body: BodyState) {
        self.bodies[usize::from(body.number) % BODY_FILES].store(body.length, Relaxed);
    }

    /// The bytes of all bodies.
    #[must_use]
    pub fn body_bytes(&self) -> u64 {
        self.bodies.iter().map(|bytes| bytes.load(Relaxed)).sum()
    }

    fn send_cut(&self, store: Option<&Store>, payload: Vec<u8>, body: Option<BodyState>) {
        self.state.cuts.fetch_add(1, Relaxed);
        let record_counts = store.map_or_else(Vec::new, Store::flush_changes);
        self.queue.send(Command::Cut { record_counts, payload, body });
    }

    /// [`Checkpoints::last_part`], if this function has not returned it before.
    #[must_use]
    pub fn new_part(&self) -> Option<Vec<u8>> {
        self.state.has_new_part.swap(false, Relaxed).then(|| self.last_part())?
    }

    /// The part of the last checkpoint that this rank has made durable. The leader passes it to
    /// [`Checkpoints::add_part`]. The leader itself has none.
    #[must_use]
    pub fn last_part(&self) -> Option<Vec<u8>> {
        lock(&self.state.part).clone()
    }

    /// Adds the part of another rank. Only the leader calls this. A repeated part has no effect.
    pub fn add_part(&self, part: Vec<u8>) {
        self.queue.send(Command::AddPart(part));
    }

    /// The first error, if there was one. After an error, no later result may be used, and no checkpoint follows.
    #[must_use]
    pub fn error(&self) -> Option<&StorageError> {
        self.errors.error()
    }

    /// The progress of the writer thread.
    #[must_use]
    pub fn progress(&self) -> Arc<WriterProgress> {
        Arc::clone(&self.state.progress)
    }

    /// Whether a checkpoint may be cut: the records from before the store had files are written, and this rank knows of
    /// no checkpoint under way.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let state = &self.state;
        state.usage.is_snapshot_written.load(Relaxed) && state.checkpoints.load(Relaxed) == state.cuts.load(Relaxed)
    }

    /// Checks that the disk has room for a last checkpoint. Asks the system for the free bytes only if `is_low`.
    ///
    /// # Errors
    /// [`CheckpointError::Storage`] with [`StorageError::Full`] when the room does not suffice.
    pub fn check_room(&self, is_low: bool) -> Result<(), CheckpointError> {
        let (storage, usage) = (&self.files.storage, &self.state.usage);
        let exceeds_limit = storage.max_disk_bytes.is_some_and(|disk| usage.used() + usage.pending_bytes() > disk);
        if exceeds_limit || is_low {
            storage.check_room(usage.used(), usage.pending_bytes())?;
        }
        Ok(())
    }

    /// Checks that the disk has room for the checkpoints of a store that has no files yet.
    ///
    /// # Errors
    /// [`CheckpointError::Storage`] with [`StorageError::Full`] when the room does not suffice.
    pub fn check_room_for(files: &CheckpointFiles, store: &Store) -> Result<(), CheckpointError> {
        let segments = store.owned_shards().len() as u64 * store.layout().segment_bytes();
        Ok(files.storage.check_room(0, store.bytes() + last_checkpoint_bytes(segments))?)
    }

    /// Waits while too many bytes are still to be written, until `should_leave` returns true.
    pub fn wait_for_disk(&self, should_leave: impl Fn() -> bool) {
        let backlog_bytes = &self.state.usage.backlog_bytes;
        while backlog_bytes.load(Relaxed) > MAX_BACKLOG_BYTES && self.error().is_none() && !should_leave() {
            let lock = lock(&self.state.lock);
            drop(self.state.changed.wait_timeout(lock, Duration::from_millis(10)));
        }
    }

    /// Waits until all commands are executed. Returns [`Checkpoints::error`].
    pub fn finish(&self) -> Option<&StorageError> {
        self.queue.send(Command::End);
        self.errors.join(&self.writer, "writer");
        self.error()
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.finish();
    }
}
