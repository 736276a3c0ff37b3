//! Access to the segments of all shards, in memory and on disk, for the evictor and for the writer of checkpoints.

use super::changes::ChangeSink;
use super::record::{Id, Layout, SEGMENT};
use super::segment_files::{PartLocation, SegmentFiles};
use super::shard::Shard;
use super::storage::{DiskUsage, ErrorLatch, StorageConfig, StorageError, TempFile};
use crate::platform::resident_bytes;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// The shards of a store with files, and the limits of memory and disk.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    pub(super) shards: Arc<[Shard]>,
    pub(super) layout: Layout,
    config: Arc<StorageConfig>,
    errors: Arc<ErrorLatch>,
    usage: Arc<DiskUsage>,
}

/// The use of a limit of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryLoad {
    used: u64,
    limit: u64,
}

impl MemoryLoad {
    const NONE: Self = Self { used: 0, limit: u64::MAX };

    /// The number of bytes used above a percentage of the limit.
    pub(super) fn bytes_above(self, percent: u64) -> u64 {
        self.used.saturating_sub(self.limit / 100 * percent)
    }
}

/// The percentage of a limit of memory up to which a recovery fills memory.
const FILL_PERCENT: u64 = 85;

impl Segments {
    /// The segments of the shards of a store, without an error so far.
    pub(super) fn new(shards: Arc<[Shard]>, layout: Layout, config: Arc<StorageConfig>, usage: Arc<DiskUsage>) -> Self {
        Self { shards, layout, config, errors: Arc::default(), usage }
    }

    /// Creates the shards for a recovery, with `files` for the shards in `owned`. `records` has the number of records
    /// of each shard. All marks are neutral until [`Segments::join`]. [`Segments::read_back`] reads the records.
    pub(crate) fn of_files(
        config: Arc<StorageConfig>,
        layout: Layout,
        usage: Arc<DiskUsage>,
        files: Vec<SegmentFiles>,
        owned: &Range<usize>,
        records: &[u32],
        sink: &Arc<dyn ChangeSink>,
    ) -> Self {
        let shards: Arc<[Shard]> = (0..layout.shards).map(|number| Shard::new(number, layout)).collect();
        let segments = Self::new(shards, layout, config, usage);
        for (number, files) in owned.clone().zip(files) {
            let (shard, records) = (&segments.shards[number], records[number]);
            (0..records).for_each(|position| shard.log().restore_mark(position));
            shard.set_files(files, &segments.errors, sink);
        }
        segments
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn config(&self) -> &StorageConfig {
        &self.config
    }

    pub(crate) fn errors(&self) -> &Arc<ErrorLatch> {
        &self.errors
    }

    pub(crate) fn usage(&self) -> &Arc<DiskUsage> {
        &self.usage
    }

    /// The use of each limit of memory; none if the limit is not set.
    pub(super) fn loads(&self) -> [MemoryLoad; 2] {
        let load = |limit: Option<u64>, used: &dyn Fn() -> u64| {
            limit.map_or(MemoryLoad::NONE, |limit| MemoryLoad { used: used(), limit })
        };
        let store_bytes = || self.shards.iter().map(Shard::bytes).sum();
        [load(self.config.max_resident_bytes, &resident_bytes), load(self.config.max_store_bytes, &store_bytes)]
    }

    /// Whether more than a percentage of a limit of memory is used.
    pub(super) fn uses_more_than(&self, percent: u64) -> bool {
        self.loads().iter().any(|load| load.bytes_above(percent) > 0)
    }

    /// Checks that `more` bytes can be written, and a last checkpoint after them.
    ///
    /// # Errors
    /// [`StorageError::Full`] when the room does not suffice.
    pub(crate) fn check_room(&self, more: u64) -> Result<(), StorageError> {
        self.config.check_room(self.usage.used(), self.usage.pending_bytes() + more)
    }

    /// The bytes of memory that spilling the index of a shard frees. 0 if that is not worthwhile or the disk has no
    /// room.
    pub(super) fn spillable_index_bytes(&self, number: usize) -> u64 {
        let sizes = self.shards[number].index_sizes();
        if sizes.is_worth_spilling() && self.check_room(sizes.bytes_on_disk()).is_ok() { sizes.bytes } else { 0 }
    }

    /// Spills the index of a shard to disk. Returns the number of freed bytes; 0 if the disk has no room.
    ///
    /// # Errors
    /// When writing fails for another reason.
    pub(super) fn spill_index(&self, number: usize) -> Result<u64, StorageError> {
        let file = TempFile::create(&self.config, "index", number, &self.usage);
        match file.and_then(|file| self.shards[number].spill_index(file, &self.errors)) {
            Err(error) if error.is_full() => Ok(0),
            result => result,
        }
    }

    /// The bytes that records and their marks take on disk.
    pub(crate) fn bytes_with_marks(&self, records: u32) -> u64 {
        u64::from(records) * (self.layout.stride() + self.layout.mark_width()) as u64
    }

    /// Appends the marks of consecutive records to `packed`.
    pub(crate) fn pack_marks(&self, shard: usize, records: Range<u32>, packed: &mut Vec<u8>) {
        let log = self.shards[shard].log();
        for position in records {
            packed.extend_from_slice(&log.mark_bits(position).to_le_bytes()[..log.mark_width()]);
        }
    }

    /// The CRC-32 of the first `records` records of a segment, which must be in memory.
    pub(crate) fn checksum(&self, shard: usize, segment: u32, records: usize) -> u32 {
        crc32fast::hash(self.shards[shard].log().segment(segment, records))
    }

    /// The locations of the files of a shard.
    pub(crate) fn places(&self, shard: usize) -> Vec<PartLocation> {
        self.shards[shard].log().files().map_or_else(Vec::new, SegmentFiles::places)
    }

    /// Notes that the first `segments` segments of a shard are on disk, so that the evictor may free their memory.
    pub(crate) fn note_written(&self, shard: usize, segments: u32) {
        self.shards[shard].note_written(segments);
    }

    /// Joins a mark from disk to the mark of a record.
    pub(crate) fn join(&self, id: Id, bits: u64) {
        let (shard, position) = self.layout.place_of(id);
        self.shards[shard].log().join(position, bits);
    }

    /// Reads the records of all shards. `checksum` returns the expected CRC-32 by shard and segment. `on_read` gets the
    /// number of records just read, from any thread, and returns whether to continue. Records and indexes beyond the
    /// limits of memory stay on disk. Returns false if `on_read` stopped.
    ///
    /// # Errors
    /// When reading or writing fails, or a checksum differs.
    pub(crate) fn read_back(
        &self,
        records: &[u32],
        checksum: impl Fn(usize, u32) -> Option<u32> + Sync,
        on_read: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<bool, StorageError> {
        let read = records.par_iter().enumerate().try_for_each(|(number, &records)| {
            let shard = &self.shards[number];
            let Some(files) = shard.log().files() else { return Ok(()) };
            files.read_records(
                records,
                |segment| checksum(number, segment),
                |first, bytes| {
                    shard.restore(first, bytes);
                    shard.note_written(shard.record_count() as u32 / SEGMENT as u32);
                    self.make_room()?;
                    self.check_errors()?;
                    let continues = on_read((bytes.len() / shard.log().stride()) as u64);
                    if continues { Ok(()) } else { Err(ReadStop::Interrupted) }
                },
            )
        });
        match read {
            Ok(()) => self.check_errors().map(|()| true),
            Err(ReadStop::Interrupted) => Ok(false),
            Err(ReadStop::Failed(error)) => Err(error),
        }
    }

    /// The first error that a lookup has reported.
    fn check_errors(&self) -> Result<(), StorageError> {
        self.errors.error().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Frees memory down to the limits: first that of records, which are on disk already, then that of indexes.
    fn make_room(&self) -> Result<(), StorageError> {
        if self.uses_more_than(FILL_PERCENT) {
            // SAFETY: only the threads that read the shards back know these shards, and they read under the locks.
            self.shards.iter().for_each(|shard| unsafe { shard.make_all_cold() });
        }
        for number in 0..self.shards.len() {
            if !self.uses_more_than(FILL_PERCENT) {
                break;
            }
            if self.spillable_index_bytes(number) > 0 {
                self.spill_index(number)?;
            }
        }
        Ok(())
    }
}

/// Why [`Segments::read_back`] ended early.
enum ReadStop {
    Interrupted,
    Failed(StorageError),
}

impl From<StorageError> for ReadStop {
    fn from(error: StorageError) -> Self {
        Self::Failed(error)
    }
}
