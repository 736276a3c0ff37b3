//! An index of which the older part may lie on disk.

use super::archive::{ArchiveError, Health, Nameless};
use super::cold_index::{ColdIndex, ColdSlot};
use super::index::{Cursor, Index};
use std::sync::Arc;

/// Slots that are in memory at least before they go to disk.
const WORTH_WRITING: u64 = if cfg!(test) { 16 } else { 1 << 10 };

/// Slots go to disk when there is at least one for so many that are there: all of them are written anew.
const REWRITTEN: u64 = 8;

/// Maps fingerprints to positions. Several positions may share a fingerprint.
#[derive(Debug)]
pub(super) struct Tiers {
    hot: Index,
    cold: Option<ColdIndex>,
}

/// Where a search has ended: at the slot of what it was for, or where that would go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Behind the slot, if that is in memory.
    cursor: Cursor,
    /// The slot, if that is on disk.
    cold: Option<ColdSlot>,
}

/// How large an index is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Slots in memory that name a position.
    hot: u64,
    /// Those on disk.
    pub(super) cold: u64,
    /// Bytes in memory.
    pub(super) bytes: u64,
}

impl Sizes {
    /// Whether there are enough slots in memory to write them to disk with all that are there.
    pub(super) fn is_worth_writing(self) -> bool {
        self.hot >= WORTH_WRITING && self.hot.saturating_mul(REWRITTEN) >= self.cold
    }

    /// Bytes of a file with all slots.
    pub(super) fn bytes_on_disk(self) -> u64 {
        ColdIndex::bytes_for(self.hot + self.cold)
    }
}

impl Tiers {
    pub(super) fn new() -> Self {
        Self { hot: Index::new(), cold: None }
    }

    /// Looks at the positions under a fingerprint until `is_it` makes something of one. `slots` may hold anything.
    #[inline]
    pub(super) fn find<T>(
        &self,
        fingerprint: u32,
        slots: &mut Vec<ColdSlot>,
        mut is_it: impl FnMut(u32) -> Option<T>,
    ) -> (Option<T>, Place) {
        let mut cursor = self.hot.start(fingerprint);
        while let Some(position) = self.hot.next(fingerprint, &mut cursor) {
            if let Some(found) = is_it(position) {
                return (Some(found), Place { cursor, cold: None });
            }
        }
        match &self.cold {
            Some(cold) => find_cold(cold, fingerprint, cursor, slots, is_it),
            None => (None, Place { cursor, cold: None }),
        }
    }

    /// Adds a position at the place where a search for its fingerprint has found nothing.
    #[inline]
    pub(super) fn insert(&mut self, fingerprint: u32, place: Place, position: u32) {
        self.hot.insert(fingerprint, place.cursor, position);
    }

    /// Lets the slot that was found name another position.
    #[inline]
    pub(super) fn repoint(&mut self, place: Place, position: u32) {
        match (place.cold, &self.cold) {
            (Some(slot), Some(cold)) => cold.repoint(slot, position),
            _ => self.hot.repoint(place.cursor, position),
        }
    }

    /// Sends all slots to an empty file and gives their memory back. Returns its bytes.
    ///
    /// # Errors
    /// Those of the disk; the index is as it was then.
    pub(super) fn put_away(&mut self, file: Nameless, health: &Arc<Health>) -> Result<u64, ArchiveError> {
        self.cold = Some(ColdIndex::write(file, self.cold.as_ref(), &self.hot, health)?);
        let before = std::mem::replace(&mut self.hot, Index::new()).bytes();
        Ok(before.saturating_sub(self.hot.bytes()))
    }

    /// Bytes in memory.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.hot.bytes()
    }

    pub(super) fn sizes(&self) -> Sizes {
        let cold = self.cold.as_ref().map_or(0, ColdIndex::occupied);
        Sizes { hot: self.hot.occupied(), cold, bytes: self.bytes() }
    }

    /// See [`Index::hint`].
    pub(super) fn hint(&self) -> (*const u64, u64) {
        self.hot.hint()
    }
}

#[cold]
fn find_cold<T>(
    cold: &ColdIndex,
    fingerprint: u32,
    cursor: Cursor,
    slots: &mut Vec<ColdSlot>,
    mut is_it: impl FnMut(u32) -> Option<T>,
) -> (Option<T>, Place) {
    cold.find(fingerprint, slots);
    let found = slots.iter().find_map(|&slot| is_it(slot.position).map(|found| (found, slot)));
    match found {
        Some((found, slot)) => (Some(found), Place { cursor, cold: Some(slot) }),
        None => (None, Place { cursor, cold: None }),
    }
}
