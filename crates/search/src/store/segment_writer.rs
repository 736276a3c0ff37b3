//! Writes records to the files of their shards.

use super::record::SEGMENT;
use super::segment_files::{PartPlace, SegmentFiles};
use super::segments::Segments;
use super::storage::StorageError;

/// Percentage of a limit of memory. While less is used, segments stay in memory for some time and are not read from
/// disk, so they bypass the page cache. Above this percentage, records are read from disk soon, and the page cache is
/// worth its cost.
const HALF: u64 = 50;

/// Writes records to files, from one thread.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    segments: Segments,
    /// The number of written records of each shard.
    written: Vec<u32>,
    /// The shards whose files have bytes that are not durable yet.
    dirty: Vec<bool>,
}

impl SegmentWriter {
    /// A writer for new files.
    pub(crate) fn new(segments: Segments) -> Self {
        let shards = segments.shards.len();
        Self { segments, written: vec![0; shards], dirty: vec![true; shards] }
    }

    /// A writer that continues behind the first `records` records of each shard, which are on disk. Cuts off all bytes
    /// behind them. A log continues in a new file when its spill folder has changed.
    ///
    /// # Errors
    /// When a file cannot be cut or created.
    pub(crate) fn behind(segments: Segments, records: &[u32]) -> Result<Self, StorageError> {
        let mut writer = Self::new(segments);
        for (number, &records) in records.iter().enumerate() {
            let (config, shard) = (writer.segments.config(), &writer.segments.shards[number]);
            let Some(files) = shard.log().files() else { continue };
            files.cut(records)?;
            let sealed = records / SEGMENT as u32;
            let next = PartPlace::next(config, number, sealed)?;
            writer.written[number] = if files.places().last().is_none_or(|last| last.folder != next.folder) {
                // The segment that is not full continues in the new folder, from its first record.
                files.extend(&*config.backend, &config.run, next)?;
                sealed * SEGMENT as u32
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
        self.written.iter().map(|&records| u64::from(records) * stride).sum()
    }

    /// The bytes that [`SegmentWriter::write`] would write.
    pub(crate) fn bytes_until(&self, shard: usize, until: u32) -> u64 {
        u64::from(until.saturating_sub(self.written[shard])) * self.segments.layout.stride() as u64
    }

    /// Writes the records of a shard before record `until`. All of them must lie in one segment.
    ///
    /// # Errors
    /// When writing fails.
    pub(crate) fn write(&mut self, shard: usize, until: u32) -> Result<(), StorageError> {
        let from = self.written[shard];
        let log = self.segments.shards[shard].log();
        let Some(files) = log.files().filter(|_| from < until) else { return Ok(()) };
        let segment = from / SEGMENT as u32;
        let first = segment * SEGMENT as u32;
        if until - first == SEGMENT as u32 && !self.segments.uses_more_than(HALF) {
            // Includes the records that were written before: written records do not change.
            files.write_direct(segment, log.segment(segment, SEGMENT))?;
        } else {
            let bytes = &log.segment(segment, (until - first) as usize)[(from - first) as usize * log.stride()..];
            files.write(segment, u64::from(from - first) * log.stride() as u64, bytes)?;
        }
        self.written[shard] = until;
        self.dirty[shard] = true;
        Ok(())
    }

    /// Makes all written records durable.
    ///
    /// # Errors
    /// When syncing a file fails.
    pub(crate) fn sync(&mut self) -> Result<(), StorageError> {
        for (shard, dirty) in self.segments.shards.iter().zip(&mut self.dirty) {
            if std::mem::take(dirty) {
                shard.log().files().map_or(Ok(()), SegmentFiles::sync)?;
            }
        }
        Ok(())
    }
}
