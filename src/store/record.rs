//! Records of the store: their ids, their tags, the hash of their keys and their layout.

use std::hash::BuildHasher;

/// The largest g that a record holds.
pub const MAX_G: u32 = (1 << 14) - 1;

/// The largest move index that a record holds.
pub const MAX_MOVE: u16 = (1 << 12) - 1;

pub(crate) const LOCAL_BITS: u32 = 30;

pub(super) const TAG_LEN: usize = 8;

/// The largest h that a record holds; a larger one is held as this value.
pub const MAX_H: u32 = u8::MAX as u32;

/// The number of records of a segment.
pub(crate) const SEGMENT: usize = if cfg!(any(loom, miri)) { 4 } else { 1 << 12 };

/// The id of a record: its shard and its position in the log of that shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub(super) u64);

impl Id {
    /// No record: the parent of the root.
    pub const NONE: Id = Id((1 << 38) - 1);

    /// The bytes of an id on disk.
    pub(crate) const BYTES: usize = 5;

    /// The id as bytes, little endian.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes.copy_from_slice(&self.0.to_le_bytes()[..Self::BYTES]);
        bytes
    }

    /// The id in the first bytes of `bytes`.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut word = [0; 8];
        word[..Self::BYTES].copy_from_slice(&bytes[..Self::BYTES]);
        Self(u64::from_le_bytes(word))
    }

    pub(crate) fn new(shard: usize, local: u32) -> Self {
        debug_assert!(local < 1 << LOCAL_BITS);
        Self((shard as u64) << LOCAL_BITS | u64::from(local))
    }

    pub(crate) fn shard(self) -> usize {
        (self.0 >> LOCAL_BITS) as usize
    }

    pub(crate) fn local(self) -> u32 {
        (self.0 & ((1 << LOCAL_BITS) - 1)) as u32
    }
}

/// The part of a record behind its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The cost of the path from the root.
    pub g: u32,
    /// The move from the parent to this state.
    pub mv: u16,
    /// The state before that move; [`Id::NONE`] for the root.
    pub parent: Id,
}

impl Tag {
    pub(super) fn to_word(self) -> u64 {
        // A truncated value would make a wrong record, and a wrong record could make a wrong result.
        assert!(self.g <= MAX_G && self.mv <= MAX_MOVE, "g {} or move {} does not fit a record", self.g, self.mv);
        u64::from(self.g) | u64::from(self.mv) << 14 | self.parent.0 << 26
    }

    pub(super) fn from_word(word: u64) -> Self {
        Self { g: (word & 0x3FFF) as u32, mv: (word >> 14 & 0xFFF) as u16, parent: Id(word >> 26) }
    }
}

/// The hash of a key. It is the same on all machines of one endianness.
#[must_use]
#[inline]
pub fn hash_key(key: &[u8]) -> u64 {
    const HASHER: foldhash::quality::FixedState = foldhash::quality::FixedState::with_seed(0x6772_6964_6875_6e74);
    HASHER.hash_one(key)
}

/// The layout of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bytes of a key.
    pub key_len: usize,
    /// The moves of a sleep set, one bit each.
    pub mask_bits: u32,
    /// The number of shards: a power of two, at most 256.
    pub shards: usize,
    /// Whether records hold h, in one more byte. The records of older checkpoints do not.
    pub has_h: bool,
}

impl Layout {
    /// The bytes of a record: its key, its tag and its h.
    pub(crate) fn stride(self) -> usize {
        self.key_len + TAG_LEN + usize::from(self.has_h)
    }

    /// The bytes of a full segment of records.
    pub(crate) fn segment_bytes(self) -> u64 {
        (SEGMENT * self.stride()) as u64
    }
}
