//! Writes records to the files of their shards.

use super::record::SEGMENT;
use super::segment_files::{PartLocation, SegmentFiles};
use super::segments::Segments;
use super::storage::StorageError;

/// Up to this percentage of a limit of memory, segments are written with direct I/O: they stay in memory, so the page
/// cache does not help. Above it, the evictor soon frees them, and records are read from disk.
const DIRECT_IO_PERCENT: u64 = 50;

/// Writes the records of all shards. Used by one thread.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    segments: Segments,
    /// The number of written records of each shard.
    written_records: Vec<u32>,
    /// The shards whose files have content that is not durable yet: at first all of them, because of their heads.
    is_dirty: Vec<bool>,
}

impl SegmentWriter {
    /// A writer for new files.
    pub(crate) fn new(segments: Segments) -> Self {
        let shards = segments.shards.len();
        Self { segments, written_records: vec![0; shards], is_dirty: vec![true; shards] }
    }

    /// A writer that continues after the first `records` records of each shard. Truncates the files there. A log
    /// continues in a new file if its spill folder has changed.
    ///
    /// # Errors
    /// When a file cannot be cut or created.
    pub(crate) fn resume(segments: Segments, records: &[u32]) -> Result<Self, StorageError> {
        let mut writer = Self::new(segments);
        for (number, &records) in records.iter().enumerate() {
            let (config, shard) = (writer.segments.config(), &writer.segments.shards[number]);
            let Some(files) = shard.log().files() else { continue };
            files.truncate(records)?;
            let full_segments = records / SEGMENT as u32;
            let next = PartLocation::next(config, number, full_segments)?;
            writer.written_records[number] = if files.places().last().is_none_or(|last| last.folder != next.folder) {
                // The segment that is not full continues in the new folder, from its first record.
                files.begin_part(config, next)?;
                full_segments * SEGMENT as u32
            } else {
                records
            };
        }
        Ok(writer)
    }

    pub(crate) fn segments(&self) -> &Segments {
        &self.segments
    }

    /// The bytes of all written records.
    pub(crate) fn bytes(&self) -> u64 {
        let stride = self.segments.layout.stride() as u64;
        self.written_records.iter().map(|&records| u64::from(records) * stride).sum()
    }

    /// The bytes of the records that [`SegmentWriter::write`] would add.
    pub(crate) fn bytes_until(&self, shard: usize, until: u32) -> u64 {
        u64::from(until.saturating_sub(self.written_records[shard])) * self.segments.layout.stride() as u64
    }

    /// Writes the next records of a shard, up to record `until`. They must lie in one segment.
    ///
    /// # Errors
    /// When writing fails.
    pub(crate) fn write(&mut self, shard: usize, until: u32) -> Result<(), StorageError> {
        let from = self.written_records[shard];
        let log = self.segments.shards[shard].log();
        let Some(files) = log.files().filter(|_| from < until) else { return Ok(()) };
        let segment = from / SEGMENT as u32;
        let first = segment * SEGMENT as u32;
        if until - first == SEGMENT as u32 && !self.segments.uses_more_than(DIRECT_IO_PERCENT) {
            // Writes some records again, with the same bytes.
            files.write_direct(segment, log.segment(segment, SEGMENT))?;
        } else {
            let bytes = &log.segment(segment, (until - first) as usize)[(from - first) as usize * log.stride()..];
            files.write(segment, u64::from(from - first) * log.stride() as u64, bytes)?;
        }
        self.written_records[shard] = until;
        self.is_dirty[shard] = true;
        Ok(())
    }

    /// Makes all written records durable.
    ///
    /// # Errors
    /// When syncing a file fails.
    pub(crate) fn sync(&mut self) -> Result<(), StorageError> {
        for (shard, is_dirty) in self.segments.shards.iter().zip(&mut self.is_dirty) {
            if std::mem::take(is_dirty) {
                shard.log().files().map_or(Ok(()), SegmentFiles::sync)?;
            }
        }
        Ok(())
    }
}
