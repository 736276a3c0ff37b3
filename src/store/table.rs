//! A transposition table of fixed size, for searches that are longer than any memory: what it forgets is searched
//! again.
//!
//! It is a set of shards, each behind a lock, each an array of buckets of [`WAYS`] entries. A key belongs to one
//! bucket, and to a second one when the first is full.
//! An entry holds the full key, so a hit is a hit; the tag beside it only saves comparisons.
//!
//! ```text
//! tag:  | g 14 bits | layer 14 bits | fingerprint 35 bits | occupied 1 bit |      (g highest)
//! body: | asleep 8 bytes | key: key_len bytes |
//! ```
//!
//! Entries of earlier layers are free. When both buckets are full of the current layer, the entry of the second one
//! with the largest g makes room, because the least work lies behind it, unless that of the newcomer is larger still:
//! then the last entry goes. So there are entries that stay and one that follows the search. Within a layer entries are
//! replaced, never removed: a full bucket stays full, and the second one need not be looked at while the first is not.

use super::{MAX_G, Offer};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries of a bucket: their tags fill a cache line.
const WAYS: usize = 8;

const SHARDS: usize = 256;

/// What the table knows of a state in this layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Nothing: expand it.
    First,
    /// It was visited with this g, which is larger: expand it again.
    Cheaper(u32),
    /// It was visited with the same g, and these moves were asleep then and are not any more: expand them.
    Woken(u64),
    /// It was visited, and this way adds nothing.
    Known,
}

/// A bounded table of visited states, shared by all workers of a search.
#[derive(Debug)]
pub struct Table {
    shards: Box<[Mutex<Shard>]>,
    buckets: usize,
    key_len: usize,
}

#[derive(Debug)]
struct Shard {
    tags: Vec<u64>,
    bodies: Vec<u8>,
}

impl Table {
    /// A table of at least one bucket a shard and at most `bytes`, if that is more.
    #[must_use]
    pub fn new(key_len: usize, bytes: u64) -> Self {
        let bucket_bytes = WAYS * (size_of::<u64>() + body_len(key_len));
        let buckets = usize::try_from(bytes / (SHARDS * bucket_bytes) as u64).unwrap_or(usize::MAX).max(1);
        let shard = || Shard { tags: vec![0; buckets * WAYS], bodies: vec![0; buckets * WAYS * body_len(key_len)] };
        Self { shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(), buckets, key_len }
    }

    /// Bytes that a table with room for `states` entries takes.
    #[must_use]
    pub fn bytes_for(key_len: usize, states: u64) -> u64 {
        states.saturating_mul((size_of::<u64>() + body_len(key_len)) as u64)
    }

    /// Bytes of this table.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        Self::bytes_for(self.key_len, self.entries())
    }

    /// Entries that it has room for.
    #[must_use]
    pub fn entries(&self) -> u64 {
        (SHARDS * self.buckets * WAYS) as u64
    }

    /// Notes a visit in layer `layer` (at most 16,383) and says what it is worth.
    pub fn visit(&self, layer: u32, offer: &Offer<'_>) -> Visit {
        // A value cut short would merge layers: better no answer than a wrong one.
        assert!(offer.g <= MAX_G && layer <= MAX_G, "g {} or layer {layer} does not fit an entry", offer.g);
        let mut shard = self.lock(offer.hash);
        let buckets = [offer.hash, offer.hash.rotate_left(32)].map(|hash| self.bucket(hash));
        shard.visit(buckets, layer, offer)
    }

    /// Number of entries of layer `layer`. Looks at all entries.
    #[cfg(test)]
    pub(super) fn count(&self, layer: u32) -> u64 {
        let in_shard = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.tags.iter().filter(|&&tag| is_occupied(tag, layer)).count() as u64
        };
        self.shards.iter().map(in_shard).sum()
    }

    fn lock(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // Whatever panics under the lock leaves at worst an entry that belongs to no state.
        self.shards[hash as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shard takes the lowest bits of a hash, the bucket the highest; the fingerprint takes those between.
    fn bucket(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize
    }
}

impl Shard {
    fn visit(&mut self, buckets: [usize; 2], layer: u32, offer: &Offer<'_>) -> Visit {
        let mine = tag(0, layer, offer.hash);
        for bucket in buckets {
            let first = bucket * WAYS;
            for at in first..first + WAYS {
                let tag = self.tags[at];
                // A bucket is filled from the front: what is free ends the search.
                if !is_occupied(tag, layer) {
                    self.write(at, layer, offer);
                    return Visit::First;
                }
                // The tags differ in g at most.
                if tag & !G_BITS == mine && &self.body(at, offer.key.len())[8..] == offer.key {
                    return self.revisit(at, layer, offer);
                }
            }
        }
        let first = buckets[1] * WAYS;
        let worst = (first..first + WAYS).max_by_key(|&at| g_of(self.tags[at])).unwrap_or(first);
        let at = if g_of(self.tags[worst]) >= offer.g { worst } else { first + WAYS - 1 };
        self.write(at, layer, offer);
        Visit::First
    }

    fn write(&mut self, at: usize, layer: u32, offer: &Offer<'_>) {
        self.tags[at] = tag(offer.g, layer, offer.hash);
        let body = self.body_mut(at, offer.key.len());
        body[..8].copy_from_slice(&offer.asleep.to_le_bytes());
        body[8..].copy_from_slice(offer.key);
    }

    fn revisit(&mut self, at: usize, layer: u32, offer: &Offer<'_>) -> Visit {
        let g = g_of(self.tags[at]);
        if g < offer.g {
            return Visit::Known;
        }
        self.tags[at] = tag(offer.g, layer, offer.hash);
        let body = self.body_mut(at, offer.key.len());
        let mut mask = [0; 8];
        mask.copy_from_slice(&body[..8]);
        let before = u64::from_le_bytes(mask);
        let after = if g > offer.g { offer.asleep } else { before & offer.asleep };
        body[..8].copy_from_slice(&after.to_le_bytes());
        match (g > offer.g, before & !after) {
            (true, _) => Visit::Cheaper(g),
            (false, 0) => Visit::Known,
            (false, woken) => Visit::Woken(woken),
        }
    }

    fn body(&self, at: usize, key_len: usize) -> &[u8] {
        &self.bodies[at * body_len(key_len)..][..body_len(key_len)]
    }

    fn body_mut(&mut self, at: usize, key_len: usize) -> &mut [u8] {
        &mut self.bodies[at * body_len(key_len)..][..body_len(key_len)]
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
