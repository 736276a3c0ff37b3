//! The index of a shard: an open-addressing hash table of 64-bit slots, sorted by fingerprint.
//!
//! ```text
//! slot: | fingerprint 32 bits | position in the log 32 bits |      all ones: empty
//! ```
//!
//! The home slot of a fingerprint is `fingerprint * homes / 2^32`, which rises with the fingerprint. Occupied slots are
//! kept in rising order: linear probing, with insertion by shifting. So a search ends at the first larger fingerprint,
//! a table may have any size, and it grows in place in one sequential pass, without reading keys.
//!
//! In memory the bits of each slot are inverted, so that fresh zeroed memory is an empty table.

use crate::platform::Pages;

/// An empty slot.
pub(super) const EMPTY: u64 = u64::MAX;

/// The number of free slots after the last home and the last occupied slot of a resized table.
const SLACK: usize = 64;

/// The number of homes of an empty table.
const MIN_HOMES: usize = 448;

/// Maps fingerprints to positions in a log. A fingerprint may have several positions.
#[derive(Debug)]
pub(super) struct Index {
    slots: Slots,
    homes: u64,
    occupied: usize,
}

/// The position of a lookup in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor(usize);

impl Index {
    pub(super) fn new() -> Self {
        Self { slots: Slots::empty(MIN_HOMES + SLACK), homes: MIN_HOMES as u64, occupied: 0 }
    }

    /// The start of a lookup of `fingerprint`.
    #[inline]
    pub(super) fn start(&self, fingerprint: u32) -> Cursor {
        let least = u64::from(fingerprint) << 32;
        let mut at = home_slot(fingerprint, self.homes);
        // The last slot is always empty, so the walk ends.
        while self.slots.get(at) < least {
            at += 1;
        }
        Cursor(at)
    }

    /// The next position with this fingerprint, if there is one. Moves the cursor after it.
    #[inline]
    pub(super) fn next(&self, fingerprint: u32, cursor: &mut Cursor) -> Option<u32> {
        let slot = self.slots.get(cursor.0);
        if slot == EMPTY || (slot >> 32) as u32 != fingerprint {
            return None;
        }
        cursor.0 += 1;
        Some(slot as u32)
    }

    /// Changes the position in the slot that [`Index::next`] returned last.
    pub(super) fn repoint(&mut self, cursor: Cursor, position: u32) {
        let at = cursor.0 - 1;
        self.slots.set(at, self.slots.get(at) & !0xFFFF_FFFF | u64::from(position));
    }

    /// Adds a position. The cursor must be after all positions of the fingerprint. The table grows when it is four
    /// fifths full.
    #[inline]
    pub(super) fn insert(&mut self, fingerprint: u32, cursor: Cursor, position: u32) {
        let mut carried = u64::from(fingerprint) << 32 | u64::from(position);
        let mut at = cursor.0;
        loop {
            let displaced = self.slots.get(at);
            self.slots.set(at, carried);
            if displaced == EMPTY {
                break;
            }
            carried = displaced;
            at += 1;
        }
        self.occupied += 1;
        // At four fifths a search without a hit walks about four slots.
        if self.occupied as u64 * 5 > self.homes * 4 {
            // Small tables double. Larger ones grow by an eighth only, because empty slots cost memory. About eight
            // slots then move for each new entry, which is cheap enough.
            let growth = if self.homes < 1 << 12 { self.homes } else { self.homes / 8 };
            self.resize(self.homes + growth);
        } else if self.slots.get(self.slots.len - 2) != EMPTY {
            // The last but one slot is occupied now, and the last slot must stay empty.
            self.resize(self.homes);
        }
    }

    /// Moves every slot to its new place for `homes` homes, which must not be fewer than before.
    ///
    /// The slots move in place, in stretches. A first pass computes the new start of each stretch. A second pass moves
    /// the stretches, the last one first. No slot moves to a lower index, so a stretch only overwrites slots that have
    /// moved.
    #[cold]
    fn resize(&mut self, homes: u64) {
        // Small in tests, so that small tables have several stretches.
        const STRETCH: usize = if cfg!(test) { 16 } else { 4_096 };
        let place = |slot: u64, free: usize| home_slot((slot >> 32) as u32, homes).max(free);
        let mut free = 0;
        let mut begins = Vec::with_capacity(self.slots.len / STRETCH + 1);
        for stretch in self.slots.as_slice().chunks(STRETCH) {
            begins.push(free);
            for &slot in stretch {
                let slot = !slot;
                free = if slot == EMPTY { free } else { place(slot, free) + 1 };
            }
        }
        let old_len = self.slots.len;
        self.slots.grow(free.max(homes as usize) + SLACK);
        let slots = self.slots.as_mut_slice();
        let mut moving = [0; STRETCH];
        for (number, &begin) in begins.iter().enumerate().rev() {
            let stretch = &mut slots[number * STRETCH..old_len.min((number + 1) * STRETCH)];
            let mut occupied = 0;
            for slot in stretch {
                moving[occupied] = *slot;
                occupied += usize::from(!*slot != EMPTY);
                *slot = !EMPTY;
            }
            let mut free = begin;
            for &slot in &moving[..occupied] {
                let at = place(!slot, free);
                slots[at] = slot;
                free = at + 1;
            }
        }
        self.homes = homes;
    }

    /// The occupied slots, in order.
    pub(super) fn slots(&self) -> impl Iterator<Item = u64> {
        self.slots.as_slice().iter().map(|slot| !slot).filter(|&slot| slot != EMPTY)
    }

    /// The number of occupied slots.
    pub(super) fn occupied(&self) -> u64 {
        self.occupied as u64
    }

    /// The bytes of the table.
    pub(super) fn bytes(&self) -> u64 {
        (self.slots.len * size_of::<u64>()) as u64
    }

    /// The address of the first slot and the number of homes, for prefetching without the lock.
    pub(super) fn prefetch_hint(&self) -> (*const u64, u64) {
        (self.slots.pages.as_ptr().cast_const().cast(), self.homes)
    }
}

/// The home slot of a fingerprint in a table with this number of homes.
#[inline]
pub(super) fn home_slot(fingerprint: u32, homes: u64) -> usize {
    ((u64::from(fingerprint) * homes) >> 32) as usize
}

/// The slots, whose bits are inverted in memory.
#[derive(Debug)]
struct Slots {
    pages: Pages,
    len: usize,
}

impl Slots {
    fn empty(len: usize) -> Self {
        Self { pages: Pages::zeroed(len * size_of::<u64>()), len }
    }

    /// Adds empty slots after the last one.
    fn grow(&mut self, len: usize) {
        self.pages.grow(len * size_of::<u64>());
        self.len = self.len.max(len);
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        !self.as_slice()[at]
    }

    #[inline]
    fn set(&mut self, at: usize, slot: u64) {
        self.as_mut_slice()[at] = !slot;
    }

    #[inline]
    fn as_slice(&self) -> &[u64] {
        // SAFETY: the pages hold `len` words, zeroed or written, and `Pages` is aligned to 8 bytes on every platform.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast(), self.len) }
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [u64] {
        // SAFETY: as in `as_slice`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.pages.as_ptr().cast(), self.len) }
    }
}
