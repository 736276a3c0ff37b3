//! A shard: an index behind a lock, and the log of records into which the index points.

use super::changes::{Change, ChangeSink};
use super::cold_index::ColdSlot;
use super::log::{Log, RecordReader};
use super::record::{Id, Layout, MAX_H, SEGMENT, Tag};
use super::segment_files::SegmentFiles;
use super::storage::{ErrorLatch, StorageError, TempFile};
use super::tiered_index::{IndexSizes, ProbeEnd, TieredIndex};
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, TryLockError};
use std::sync::Arc;

/// A state that a worker has generated and offers to the store.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// [`super::hash_key`] of the key.
    pub hash: u64,
    /// The packed state.
    pub key: &'a [u8],
    /// The cost of the path by which it was reached.
    pub g: u32,
    /// The sleep set: the moves that this path to the state makes superfluous.
    pub sleep_set: u64,
}

/// What the store knows about an offered state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The state is new, or known only with a larger g: evaluate it.
    New,
    /// The state is known with the same or a smaller g.
    Known,
    /// The state is known with the same g and closed, but these moves were asleep and are awake now: expand them.
    Woken(Id, u64),
}

#[derive(Debug)]
pub(super) struct Shard {
    number: usize,
    layout: Layout,
    contents: Mutex<Contents>,
    log: Log,
    /// The bytes of records, marks and index in memory.
    bytes: AtomicU64,
    /// Address and number of homes of the index, for prefetching without the lock. The values may be out of date.
    slots_address: AtomicU64,
    homes: AtomicU64,
    /// The number of segments that are on disk.
    written_segments: AtomicU32,
}

#[derive(Debug)]
struct Contents {
    index: TieredIndex,
    /// The number of records in the log, and the number of their states.
    records: u32,
    states: u32,
    /// Present when the store has files.
    changes: Option<ShardChanges>,
}

impl Contents {
    /// Makes the index point to record `position`, in the slot of the found record or in a new slot.
    #[inline]
    fn point_index_to(&mut self, position: u32, fingerprint: u32, found: Option<NewestRecord>, probe_end: ProbeEnd) {
        match found {
            None => {
                self.states += 1;
                self.index.insert(fingerprint, probe_end, position);
            }
            Some(_) => self.index.repoint(probe_end, position),
        }
    }
}

/// The bytes that a shard collects before it hands them to the sink.
const BUFFER_BYTES: usize = 1 << 16;

/// The marks of a shard that wait for the sink, under the lock of the shard.
#[derive(Debug)]
struct ShardChanges {
    sink: Arc<dyn ChangeSink>,
    /// The marks of consecutive new records, and the position of the first one.
    new_marks: Vec<u8>,
    first_new: u32,
    /// Ids, each with its changed mark.
    changed_marks: Vec<u8>,
}

impl ShardChanges {
    fn add_new_mark(&mut self, shard: usize, position: u32, bits: u64, width: usize) {
        if self.new_marks.is_empty() {
            self.first_new = position;
        }
        self.new_marks.extend_from_slice(&bits.to_le_bytes()[..width]);
        if self.new_marks.len() >= BUFFER_BYTES {
            self.flush_new_marks(shard);
        }
    }

    fn add_changed_mark(&mut self, id: Id, bits: u64, width: usize) {
        self.changed_marks.extend_from_slice(&id.to_bytes());
        self.changed_marks.extend_from_slice(&bits.to_le_bytes()[..width]);
        if self.changed_marks.len() >= BUFFER_BYTES {
            self.flush_changed_marks();
        }
    }

    fn flush_new_marks(&mut self, shard: usize) {
        if !self.new_marks.is_empty() {
            let marks = std::mem::take(&mut self.new_marks);
            self.sink.report(Change::NewRecords { shard: shard as u32, first: self.first_new, marks });
        }
    }

    fn flush_changed_marks(&mut self) {
        if !self.changed_marks.is_empty() {
            self.sink.report(Change::ChangedMarks(std::mem::take(&mut self.changed_marks)));
        }
    }
}

impl Shard {
    pub(super) fn new(number: usize, layout: Layout) -> Self {
        let index = TieredIndex::new();
        let shard = Self {
            number,
            layout,
            log: Log::new(layout),
            bytes: AtomicU64::new(index.bytes()),
            slots_address: AtomicU64::new(0),
            homes: AtomicU64::new(0),
            written_segments: AtomicU32::new(0),
            contents: Mutex::new(Contents { index, records: 0, states: 0, changes: None }),
        };
        shard.lock().publish_prefetch_hint();
        shard
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    /// The id of record `position` of this shard.
    #[inline]
    fn id(&self, position: u32) -> Id {
        self.layout.id(self.number, position)
    }

    pub(super) fn lock(&self) -> ShardGuard<'_> {
        // A poisoned lock is safe to use: a panic under the lock leaves at worst a record that no slot points to.
        let contents = self.contents.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ShardGuard::new(self, contents)
    }

    /// [`Shard::lock`], or `None` when another thread holds the lock.
    pub(super) fn try_lock(&self) -> Option<ShardGuard<'_>> {
        let contents = match self.contents.try_lock() {
            Ok(contents) => contents,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(ShardGuard::new(self, contents))
    }

    pub(super) fn record_count(&self) -> u64 {
        u64::from(self.lock().contents.records)
    }

    pub(super) fn state_count(&self) -> u64 {
        u64::from(self.lock().contents.states)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Appends records from disk and indexes them. They must lie in one segment, and no other thread may use the shard.
    pub(super) fn restore(&self, first: u32, records: &[u8]) {
        // SAFETY: these records are the next ones, and nobody else appends.
        unsafe { self.log.restore(first, records) };
        let mut guard = self.lock();
        for (record, position) in records.chunks_exact(self.log.stride()).zip(first..) {
            guard.index_record(position, self.log.parse(record).0);
        }
        guard.publish_prefetch_hint();
    }

    /// Sets the files of the log, and the sink of all changes from now on. Returns the number of records.
    pub(super) fn set_files(&self, files: SegmentFiles, errors: &Arc<ErrorLatch>, sink: &Arc<dyn ChangeSink>) -> u32 {
        self.log.set_files(files, Arc::clone(errors));
        let mut guard = self.lock();
        let (sink, new_marks, changed_marks) = (Arc::clone(sink), Vec::new(), Vec::new());
        guard.contents.changes = Some(ShardChanges { sink, new_marks, first_new: 0, changed_marks });
        guard.contents.records
    }

    /// Hands all collected changes to the sink. Returns the number of records.
    pub(super) fn flush_changes(&self) -> u32 {
        let mut guard = self.lock();
        if let Some(changes) = &mut guard.contents.changes {
            changes.flush_new_marks(self.number);
            changes.flush_changed_marks();
        }
        guard.contents.records
    }

    /// Records that the first `segments` segments are on disk.
    pub(super) fn note_written(&self, segments: u32) {
        self.written_segments.fetch_max(segments, Ordering::Release);
    }

    /// The number of segments that are both on disk and in memory.
    pub(super) fn coolable_segments(&self) -> u32 {
        self.written_segments.load(Ordering::Acquire).saturating_sub(self.log.cold_segments())
    }

    /// Makes all segments on disk cold, and frees their memory at once.
    ///
    /// # Safety
    /// Nobody reads records of the shard without holding its lock.
    pub(super) unsafe fn make_all_cold(&self) {
        let _guard = self.lock();
        let (from, to) = (self.log.cold_segments(), self.written_segments.load(Ordering::Acquire));
        self.log.make_cold(to);
        for segment in from..to {
            // SAFETY: the lock is held, so nobody reads records of the shard (contract).
            unsafe { self.log.discard(segment) };
        }
        self.subtract_bytes(u64::from(to.saturating_sub(from)) * (SEGMENT * self.log.stride()) as u64);
    }

    /// The sizes of the index.
    pub(super) fn index_sizes(&self) -> IndexSizes {
        self.lock().contents.index.sizes()
    }

    /// Writes the index to an empty file and frees its memory. Returns the number of freed bytes.
    ///
    /// # Errors
    /// When writing fails. The index is unchanged then.
    pub(super) fn spill_index(&self, file: TempFile, errors: &Arc<ErrorLatch>) -> Result<u64, StorageError> {
        let mut guard = self.lock();
        let freed = guard.contents.index.spill(file, errors)?;
        guard.publish_prefetch_hint();
        self.subtract_bytes(freed);
        Ok(freed)
    }

    /// Subtracts freed memory.
    pub(super) fn subtract_bytes(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The g of a record, if the record has this key.
    #[inline]
    fn g_of(&self, position: u32, key: &[u8], reader: &mut RecordReader) -> Option<u32> {
        // A read error ends the search soon. Until then the state is taken for a new one, which only costs memory.
        let record = self.log.record(position, reader)?;
        record.starts_with(key).then(|| self.log.parse(record).1.g)
    }

    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let homes = self.homes.load(Ordering::Relaxed);
        let home = (u64::from(fingerprint(hash)) * homes) >> 32;
        let slots = self.slots_address.load(Ordering::Relaxed) as *const u64;
        crate::sync::prefetch(slots.wrapping_add(home as usize));
    }
}

/// The fingerprint of a hash: its upper 32 bits. The lowest bits choose the shard.
#[inline]
fn fingerprint(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A locked shard.
#[derive(Debug)]
pub struct ShardGuard<'a> {
    shard: &'a Shard,
    contents: MutexGuard<'a, Contents>,
    reader: RecordReader,
    /// A buffer for the slots on disk that have the fingerprint of a lookup.
    slots: Vec<ColdSlot>,
}

/// The newest record of a state, and its g.
#[derive(Clone, Copy, Debug)]
struct NewestRecord {
    position: u32,
    g: u32,
}

impl<'a> ShardGuard<'a> {
    fn new(shard: &'a Shard, contents: MutexGuard<'a, Contents>) -> Self {
        Self { shard, contents, reader: RecordReader::default(), slots: Vec::new() }
    }

    /// Looks up a state. If the state is known with the same g, its sleep set is intersected with that of the offer.
    #[inline]
    pub fn lookup(&mut self, offer: &Offer<'_>) -> Lookup {
        match self.find(offer) {
            (Some(found), _) if found.g <= offer.g => self.merge_sleep_set(found, offer),
            _ => Lookup::New,
        }
    }

    /// Stores a state, unless the store knows it by now with the same or a smaller g. `h` is a lower bound on the cost
    /// of a solution from the state; see [`Store::open_records`](super::Store::open_records). Returns the id of the new
    /// record. If the state was stored before with a larger g, also returns whether that record was closed.
    ///
    /// # Errors
    /// [`Lookup::Known`] or [`Lookup::Woken`] when the state was not stored, as from [`ShardGuard::lookup`].
    #[inline]
    pub fn admit(&mut self, offer: &Offer<'_>, mv: u16, parent: Id, h: u32) -> Result<(Id, Option<bool>), Lookup> {
        let (found, probe_end) = self.find(offer);
        if let Some(found) = found
            && found.g <= offer.g
        {
            return Err(self.merge_sleep_set(found, offer));
        }
        let contents = &mut *self.contents;
        let width = self.shard.log.mark_width();
        let position = contents.records;
        // The very last position of the last shard would have the value of `Id::NONE`.
        let bits = self.shard.layout.position_bits();
        assert!(position < (1 << bits) - 1, "a shard holds fewer than 2^{bits} records");
        let tag = Tag { g: offer.g, mv, parent };
        // SAFETY: this thread holds the lock, so it alone appends; `position` counts up, so it was never written.
        unsafe { self.shard.log.append(position, offer.key, tag, h.min(MAX_H) as u8, offer.sleep_set) };
        contents.records += 1;
        let before = contents.index.bytes();
        contents.point_index_to(position, fingerprint(offer.hash), found, probe_end);
        let was_closed = found.map(|NewestRecord { position: older, .. }| {
            if let Some(changes) = &mut contents.changes {
                changes.add_changed_mark(self.shard.id(older), u64::MAX, width);
            }
            // The older record is superseded. It is closed, so that its entry in the frontier is skipped.
            self.shard.log.close(older).is_none()
        });
        let after = contents.index.bytes();
        let added = self.shard.log.bytes_per_record() as u64 + after - before;
        self.shard.bytes.fetch_add(added, Ordering::Relaxed);
        if let Some(changes) = &mut contents.changes {
            changes.add_new_mark(self.shard.number, position, offer.sleep_set << 1, width);
            if (position + 1).is_multiple_of(SEGMENT as u32) {
                let segment = position / SEGMENT as u32;
                changes.sink.report(Change::FullSegment { shard: self.shard.number as u32, segment });
            }
        }
        if after != before {
            self.publish_prefetch_hint();
        }
        Ok((self.shard.id(position), was_closed))
    }

    /// Appends a copy of a record with its mark. The newest record of a state must come last.
    pub(super) fn append_copy(&mut self, key: &[u8], tag: Tag, h: u32, mark: u64) {
        let position = self.contents.records;
        // SAFETY: this thread holds the lock, so it alone appends; `position` counts up, so it was never written.
        unsafe { self.shard.log.append(position, key, tag, h.min(MAX_H) as u8, mark >> 1) };
        if mark & 1 == 1 {
            self.shard.log.close(position);
        }
        self.index_record(position, key);
        self.publish_prefetch_hint();
    }

    /// Makes the index point to record `position`, the newest one with this key, and counts it.
    fn index_record(&mut self, position: u32, key: &[u8]) {
        let hash = super::hash_key(key);
        let (found, probe_end) = self.find(&Offer { hash, key, g: 0, sleep_set: 0 });
        let contents = &mut *self.contents;
        let before = contents.index.bytes();
        contents.point_index_to(position, fingerprint(hash), found, probe_end);
        contents.records = position + 1;
        let added = self.shard.log.bytes_per_record() as u64 + contents.index.bytes() - before;
        self.shard.bytes.fetch_add(added, Ordering::Relaxed);
    }

    /// The newest record with this key and the place of its slot; without a record, the place for a new slot.
    #[inline]
    fn find(&mut self, offer: &Offer<'_>) -> (Option<NewestRecord>, ProbeEnd) {
        let Self { shard, contents, reader, slots } = self;
        contents.index.find(fingerprint(offer.hash), slots, |position| {
            shard.g_of(position, offer.key, reader).map(|g| NewestRecord { position, g })
        })
    }

    /// Merges the sleep sets of a known state and an offer with the same or a larger g, and says what to do.
    #[inline]
    fn merge_sleep_set(&mut self, NewestRecord { position, g }: NewestRecord, offer: &Offer<'_>) -> Lookup {
        if g < offer.g {
            return Lookup::Known;
        }
        let (woken, is_closed) = self.shard.log.wake(position, offer.sleep_set);
        if woken == 0 {
            return Lookup::Known;
        }
        let id = self.shard.id(position);
        if let Some(changes) = &mut self.contents.changes {
            changes.add_changed_mark(id, offer.sleep_set << 1, self.shard.log.mark_width());
        }
        if is_closed { Lookup::Woken(id, woken) } else { Lookup::Known }
    }

    /// Publishes address and size of the index for [`Shard::prefetch`].
    fn publish_prefetch_hint(&self) {
        let (slots, homes) = self.contents.index.prefetch_hint();
        self.shard.homes.store(homes, Ordering::Relaxed);
        self.shard.slots_address.store(slots as u64, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const MOVES: u64 = 0b111;

    /// A worker that reaches the state with the sleep set `sleep_set` and expands the moves that it has to. Returns how
    /// often it expanded each move.
    fn reach(shard: &Shard, sleep_set: u64) -> [u32; 3] {
        let mut expanded = [0; 3];
        let mut expand = |moves: u64| {
            (0..3).filter(|m| moves >> m & 1 == 1).for_each(|m| expanded[m] += 1);
        };
        let offer = Offer { hash: 7, key: &[1], g: 1, sleep_set };
        let lookup = shard.lock().lookup(&offer);
        let admitted = match lookup {
            Lookup::New => shard.lock().admit(&offer, 0, Id::NONE, 0),
            known => Err(known),
        };
        match admitted {
            Ok((id, _)) => {
                if let Some(sleep_set) = shard.log().close(shard.layout.place_of(id).1) {
                    expand(MOVES & !sleep_set);
                }
            }
            Err(Lookup::Woken(_, moves)) => expand(moves),
            Err(_) => {}
        }
        expanded
    }

    /// Two workers reach the same state with different sleep sets. The state is stored once, and every move that is not
    /// in both sleep sets is expanded exactly once.
    #[test]
    fn loom_every_awake_move_is_expanded_once() {
        crate::sync::check_model(|| {
            let shard = Arc::new(Shard::new(0, Layout { key_len: 1, mask_bits: 3, shards: 1 }));
            let other = {
                let shard = shard.clone();
                thread::spawn(move || reach(&shard, 0b011))
            };
            let mine = reach(&shard, 0b110);
            let theirs = other.join().expect("no panic");
            let sum: Vec<u32> = mine.iter().zip(theirs).map(|(a, b)| a + b).collect();
            assert_eq!(sum, [1, 0, 1]);
            assert_eq!(shard.record_count(), 1);
        });
    }
}
