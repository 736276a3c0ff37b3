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

/// Free slots that a new table has behind its last home and its last occupied slot.
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
        Self { slots: vec![EMPTY; SMALLEST + SLACK], homes: SMALLEST as u64, occupied: 0 }
    }

    #[inline]
    fn home(&self, fingerprint: u32) -> usize {
        home(fingerprint, self.homes)
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
        // Four fifths full: a miss then walks about four slots.
        if self.occupied as u64 * 5 > self.homes * 4 {
            let more = if self.homes < 1 << 12 { self.homes } else { self.homes / 10 * 3 };
            self.rebuild(self.homes + more);
        } else if self.slots[self.slots.len() - 2] != EMPTY {
            // A run has reached the end; the last slot has to stay empty.
            self.rebuild(self.homes);
        }
    }

    /// Moves every slot into a table with this many homes.
    #[cold]
    fn rebuild(&mut self, homes: u64) {
        let mut slots = Vec::with_capacity(homes as usize + SLACK);
        for &slot in self.slots.iter().filter(|&&slot| slot != EMPTY) {
            let home = home((slot >> 32) as u32, homes);
            if slots.len() < home {
                slots.resize(home, EMPTY);
            }
            slots.push(slot);
        }
        slots.resize(slots.len().max(homes as usize) + SLACK, EMPTY);
        (self.slots, self.homes) = (slots, homes);
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<u64>()) as u64
    }

    /// Address of the home slot and scale, for prefetching without the lock.
    pub(super) fn hint(&self) -> (*mut u64, u64) {
        (self.slots.as_ptr().cast_mut(), self.homes)
    }
}

#[inline]
fn home(fingerprint: u32, homes: u64) -> usize {
    ((u64::from(fingerprint) * homes) >> 32) as usize
}
