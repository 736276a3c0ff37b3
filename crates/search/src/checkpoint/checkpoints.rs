//! The checkpoints of a running search.

use super::body::{self, BODIES};
use super::error::{CheckpointError, need_files};
use super::files::{CheckpointFiles, last_checkpoint};
use super::journal::Journal;
use super::manifest::BodyState;
use super::orders::{Order, Orders, WriterState};
use super::peers::{agree_on_result, by_leader};
use super::progress::WriterProgress;
use super::writer::{Group, Records, Writer, begin_run, create_folders};
use crate::platform::Instant;
use crate::runtime::Exchange;
use crate::store::{ErrorLatch, IoContext, SegmentWriter, StorageConfig, StorageError, Store};
use crate::sync::lock;
use crossbeam::channel::Receiver;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The most bytes of full segments that may wait to be written before workers wait too.
const MOST_BACKLOG: u64 = 256 << 20;

/// The checkpoints of a running search, written by a thread.
#[derive(Debug)]
pub struct Checkpoints {
    files: Arc<CheckpointFiles>,
    orders: Orders,
    errors: Arc<ErrorLatch>,
    progress: Arc<WriterState>,
    /// The number of the checkpoint before the first cut.
    sequence: u64,
    /// The bytes of the bodies.
    bodies: [AtomicU64; BODIES],
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// What [`Checkpoints::start`] needs.
pub(super) struct Parts {
    pub(super) files: Arc<CheckpointFiles>,
    pub(super) group: Group,
    pub(super) orders: Orders,
    pub(super) receiver: Receiver<Order>,
    pub(super) errors: Arc<ErrorLatch>,
}

impl Parts {
    /// The parts for an engine without records.
    pub(super) fn without_records(files: CheckpointFiles) -> Self {
        let (orders, receiver) = Orders::new(0, 0);
        orders.usage.caught_up.store(true, Relaxed);
        Self { files: Arc::new(files), group: Group::of(None, 0), orders, receiver, errors: Arc::default() }
    }
}

impl Checkpoints {
    /// Begins checkpoints of a search whose states are in `store`. Creates the files of the store. Nobody else may use
    /// the store meanwhile, and the store must have no files yet. On several ranks, all call this together.
    ///
    /// # Errors
    /// When a file cannot be created. An error on one rank is an error on all.
    pub fn of_store(
        files: CheckpointFiles,
        store: &Store,
        exchange: Option<&Exchange>,
    ) -> Result<Self, CheckpointError> {
        let run = files.storage.run.clone();
        need_files(&run)?;
        // The leader removes old manifests before any rank replaces a file that they name.
        by_leader(exchange, &run, || Ok(begin_run(&files)?))?;
        let group = Group::of(exchange, store.layout().shards);
        agree_on_result(exchange, &run, Self::of_shards(files, store, group))
    }

    /// [`Checkpoints::of_store`] for the shards of this rank.
    fn of_shards(files: CheckpointFiles, store: &Store, group: Group) -> Result<Self, CheckpointError> {
        create_folders(&files)?;
        let files = Arc::new(files);
        let journal = Journal::create(&*files.storage.backend, &files.storage.run, group.rank, group.numbers())?;
        let (orders, receiver) = Orders::new(group.owned.len(), store.layout().segment_bytes());
        let (storage, usage) = (Arc::new(files.storage.clone()), Arc::clone(&orders.usage));
        let held = store.attach(storage, usage, Arc::new(orders.clone()))?;
        let Some(segments) = store.segments() else {
            return Err(StorageError::damaged(&files.storage.run, 0, "a store without files", "files").into());
        };
        orders.usage.reserved.fetch_add(held.iter().map(|&records| segments.bytes_with_marks(records)).sum(), Relaxed);
        let errors = Arc::clone(segments.errors());
        orders.give(Order::Snapshot(held));
        let records = Records { segments: SegmentWriter::new(segments.clone()), journal };
        Ok(Self::start(Parts { files, group, orders, receiver, errors }, Some(records), 0))
    }

    /// Begins checkpoints of a search without records: a checkpoint is a payload alone.
    ///
    /// # Errors
    /// When the folder cannot be created, or holds manifests that cannot be removed.
    pub fn without_records(files: CheckpointFiles) -> Result<Self, CheckpointError> {
        need_files(&files.storage.run)?;
        begin_run(&files)?;
        Ok(Self::start(Parts::without_records(files), None, 0))
    }

    /// Starts the writer thread. Its first checkpoint follows checkpoint `sequence`. If the system refuses the thread,
    /// [`Checkpoints::error`] returns the error.
    pub(super) fn start(parts: Parts, records: Option<Records>, sequence: u64) -> Self {
        let Parts { files, group, orders, receiver, errors } = parts;
        let progress = Arc::new(WriterState { usage: Arc::clone(&orders.usage), ..WriterState::default() });
        let writer = Writer {
            files: Arc::clone(&files),
            errors: Arc::clone(&errors),
            progress: Arc::clone(&progress),
            records,
            group,
            sequence,
            begun: Instant::now(),
            gathering: None,
            has_new_files: true,
        };
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || writer.run(&receiver));
        let thread = thread.context("start a thread for", &files.storage.run);
        let writer = Mutex::new(thread.map_err(|error| errors.fail(error)).ok());
        Self { files, orders, errors, progress, sequence, bodies: Default::default(), writer }
    }

    /// Orders a checkpoint of the payload and, with a store, of the current contents of the store.
    ///
    /// Nobody else may use the store meanwhile, and all closed states must have been reported to
    /// [`Store::note_closed`]. On several ranks, each orders the checkpoint; the payload of the leader counts.
    pub fn cut(&self, store: Option<&Store>, payload: Vec<u8>) {
        self.order(store, payload, None);
    }

    /// Writes a body, and orders a checkpoint of it and of the payload. `storage` says how much disk may be used.
    ///
    /// # Errors
    /// When the body cannot be written; then no checkpoint is ordered.
    pub fn cut_with_body(
        &self,
        payload: Vec<u8>,
        storage: &StorageConfig,
        body: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), StorageError> {
        let number = ((self.sequence + self.progress.cuts.load(Relaxed) + 1) % BODIES as u64) as usize;
        self.bodies[number].store(0, Relaxed);
        let body = body::write(storage, number, self.body_bytes(), body)?;
        self.note_body(body);
        self.order(None, payload, Some(body));
        Ok(())
    }

    /// Notes how long a body is.
    pub(super) fn note_body(&self, body: BodyState) {
        self.bodies[usize::from(body.number) % BODIES].store(body.length, Relaxed);
    }

    /// The bytes of all bodies.
    #[must_use]
    pub fn body_bytes(&self) -> u64 {
        self.bodies.iter().map(|bytes| bytes.load(Relaxed)).sum()
    }

    fn order(&self, store: Option<&Store>, payload: Vec<u8>, body: Option<BodyState>) {
        self.progress.cuts.fetch_add(1, Relaxed);
        self.orders.give(Order::Cut { records: store.map_or_else(Vec::new, Store::flush_changes), payload, body });
    }

    /// The part of a checkpoint that this rank has made durable, if the leader does not know it yet. The leader gives
    /// it to [`Checkpoints::add_part`]. Only ranks that do not lead have such a part.
    #[must_use]
    pub fn new_part(&self) -> Option<Vec<u8>> {
        self.progress.has_news.swap(false, Relaxed).then(|| self.last_part())?
    }

    /// The last part of this rank, if it does not lead.
    #[must_use]
    pub fn last_part(&self) -> Option<Vec<u8>> {
        lock(&self.progress.part).clone()
    }

    /// Takes the part of another rank. Only the leader calls this. A part that the leader has already changes nothing.
    pub fn add_part(&self, part: Vec<u8>) {
        self.orders.give(Order::RankPart(part));
    }

    /// The first error, if there was one. After an error, no later result may be used, and no checkpoint follows.
    #[must_use]
    pub fn error(&self) -> Option<&StorageError> {
        self.errors.error()
    }

    /// Returns what the writer thread does now.
    #[must_use]
    pub fn writing(&self) -> Arc<WriterProgress> {
        Arc::clone(&self.progress.writing)
    }

    /// Whether a checkpoint may be cut: all records are written that were in the store before it had files, and no
    /// other checkpoint is under way, as far as this rank knows.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let progress = &self.progress;
        progress.usage.caught_up.load(Relaxed) && progress.checkpoints.load(Relaxed) == progress.cuts.load(Relaxed)
    }

    /// Checks whether the disk has room for a last checkpoint. The free bytes of the disk are looked up only if
    /// `is_low`.
    ///
    /// # Errors
    /// [`CheckpointError::Storage`] with [`StorageError::Full`] when the room does not suffice.
    pub fn check_room(&self, is_low: bool) -> Result<(), CheckpointError> {
        let (storage, usage) = (&self.files.storage, &self.progress.usage);
        let passes = storage.max_disk_bytes.is_some_and(|disk| usage.used() + usage.to_come() > disk);
        if passes || is_low {
            storage.check_room(usage.used(), usage.to_come())?;
        }
        Ok(())
    }

    /// Checks whether the disk has room for checkpoints of a store that have not begun.
    ///
    /// # Errors
    /// [`CheckpointError::Storage`] with [`StorageError::Full`] when the room does not suffice.
    pub fn check_room_for(files: &CheckpointFiles, store: &Store) -> Result<(), CheckpointError> {
        let segments = store.owned_shards().len() as u64 * store.layout().segment_bytes();
        Ok(files.storage.check_room(0, store.bytes() + last_checkpoint(segments))?)
    }

    /// Waits while the disk is far behind, until `leaving` returns true.
    pub fn wait_for_disk(&self, leaving: impl Fn() -> bool) {
        while self.progress.usage.backlog.load(Relaxed) > MOST_BACKLOG && self.error().is_none() && !leaving() {
            let lock = lock(&self.progress.lock);
            drop(self.progress.changed.wait_timeout(lock, Duration::from_millis(10)));
        }
    }

    /// Waits until all orders are carried out. Returns the first error, as [`Checkpoints::error`] does.
    pub fn finish(&self) -> Option<&StorageError> {
        self.orders.give(Order::End);
        let writer = lock(&self.writer).take();
        if writer.is_some_and(|thread| thread.join().is_err()) {
            let reason = Arc::new(std::io::Error::other("its thread panicked"));
            self.errors.fail(StorageError::Io { action: "go on with the", path: PathBuf::from("writer"), reason });
        }
        self.error()
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.finish();
    }
}
