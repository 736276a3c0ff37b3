//! The files behind a store, for records, open nodes and indexes for which memory has no room.

use super::changes::{Change, ChangeSink};
use super::evictor::Evictor;
use super::record::Id;
use super::segments::Segments;
use super::storage::{BlockFile, StorageError, TempFile};
use std::sync::Arc;
use std::time::Duration;

/// Open nodes go to disk when they take more than a limit of memory divided by this number.
const OPEN_NODES: u64 = 8;

/// The time between two looks of a worker that waits for memory.
const WAIT: Duration = Duration::from_millis(1);

/// The files behind a store.
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

    /// Reports closed states to the journal.
    pub(super) fn note_closed(&self, ids: Vec<Id>) {
        self.sink.take(Change::Closed(ids));
    }

    /// The first error of a file, if there was one. After an error, no later result may be used.
    #[must_use]
    pub fn error(&self) -> Option<&StorageError> {
        self.segments.errors().error()
    }

    /// Whether a limit of memory is passed although everything that can be on disk is there.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        self.evictor.is_out_of_memory()
    }

    /// Waits while a limit of memory is passed, until memory is freed, nothing is left to free, or `leaving` returns
    /// true.
    pub fn wait_for_memory(&self, leaving: impl Fn() -> bool) {
        while self.evictor.is_over() && !self.is_out_of_memory() && self.error().is_none() && !leaving() {
            std::thread::sleep(WAIT);
        }
    }

    /// Whether the last look at the disk found too little room for a last checkpoint.
    #[must_use]
    pub fn is_disk_low(&self) -> bool {
        self.evictor.is_disk_low()
    }

    /// The most bytes that all open nodes should take in memory, if memory has a limit.
    #[must_use]
    pub fn open_nodes_budget(&self) -> Option<u64> {
        let config = self.segments.config();
        [config.max_resident_bytes, config.max_store_bytes].into_iter().flatten().min().map(|limit| limit / OPEN_NODES)
    }

    /// A file for open nodes in blocks of `block` bytes. `None` when the file cannot be created; [`StoreFiles::error`]
    /// returns the error then.
    #[must_use]
    pub fn create_block_file(&self, number: usize, block: usize) -> Option<Arc<BlockFile>> {
        let (config, errors) = (self.segments.config(), self.segments.errors());
        let file = TempFile::create(config, "open-nodes", number, self.segments.usage());
        let file = file.map_err(|error| errors.fail(error)).ok()?;
        Some(Arc::new(BlockFile::new(file, block, errors)))
    }

    /// Ends the evictor and waits for its end.
    pub(super) fn stop_evictor(&self) {
        self.evictor.stop();
    }
}
