//! The memory of a search: every state once, in a log of records, found again through an index.
//!
//! The store knows bytes, never puzzles. What it holds of a state is one *record* of fixed stride in an append-only log
//!
//! ```text
//! | key: key_len bytes | tag: 8 bytes, little endian: g 14 bits | move 12 bits | parent 38 bits |   (g lowest)
//! ```
//!
//! which never changes once written, and one *mark* beside it, which does: a closed bit and the mask of moves that are
//! asleep. A record is named by its [`Id`], which stays valid for ever. A better g is a new record.
//!
//! The store is split into shards by hash. A shard is a lock around an index of 64-bit slots (32 bits of hash,
//! 32 of position) together with the shard's own log, which is read without the lock. The index decides nothing by
//! itself: a hit is always confirmed against the full key in the log.

mod archive;
mod catalogue;
mod cold_index;
mod frontier;
mod index;
mod log;
mod marks;
mod pages;
mod shard;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod tiers;

pub use archive::decoders;
pub use archive::{
    Archive, ArchiveError, ArchiveSettings, Disk, Inspection, Medium, MediumFile, OnRead, Recovered, Scratch, discard,
    exists, glance, inspect, recover, resident_bytes,
};
pub use catalogue::Catalogue;
pub use frontier::{CHUNK, Chunk, Frontier, IdStack, Nodes, RUN_BYTES, Run};
pub use log::Reading;
pub(crate) use pages::Pages;
pub use shard::{Meeting, Offer, ShardGuard};
pub use table::{Table, Visit};

use shard::Shard;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

/// The largest g that a record holds.
pub const MAX_G: u32 = (1 << 14) - 1;

/// The largest move index that a record holds.
pub const MAX_MOVE: u16 = (1 << 12) - 1;

const LOCAL_BITS: u32 = 30;

/// The name of a record: its shard and its position in the shard's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl Id {
    /// The parent of the root: no record.
    pub const NONE: Id = Id((1 << 38) - 1);

    fn new(shard: usize, local: u32) -> Self {
        debug_assert!(local < 1 << LOCAL_BITS);
        Self((shard as u64) << LOCAL_BITS | u64::from(local))
    }

    fn shard(self) -> usize {
        (self.0 >> LOCAL_BITS) as usize
    }

    fn local(self) -> u32 {
        (self.0 & ((1 << LOCAL_BITS) - 1)) as u32
    }
}

/// The part of a record behind its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Cost of the way from the root.
    pub g: u32,
    /// The move that led here from the parent.
    pub mv: u16,
    /// The state before that move; [`Id::NONE`] for the root.
    pub parent: Id,
}

impl Tag {
    fn to_word(self) -> u64 {
        // A value cut short would make a wrong record: better no answer than a wrong one.
        assert!(self.g <= MAX_G && self.mv <= MAX_MOVE, "g {} or move {} does not fit a record", self.g, self.mv);
        u64::from(self.g) | u64::from(self.mv) << 14 | self.parent.0 << 26
    }

    fn from_word(word: u64) -> Self {
        Self { g: (word & 0x3FFF) as u32, mv: (word >> 14 & 0xFFF) as u16, parent: Id(word >> 26) }
    }
}

/// Hash of a key; the same on every machine of one endianness.
#[must_use]
#[inline]
pub fn hash_key(key: &[u8]) -> u64 {
    const HASHER: foldhash::quality::FixedState = foldhash::quality::FixedState::with_seed(0x6772_6964_6875_6e74);
    HASHER.hash_one(key)
}

/// How far a store was filled at some time.
#[derive(Clone, Debug, Default)]
pub struct Extent(Vec<u32>);

impl Extent {
    /// Whether a record was there.
    #[must_use]
    #[inline]
    pub fn holds(&self, id: Id) -> bool {
        self.0.get(id.shard()).is_some_and(|&records| id.local() < records)
    }
}

/// Sizes of what a store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a key.
    pub key_len: usize,
    /// Bits of a mask of moves.
    pub mask_bits: u32,
    /// Parts behind one lock each: a power of two, at most 256.
    pub shards: usize,
}

impl Layout {
    /// Bytes of a record: its key and its tag.
    pub(crate) fn stride(self) -> usize {
        self.key_len + log::TAG_LEN
    }

    /// Bytes of a full segment of records.
    pub(crate) fn segment_bytes(self) -> u64 {
        (log::SEGMENT * self.stride()) as u64
    }
}

/// Shards for so many workers: with a share of about a tenth of its time under locks, a worker seldom waits.
#[must_use]
pub fn shards_for(workers: usize) -> usize {
    (8 * workers.max(1)).next_power_of_two().min(256)
}

/// All states of one search. Shared by its workers.
#[derive(Debug)]
pub struct Store {
    shards: Arc<[Shard]>,
    layout: Layout,
    archive: OnceLock<Archive>,
}

impl Store {
    /// An empty store.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        // Ids name shards in 8 bits: better no answer than one of another shard.
        assert!(layout.shards.is_power_of_two() && layout.shards <= 256, "{} shards", layout.shards);
        let shards = (0..layout.shards).map(|n| Shard::new(n, layout)).collect();
        Self { shards, layout, archive: OnceLock::new() }
    }

    /// Bytes of a key.
    #[must_use]
    pub fn key_len(&self) -> usize {
        self.layout.key_len
    }

    /// Number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// The shard that owns the keys of this hash.
    #[must_use]
    #[inline]
    pub fn owner(&self, hash: u64) -> usize {
        (hash as usize) & (self.shards.len() - 1)
    }

    /// Asks the processor to fetch what [`ShardGuard::meet`] will look at first.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.shards[self.owner(hash)].prefetch(hash);
    }

    /// Locks one shard for a few meetings and admissions.
    #[must_use]
    #[inline]
    pub fn lock(&self, shard: usize) -> ShardGuard<'_> {
        self.shards[shard].lock()
    }

    /// [`Store::lock`], unless another worker holds the shard.
    #[must_use]
    #[inline]
    pub fn try_lock(&self, shard: usize) -> Option<ShardGuard<'_>> {
        self.shards[shard].try_lock()
    }

    /// Key and tag of a record; `reading` keeps them where they are. `None` when they are on a disk that fails, which
    /// [`Archive::error`] knows then.
    #[must_use]
    #[inline]
    pub fn record<'r>(&'r self, id: Id, reading: &'r mut Reading) -> Option<(&'r [u8], Tag)> {
        let log = self.shards[id.shard()].log();
        log.record(id.local(), reading).map(|record| log.parse(record))
    }

    /// Asks the processor to fetch a record.
    #[inline]
    pub fn prefetch_record(&self, id: Id) {
        self.shards[id.shard()].log().prefetch(id.local());
    }

    /// Closes a state for its expansion and returns the moves that are asleep there; `None` when it was closed before
    /// or a better way to it was found. Exactly one caller closes a state.
    #[inline]
    pub fn close(&self, id: Id) -> Option<u64> {
        self.shards[id.shard()].log().close(id.local())
    }

    /// Moves of the way from the root to `id`. `None` when the disk fails, as in [`Store::record`].
    #[must_use]
    pub fn path(&self, mut id: Id, reading: &mut Reading) -> Option<Vec<u16>> {
        let mut moves = Vec::new();
        loop {
            let (_, tag) = self.record(id, reading)?;
            if tag.parent == Id::NONE {
                break;
            }
            moves.push(tag.mv);
            id = tag.parent;
        }
        moves.reverse();
        Some(moves)
    }

    /// Begins to archive. Nobody else uses the store meanwhile, and it has no archive.
    ///
    /// # Errors
    /// When the files cannot be made.
    pub fn attach(&self, settings: ArchiveSettings) -> Result<&Archive, ArchiveError> {
        let archive = Archive::create(&self.shards, self.layout, settings)?;
        Ok(self.archive.get_or_init(|| archive))
    }

    /// Refuses to be archived later where there would be no room for what is held now.
    ///
    /// # Errors
    /// [`ArchiveError::Full`] then.
    pub fn check_room(&self, settings: &ArchiveSettings) -> Result<(), ArchiveError> {
        archive::check_room(settings, self.layout, self.bytes())
    }

    /// In how many parts [`Store::open_records`] goes through the store.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.shards.iter().map(|shard| shard.records().div_ceil(log::SEGMENT as u64) as usize).max().unwrap_or(0)
            * self.shards.len()
    }

    /// Calls `each` with id, key and g of the open records of one part. Nobody else uses the store meanwhile.
    pub fn open_records(&self, part: usize, reading: &mut Reading, mut each: impl FnMut(Id, &[u8], u32)) {
        let (number, segment) = (part % self.shards.len(), part / self.shards.len());
        let shard = &self.shards[number];
        let records = shard.records().min((segment as u64 + 1) * log::SEGMENT as u64) as u32;
        for local in (segment * log::SEGMENT) as u32..records {
            if shard.log().mark_bits(local) & 1 == 0
                && let Some(record) = shard.log().record(local, reading)
            {
                let (key, tag) = shard.log().parse(record);
                each(Id::new(number, local), key, tag.g);
            }
        }
    }

    /// How far it is filled now.
    #[must_use]
    pub fn extent(&self) -> Extent {
        Extent(self.shards.iter().map(|shard| shard.records() as u32).collect())
    }

    /// Calls `each` with key and g of about `count` of the `closed` closed records, evenly spread over all of them. Nobody
    /// else uses the store meanwhile, and nothing of it is on disk.
    pub fn sample_closed(&self, count: u64, closed: u64, reading: &mut Reading, mut each: impl FnMut(&[u8], u32)) {
        let step = (closed / count.max(1)).max(1);
        let mut at = 0;
        for shard in self.shards.iter() {
            for local in 0..shard.records() as u32 {
                if shard.log().mark_bits(local) & 1 == 1 {
                    if at % step == 0
                        && let Some(record) = shard.log().record(local, reading)
                    {
                        let (key, tag) = shard.log().parse(record);
                        each(key, tag.g);
                    }
                    at += 1;
                }
            }
        }
        reading.unpin();
    }

    /// The archive, if there is one.
    #[must_use]
    #[inline]
    pub fn archive(&self) -> Option<&Archive> {
        self.archive.get()
    }

    /// Orders a checkpoint of what is in the store now, and `payload` with it. Nobody else uses the store meanwhile, and
    /// everything that was closed has been noted. Nothing happens without an archive.
    pub fn cut(&self, payload: Vec<u8>) {
        if let Some(archive) = self.archive() {
            archive.cut(self.shards.iter().map(Shard::settle).collect(), payload);
        }
    }

    /// Notes states that [`Store::close`] closed, for the archive.
    pub fn note_closed(&self, ids: Vec<Id>) {
        if let Some(archive) = self.archive() {
            archive.order(archive::Order::Closed(ids));
        }
    }

    /// Number of records. Takes every lock: not for the hot path.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.shards.iter().map(Shard::records).sum()
    }

    /// Bytes held: records, marks and index.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::bytes).sum()
    }
}
