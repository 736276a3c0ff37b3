//! The part of an index that lies on disk, for when memory does not even hold the index.
//!
//! It is the same table of ordered slots as the [`Index`], in a file without a name: where a fingerprint stands follows
//! from the fingerprint, so that a search reads one short piece. Slots are added by writing a new file in order, from the
//! old one and the index in memory; between that, new slots are in memory only. Nothing in it outlives the process: an
//! index is derived from what it leads to.

use super::archive::{ArchiveError, Health, Nameless};
use super::index::{EMPTY, Index, home};
use std::sync::Arc;

/// Slots that a search reads at once; nearly every one ends within them.
const WINDOW: usize = 32;

const SLOT: usize = size_of::<u64>();

/// Bytes that are written or read at once when the table is written anew.
const BUFFER: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Maps fingerprints to positions in a log.
#[derive(Debug)]
pub(super) struct ColdIndex {
    file: Nameless,
    homes: u64,
    occupied: u64,
    health: Arc<Health>,
}

/// A slot of the file, and the position in the log that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColdSlot {
    at: u64,
    fingerprint: u32,
    pub(super) position: u32,
}

impl ColdIndex {
    /// Writes the slots of `older` and `newer` to an empty file.
    ///
    /// # Errors
    /// Those of the disk; nothing has changed then.
    pub(super) fn write(
        file: Nameless,
        older: Option<&Self>,
        newer: &Index,
        health: &Arc<Health>,
    ) -> Result<Self, ArchiveError> {
        let occupied = newer.occupied() + older.map_or(0, |older| older.occupied);
        let homes = homes_for(occupied);
        let mut writer = Writer { file: &file, homes, buffer: Vec::with_capacity(BUFFER + SLOT), written: 0 };
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
        Ok(Self { file, homes, occupied, health: Arc::clone(health) })
    }

    /// Bytes of a file for so many slots.
    pub(super) fn bytes_for(occupied: u64) -> u64 {
        (homes_for(occupied) + 2 * WINDOW as u64) * SLOT as u64
    }

    /// Slots that name a record.
    pub(super) fn occupied(&self) -> u64 {
        self.occupied
    }

    /// Collects the slots of a fingerprint. A disk that fails ends the search, and the health knows it then: until that
    /// shows, taking a state for a new one only costs memory.
    pub(super) fn find(&self, fingerprint: u32, found: &mut Vec<ColdSlot>) {
        found.clear();
        let mut at = home(fingerprint, self.homes) as u64;
        let mut bytes = [0; WINDOW * SLOT];
        loop {
            if let Err(error) = self.file.read(&mut bytes, at * SLOT as u64) {
                self.health.fail(error);
                return;
            }
            for slot in bytes.chunks_exact(SLOT).map(decode) {
                // What is empty ends the search as well: it is larger than every slot.
                match ((slot >> 32) as u32).cmp(&fingerprint) {
                    std::cmp::Ordering::Equal if slot != EMPTY => {
                        found.push(ColdSlot { at, fingerprint, position: slot as u32 });
                    }
                    std::cmp::Ordering::Less => {}
                    _ => return,
                }
                at += 1;
            }
        }
    }

    /// Lets a slot name another position.
    pub(super) fn repoint(&self, slot: ColdSlot, position: u32) {
        let word = u64::from(slot.fingerprint) << 32 | u64::from(position);
        if let Err(error) = self.file.write(&encode(word), slot.at * SLOT as u64) {
            self.health.fail(error);
        }
    }

    /// Calls `each` with all slots that name a record, in order.
    fn for_each(&self, mut each: impl FnMut(u64) -> Result<(), ArchiveError>) -> Result<(), ArchiveError> {
        let mut bytes = vec![0; BUFFER];
        for begin in (0..self.file.bytes()).step_by(BUFFER) {
            let bytes = &mut bytes[..BUFFER.min((self.file.bytes() - begin) as usize)];
            self.file.read(bytes, begin)?;
            bytes.chunks_exact(SLOT).map(decode).filter(|&slot| slot != EMPTY).try_for_each(&mut each)?;
        }
        Ok(())
    }
}

/// Three quarters full: a search then walks some three slots.
fn homes_for(occupied: u64) -> u64 {
    occupied / 3 * 4 + WINDOW as u64
}

/// Writes slots in their order, each at its home or as soon behind it as there is room.
struct Writer<'a> {
    file: &'a Nameless,
    homes: u64,
    buffer: Vec<u8>,
    /// Bytes before those in the buffer.
    written: u64,
}

impl Writer<'_> {
    fn put(&mut self, slot: u64) -> Result<(), ArchiveError> {
        self.fill(home((slot >> 32) as u32, self.homes) as u64)?;
        self.push(slot)
    }

    /// Leaves slots empty up to slot `until`.
    fn fill(&mut self, until: u64) -> Result<(), ArchiveError> {
        while self.written + (self.buffer.len() as u64) < until * SLOT as u64 {
            self.push(EMPTY)?;
        }
        Ok(())
    }

    fn push(&mut self, slot: u64) -> Result<(), ArchiveError> {
        self.buffer.extend_from_slice(&encode(slot));
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ArchiveError> {
        self.file.write(&self.buffer, self.written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Leaves a whole window of empty slots behind the last one: every search ends before the file does.
    fn finish(mut self) -> Result<(), ArchiveError> {
        self.fill(self.homes)?;
        for _ in 0..2 * WINDOW {
            self.push(EMPTY)?;
        }
        self.flush()
    }
}

/// Inverted, as in memory: holes of a file are empty.
fn encode(slot: u64) -> [u8; SLOT] {
    (!slot).to_le_bytes()
}

fn decode(bytes: &[u8]) -> u64 {
    let mut word = [0; SLOT];
    word.copy_from_slice(bytes);
    !u64::from_le_bytes(word)
}
