//! Records of the store: their ids, their tags, the hash of their keys and their layout.

use std::hash::BuildHasher;

/// The largest g that a record holds.
pub const MAX_G: u32 = (1 << 14) - 1;

/// The largest move index that a record holds.
pub const MAX_MOVE: u16 = (1 << 12) - 1;

/// The bits of an id.
const ID_BITS: u32 = 38;

/// The most bits of a position within a shard. With more than 256 shards, a position has fewer bits.
pub(super) const MAX_POSITION_BITS: u32 = 30;

/// The most shards of a store.
pub const MAX_SHARDS: usize = 1 << 14;

pub(super) const TAG_LEN: usize = 8;

/// The largest h that a record holds; a larger h is stored as this value.
pub const MAX_H: u32 = u8::MAX as u32;

/// The number of records of a segment.
pub(crate) const SEGMENT: usize = if cfg!(any(loom, miri)) { 4 } else { 1 << 12 };

/// The id of a record: its shard (the highest bits) and its position in the log of that shard. [`Layout`] says how many
/// bits the position has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Id(pub(super) u64);

impl Id {
    /// No record: the parent of the root.
    pub const NONE: Id = Id((1 << ID_BITS) - 1);

    /// The id as a number.
    #[must_use]
    pub(crate) fn to_word(self) -> u64 {
        self.0
    }

    /// The id of a number that [`Id::to_word`] returned.
    #[must_use]
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word & Self::NONE.0)
    }

    /// The bytes of an id on disk.
    pub(crate) const BYTES: usize = 5;

    /// The id as bytes, little endian.
    #[inline]
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes.copy_from_slice(&self.0.to_le_bytes()[..Self::BYTES]);
        bytes
    }

    /// The id in the first bytes of `bytes`.
    #[inline]
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut word = [0; 8];
        word[..Self::BYTES].copy_from_slice(&bytes[..Self::BYTES]);
        Self(u64::from_le_bytes(word))
    }
}

/// The part of a record after its key.
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
    /// The tag as it lies in a record.
    pub(crate) fn to_word(self) -> u64 {
        // A truncated value would make a wrong record, and a wrong record could make a wrong result.
        assert!(self.g <= MAX_G && self.mv <= MAX_MOVE, "g {} or move {} does not fit a record", self.g, self.mv);
        u64::from(self.g) | u64::from(self.mv) << 14 | self.parent.0 << 26
    }

    /// The tag of a word that [`Tag::to_word`] returned.
    pub(crate) fn from_word(word: u64) -> Self {
        Self { g: (word & 0x3FFF) as u32, mv: (word >> 14 & 0xFFF) as u16, parent: Id(word >> 26) }
    }

    /// The tag in the first bytes of `bytes`, as it lies in a record.
    #[inline]
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut word = [0; TAG_LEN];
        word.copy_from_slice(&bytes[..TAG_LEN]);
        Self::from_word(u64::from_le_bytes(word))
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
    /// The number of shards: a power of two, at most [`MAX_SHARDS`].
    pub shards: usize,
}

impl Layout {
    /// The bits of a position within a shard.
    #[inline]
    pub(crate) fn position_bits(self) -> u32 {
        MAX_POSITION_BITS.min(ID_BITS - self.shards.trailing_zeros())
    }

    /// The id of record `position` of a shard.
    #[inline]
    pub(crate) fn id(self, shard: usize, position: u32) -> Id {
        let bits = self.position_bits();
        debug_assert!(position >> bits == 0 && shard < self.shards);
        Id((shard as u64) << bits | u64::from(position))
    }

    /// The shard of a record, and the record's position in the log of that shard.
    #[inline]
    pub(crate) fn place_of(self, id: Id) -> (usize, u32) {
        let bits = self.position_bits();
        ((id.0 >> bits) as usize, (id.0 & ((1 << bits) - 1)) as u32)
    }

    /// The shard that owns keys with this hash.
    #[inline]
    pub(crate) fn shard_of_hash(self, hash: u64) -> usize {
        (hash as usize) & (self.shards - 1)
    }

    /// The bytes of a record: its key, its tag and its h.
    #[inline]
    pub(crate) fn stride(self) -> usize {
        self.key_len + TAG_LEN + 1
    }

    /// The bytes of a full segment of records.
    pub(crate) fn segment_bytes(self) -> u64 {
        (SEGMENT * self.stride()) as u64
    }
}
