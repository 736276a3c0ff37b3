//! The part of a stored state that changes: a closed bit and the mask of moves that are asleep.
//!
//! A mark is one atomic integer, as narrow as the mask allows: bit 0 says closed, bit `i + 1` that move `i` is asleep.
//! Closing and waking are single read-modify-write operations on it. So for each move that a later parent takes out of
//! the mask there are two cases and no third: the one who closes the state sees it awake, or the one who wakes it sees
//! the state closed and has to see to its expansion.

use crate::sync::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

const CLOSED: u64 = 1;

/// What a mark said before it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) closed: bool,
    pub(super) asleep: u64,
}

impl Mark {
    fn from_bits(bits: u64) -> Self {
        Self { closed: bits & CLOSED != 0, asleep: bits >> 1 }
    }
}

/// The marks of a segment of records.
#[derive(Debug)]
pub(super) enum Marks {
    Narrow(Box<[AtomicU8]>),
    Two(Box<[AtomicU16]>),
    Four(Box<[AtomicU32]>),
    Wide(Box<[AtomicU64]>),
}

macro_rules! on_width {
    ($marks:expr, $slots:ident, $int:ident => $body:expr) => {
        match $marks {
            Marks::Narrow($slots) => {
                type $int = u8;
                $body
            }
            Marks::Two($slots) => {
                type $int = u16;
                $body
            }
            Marks::Four($slots) => {
                type $int = u32;
                $body
            }
            Marks::Wide($slots) => {
                type $int = u64;
                $body
            }
        }
    };
}

impl Marks {
    /// `len` open marks for masks of `mask_bits` bits.
    pub(super) fn new(len: usize, mask_bits: u32) -> Self {
        match mask_bits {
            0..=7 => Self::Narrow((0..len).map(|_| AtomicU8::new(0)).collect()),
            8..=15 => Self::Two((0..len).map(|_| AtomicU16::new(0)).collect()),
            16..=31 => Self::Four((0..len).map(|_| AtomicU32::new(0)).collect()),
            _ => Self::Wide((0..len).map(|_| AtomicU64::new(0)).collect()),
        }
    }

    /// Bytes of one mark.
    pub(super) fn width(mask_bits: u32) -> usize {
        match mask_bits {
            0..=7 => 1,
            8..=15 => 2,
            16..=31 => 4,
            _ => 8,
        }
    }

    /// Sets the mark of a new record: open, with these moves asleep.
    #[inline]
    pub(super) fn open(&self, at: usize, asleep: u64) {
        // Relaxed: the record is not published yet.
        on_width!(self, slots, Int => slots[at].store((asleep << 1) as Int, Ordering::Relaxed));
    }

    /// The mark as its bits are written on disk.
    #[expect(clippy::useless_conversion, reason = "the widest mark is a u64 already")]
    pub(super) fn bits(&self, at: usize) -> u64 {
        on_width!(self, slots, Int => u64::from(slots[at].load(Ordering::Acquire) as Int))
    }

    /// Closes; returns the mark as it was.
    #[expect(clippy::useless_conversion, reason = "the widest mark is a u64 already")]
    #[inline]
    pub(super) fn close(&self, at: usize) -> Mark {
        Mark::from_bits(on_width!(self, slots, Int => {
            u64::from(slots[at].fetch_or(CLOSED as Int, Ordering::AcqRel))
        }))
    }

    /// Leaves asleep only what is asleep in `asleep` too; returns the mark as it was.
    #[expect(clippy::useless_conversion, reason = "the widest mark is a u64 already")]
    #[inline]
    pub(super) fn retain(&self, at: usize, asleep: u64) -> Mark {
        let keep = asleep << 1 | CLOSED;
        Mark::from_bits(on_width!(self, slots, Int => {
            u64::from(slots[at].fetch_and(keep as Int, Ordering::AcqRel))
        }))
    }
}
