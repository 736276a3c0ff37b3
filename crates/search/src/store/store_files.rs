//! The files of a store, for records, open nodes and indexes that do not fit in memory.

use super::changes::{Change, ChangeSink};
use super::evictor::Evictor;
use super::record::Id;
use super::segments::Segments;
use super::storage::{BlockFile, StorageError, TempFile};
use std::sync::{Arc, atomic::Ordering::Relaxed};
use std::time::Duration;

/// Open nodes go to disk above a limit of memory divided by this number.
const OPEN_NODES_DIVISOR: u64 = 8;

/// The time between two checks of a worker that waits for memory.
const CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// The files of a store.
#[derive(Debug)]
pub struct StoreFiles {
    segments: Segments,
    sink: Arc<dyn ChangeSink>,
    evictor: Evictor,
}

impl StoreFiles {
    /// Starts the evictor.
    pub(super) fn new(segments: Segments, sink: Arc<dyn ChangeSink>) -> Self {
        Self { evictor: Evictor::start(&segments), segments, sink }
    }

    pub(super) fn segments(&self) -> &Segments {
        &self.segments
    }

    /// Reports closed states for the journal.
    pub(super) fn note_closed(&self, ids: Vec<Id>) {
        self.sink.report(Change::Closed(ids));
    }

    /// The first error of a file, if there was one. No later result may be used then.
    #[must_use]
    pub fn error(&self) -> Option<&StorageError> {
        self.segments.errors().error()
    }

    /// Whether a limit of memory is exceeded and nothing is left to free.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        self.evictor.state.is_out_of_memory.load(Relaxed)
    }

    /// Waits while a limit of memory is exceeded, until nothing is left to free, a file fails, or `should_leave`
    /// returns true.
    pub fn wait_for_memory(&self, should_leave: impl Fn() -> bool) {
        let is_exceeded = &self.evictor.state.is_limit_exceeded;
        while is_exceeded.load(Relaxed) && !self.is_out_of_memory() && self.error().is_none() && !should_leave() {
            std::thread::sleep(CHECK_INTERVAL);
        }
    }

    /// Whether the last check of the disk found too little room for a last checkpoint.
    #[must_use]
    pub fn is_disk_low(&self) -> bool {
        self.evictor.state.is_disk_low.load(Relaxed)
    }

    /// The most bytes that all open nodes should take in memory, if memory has a limit.
    #[must_use]
    pub fn open_nodes_budget(&self) -> Option<u64> {
        let config = self.segments.config();
        let limits = [config.max_resident_bytes, config.max_store_bytes];
        limits.into_iter().flatten().min().map(|limit| limit / OPEN_NODES_DIVISOR)
    }

    /// A file for open nodes in blocks of `block_bytes` bytes. `None` when the file cannot be created;
    /// [`StoreFiles::error`] returns the error then.
    #[must_use]
    pub fn create_block_file(&self, number: usize, block_bytes: usize) -> Option<Arc<BlockFile>> {
        let (config, errors) = (self.segments.config(), self.segments.errors());
        let file = TempFile::create(config, "open-nodes", number, self.segments.usage());
        let file = file.map_err(|error| errors.fail(error)).ok()?;
        Some(Arc::new(BlockFile::new(file, block_bytes, errors)))
    }

    /// Ends the evictor.
    pub(super) fn stop_evictor(&self) {
        self.evictor.stop();
    }
}
