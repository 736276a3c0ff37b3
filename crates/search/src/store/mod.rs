//! The store of a search: the closed and open states, each with its cost and its parent.
//!
//! The store knows bytes, never puzzles. A state has a *record* of fixed length in an append-only log, and a further
//! one each time it is reached with a smaller g:
//!
//! ```text
//! | key: key_len bytes | tag: 8 bytes, little endian: g 14 bits (lowest) | move 12 bits | parent 38 bits | h: 1 byte |
//! ```
//!
//! Beside each record is one *mark*: a closed bit and the sleep set, the mask of moves that need no expansion. A record
//! never changes once it is written; its mark does. The [`Id`] of a record stays valid for the life of the store.
//!
//! The store is split into shards by hash. A shard has a lock, an index of 64-bit slots (32 bits of hash, 32 bits of
//! position), and a log of its own, which is read without the lock. The index alone never decides: two states are equal
//! only if their full keys in the log are equal.
//!
//! A store may have files ([`StoreFiles`]). Full segments of records then go to disk, and the evictor frees their
//! memory when memory runs short. The store reports its changes to a sink; [`checkpoint`](crate::checkpoint) makes
//! checkpoints from them. The store knows no checkpoints.

mod catalogue;
mod changes;
mod cold_index;
mod evictor;
mod frontier;
mod index;
mod log;
mod marks;
mod ownership;
mod record;
mod segment_files;
mod segment_writer;
mod segments;
mod shard;
mod storage;
mod store_files;
mod table;
#[cfg(all(test, not(loom)))]
pub(crate) mod tests;
mod tiered_index;

pub use catalogue::Catalogue;
pub(crate) use changes::{Change, ChangeSink};
pub use frontier::{CHUNK, Chunk, Frontier, IdStack, NodeBlock, RUN_BYTES, SpilledRun};
pub use log::RecordReader;
pub use ownership::{rank_of_shard, shards_of_rank};
pub(crate) use record::SEGMENT;
pub use record::{Id, Layout, MAX_G, MAX_H, MAX_MOVE, MAX_SHARDS, Tag, hash_key};
pub(crate) use segment_files::{LogShape, PartLocation, SegmentFiles};
pub(crate) use segment_writer::SegmentWriter;
pub(crate) use segments::Segments;
pub use shard::{Lookup, Offer, ShardGuard};
pub use storage::{BlockFile, Disk, ReadOnly, StorageBackend, StorageConfig, StorageError, StorageFile, limit_advice};
pub(crate) use storage::{DiskUsage, ErrorLatch, IoContext};
pub use store_files::StoreFiles;
pub use table::{TranspositionTable, Visit};

use shard::Shard;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use tiered_index::IndexSizes;

/// The records that a store had at some time.
#[derive(Clone, Debug)]
pub struct Extent {
    layout: Layout,
    /// The number of records of each shard.
    records: Vec<u32>,
}

impl Extent {
    /// Whether the store had this record at that time.
    #[must_use]
    #[inline]
    pub fn contains(&self, id: Id) -> bool {
        let (shard, position) = self.layout.place_of(id);
        self.records.get(shard).is_some_and(|&records| position < records)
    }
}

/// The number of shards for `ranks` processes with `workers` workers each: 8 for each worker, so that a worker seldom
/// waits for a lock, even if it spends about a tenth of its time under locks. A rank needs at most 256.
#[must_use]
pub fn shards_for(ranks: usize, workers: usize) -> usize {
    let of_rank = (8 * workers.max(1)).min(256);
    (ranks.max(1) * of_rank).next_power_of_two().min(MAX_SHARDS)
}

/// The numbers of states in memory and on disk, for the progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoreSurvey {
    /// Records in memory.
    pub hot: u64,
    /// Records that are only on disk.
    pub cold: u64,
    /// The number of occupied slots, and of all slots, of the indexes in memory.
    pub index_slots: (u64, u64),
    /// Bytes on disk.
    pub disk: u64,
}

/// All stored states of a search, shared by its workers.
///
/// A search on several ranks has a store on each. All have the same layout, and each owns a range of the shards; the
/// other shards stay empty there. So an id means the same record on every rank.
#[derive(Debug)]
pub struct Store {
    shards: Arc<[Shard]>,
    layout: Layout,
    /// The shards that this store owns.
    owned: Range<usize>,
    files: OnceLock<StoreFiles>,
}

impl Store {
    /// An empty store.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        // Ids name shards in 14 bits at most; with more shards an id would name a wrong one.
        assert!(layout.shards.is_power_of_two() && layout.shards <= MAX_SHARDS, "{} shards", layout.shards);
        let shards = (0..layout.shards).map(|n| Shard::new(n, layout)).collect();
        Self { shards, layout, owned: 0..layout.shards, files: OnceLock::new() }
    }

    /// Empties all shards except those in `owned`. The store must have no files.
    pub fn retain_shards(&mut self, owned: Range<usize>) {
        let layout = self.layout;
        // Without files, the store alone refers to the shards.
        let shards = Arc::get_mut(&mut self.shards).into_iter().flatten();
        for (number, shard) in shards.enumerate().filter(|(number, _)| !owned.contains(number)) {
            *shard = Shard::new(number, layout);
        }
        self.owned = owned;
    }

    /// The shards that this store owns.
    #[must_use]
    pub fn owned_shards(&self) -> Range<usize> {
        self.owned.clone()
    }

    /// Whether this store owns a shard.
    #[must_use]
    #[inline]
    pub fn owns(&self, shard: usize) -> bool {
        self.owned.contains(&shard)
    }

    /// The bytes of a key.
    #[must_use]
    pub fn key_len(&self) -> usize {
        self.layout.key_len
    }

    /// The number of shards.
    #[must_use]
    pub fn shard_count(&self) -> usize {
        self.shards.len()
    }

    /// The shard that owns keys with this hash.
    #[must_use]
    #[inline]
    pub fn shard_of_hash(&self, hash: u64) -> usize {
        self.layout.shard_of_hash(hash)
    }

    /// Prefetches the index slot at which [`ShardGuard::lookup`] starts.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.shards[self.shard_of_hash(hash)].prefetch(hash);
    }

    /// Locks one shard, for a few lookups and admissions.
    #[must_use]
    #[inline]
    pub fn lock(&self, shard: usize) -> ShardGuard<'_> {
        self.shards[shard].lock()
    }

    /// [`Store::lock`], or `None` when another worker holds the lock.
    #[must_use]
    #[inline]
    pub fn try_lock(&self, shard: usize) -> Option<ShardGuard<'_>> {
        self.shards[shard].try_lock()
    }

    /// The key and the tag of a record. The key stays valid as long as `reader` is borrowed.
    ///
    /// `None` when the record is on disk and reading it fails; [`StoreFiles::error`] returns the error then.
    #[must_use]
    #[inline]
    pub fn record<'r>(&'r self, id: Id, reader: &'r mut RecordReader) -> Option<(&'r [u8], Tag)> {
        let (shard, position) = self.layout.place_of(id);
        let log = self.shards[shard].log();
        log.record(position, reader).map(|record| log.parse(record))
    }

    /// Prefetches a record.
    #[inline]
    pub fn prefetch_record(&self, id: Id) {
        let (shard, position) = self.layout.place_of(id);
        self.shards[shard].log().prefetch(position);
    }

    /// Closes a state for its expansion and returns its sleep set. `None` when the state is closed already, or when a
    /// record with a smaller g has replaced this one. Exactly one caller closes a record.
    #[inline]
    pub fn close(&self, id: Id) -> Option<u64> {
        let (shard, position) = self.layout.place_of(id);
        self.shards[shard].log().close(position)
    }

    /// The moves of the path from the root to `id`. `None` when the disk fails, as in [`Store::record`].
    #[must_use]
    pub fn path(&self, id: Id, reader: &mut RecordReader) -> Option<Vec<u16>> {
        let mut moves = Vec::new();
        self.trace(id, &mut moves, reader)?;
        moves.reverse();
        Some(moves)
    }

    /// Appends to `moves` the moves of the path to `id`, the last one first, as long as this store owns the records of
    /// the path. Returns the record at which another rank continues, or [`Id::NONE`] if the path is complete. `None`
    /// when the disk fails, as in [`Store::record`].
    #[must_use]
    pub fn trace(&self, mut id: Id, moves: &mut Vec<u16>, reader: &mut RecordReader) -> Option<Id> {
        while id != Id::NONE && self.owns(self.shard_of(id)) {
            let (_, tag) = self.record(id, reader)?;
            if tag.parent != Id::NONE {
                moves.push(tag.mv);
            }
            id = tag.parent;
        }
        Some(id)
    }

    /// The shard of a record.
    #[must_use]
    #[inline]
    pub fn shard_of(&self, id: Id) -> usize {
        self.layout.place_of(id).0
    }

    /// Creates files for the shards and starts the evictor. From now on `sink` takes all changes. Needs exclusive use
    /// of the store, which must have no files.
    ///
    /// Returns the number of records of each shard. `sink` does not get these records, so the caller writes them.
    ///
    /// # Errors
    /// When the files cannot be created. The store has no files then.
    pub(crate) fn attach_files(
        &self,
        config: Arc<StorageConfig>,
        usage: Arc<DiskUsage>,
        sink: Arc<dyn ChangeSink>,
    ) -> Result<Vec<u32>, StorageError> {
        let create = |shard: usize| {
            let (shape, place) = (LogShape { shard, layout: self.layout }, PartLocation::next(&config, shard, 0)?);
            SegmentFiles::create(&config, shape, place)
        };
        let files = self.owned.clone().map(create).collect::<Result<Vec<_>, StorageError>>()?;
        let segments = Segments::new(Arc::clone(&self.shards), self.layout, config, usage);
        let mut records = vec![0; self.shards.len()];
        for (shard, files) in self.owned.clone().zip(files) {
            records[shard] = self.shards[shard].set_files(files, segments.errors(), &sink);
        }
        self.files.get_or_init(|| StoreFiles::new(segments, sink));
        Ok(records)
    }

    /// The store of recovered segments. It owns the shards `owned`.
    pub(crate) fn from_segments(segments: Segments, sink: Arc<dyn ChangeSink>, owned: Range<usize>) -> Self {
        let (shards, layout) = (Arc::clone(&segments.shards), segments.layout);
        Self { shards, layout, owned, files: OnceLock::from(StoreFiles::new(segments, sink)) }
    }

    /// Returns all records and marks as bytes, for [`Store::from_bytes`]. The store must have no files.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut bytes, mut reader) = (Vec::new(), RecordReader::default());
        for shard in self.shards.iter() {
            let records = shard.record_count() as u32;
            bytes.extend_from_slice(&records.to_le_bytes());
            for position in 0..records {
                if let Some(record) = shard.log().record(position, &mut reader) {
                    bytes.extend_from_slice(record);
                    bytes.extend_from_slice(&shard.log().mark_bits(position).to_le_bytes());
                }
            }
        }
        reader.unpin();
        bytes
    }

    /// The store whose [`Store::to_bytes`] are `bytes`, with the same ids. `None` if the bytes are invalid.
    #[must_use]
    pub fn from_bytes(layout: Layout, mut bytes: &[u8]) -> Option<Self> {
        const WORD: usize = 8;
        let store = Self::new(layout);
        for shard in store.shards.iter() {
            let (records, rest) = bytes.split_first_chunk::<4>()?;
            let length = (u32::from_le_bytes(*records) as usize).checked_mul(layout.stride() + WORD)?;
            let (entries, rest) = rest.split_at_checked(length)?;
            for entry in entries.chunks_exact(layout.stride() + WORD) {
                let (record, mark) = entry.split_at(layout.stride());
                let (key, tag) = shard.log().parse(record);
                let mark = u64::from_le_bytes(mark.try_into().ok()?);
                shard.lock().append_copy(key, tag, shard.log().h_of(record), mark);
            }
            bytes = rest;
        }
        bytes.is_empty().then_some(store)
    }

    /// A store with the same records in another number of shards, and a function that maps old ids to new ones. Both
    /// depend only on the records and their order. The store must have no files.
    pub fn reshard(&self, shards: usize) -> (Self, impl Fn(Id) -> Id + use<>) {
        let layout = Layout { shards, ..self.layout };
        let (new, mut reader) = (Self::new(layout), RecordReader::default());
        let mut counts = vec![0; shards];
        let mut new_ids: Vec<Vec<Id>> = Vec::new();
        for shard in self.shards.iter() {
            let ids = (0..shard.record_count() as u32).filter_map(|position| {
                let record = shard.log().record(position, &mut reader)?;
                let owner = new.shard_of_hash(hash_key(shard.log().parse(record).0));
                counts[owner] += 1;
                Some(layout.id(owner, counts[owner] - 1))
            });
            new_ids.push(ids.collect());
        }
        let old = self.layout;
        let map = move |id: Id| {
            let (shard, position) = old.place_of(id);
            if id == Id::NONE { id } else { new_ids[shard][position as usize] }
        };
        for (number, shard) in self.shards.iter().enumerate() {
            for position in 0..shard.record_count() as u32 {
                let Some(record) = shard.log().record(position, &mut reader) else { continue };
                let (key, tag) = shard.log().parse(record);
                let tag = Tag { parent: map(tag.parent), ..tag };
                let to = new.shard_of(map(old.id(number, position)));
                new.shards[to].lock().append_copy(key, tag, shard.log().h_of(record), shard.log().mark_bits(position));
            }
        }
        reader.unpin();
        (new, map)
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// The segments, if the store has files.
    pub(crate) fn segments(&self) -> Option<&Segments> {
        self.files().map(StoreFiles::segments)
    }

    /// Hands all collected changes to the sink. Returns the number of records of each shard. Needs exclusive use of the
    /// store.
    pub(crate) fn flush_changes(&self) -> Vec<u32> {
        self.shards.iter().map(Shard::flush_changes).collect()
    }

    /// Ends the evictor, which keeps memory within its limits.
    pub(crate) fn stop_evictor(&self) {
        if let Some(files) = self.files() {
            files.stop_evictor();
        }
    }

    /// The number of parts into which [`Store::open_records`] divides the store.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.shards.iter().map(|shard| shard.record_count().div_ceil(SEGMENT as u64) as usize).max().unwrap_or(0)
            * self.shards.len()
    }

    /// Calls `each` with id, g and h of every open record of one part. h is the value passed to [`ShardGuard::admit`],
    /// at most [`MAX_H`]; it is 0 in the records of older checkpoints. Needs exclusive use of the store.
    pub fn open_records(&self, part: usize, reader: &mut RecordReader, mut each: impl FnMut(Id, u32, u32)) {
        let (number, segment) = (part % self.shards.len(), part / self.shards.len());
        let shard = &self.shards[number];
        let records = shard.record_count().min((segment as u64 + 1) * SEGMENT as u64) as u32;
        for position in (segment * SEGMENT) as u32..records {
            if shard.log().mark_bits(position) & 1 == 0
                && let Some(record) = shard.log().record(position, reader)
            {
                each(self.layout.id(number, position), shard.log().parse(record).1.g, shard.log().h_of(record));
            }
        }
    }

    /// The records that the store has now.
    #[must_use]
    pub fn extent(&self) -> Extent {
        Extent { layout: self.layout, records: self.shards.iter().map(|shard| shard.record_count() as u32).collect() }
    }

    /// The files of the store, if there are any.
    #[must_use]
    #[inline]
    pub fn files(&self) -> Option<&StoreFiles> {
        self.files.get()
    }

    /// Reports states that [`Store::close`] has closed, for the journal.
    pub fn note_closed(&self, ids: Vec<Id>) {
        if let Some(files) = self.files() {
            files.note_closed(ids);
        }
    }

    /// Counts the states in memory and on disk. Slow: locks every shard.
    #[must_use]
    pub fn survey(&self) -> StoreSurvey {
        let mut survey = StoreSurvey::default();
        for shard in &self.shards[self.owned.clone()] {
            let (records, IndexSizes { hot, bytes, .. }) = (shard.record_count(), shard.index_sizes());
            let cold = (u64::from(shard.log().cold_segments()) * SEGMENT as u64).min(records);
            survey.cold += cold;
            survey.hot += records - cold;
            survey.index_slots = (survey.index_slots.0 + hot, survey.index_slots.1 + bytes / size_of::<u64>() as u64);
        }
        survey.disk = self.segments().map_or(0, |segments| segments.usage().used());
        survey
    }

    /// The number of states; one that was reached again with a smaller g has several records. Slow: locks every
    /// shard.
    #[must_use]
    pub fn state_count(&self) -> u64 {
        self.shards.iter().map(Shard::state_count).sum()
    }

    /// The bytes in memory: records, marks and index.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::bytes).sum()
    }
}
