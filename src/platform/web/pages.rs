//! Zeroed memory from the allocator.

/// An allocation that is zero where it was never written.
#[derive(Debug)]
pub(crate) struct Pages(Box<[u64]>);

impl Pages {
    /// Allocates `bytes` zero bytes, at least one. Ends the module when there is no memory, as every allocation does.
    pub(crate) fn zeroed(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(8).max(1)].into())
    }

    /// Grows the allocation to at least `bytes` bytes. The content stays, and the address may change; new bytes are
    /// zero. Ends the module when there is no memory.
    pub(crate) fn grow(&mut self, bytes: usize) {
        if bytes > self.0.len() * 8 {
            let mut larger = std::mem::take(&mut self.0).into_vec();
            larger.resize(bytes.div_ceil(8), 0);
            self.0 = larger.into();
        }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }

    /// Does nothing: a module never gives memory back.
    ///
    /// # Safety
    /// As on an operating system: no reference into the range exists.
    pub(crate) unsafe fn discard(&self, _: usize, _: usize) {}
}
