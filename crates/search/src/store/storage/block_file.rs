//! Blocks of one size in a temporary file, for open nodes that memory has no room for.

use super::error_latch::ErrorLatch;
use super::temp_file::TempFile;
use crate::sync::lock;
use std::sync::{Arc, Mutex};

/// Blocks of one size in a temporary file.
#[derive(Debug)]
pub struct BlockFile {
    file: TempFile,
    block_bytes: usize,
    slots: Mutex<Slots>,
    errors: Arc<ErrorLatch>,
}

#[derive(Debug, Default)]
struct Slots {
    free: Vec<u32>,
    allocated: u32,
}

impl BlockFile {
    /// Takes an empty file for blocks of `block_bytes` bytes.
    pub(crate) fn new(file: TempFile, block_bytes: usize, errors: &Arc<ErrorLatch>) -> Self {
        Self { file, block_bytes, slots: Mutex::default(), errors: Arc::clone(errors) }
    }

    fn offset(&self, slot: u32) -> u64 {
        u64::from(slot) * self.block_bytes as u64
    }

    /// Writes a block and returns its slot. `None` when writing fails; the error is reported to the error latch.
    pub(crate) fn put(&self, block: &[u8]) -> Option<u32> {
        debug_assert_eq!(block.len(), self.block_bytes);
        let slot = {
            let mut slots = lock(&self.slots);
            slots.free.pop().unwrap_or_else(|| {
                slots.allocated += 1;
                slots.allocated - 1
            })
        };
        self.file.write(block, self.offset(slot)).map_err(|error| self.errors.fail(error)).ok().map(|()| slot)
    }

    /// Reads a block. Returns false when reading fails; the error is reported to the error latch.
    pub(crate) fn get(&self, slot: u32, block: &mut [u8]) -> bool {
        self.file.read(block, self.offset(slot)).map_err(|error| self.errors.fail(error)).is_ok()
    }

    /// Frees the slot of a block that is not needed any more.
    pub(crate) fn free(&self, slot: u32) {
        lock(&self.slots).free.push(slot);
    }
}
