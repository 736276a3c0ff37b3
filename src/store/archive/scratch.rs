//! A file for open nodes that are not needed soon. Nothing in it outlives the process: open nodes are derived from the log.

use super::error::{ArchiveError, At};
use super::medium::MediumFile;
use super::{ArchiveSettings, Health};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks of one size in a file without a name.
#[derive(Debug)]
pub struct Scratch {
    file: Box<dyn MediumFile>,
    path: PathBuf,
    block: usize,
    slots: Mutex<Slots>,
    health: Arc<Health>,
    /// Bytes of all scratch files of the archive.
    total: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Slots {
    free: Vec<u32>,
    used: u32,
}

impl Scratch {
    /// An empty file for blocks of `block` bytes. It has no name, so that it goes with the process.
    pub(super) fn create(
        settings: &ArchiveSettings,
        number: usize,
        block: usize,
        health: &Arc<Health>,
        total: &Arc<AtomicU64>,
    ) -> Result<Self, ArchiveError> {
        let folder = settings.spill.get(number % settings.spill.len().max(1)).unwrap_or(&settings.run);
        let path = folder.join(format!("open-nodes-{number:03}"));
        let file = settings.medium.create(&path).at("create", &path)?;
        settings.medium.remove(&path).at("remove", &path)?;
        let slots = Mutex::default();
        Ok(Self { file, path, block, slots, health: Arc::clone(health), total: Arc::clone(total) })
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
                self.total.fetch_add(self.block as u64, Relaxed);
                slots.used - 1
            })
        };
        match self.file.write(block, self.at(slot)).at("write", &self.path) {
            Ok(()) => Some(slot),
            Err(error) => {
                self.health.fail(error);
                None
            }
        }
    }

    /// Reads a block; false when the disk fails, which the archive's health knows then.
    pub(crate) fn get(&self, slot: u32, block: &mut [u8]) -> bool {
        let read = self.file.read(block, self.at(slot)).at("read", &self.path);
        read.map_err(|error| self.health.fail(error)).is_ok()
    }

    /// The block is not needed any more.
    pub(crate) fn free(&self, slot: u32) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).free.push(slot);
    }
}
