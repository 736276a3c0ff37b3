//! Files for what memory has no room for. Nothing in them outlives the process: open nodes and index are derived from the
//! log.

use super::error::{ArchiveError, At};
use super::medium::MediumFile;
use super::{ArchiveSettings, Health};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes in the files without names of one archive.
#[derive(Debug, Default)]
pub(crate) struct Tally(AtomicU64);

impl Tally {
    /// Bytes in the files.
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A file without a name, so that it goes with the process.
#[derive(Debug)]
pub(crate) struct Nameless {
    file: Box<dyn MediumFile>,
    /// A name for messages, in its folder.
    path: PathBuf,
    bytes: AtomicU64,
    tally: Arc<Tally>,
}

impl Nameless {
    /// An empty file, in the folder whose turn it is.
    pub(crate) fn create(
        settings: &ArchiveSettings,
        name: &str,
        number: usize,
        tally: &Arc<Tally>,
    ) -> Result<Self, ArchiveError> {
        let folder = settings.spill.get(number % settings.spill.len().max(1)).unwrap_or(&settings.run);
        let path = folder.join(name);
        let file = settings.medium.create_nameless(folder).at("create", &path)?;
        Ok(Self { file, path, bytes: AtomicU64::new(0), tally: Arc::clone(tally) })
    }

    /// Its length.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    pub(crate) fn read(&self, bytes: &mut [u8], at: u64) -> Result<(), ArchiveError> {
        self.file.read(bytes, at).at("read", &self.path)
    }

    pub(crate) fn write(&self, bytes: &[u8], at: u64) -> Result<(), ArchiveError> {
        let end = at + bytes.len() as u64;
        let before = self.bytes.fetch_max(end, Relaxed);
        self.tally.0.fetch_add(end.saturating_sub(before), Relaxed);
        self.file.write(bytes, at).at("write", &self.path)
    }
}

impl Drop for Nameless {
    fn drop(&mut self) {
        self.tally.0.fetch_sub(self.bytes(), Relaxed);
    }
}

/// Blocks of one size in a file without a name.
#[derive(Debug)]
pub struct Scratch {
    file: Nameless,
    block: usize,
    slots: Mutex<Slots>,
    health: Arc<Health>,
}

#[derive(Debug, Default)]
struct Slots {
    free: Vec<u32>,
    used: u32,
}

impl Scratch {
    /// An empty file for blocks of `block` bytes.
    pub(super) fn new(file: Nameless, block: usize, health: &Arc<Health>) -> Self {
        Self { file, block, slots: Mutex::default(), health: Arc::clone(health) }
    }

    fn at(&self, slot: u32) -> u64 {
        u64::from(slot) * self.block as u64
    }

    /// Writes a block; returns where, or `None` when the disk fails, which the archive's health knows then.
    pub(crate) fn put(&self, block: &[u8]) -> Option<u32> {
        debug_assert_eq!(block.len(), self.block);
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.free.pop().unwrap_or_else(|| {
                slots.used += 1;
                slots.used - 1
            })
        };
        self.file.write(block, self.at(slot)).map_err(|error| self.health.fail(error)).ok().map(|()| slot)
    }

    /// Reads a block; false when the disk fails, which the archive's health knows then.
    pub(crate) fn get(&self, slot: u32, block: &mut [u8]) -> bool {
        self.file.read(block, self.at(slot)).map_err(|error| self.health.fail(error)).is_ok()
    }

    /// The block is not needed any more.
    pub(crate) fn free(&self, slot: u32) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).free.push(slot);
    }
}
