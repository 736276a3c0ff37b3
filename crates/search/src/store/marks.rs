//! Marks: the part of a stored state that changes, which is a closed bit and the sleep set.
//!
//! A mark is one atomic integer, as narrow as the number of moves allows: bit 0 says that the state is closed, bit
//! `i + 1` that move `i` is asleep. Closing a state and waking a move are single atomic read-modify-write operations on
//! the mark, so one of them comes first. If the waking comes first, the worker that closes the state expands the move.
//! If the closing comes first, the worker that wakes the move sees the state closed and expands the move. So no awake
//! move is lost or expanded twice.

use super::record::Layout;
use crate::sync::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

const CLOSED: u64 = 1;

/// The value of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) is_closed: bool,
    pub(super) sleep_set: u64,
}

impl Mark {
    fn from_bits(bits: u64) -> Self {
        Self { is_closed: bits & CLOSED != 0, sleep_set: bits >> 1 }
    }
}

/// The marks of a segment of records.
#[derive(Debug)]
pub(super) enum Marks {
    U8(Box<[AtomicU8]>),
    U16(Box<[AtomicU16]>),
    U32(Box<[AtomicU32]>),
    U64(Box<[AtomicU64]>),
}

macro_rules! on_width {
    ($marks:expr, $slots:ident, $int:ident => $body:expr) => {
        match $marks {
            Marks::U8($slots) => {
                type $int = u8;
                $body
            }
            Marks::U16($slots) => {
                type $int = u16;
                $body
            }
            Marks::U32($slots) => {
                type $int = u32;
                $body
            }
            Marks::U64($slots) => {
                type $int = u64;
                $body
            }
        }
    };
}

impl Layout {
    /// The bytes of a mark.
    #[inline]
    pub(crate) fn mark_width(self) -> usize {
        match self.mask_bits {
            0..=7 => 1,
            8..=15 => 2,
            16..=31 => 4,
            _ => 8,
        }
    }
}

impl Marks {
    /// Makes `len` open marks for sleep sets of `mask_bits` moves.
    pub(super) fn new(len: usize, mask_bits: u32) -> Self {
        match mask_bits {
            0..=7 => Self::U8((0..len).map(|_| AtomicU8::new(0)).collect()),
            8..=15 => Self::U16((0..len).map(|_| AtomicU16::new(0)).collect()),
            16..=31 => Self::U32((0..len).map(|_| AtomicU32::new(0)).collect()),
            _ => Self::U64((0..len).map(|_| AtomicU64::new(0)).collect()),
        }
    }

    /// Sets the mark of a new record: open, with this sleep set.
    #[inline]
    pub(super) fn open(&self, at: usize, sleep_set: u64) {
        // Relaxed: the record is not published yet.
        on_width!(self, slots, Int => slots[at].store((sleep_set << 1) as Int, Relaxed));
    }

    /// The bits of a mark, as they are written to disk.
    #[expect(clippy::useless_conversion, reason = "the widest mark is a u64 already")]
    pub(super) fn bits(&self, at: usize) -> u64 {
        on_width!(self, slots, Int => u64::from(slots[at].load(Acquire) as Int))
    }

    /// Closes a state. Returns the mark as it was before.
    #[expect(clippy::useless_conversion, reason = "the widest mark is a u64 already")]
    #[inline]
    pub(super) fn close(&self, at: usize) -> Mark {
        Mark::from_bits(on_width!(self, slots, Int => u64::from(slots[at].fetch_or(CLOSED as Int, AcqRel))))
    }

    /// Intersects the sleep set with `sleep_set`. Returns the mark as it was before.
    #[expect(clippy::useless_conversion, reason = "the widest mark is a u64 already")]
    #[inline]
    pub(super) fn intersect(&self, at: usize, sleep_set: u64) -> Mark {
        let mask = sleep_set << 1 | CLOSED;
        Mark::from_bits(on_width!(self, slots, Int => u64::from(slots[at].fetch_and(mask as Int, AcqRel))))
    }
}
