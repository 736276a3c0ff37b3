//! A transposition table of fixed size, for IDA*. It may evict entries: an evicted state is searched again.
//!
//! The table has 256 shards with a lock each. A shard is an array of buckets of [`WAYS`] entries. A key has a first
//! bucket, and a second one for when the first is full. An entry holds the full key, so a hit is always right; its tag
//! only saves comparisons.
//!
//! ```text
//! tag:  | g 14 bits | layer 14 bits | fingerprint 35 bits | occupied 1 bit |      (g highest)
//! body: | sleep set 8 bytes | key: key_len bytes |
//! ```
//!
//! Entries of earlier layers count as free. When both buckets are full of entries of the current layer, the second
//! bucket evicts the entry with the largest g, because it saves the least work. If the g of the new entry is larger
//! still, the last entry of the bucket is evicted instead. So some entries of a full bucket stay, and its last entry
//! follows the search. Within a layer entries are replaced but never removed. So a full bucket stays full, and while
//! the first bucket is not full, the second one has no entry of the key.

use super::{MAX_G, Offer};
use crate::platform::Pages;
use crate::sync::lock;
use std::sync::{Mutex, MutexGuard};

/// The number of entries of a bucket. Their tags fill a cache line.
const WAYS: usize = 8;

const SHARDS: usize = 256;

/// What the table knows about a state in the current layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// The state is not in the table: expand it.
    First,
    /// The state was visited with this larger g: expand it again.
    Cheaper(u32),
    /// The state was visited with the same g, but these moves were asleep and are awake now: expand them.
    Woken(u64),
    /// The state was visited with the same or a smaller g: nothing needs to be done.
    Known,
}

/// A table of visited states with a fixed size, shared by all workers of a search.
#[derive(Debug)]
pub struct TranspositionTable {
    shards: Box<[Mutex<Shard>]>,
    buckets_per_shard: usize,
    key_len: usize,
}

/// The entries of a shard. They are mapped directly from the system, which gets all memory back at once when the table
/// is dropped: the next table needs it.
#[derive(Debug)]
struct Shard {
    /// The tags, then the bodies.
    memory: Pages,
    entries: usize,
    body_len: usize,
}

impl TranspositionTable {
    /// A table of at most `bytes` bytes, but with at least one bucket in each shard.
    #[must_use]
    pub fn new(key_len: usize, bytes: u64) -> Self {
        let bucket_bytes = WAYS * (size_of::<u64>() + body_len(key_len));
        let buckets = usize::try_from(bytes / (SHARDS * bucket_bytes) as u64).unwrap_or(usize::MAX).max(1);
        let shard = || Shard::new(buckets * WAYS, body_len(key_len));
        Self { shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(), buckets_per_shard: buckets, key_len }
    }

    /// The bytes of a table with room for `states` entries.
    #[must_use]
    pub fn bytes_for(key_len: usize, states: u64) -> u64 {
        states.saturating_mul((size_of::<u64>() + body_len(key_len)) as u64)
    }

    /// The bytes of this table.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        Self::bytes_for(self.key_len, self.entries())
    }

    /// The number of entries for which the table has room.
    #[must_use]
    pub fn entries(&self) -> u64 {
        (SHARDS * self.buckets_per_shard * WAYS) as u64
    }

    /// Records a visit in layer `layer` (at most [`MAX_G`]) and says what the caller has to expand.
    pub fn visit(&self, layer: u32, offer: &Offer<'_>) -> Visit {
        // A truncated value would mix up layers, which could make a wrong result.
        assert!(offer.g <= MAX_G && layer <= MAX_G, "g {} or layer {layer} does not fit an entry", offer.g);
        let mut shard = self.lock(offer.hash);
        let buckets = [offer.hash, offer.hash.rotate_left(32)].map(|hash| self.bucket(hash));
        shard.visit(buckets, layer, offer)
    }

    /// The number of entries of layer `layer`. Reads all entries.
    #[cfg(test)]
    pub(super) fn count(&self, layer: u32) -> u64 {
        let in_shard = |shard: &Mutex<Shard>| {
            let shard = lock(shard);
            shard.tags().iter().filter(|&&tag| is_occupied(tag, layer)).count() as u64
        };
        self.shards.iter().map(in_shard).sum()
    }

    fn lock(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // A poisoned lock is safe to use: a panic under the lock leaves at worst an entry that belongs to no state.
        lock(&self.shards[hash as usize % SHARDS])
    }

    /// The bucket of a hash, chosen by its highest bits. The lowest bits choose the shard, and the fingerprint takes
    /// bits between them.
    fn bucket(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets_per_shard as u128) >> 64) as usize
    }
}

impl Shard {
    /// A shard of `entries` entries, all free.
    fn new(entries: usize, body_len: usize) -> Self {
        Self { memory: Pages::zeroed(entries * (size_of::<u64>() + body_len)), entries, body_len }
    }

    fn tags(&self) -> &[u64] {
        // SAFETY: the mapping begins with this number of tags. It is aligned to a page, zeroed or written, and
        // borrowed.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.entries) }
    }

    fn tags_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `tags`; `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr().cast(), self.entries) }
    }

    fn visit(&mut self, buckets: [usize; 2], layer: u32, offer: &Offer<'_>) -> Visit {
        let tag_without_g = tag(0, layer, offer.hash);
        for bucket in buckets {
            let first = bucket * WAYS;
            for at in first..first + WAYS {
                let tag = self.tags()[at];
                // A bucket is filled from the front, so a free entry ends the search.
                if !is_occupied(tag, layer) {
                    self.write(at, layer, offer);
                    return Visit::First;
                }
                // Equal tags apart from g: compare the keys.
                if tag & !G_BITS == tag_without_g && &self.body(at)[8..] == offer.key {
                    return self.revisit(at, layer, offer);
                }
            }
        }
        let first = buckets[1] * WAYS;
        let worst = (first..first + WAYS).max_by_key(|&at| g_of(self.tags()[at])).unwrap_or(first);
        let at = if g_of(self.tags()[worst]) >= offer.g { worst } else { first + WAYS - 1 };
        self.write(at, layer, offer);
        Visit::First
    }

    fn write(&mut self, at: usize, layer: u32, offer: &Offer<'_>) {
        self.tags_mut()[at] = tag(offer.g, layer, offer.hash);
        let body = self.body_mut(at);
        body[..8].copy_from_slice(&offer.sleep_set.to_le_bytes());
        body[8..].copy_from_slice(offer.key);
    }

    /// Updates the entry of a state that is visited again.
    fn revisit(&mut self, at: usize, layer: u32, offer: &Offer<'_>) -> Visit {
        let g = g_of(self.tags()[at]);
        if g < offer.g {
            return Visit::Known;
        }
        self.tags_mut()[at] = tag(offer.g, layer, offer.hash);
        let body = self.body_mut(at);
        let mut mask = [0; 8];
        mask.copy_from_slice(&body[..8]);
        let before = u64::from_le_bytes(mask);
        let after = if g > offer.g { offer.sleep_set } else { before & offer.sleep_set };
        body[..8].copy_from_slice(&after.to_le_bytes());
        match (g > offer.g, before & !after) {
            (true, _) => Visit::Cheaper(g),
            (false, 0) => Visit::Known,
            (false, woken) => Visit::Woken(woken),
        }
    }

    /// The offset of the body of an entry.
    fn offset(&self, at: usize) -> usize {
        // An entry that does not exist would lie outside of the mapping.
        assert!(at < self.entries, "entry {at} of {}", self.entries);
        self.entries * size_of::<u64>() + at * self.body_len
    }

    fn body(&self, at: usize) -> &[u8] {
        // SAFETY: the bodies follow the tags, and the entry exists. They are zeroed or written, and borrowed.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(self.offset(at)), self.body_len) }
    }

    fn body_mut(&mut self, at: usize) -> &mut [u8] {
        let offset = self.offset(at);
        // SAFETY: as in `body`; `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr().add(offset), self.body_len) }
    }
}

const G_BITS: u64 = u64::MAX << 50;

fn body_len(key_len: usize) -> usize {
    8 + key_len
}

fn tag(g: u32, layer: u32, hash: u64) -> u64 {
    u64::from(g) << 50 | u64::from(layer) << 36 | (hash >> 8 & ((1 << 35) - 1)) << 1 | 1
}

fn g_of(tag: u64) -> u32 {
    (tag >> 50) as u32
}

fn is_occupied(tag: u64, layer: u32) -> bool {
    tag & 1 == 1 && (tag >> 36) as u32 & MAX_G == layer
}
