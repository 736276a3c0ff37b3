//! The part of an index on disk, for searches whose memory is too small for the index.
//!
//! A temporary file has the same sorted slots as [`Index`]. The home of a slot follows from its fingerprint, so a
//! lookup reads one short piece of the file. A spill merges the old file and the index in memory into a new file. The
//! file does not outlive the process, because recovery rebuilds the index from the records.

use super::index::{EMPTY, Index, home_slot};
use super::storage::{ErrorLatch, StorageError, TempFile};
use std::sync::Arc;

/// The number of slots that a lookup reads at a time. Nearly every lookup needs one read.
const READ_SLOTS: usize = 32;

const SLOT_BYTES: usize = size_of::<u64>();

/// The bytes that a merge reads or writes at a time.
const BUFFER_BYTES: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Maps fingerprints to positions in a log.
#[derive(Debug)]
pub(super) struct ColdIndex {
    file: TempFile,
    homes: u64,
    occupied: u64,
    errors: Arc<ErrorLatch>,
}

/// An occupied slot of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColdSlot {
    /// The number of the slot in the file.
    number: u64,
    fingerprint: u32,
    /// The position in the log.
    pub(super) position: u32,
}

impl ColdIndex {
    /// Merges the slots of `older` and `newer` into an empty file.
    ///
    /// # Errors
    /// When reading or writing fails. `older` and `newer` are unchanged then.
    pub(super) fn write(
        file: TempFile,
        older: Option<&Self>,
        newer: &Index,
        errors: &Arc<ErrorLatch>,
    ) -> Result<Self, StorageError> {
        let occupied = newer.occupied() + older.map_or(0, |older| older.occupied);
        let homes = homes_for(occupied);
        let mut writer =
            SlotWriter { file: &file, homes, buffer: Vec::with_capacity(BUFFER_BYTES + SLOT_BYTES), written_bytes: 0 };
        let mut slots = newer.slots().peekable();
        if let Some(older) = older {
            older.for_each(|slot| {
                while let Some(newer) = slots.next_if(|&newer| newer < slot) {
                    writer.put(newer)?;
                }
                writer.put(slot)
            })?;
        }
        slots.try_for_each(|slot| writer.put(slot))?;
        writer.finish()?;
        Ok(Self { file, homes, occupied, errors: Arc::clone(errors) })
    }

    /// The bytes of a file for this number of occupied slots.
    pub(super) fn bytes_for(occupied: u64) -> u64 {
        (homes_for(occupied) + 2 * READ_SLOTS as u64) * SLOT_BYTES as u64
    }

    /// The number of occupied slots.
    pub(super) fn occupied(&self) -> u64 {
        self.occupied
    }

    /// Collects the slots of a fingerprint in `found`.
    ///
    /// If reading fails, slots are missing, and the error latch ends the search. Until then a known state may be stored
    /// again, which only costs memory.
    pub(super) fn find(&self, fingerprint: u32, found: &mut Vec<ColdSlot>) {
        found.clear();
        let mut number = home_slot(fingerprint, self.homes) as u64;
        let mut bytes = [0; READ_SLOTS * SLOT_BYTES];
        loop {
            if let Err(error) = self.file.read(&mut bytes, number * SLOT_BYTES as u64) {
                self.errors.fail(error);
                return;
            }
            for slot in bytes.chunks_exact(SLOT_BYTES).map(decode) {
                // An empty slot ends the lookup too: it is above every fingerprint, or equal and excluded here.
                match ((slot >> 32) as u32).cmp(&fingerprint) {
                    std::cmp::Ordering::Equal if slot != EMPTY => {
                        found.push(ColdSlot { number, fingerprint, position: slot as u32 });
                    }
                    std::cmp::Ordering::Less => {}
                    _ => return,
                }
                number += 1;
            }
        }
    }

    /// Changes the position in a slot. When writing fails, the error is reported to the error latch.
    pub(super) fn repoint(&self, slot: ColdSlot, position: u32) {
        let word = u64::from(slot.fingerprint) << 32 | u64::from(position);
        if let Err(error) = self.file.write(&encode(word), slot.number * SLOT_BYTES as u64) {
            self.errors.fail(error);
        }
    }

    /// Calls `each` with all occupied slots, in order.
    fn for_each(&self, mut each: impl FnMut(u64) -> Result<(), StorageError>) -> Result<(), StorageError> {
        let mut bytes = vec![0; BUFFER_BYTES];
        for begin in (0..self.file.bytes()).step_by(BUFFER_BYTES) {
            let bytes = &mut bytes[..BUFFER_BYTES.min((self.file.bytes() - begin) as usize)];
            self.file.read(bytes, begin)?;
            bytes.chunks_exact(SLOT_BYTES).map(decode).filter(|&slot| slot != EMPTY).try_for_each(&mut each)?;
        }
        Ok(())
    }
}

/// The number of homes for this number of slots. The table is three quarters full, so a lookup visits about three
/// slots.
fn homes_for(occupied: u64) -> u64 {
    occupied / 3 * 4 + READ_SLOTS as u64
}

/// Writes slots in rising order, each at its home or at the first free slot after it.
struct SlotWriter<'a> {
    file: &'a TempFile,
    homes: u64,
    buffer: Vec<u8>,
    /// The bytes written so far, without those in the buffer.
    written_bytes: u64,
}

impl SlotWriter<'_> {
    fn put(&mut self, slot: u64) -> Result<(), StorageError> {
        self.fill(home_slot((slot >> 32) as u32, self.homes) as u64)?;
        self.push(slot)
    }

    /// Writes empty slots up to slot `until`.
    fn fill(&mut self, until: u64) -> Result<(), StorageError> {
        while self.written_bytes + (self.buffer.len() as u64) < until * SLOT_BYTES as u64 {
            self.push(EMPTY)?;
        }
        Ok(())
    }

    fn push(&mut self, slot: u64) -> Result<(), StorageError> {
        self.buffer.extend_from_slice(&encode(slot));
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), StorageError> {
        self.file.write(&self.buffer, self.written_bytes)?;
        self.written_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Writes two windows of empty slots after the last slot, so that every lookup ends before the file does.
    fn finish(mut self) -> Result<(), StorageError> {
        self.fill(self.homes)?;
        for _ in 0..2 * READ_SLOTS {
            self.push(EMPTY)?;
        }
        self.flush()
    }
}

/// Inverts the bits, as in memory, so that a hole in the file is a run of empty slots.
fn encode(slot: u64) -> [u8; SLOT_BYTES] {
    (!slot).to_le_bytes()
}

fn decode(bytes: &[u8]) -> u64 {
    let mut word = [0; SLOT_BYTES];
    word.copy_from_slice(bytes);
    !u64::from_le_bytes(word)
}
