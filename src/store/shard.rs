//! One shard: an index behind a lock, and the log that it points into.

use super::archive::journal::{ID_LEN, Kind};
use super::archive::{ArchiveError, Health, Nameless, Order, Orders, Volume, born};
use super::cold_index::ColdSlot;
use super::log::{Log, Reading};
use super::record::{Id, LOCAL_BITS, Layout, SEGMENT, Tag};
use super::tiers::{Place, Sizes, Tiers};
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, TryLockError};
use std::sync::Arc;

/// A state as a worker brings it to the store.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// [`super::hash_key`] of the key.
    pub hash: u64,
    /// The packed state.
    pub key: &'a [u8],
    /// Cost of the way that reached it.
    pub g: u32,
    /// The moves that its parent proves superfluous.
    pub asleep: u64,
}

/// What the store knows of an offered state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// It is new, or known with a larger g only: worth an evaluation.
    New,
    /// It is known, and this way adds nothing that would have to be done.
    Known,
    /// It is known with the same g and closed, but these moves of it were asleep and are not any more: expand them.
    Woken(Id, u64),
}

#[derive(Debug)]
pub(super) struct Shard {
    number: usize,
    contents: Mutex<Contents>,
    log: Log,
    /// Bytes of records, marks and index.
    bytes: AtomicU64,
    /// Where the index stands, for prefetching without the lock: a hint that may be out of date.
    slots: AtomicU64,
    homes: AtomicU64,
    /// Segments that are on disk.
    written: AtomicU32,
}

#[derive(Debug)]
struct Contents {
    index: Tiers,
    /// Records in the log.
    records: u32,
    /// Once the store is archived.
    journal: Option<ShardJournal>,
}

impl Contents {
    /// Lets the index name record `local`, in the slot of the one that was found or, if none was, in a new one.
    #[inline]
    fn name(&mut self, local: u32, fingerprint: u32, found: Option<Found>, place: Place) {
        match found {
            None => self.index.insert(fingerprint, place, local),
            Some(_) => self.index.repoint(place, local),
        }
    }
}

/// Bytes that a shard collects before it hands them to the scribe.
const BUFFER: usize = 1 << 16;

/// What a shard has to say to the scribe; written under the shard's lock.
#[derive(Debug)]
struct ShardJournal {
    orders: Orders,
    /// A frame of the marks of new records, in order.
    born: Vec<u8>,
    /// A frame of ids and changed marks.
    changed: Vec<u8>,
}

impl ShardJournal {
    fn born(&mut self, shard: usize, local: u32, bits: u64, width: usize) {
        if self.born.is_empty() {
            self.born = born(shard as u32, local);
        }
        self.born.extend_from_slice(&bits.to_le_bytes()[..width]);
        if self.born.len() >= BUFFER {
            self.hand_over(Kind::Born);
        }
    }

    fn changed(&mut self, id: Id, bits: u64, width: usize) {
        self.changed.extend_from_slice(&id.0.to_le_bytes()[..ID_LEN]);
        self.changed.extend_from_slice(&bits.to_le_bytes()[..width]);
        if self.changed.len() >= BUFFER {
            self.hand_over(Kind::Changed);
        }
    }

    fn hand_over(&mut self, kind: Kind) {
        let body = std::mem::take(if kind == Kind::Born { &mut self.born } else { &mut self.changed });
        if !body.is_empty() {
            self.orders.give(Order::Frame(kind, body));
        }
    }
}

impl Shard {
    pub(super) fn new(number: usize, layout: Layout) -> Self {
        let index = Tiers::new();
        let shard = Self {
            number,
            log: Log::new(layout),
            bytes: AtomicU64::new(index.bytes()),
            slots: AtomicU64::new(0),
            homes: AtomicU64::new(0),
            written: AtomicU32::new(0),
            contents: Mutex::new(Contents { index, records: 0, journal: None }),
        };
        shard.lock().publish();
        shard
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    pub(super) fn lock(&self) -> ShardGuard<'_> {
        // A panic under the lock leaves at worst a record that no slot names: the contents stay sound.
        let contents = self.contents.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ShardGuard::new(self, contents)
    }

    /// The shard, unless somebody else holds it.
    pub(super) fn try_lock(&self) -> Option<ShardGuard<'_>> {
        let contents = match self.contents.try_lock() {
            Ok(contents) => contents,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(ShardGuard::new(self, contents))
    }

    pub(super) fn records(&self) -> u64 {
        u64::from(self.lock().contents.records)
    }

    /// Bytes on disk of so many records and their marks.
    pub(super) fn snapshot_bytes(&self, records: u32) -> u64 {
        u64::from(records) * self.log.bytes_per_record() as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes records back that were read from disk, the next ones of the log, which lie in one segment. Nobody else uses the
    /// shard meanwhile.
    pub(super) fn restore(&self, first: u32, records: &[u8]) {
        // SAFETY: these records are the next ones, and nobody else appends.
        unsafe { self.log.restore(first, records) };
        let mut guard = self.lock();
        for (record, local) in records.chunks_exact(self.log.stride()).zip(first..) {
            guard.reindex(local, self.log.parse(record).0);
        }
        guard.publish();
    }

    /// Begins to journal. Returns the number of records.
    pub(super) fn archive(&self, volume: Volume, health: &Arc<Health>, orders: &Orders) -> u32 {
        self.log.archive(volume, Arc::clone(health));
        let mut guard = self.lock();
        guard.contents.journal = Some(ShardJournal { orders: orders.clone(), born: Vec::new(), changed: Vec::new() });
        guard.contents.records
    }

    /// Hands everything that is journalled to the scribe. Returns the number of records.
    pub(super) fn settle(&self) -> u32 {
        let mut guard = self.lock();
        if let Some(journal) = &mut guard.contents.journal {
            journal.hand_over(Kind::Born);
            journal.hand_over(Kind::Changed);
        }
        guard.contents.records
    }

    /// The first segments, up to this one, are on disk.
    pub(super) fn note_written(&self, segments: u32) {
        self.written.fetch_max(segments, Ordering::Release);
    }

    /// The number of segments that are on disk and in memory.
    pub(super) fn could_cool(&self) -> u32 {
        self.written.load(Ordering::Acquire).saturating_sub(self.log.cold_segments())
    }

    /// Makes everything cold that can be, and gives its memory back at once.
    ///
    /// # Safety
    /// Nobody reads records of the shard but under its lock.
    pub(super) unsafe fn put_away(&self) {
        let _guard = self.lock();
        let (from, to) = (self.log.cold_segments(), self.written.load(Ordering::Acquire));
        self.log.cool(to);
        for segment in from..to {
            // SAFETY: nobody holds bytes of the shard (contract).
            unsafe { self.log.discard(segment) };
        }
        self.gave_back(u64::from(to.saturating_sub(from)) * (SEGMENT * self.log.stride()) as u64);
    }

    /// How large the index is.
    pub(super) fn index_sizes(&self) -> Sizes {
        self.lock().contents.index.sizes()
    }

    /// Sends the index to an empty file and gives its memory back. Returns its bytes.
    ///
    /// # Errors
    /// Those of the disk; the index is as it was then.
    pub(super) fn put_index_away(&self, file: Nameless, health: &Arc<Health>) -> Result<u64, ArchiveError> {
        let mut guard = self.lock();
        let freed = guard.contents.index.put_away(file, health)?;
        guard.publish();
        self.gave_back(freed);
        Ok(freed)
    }

    /// Memory of records was given back.
    pub(super) fn gave_back(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The g of a record, if this is its key.
    #[inline]
    fn g_of(&self, local: u32, key: &[u8], reading: &mut Reading) -> Option<u32> {
        // A record that cannot be read ends the search: until then, taking it for another one only costs memory.
        let record = self.log.record(local, reading)?;
        record.starts_with(key).then(|| self.log.parse(record).1.g)
    }

    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let homes = self.homes.load(Ordering::Relaxed);
        let home = (u64::from(fingerprint(hash)) * homes) >> 32;
        let slots = self.slots.load(Ordering::Relaxed) as *const u64;
        crate::sync::prefetch(slots.wrapping_add(home as usize));
    }
}

/// The hash bits that choose the shard are the lowest; the fingerprint takes the highest.
#[inline]
fn fingerprint(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A locked shard.
#[derive(Debug)]
pub struct ShardGuard<'a> {
    shard: &'a Shard,
    contents: MutexGuard<'a, Contents>,
    reading: Reading,
    /// Slots on disk of the fingerprint that is looked for.
    slots: Vec<ColdSlot>,
}

/// The newest record of a state.
#[derive(Clone, Copy, Debug)]
struct Found {
    local: u32,
    g: u32,
}

impl<'a> ShardGuard<'a> {
    fn new(shard: &'a Shard, contents: MutexGuard<'a, Contents>) -> Self {
        Self { shard, contents, reading: Reading::default(), slots: Vec::new() }
    }

    /// Looks a state up. When it is known with the same g, the moves that this parent cannot excuse are woken.
    #[inline]
    pub fn lookup(&mut self, offer: &Offer<'_>) -> Lookup {
        match self.find(offer) {
            (Some(found), _) if found.g <= offer.g => self.merge_sleep_set(found, offer),
            _ => Lookup::New,
        }
    }

    /// Stores a state unless it became known in the meantime. Returns its id when it was stored, what to do otherwise.
    /// The flag says that a closed state is open again, with the smaller g.
    ///
    /// # Errors
    /// [`Lookup::Known`] or [`Lookup::Woken`], as from [`ShardGuard::lookup`].
    #[inline]
    pub fn admit(&mut self, offer: &Offer<'_>, mv: u16, parent: Id) -> Result<(Id, bool), Lookup> {
        let (found, place) = self.find(offer);
        if let Some(found) = found
            && found.g <= offer.g
        {
            return Err(self.merge_sleep_set(found, offer));
        }
        let contents = &mut *self.contents;
        let width = self.shard.log.mark_width();
        let local = contents.records;
        // The very last position of the last shard would be named like no record at all.
        assert!(local < (1 << LOCAL_BITS) - 1, "a shard holds fewer than 2^{LOCAL_BITS} records");
        // SAFETY: `local` counts up under the lock, which makes this thread the only appender.
        unsafe { self.shard.log.append(local, offer.key, Tag { g: offer.g, mv, parent }, offer.asleep) };
        contents.records += 1;
        let before = contents.index.bytes();
        let mut reopened = false;
        contents.name(local, fingerprint(offer.hash), found, place);
        if let Some(Found { local: older, .. }) = found {
            // The older record is superseded: closing it lets its place in the frontier be skipped.
            reopened = self.shard.log.close(older).is_none();
            if let Some(journal) = &mut contents.journal {
                journal.changed(Id::new(self.shard.number, older), u64::MAX, width);
            }
        }
        let after = contents.index.bytes();
        let added = self.shard.log.bytes_per_record() as u64 + after - before;
        self.shard.bytes.fetch_add(added, Ordering::Relaxed);
        if let Some(journal) = &mut contents.journal {
            journal.born(self.shard.number, local, offer.asleep << 1, width);
            if (local + 1).is_multiple_of(SEGMENT as u32) {
                let segment = local / SEGMENT as u32;
                journal.orders.seal(self.shard.number as u32, segment, (SEGMENT * self.shard.log.stride()) as u64);
            }
        }
        if after != before {
            self.publish();
        }
        Ok((Id::new(self.shard.number, local), reopened))
    }

    /// Lets the index name record `local`, the newest with this key.
    fn reindex(&mut self, local: u32, key: &[u8]) {
        let hash = super::hash_key(key);
        let (found, place) = self.find(&Offer { hash, key, g: 0, asleep: 0 });
        let contents = &mut *self.contents;
        let before = contents.index.bytes();
        contents.name(local, fingerprint(hash), found, place);
        contents.records = local + 1;
        let added = self.shard.log.bytes_per_record() as u64 + contents.index.bytes() - before;
        self.shard.bytes.fetch_add(added, Ordering::Relaxed);
    }

    /// The newest record with this key, and the place of its slot, or where that would go.
    #[inline]
    fn find(&mut self, offer: &Offer<'_>) -> (Option<Found>, Place) {
        let Self { shard, contents, reading, slots } = self;
        contents.index.find(fingerprint(offer.hash), slots, |local| {
            shard.g_of(local, offer.key, reading).map(|g| Found { local, g })
        })
    }

    #[inline]
    fn merge_sleep_set(&mut self, Found { local, g }: Found, offer: &Offer<'_>) -> Lookup {
        if g < offer.g {
            return Lookup::Known;
        }
        let (woken, closed) = self.shard.log.wake(local, offer.asleep);
        if woken == 0 {
            return Lookup::Known;
        }
        let id = Id::new(self.shard.number, local);
        if let Some(journal) = &mut self.contents.journal {
            journal.changed(id, offer.asleep << 1, self.shard.log.mark_width());
        }
        if closed { Lookup::Woken(id, woken) } else { Lookup::Known }
    }

    fn publish(&self) {
        let (slots, homes) = self.contents.index.hint();
        self.shard.homes.store(homes, Ordering::Relaxed);
        self.shard.slots.store(slots as u64, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const MOVES: u64 = 0b111;

    /// A worker that reaches the state with `asleep`, and expands whatever falls to it. Returns how often each move was
    /// expanded.
    fn reach(shard: &Shard, asleep: u64) -> [u32; 3] {
        let mut expanded = [0; 3];
        let mut expand = |moves: u64| {
            (0..3).filter(|m| moves >> m & 1 == 1).for_each(|m| expanded[m] += 1);
        };
        let offer = Offer { hash: 7, key: &[1], g: 1, asleep };
        let meeting = shard.lock().lookup(&offer);
        let admitted = match meeting {
            Lookup::New => shard.lock().admit(&offer, 0, Id::NONE),
            known => Err(known),
        };
        match admitted {
            Ok((id, _)) => {
                if let Some(asleep) = shard.log().close(id.local()) {
                    expand(MOVES & !asleep);
                }
            }
            Err(Lookup::Woken(_, moves)) => expand(moves),
            Err(_) => {}
        }
        expanded
    }

    /// Two workers reach one state, each with another move asleep: the state is stored once, and every move that is
    /// not asleep for both is expanded exactly once.
    #[test]
    fn loom_every_awake_move_is_expanded_once() {
        loom::model(|| {
            let shard = Arc::new(Shard::new(0, Layout { key_len: 1, mask_bits: 3, shards: 1 }));
            let other = {
                let shard = shard.clone();
                thread::spawn(move || reach(&shard, 0b011))
            };
            let mine = reach(&shard, 0b110);
            let theirs = other.join().expect("no panic");
            let sum: Vec<u32> = mine.iter().zip(theirs).map(|(a, b)| a + b).collect();
            assert_eq!(sum, [1, 0, 1]);
            assert_eq!(shard.records(), 1);
        });
    }
}
