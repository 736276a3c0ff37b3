//! Zeroed memory from the allocator.

use std::ptr::NonNull;

/// An allocation that is zero where it was never written.
#[derive(Debug)]
pub struct Pages(
    /// From [`Box::leak`]. No reference to the words is kept, so they may be written through this pointer.
    NonNull<[u64]>,
);

// SAFETY: the value owns the allocation. Only unsafe code accesses the bytes, through a raw pointer.
unsafe impl Send for Pages {}

// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// Allocates `bytes` zero bytes, at least one. Traps if there is no memory, like any WebAssembly allocation.
    pub fn zeroed(bytes: usize) -> Self {
        Self(leak(vec![0; bytes.div_ceil(8).max(1)]))
    }

    /// The same as [`Pages::zeroed`].
    pub fn reserved(bytes: usize) -> Self {
        Self::zeroed(bytes)
    }

    /// Does nothing: reserved memory is usable already.
    pub fn commit(&self, _offset: usize, _len: usize) {}

    /// Grows the allocation to at least `bytes` bytes. The content stays, and the address may change; new bytes are
    /// zero. Traps if there is no memory.
    pub fn grow(&mut self, bytes: usize) {
        if bytes > self.0.len() * 8 {
            let words = std::mem::replace(&mut self.0, leak(Vec::new()));
            // SAFETY: the words come from `leak`, and `self` has forgotten them.
            let mut words = unsafe { Box::from_raw(words.as_ptr()) }.into_vec();
            words.resize(bytes.div_ceil(8), 0);
            self.0 = leak(words);
        }
    }

    /// The first byte. Through this pointer the bytes may be read and written, also while `self` is shared.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.as_ptr().cast()
    }

    /// Does nothing: WebAssembly never gives memory back.
    ///
    /// # Safety
    /// As on an operating system: no reference into the range exists.
    pub unsafe fn discard(&self, _: usize, _: usize) {}
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the words come from `leak`, and nobody uses them after `self`.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

fn leak(words: Vec<u64>) -> NonNull<[u64]> {
    NonNull::from(Box::leak(words.into_boxed_slice()))
}
