//! The log of a shard: an append-only sequence of records, in segments that never move.
//!
//! One thread at a time appends: the holder of the shard's lock. Every thread may read a record if it has the
//! [`Id`](super::Id). Ids pass between threads through a lock, a queue or a join, which also publishes the bytes.
//!
//! **Cold records.** Once a segment is on disk, its memory may be returned to the system. Its records are cold then,
//! and are read from the file. A reader is *pinned* (epochs of crossbeam) from before it checks whether a record is
//! cold until it has finished with the bytes. Memory is returned only when all readers have left that were pinned when
//! the records became cold.

use super::marks::Marks;
use super::record::{Layout, TAG_LEN, Tag};
use super::segment_files::SegmentFiles;
use super::storage::ErrorLatch;
use crate::platform::Pages;
use crossbeam::epoch::{self, Guard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

pub(super) use super::record::SEGMENT;

/// The number of tiers. Tier `k` has `2^k` segments.
const TIER_COUNT: usize = 32 - SEGMENT.ilog2() as usize;

/// A tier holds twice as many records as the tier before. It takes memory page by page as records are written.
///
/// The only appender writes each byte of `records` once, before the id of the record exists anywhere. A reader needs
/// that id, which it receives by a synchronised hand-over. So no read races with a write.
#[derive(Debug)]
struct Tier {
    records: Pages,
    /// The marks of each segment.
    marks: Box<[OnceLock<Marks>]>,
}

/// An append-only sequence of records of the same length.
#[derive(Debug)]
pub(super) struct Log {
    tiers: [OnceLock<Tier>; TIER_COUNT],
    layout: Layout,
    /// The files, if the log has any.
    cold: OnceLock<ColdRecords>,
}

/// The part of a log that is on disk.
#[derive(Debug)]
struct ColdRecords {
    files: SegmentFiles,
    /// The first record that is in memory: all records before it are cold.
    first_hot: AtomicU32,
    errors: Arc<ErrorLatch>,
}

/// Reads records: a buffer for cold records, and a pin that keeps the memory of all other records from being freed.
#[derive(Default)]
pub struct RecordReader {
    pin: Option<Guard>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for RecordReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordReader").field("pinned", &self.pin.is_some()).finish_non_exhaustive()
    }
}

impl RecordReader {
    /// Releases the record that was read last, so that its memory may be freed.
    pub fn unpin(&mut self) {
        self.pin = None;
    }
}

impl Log {
    pub(super) fn new(layout: Layout) -> Self {
        Self { tiers: std::array::from_fn(|_| OnceLock::new()), layout, cold: OnceLock::new() }
    }

    #[inline]
    pub(super) fn stride(&self) -> usize {
        self.layout.stride()
    }

    /// The bytes of a mark.
    #[inline]
    pub(super) fn mark_width(&self) -> usize {
        self.layout.mark_width()
    }

    /// The bytes of a record and its mark.
    pub(super) fn bytes_per_record(&self) -> usize {
        self.stride() + self.mark_width()
    }

    /// The tier of a record, and its position in that tier.
    #[inline]
    fn locate(&self, position: u32) -> (&Tier, usize) {
        let number = position as usize / SEGMENT + 1;
        let tier = number.ilog2() as usize;
        let at = position as usize - ((1 << tier) - 1) * SEGMENT;
        (self.tiers[tier].get_or_init(|| self.new_tier(SEGMENT << tier)), at)
    }

    #[cold]
    fn new_tier(&self, records: usize) -> Tier {
        let marks = (0..records / SEGMENT).map(|_| OnceLock::new()).collect();
        Tier { records: Pages::reserved(records * self.stride()), marks }
    }

    /// The marks of the segment of a record, and the position of the record in that segment.
    #[inline]
    fn mark(&self, position: u32) -> (&Marks, usize) {
        let (tier, at) = self.locate(position);
        let marks = tier.marks[at / SEGMENT].get_or_init(|| Marks::new(SEGMENT, self.layout.mask_bits));
        (marks, at % SEGMENT)
    }

    /// The address that a record has in memory, even if the record is not there now.
    #[inline]
    fn address(&self, position: u32) -> *mut u8 {
        let (tier, at) = self.locate(position);
        tier.records.as_ptr().wrapping_add(at * self.stride())
    }

    /// Writes record `position` with its `h`, and with a mark that is open and has this sleep set.
    ///
    /// # Safety
    /// Record `position` was never written, and only one thread appends to this log at a time.
    pub(super) unsafe fn append(&self, position: u32, key: &[u8], tag: Tag, h: u8, sleep_set: u64) {
        // A longer key would overwrite the next record.
        assert_eq!(key.len(), self.layout.key_len);
        let (tier, at) = self.locate(position);
        if at.is_multiple_of(SEGMENT) {
            tier.records.commit(at * self.stride(), SEGMENT * self.stride());
        }
        let to = tier.records.as_ptr().wrapping_add(at * self.stride());
        // SAFETY: the tier has `stride` bytes there. Nobody else writes them (contract), and nobody has the id to read
        // them.
        unsafe {
            to.copy_from_nonoverlapping(key.as_ptr(), key.len());
            to.add(key.len()).copy_from_nonoverlapping(tag.to_word().to_le_bytes().as_ptr(), TAG_LEN);
            to.add(key.len() + TAG_LEN).write(h);
        }
        let (marks, at) = self.mark(position);
        marks.open(at, sleep_set);
    }

    /// Writes records that were read from disk, from record `position` on. Their marks are set by [`Log::restore_mark`]
    /// and [`Log::join`].
    ///
    /// # Safety
    /// As for [`Log::append`], for each of the records; all of them lie in one segment.
    pub(super) unsafe fn restore(&self, position: u32, records: &[u8]) {
        let (tier, at) = self.locate(position);
        tier.records.commit(at / SEGMENT * SEGMENT * self.stride(), SEGMENT * self.stride());
        let to = tier.records.as_ptr().wrapping_add(at * self.stride());
        // SAFETY: a segment lies within one tier, which has these bytes. Nobody else writes or reads them (contract).
        unsafe { to.copy_from_nonoverlapping(records.as_ptr(), records.len()) };
    }

    /// Sets the neutral mark of [`Log::join`]: open, with all moves asleep.
    pub(super) fn restore_mark(&self, position: u32) {
        let (marks, at) = self.mark(position);
        marks.open(at, u64::MAX >> 1);
    }

    /// The bytes of a record: key, then tag, then h. `None` when the record is cold and reading it fails; the error is
    /// reported to the error latch.
    #[inline]
    pub(super) fn record<'r>(&'r self, position: u32, reader: &'r mut RecordReader) -> Option<&'r [u8]> {
        let Some(cold) = self.cold.get() else { return Some(self.bytes_in_memory(position..position + 1)) };
        match &mut reader.pin {
            Some(pin) => pin.repin(),
            unpinned => *unpinned = Some(epoch::pin()),
        }
        // A reader that sees the old value of `first_hot` was pinned before the new value was set, so the memory stays.
        if position >= cold.first_hot.load(Ordering::SeqCst) {
            return Some(self.bytes_in_memory(position..position + 1));
        }
        self.read_cold(cold, position, &mut reader.buffer)
    }

    #[cold]
    fn read_cold<'r>(&self, cold: &ColdRecords, position: u32, buffer: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        buffer.resize(self.stride(), 0);
        let (segment, at) = (position as usize / SEGMENT, position as usize % SEGMENT);
        match cold.files.read(segment as u32, (at * self.stride()) as u64, buffer) {
            Ok(()) => Some(buffer),
            Err(e) => {
                cold.errors.fail(e);
                None
            }
        }
    }

    /// The bytes of records that lie in one segment and in memory. The caller is pinned, or no record of the log is
    /// cold.
    #[inline]
    fn bytes_in_memory(&self, records: std::ops::Range<u32>) -> &[u8] {
        let len = records.len() * self.stride();
        // SAFETY: ids exist only for written records, so the tier has these bytes, and written bytes never change.
        // Their memory is not returned while the caller is pinned.
        unsafe { std::slice::from_raw_parts(self.address(records.start), len) }
    }

    /// The bytes of the first `records` records of a segment. They must be written and in memory: the caller is
    /// the one that makes records cold, or no record is cold.
    pub(super) fn segment(&self, segment: u32, records: usize) -> &[u8] {
        let first = segment * SEGMENT as u32;
        self.bytes_in_memory(first..first + records as u32)
    }

    /// Splits the bytes of a record into key and tag.
    #[inline]
    pub(super) fn parse<'r>(&self, record: &'r [u8]) -> (&'r [u8], Tag) {
        let (key, tag) = record.split_at(self.layout.key_len);
        (key, Tag::from_bytes(tag))
    }

    /// The h in the bytes of a record.
    pub(super) fn h_of(&self, record: &[u8]) -> u32 {
        record[self.layout.key_len + TAG_LEN].into()
    }

    /// Sets the files of the log. Must be called only once.
    pub(super) fn set_files(&self, files: SegmentFiles, errors: Arc<ErrorLatch>) {
        let cold = ColdRecords { files, first_hot: AtomicU32::new(0), errors };
        let set = self.cold.set(cold);
        debug_assert!(set.is_ok(), "the files of a log are set once");
    }

    pub(super) fn files(&self) -> Option<&SegmentFiles> {
        self.cold.get().map(|cold| &cold.files)
    }

    /// The number of segments that are cold.
    pub(super) fn cold_segments(&self) -> u32 {
        self.cold.get().map_or(0, |cold| cold.first_hot.load(Ordering::Relaxed) / SEGMENT as u32)
    }

    /// Makes the first `segments` segments cold: their records are read from disk from now on. Their memory may be
    /// returned by [`Log::discard`] once all readers have left that are pinned now.
    pub(super) fn make_cold(&self, segments: u32) {
        if let Some(cold) = self.cold.get() {
            cold.first_hot.fetch_max(segments * SEGMENT as u32, Ordering::SeqCst);
        }
    }

    /// Returns the memory of the records of a segment to the system.
    ///
    /// # Safety
    /// The segment is cold, and no reader holds bytes of it.
    pub(super) unsafe fn discard(&self, segment: u32) {
        let (tier, at) = self.locate(segment * SEGMENT as u32);
        // SAFETY: no reader holds these bytes (contract), and none will, because the segment is cold.
        unsafe { tier.records.discard(at * self.stride(), SEGMENT * self.stride()) };
    }

    /// See [`Store::close`](super::Store::close).
    #[inline]
    pub(super) fn close(&self, position: u32) -> Option<u64> {
        let (marks, at) = self.mark(position);
        let previous = marks.close(at);
        (!previous.is_closed).then_some(previous.sleep_set)
    }

    /// Wakes the moves that are not in `sleep_set`. Returns the woken moves, and whether the state was closed before.
    #[inline]
    pub(super) fn wake(&self, position: u32, sleep_set: u64) -> (u64, bool) {
        let (marks, at) = self.mark(position);
        let previous = marks.intersect(at, sleep_set);
        (previous.sleep_set & !sleep_set, previous.is_closed)
    }

    /// Joins a mark from disk to the mark of a record: intersects the sleep sets, and closes the record if either is
    /// closed.
    pub(super) fn join(&self, position: u32, bits: u64) {
        let (marks, at) = self.mark(position);
        marks.intersect(at, bits >> 1);
        if bits & 1 != 0 {
            marks.close(at);
        }
    }

    /// The bits of a record's mark, as they are written to disk.
    pub(super) fn mark_bits(&self, position: u32) -> u64 {
        let (marks, at) = self.mark(position);
        marks.bits(at)
    }

    #[inline]
    pub(super) fn prefetch(&self, position: u32) {
        crate::sync::prefetch(self.address(position));
    }
}
