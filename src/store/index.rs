//! The index of one shard: an open-addressed table of 64-bit slots in the order of their fingerprints.
//!
//! ```text
//! slot: | fingerprint 32 bits | position in the log 32 bits |      all ones: empty
//! ```
//!
//! The home of a fingerprint is `fingerprint * homes / 2^32`, which rises with the fingerprint, and occupied slots are
//! kept in rising order (linear probing with insertion by shifting). So a search ends at the first larger
//! fingerprint, a table may have any size, and growth is one sequential pass that needs no key.

const EMPTY: u64 = u64::MAX;

/// Slots behind the last home, for runs that begin near the end.
const SLACK: usize = 64;

const SMALLEST: usize = 256;

/// Maps fingerprints to positions in a log. Several positions may share a fingerprint.
#[derive(Debug)]
pub(super) struct Index {
    slots: Vec<u64>,
    homes: u64,
    occupied: usize,
}

/// A place in the table: where a search for a fingerprint stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor(usize);

impl Index {
    pub(super) fn new() -> Self {
        Self::with_homes(SMALLEST)
    }

    fn with_homes(homes: usize) -> Self {
        Self { slots: vec![EMPTY; homes + SLACK], homes: homes as u64, occupied: 0 }
    }

    #[inline]
    fn home(&self, fingerprint: u32) -> usize {
        ((u64::from(fingerprint) * self.homes) >> 32) as usize
    }

    /// Where a search for `fingerprint` begins.
    #[inline]
    pub(super) fn start(&self, fingerprint: u32) -> Cursor {
        let least = u64::from(fingerprint) << 32;
        let mut at = self.home(fingerprint);
        // The last slot is always empty, so the walk ends.
        while self.slots[at] < least {
            at += 1;
        }
        Cursor(at)
    }

    /// The next position under `fingerprint`, if any; moves the cursor past it.
    #[inline]
    pub(super) fn next(&self, fingerprint: u32, cursor: &mut Cursor) -> Option<u32> {
        let slot = self.slots[cursor.0];
        if slot == EMPTY || (slot >> 32) as u32 != fingerprint {
            return None;
        }
        cursor.0 += 1;
        Some(slot as u32)
    }

    /// Lets the slot that [`Index::next`] returned last name another position.
    pub(super) fn repoint(&mut self, cursor: Cursor, position: u32) {
        let slot = &mut self.slots[cursor.0 - 1];
        *slot = *slot & !0xFFFF_FFFF | u64::from(position);
    }

    /// Adds a position; the cursor must stand behind all positions of the fingerprint.
    #[inline]
    pub(super) fn insert(&mut self, fingerprint: u32, cursor: Cursor, position: u32) {
        let mut carried = u64::from(fingerprint) << 32 | u64::from(position);
        let mut at = cursor.0;
        loop {
            std::mem::swap(&mut carried, &mut self.slots[at]);
            if carried == EMPTY {
                break;
            }
            at += 1;
        }
        self.occupied += 1;
        // Four fifths full: a miss then walks about four slots. The last slot has to stay empty.
        if self.occupied as u64 * 5 > self.homes * 4 || self.slots[self.slots.len() - 2] != EMPTY {
            self.grow();
        }
    }

    /// Moves every slot into a table with three tenths more homes.
    #[cold]
    fn grow(&mut self) {
        let mut homes = self.homes as usize;
        'larger: loop {
            homes += if homes < 1 << 12 { homes } else { homes / 10 * 3 };
            let mut larger = Self::with_homes(homes);
            let mut free = 0;
            for &slot in self.slots.iter().filter(|&&slot| slot != EMPTY) {
                let at = larger.home((slot >> 32) as u32).max(free);
                if at + 2 > larger.slots.len() {
                    continue 'larger;
                }
                larger.slots[at] = slot;
                free = at + 1;
            }
            larger.occupied = self.occupied;
            *self = larger;
            return;
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<u64>()) as u64
    }

    /// Address of the home slot and scale, for prefetching without the lock.
    pub(super) fn hint(&self) -> (*mut u64, u64) {
        (self.slots.as_ptr().cast_mut(), self.homes)
    }
}
