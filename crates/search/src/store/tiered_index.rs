//! An index in two tiers: new slots in memory, and spilled slots on disk.

use super::cold_index::{ColdIndex, ColdSlot};
use super::index::{Cursor, Index};
use super::storage::{ErrorLatch, StorageError, TempFile};
use std::sync::Arc;

/// The fewest slots in memory for which writing them to disk is worthwhile.
const MIN_SPILLED_SLOTS: u64 = if cfg!(test) { 16 } else { 1 << 10 };

/// A spill rewrites all slots, so it needs at least one slot in memory for this number of slots on disk.
const MAX_REWRITTEN: u64 = 8;

/// Maps fingerprints to positions. A fingerprint may have several positions.
#[derive(Debug)]
pub(super) struct TieredIndex {
    hot: Index,
    cold: Option<ColdIndex>,
}

/// Where a lookup ended: at the slot it found, or at the place for a new slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeEnd {
    /// After the slot, if it is in memory; otherwise the place for a new slot.
    cursor: Cursor,
    /// The slot, if it is on disk.
    cold: Option<ColdSlot>,
}

/// The sizes of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexSizes {
    /// The number of occupied slots in memory.
    pub(super) hot: u64,
    /// The number of occupied slots on disk.
    pub(super) cold: u64,
    /// The bytes in memory.
    pub(super) bytes: u64,
}

impl IndexSizes {
    /// Whether memory has enough slots for a spill.
    pub(super) fn is_worth_spilling(self) -> bool {
        self.hot >= MIN_SPILLED_SLOTS && self.hot.saturating_mul(MAX_REWRITTEN) >= self.cold
    }

    /// The bytes of a file with all slots.
    pub(super) fn bytes_on_disk(self) -> u64 {
        ColdIndex::bytes_for(self.hot + self.cold)
    }
}

impl TieredIndex {
    pub(super) fn new() -> Self {
        Self { hot: Index::new(), cold: None }
    }

    /// Calls `matches` with the positions of a fingerprint until it returns a value. `slots` is a buffer for slots on
    /// disk.
    #[inline]
    pub(super) fn find<T>(
        &self,
        fingerprint: u32,
        slots: &mut Vec<ColdSlot>,
        mut matches: impl FnMut(u32) -> Option<T>,
    ) -> (Option<T>, ProbeEnd) {
        let mut cursor = self.hot.start(fingerprint);
        while let Some(position) = self.hot.next(fingerprint, &mut cursor) {
            if let Some(found) = matches(position) {
                return (Some(found), ProbeEnd { cursor, cold: None });
            }
        }
        match &self.cold {
            Some(cold) => find_cold(cold, fingerprint, cursor, slots, matches),
            None => (None, ProbeEnd { cursor, cold: None }),
        }
    }

    /// Adds a position at the place where a search for its fingerprint has found nothing.
    #[inline]
    pub(super) fn insert(&mut self, fingerprint: u32, probe_end: ProbeEnd, position: u32) {
        self.hot.insert(fingerprint, probe_end.cursor, position);
    }

    /// Changes the position in the slot that a lookup has found.
    #[inline]
    pub(super) fn repoint(&mut self, probe_end: ProbeEnd, position: u32) {
        match (probe_end.cold, &self.cold) {
            (Some(slot), Some(cold)) => cold.repoint(slot, position),
            _ => self.hot.repoint(probe_end.cursor, position),
        }
    }

    /// Writes all slots to an empty file and frees their memory. Returns the freed bytes.
    ///
    /// # Errors
    /// When reading or writing fails. The index is unchanged then.
    pub(super) fn spill(&mut self, file: TempFile, errors: &Arc<ErrorLatch>) -> Result<u64, StorageError> {
        self.cold = Some(ColdIndex::write(file, self.cold.as_ref(), &self.hot, errors)?);
        let before = std::mem::replace(&mut self.hot, Index::new()).bytes();
        Ok(before.saturating_sub(self.hot.bytes()))
    }

    /// The bytes in memory.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.hot.bytes()
    }

    pub(super) fn sizes(&self) -> IndexSizes {
        let cold = self.cold.as_ref().map_or(0, ColdIndex::occupied);
        IndexSizes { hot: self.hot.occupied(), cold, bytes: self.bytes() }
    }

    /// See [`Index::prefetch_hint`].
    pub(super) fn prefetch_hint(&self) -> (*const u64, u64) {
        self.hot.prefetch_hint()
    }
}

#[cold]
fn find_cold<T>(
    cold: &ColdIndex,
    fingerprint: u32,
    cursor: Cursor,
    slots: &mut Vec<ColdSlot>,
    mut matches: impl FnMut(u32) -> Option<T>,
) -> (Option<T>, ProbeEnd) {
    cold.find(fingerprint, slots);
    let found = slots.iter().find_map(|&slot| matches(slot.position).map(|found| (found, slot)));
    match found {
        Some((found, slot)) => (Some(found), ProbeEnd { cursor, cold: Some(slot) }),
        None => (None, ProbeEnd { cursor, cold: None }),
    }
}
