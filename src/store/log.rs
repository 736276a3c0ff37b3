//! The log of one shard: records in segments that never move.
//!
//! One writer at a time appends (the holder of the shard's lock); anybody reads a record whose [`super::Id`] was handed
//! to him. An id is handed on through a lock, a queue or a join, each of which makes the bytes visible.
//!
//! **Cold records.** Once a segment is on disk, its memory may be given back; then its records are read from the file.
//! Whoever reads is *pinned* (crossbeam's epochs) from before he looks whether a record is cold until he is done with its
//! bytes, and memory goes back only when everybody is gone who was pinned when the records became cold.

use super::archive::{Health, Volume};
use super::marks::Marks;
use super::pages::Pages;
use super::record::{Layout, TAG_LEN, Tag};
use crossbeam::epoch::{self, Guard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

pub(super) use super::record::SEGMENT;

/// Tier `k` of the directory holds `2^k` segments.
const TIERS: usize = 32 - SEGMENT.ilog2() as usize;

/// Twice as many records as the tier before. Memory is taken page by page as records are written.
///
/// A byte of `records` is written once, by the only appender, before the id of its record exists anywhere; it is read
/// only through that id, which reaches the reader by a synchronised hand-over. So no read races with a write.
#[derive(Debug)]
struct Tier {
    records: Pages,
    /// Of each segment.
    marks: Box<[OnceLock<Marks>]>,
}

/// An append-only sequence of records of one stride.
#[derive(Debug)]
pub(super) struct Log {
    tiers: [OnceLock<Tier>; TIERS],
    key_len: usize,
    mask_bits: u32,
    /// Once the log is archived.
    cold: OnceLock<Cold>,
}

/// What is on disk of a log.
#[derive(Debug)]
struct Cold {
    volume: Volume,
    /// Records before this one are read from there.
    until: AtomicU32,
    health: Arc<Health>,
}

/// What a reader needs: a buffer for cold records, and a pin that keeps the others where they are.
#[derive(Default)]
pub struct Reading {
    pin: Option<Guard>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").field("pinned", &self.pin.is_some()).finish_non_exhaustive()
    }
}

impl Reading {
    /// Lets go of the record that was read last.
    pub fn unpin(&mut self) {
        self.pin = None;
    }
}

impl Log {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            tiers: std::array::from_fn(|_| OnceLock::new()),
            key_len: layout.key_len,
            mask_bits: layout.mask_bits,
            cold: OnceLock::new(),
        }
    }

    pub(super) fn stride(&self) -> usize {
        self.key_len + TAG_LEN
    }

    /// Bytes of a mark.
    pub(super) fn mark_width(&self) -> usize {
        Marks::width(self.mask_bits)
    }

    /// Bytes of a record with its mark.
    pub(super) fn bytes_per_record(&self) -> usize {
        self.stride() + self.mark_width()
    }

    /// The tier of a record and its place there.
    #[inline]
    fn locate(&self, local: u32) -> (&Tier, usize) {
        let number = local as usize / SEGMENT + 1;
        let tier = number.ilog2() as usize;
        let at = local as usize - ((1 << tier) - 1) * SEGMENT;
        (self.tiers[tier].get_or_init(|| self.new_tier(SEGMENT << tier)), at)
    }

    #[cold]
    fn new_tier(&self, records: usize) -> Tier {
        Tier {
            records: Pages::zeroed(records * self.stride()),
            marks: (0..records / SEGMENT).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The marks of a record's segment and its place there.
    #[inline]
    fn mark(&self, local: u32) -> (&Marks, usize) {
        let (tier, at) = self.locate(local);
        let marks = tier.marks[at / SEGMENT].get_or_init(|| Marks::new(SEGMENT, self.mask_bits));
        (marks, at % SEGMENT)
    }

    /// Where a record begins in memory, or would.
    #[inline]
    fn address(&self, local: u32) -> *const u8 {
        let (tier, at) = self.locate(local);
        tier.records.as_ptr().wrapping_add(at * self.stride())
    }

    /// Writes record `local` with an open mark.
    ///
    /// # Safety
    /// `local` was never written, and only one thread appends to this log at a time.
    pub(super) unsafe fn append(&self, local: u32, key: &[u8], tag: Tag, asleep: u64) {
        // Another length would write over the next record.
        assert_eq!(key.len(), self.key_len);
        let to = self.address(local).cast_mut();
        // SAFETY: the tier has `stride` bytes there, nobody else writes them (contract) and nobody reads them yet.
        unsafe {
            to.copy_from_nonoverlapping(key.as_ptr(), key.len());
            to.add(key.len()).copy_from_nonoverlapping(tag.to_word().to_le_bytes().as_ptr(), TAG_LEN);
        }
        let (marks, at) = self.mark(local);
        marks.open(at, asleep);
    }

    /// Puts whole records that were read from disk back, with marks that wait to be joined with the journal's.
    ///
    /// # Safety
    /// As for [`Log::append`], for each of the records from `local` on; they lie in one segment.
    pub(super) unsafe fn restore(&self, local: u32, records: &[u8]) {
        let to = self.address(local).cast_mut();
        // SAFETY: a segment lies in one tier, which has these bytes; nobody else writes or reads them (contract).
        unsafe { to.copy_from_nonoverlapping(records.as_ptr(), records.len()) };
    }

    /// Gives a record that is restored the mark that every other joins to itself: open, everything asleep.
    pub(super) fn restore_mark(&self, local: u32) {
        let (marks, at) = self.mark(local);
        marks.open(at, u64::MAX >> 1);
    }

    /// Key and tag of a record, one after the other. `None` when it is cold and the disk fails, which the archive's
    /// health knows then.
    #[inline]
    pub(super) fn record<'r>(&'r self, local: u32, reading: &'r mut Reading) -> Option<&'r [u8]> {
        let Some(cold) = self.cold.get() else { return Some(self.hot(local..local + 1)) };
        match &mut reading.pin {
            Some(pin) => pin.repin(),
            unpinned => *unpinned = Some(epoch::pin()),
        }
        // Whoever sees the old value is pinned since before the new one was set.
        if local >= cold.until.load(Ordering::SeqCst) {
            return Some(self.hot(local..local + 1));
        }
        self.read_cold(cold, local, &mut reading.buffer)
    }

    #[cold]
    fn read_cold<'r>(&self, cold: &Cold, local: u32, buffer: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        buffer.resize(self.stride(), 0);
        let (segment, at) = (local as usize / SEGMENT, local as usize % SEGMENT);
        match cold.volume.read(segment as u32, (at * self.stride()) as u64, buffer) {
            Ok(()) => Some(buffer),
            Err(e) => {
                cold.health.fail(e);
                None
            }
        }
    }

    /// The bytes of records of one segment that are in memory. The caller is pinned, or nothing of the log is cold.
    #[inline]
    fn hot(&self, records: std::ops::Range<u32>) -> &[u8] {
        let len = records.len() * self.stride();
        // SAFETY: the tier has these bytes, written; ids exist for written records only, and written bytes never change.
        // Their memory goes back only when the caller is not pinned any more.
        unsafe { std::slice::from_raw_parts(self.address(records.start), len) }
    }

    /// The bytes of the first `records` records of a segment, which are hot and written. For whoever makes records cold.
    pub(super) fn segment(&self, segment: u32, records: usize) -> &[u8] {
        let first = segment * SEGMENT as u32;
        self.hot(first..first + records as u32)
    }

    /// Splits the bytes of a record.
    #[inline]
    pub(super) fn parse<'r>(&self, record: &'r [u8]) -> (&'r [u8], Tag) {
        let (key, tag) = record.split_at(self.key_len);
        let mut word = [0; TAG_LEN];
        word.copy_from_slice(tag);
        (key, Tag::from_word(u64::from_le_bytes(word)))
    }

    /// Says where the log goes on disk.
    pub(super) fn archive(&self, volume: Volume, health: Arc<Health>) {
        let cold = Cold { volume, until: AtomicU32::new(0), health };
        let set = self.cold.set(cold);
        debug_assert!(set.is_ok(), "a log is archived once");
    }

    pub(super) fn volume(&self) -> Option<&Volume> {
        self.cold.get().map(|cold| &cold.volume)
    }

    /// The number of segments that are cold.
    pub(super) fn cold_segments(&self) -> u32 {
        self.cold.get().map_or(0, |cold| cold.until.load(Ordering::Relaxed) / SEGMENT as u32)
    }

    /// Lets the records of the first `segments` segments be read from disk from now on. Their memory may be given back with
    /// [`Log::discard`] when nobody is pinned any more who is pinned now.
    pub(super) fn cool(&self, segments: u32) {
        if let Some(cold) = self.cold.get() {
            cold.until.fetch_max(segments * SEGMENT as u32, Ordering::SeqCst);
        }
    }

    /// Gives the memory of a segment's records back.
    ///
    /// # Safety
    /// The segment is cold, and nobody holds bytes of it.
    pub(super) unsafe fn discard(&self, segment: u32) {
        let (tier, at) = self.locate(segment * SEGMENT as u32);
        // SAFETY: nobody holds these bytes, nor will anybody (contract).
        unsafe { tier.records.discard(at * self.stride(), SEGMENT * self.stride()) };
    }

    /// See [`super::Store::close`].
    #[inline]
    pub(super) fn close(&self, local: u32) -> Option<u64> {
        let (marks, at) = self.mark(local);
        let before = marks.close(at);
        (!before.closed).then_some(before.asleep)
    }

    /// Wakes what is not in `asleep`; returns the moves woken, and whether the state was closed before.
    #[inline]
    pub(super) fn wake(&self, local: u32, asleep: u64) -> (u64, bool) {
        let (marks, at) = self.mark(local);
        let before = marks.retain(at, asleep);
        (before.asleep & !asleep, before.closed)
    }

    /// Joins a mark, as its bits are written on disk, to that of a record.
    pub(super) fn join(&self, local: u32, bits: u64) {
        let (marks, at) = self.mark(local);
        marks.retain(at, bits >> 1);
        if bits & 1 != 0 {
            marks.close(at);
        }
    }

    /// The mark of a record as its bits are written on disk.
    pub(super) fn mark_bits(&self, local: u32) -> u64 {
        let (marks, at) = self.mark(local);
        marks.bits(at)
    }

    #[inline]
    pub(super) fn prefetch(&self, local: u32) {
        crate::sync::prefetch(self.address(local));
    }
}
