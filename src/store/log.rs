//! The log of one shard: records in segments that never move.
//!
//! One writer at a time appends (the holder of the shard's lock); anybody reads a record whose [`super::Id`] was handed
//! to him. An id is handed on through a lock, a queue or a join, each of which makes the bytes visible.

use super::marks::Marks;
use super::pages::Pages;
use super::{Layout, Tag};
use std::sync::OnceLock;

const TAG_LEN: usize = 8;

/// Records of a segment.
const SEGMENT: usize = if cfg!(any(loom, miri)) { 4 } else { 1 << 12 };

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
}

impl Log {
    pub(super) fn new(layout: Layout) -> Self {
        Self { tiers: std::array::from_fn(|_| OnceLock::new()), key_len: layout.key_len, mask_bits: layout.mask_bits }
    }

    fn stride(&self) -> usize {
        self.key_len + TAG_LEN
    }

    /// Bytes of a record with its mark.
    pub(super) fn bytes_per_record(&self) -> usize {
        self.stride() + Marks::width(self.mask_bits)
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

    /// Where a record begins.
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

    #[inline]
    fn record(&self, local: u32) -> &[u8] {
        // SAFETY: the tier has `stride` bytes there, zeroed or written; ids exist for written records only, and written
        // bytes never change.
        unsafe { std::slice::from_raw_parts(self.address(local), self.stride()) }
    }

    #[inline]
    pub(super) fn key(&self, local: u32) -> &[u8] {
        &self.record(local)[..self.key_len]
    }

    #[inline]
    pub(super) fn tag(&self, local: u32) -> Tag {
        let mut word = [0; TAG_LEN];
        word.copy_from_slice(&self.record(local)[self.key_len..]);
        Tag::from_word(u64::from_le_bytes(word))
    }

    /// See [`super::Store::close`].
    #[inline]
    pub(super) fn close(&self, local: u32) -> Option<u64> {
        let (marks, at) = self.mark(local);
        let before = marks.close(at);
        (!before.closed).then_some(before.asleep)
    }

    /// Wakes what is not in `asleep`; returns the moves woken at a state that was closed before.
    #[inline]
    pub(super) fn wake(&self, local: u32, asleep: u64) -> Option<u64> {
        let (marks, at) = self.mark(local);
        let before = marks.retain(at, asleep);
        let woken = before.asleep & !asleep;
        (before.closed && woken != 0).then_some(woken)
    }

    #[inline]
    pub(super) fn prefetch(&self, local: u32) {
        crate::sync::prefetch(self.address(local));
    }
}
