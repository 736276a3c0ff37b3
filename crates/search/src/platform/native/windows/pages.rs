//! Zeroed memory on Windows. Windows provides memory for every committed page, used or not. So [`Pages::reserved`]
//! commits no pages, [`Pages::commit`] commits them before their first use, and [`Pages::discard`] decommits them.

use super::super::pages::{out_of_memory, whole_pages};
use std::ptr::{NonNull, null};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_DECOMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_NOACCESS, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};

/// Private memory: zero where it was never written. No reference to its bytes is kept, so they may be written through
/// its pointer.
#[derive(Debug)]
pub struct Pages {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory belongs to this value alone, and every thread may read and write it.
unsafe impl Send for Pages {}
// SAFETY: as above. Only unsafe code accesses the bytes, through a raw pointer.
unsafe impl Sync for Pages {}

impl Pages {
    /// Allocates `bytes` zero bytes, at least one. Ends the process when the system has no memory, as every allocation
    /// does.
    pub fn zeroed(bytes: usize) -> Self {
        Self::new(bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)
    }

    /// Reserves address space for `bytes` bytes, at least one. After [`Pages::commit`] they are usable and zero. Ends
    /// the process when the system has no room.
    pub fn reserved(bytes: usize) -> Self {
        Self::new(bytes, MEM_RESERVE, PAGE_NOACCESS)
    }

    fn new(bytes: usize, kind: u32, access: u32) -> Self {
        let len = bytes.max(1);
        // SAFETY: the system chooses the address.
        let base = unsafe { VirtualAlloc(null(), len, kind, access) };
        Self { base: NonNull::new(base.cast()).unwrap_or_else(|| out_of_memory(bytes)), len }
    }

    /// Makes a range of reserved memory usable. Its content stays. Ends the process when the system has no
    /// memory.
    pub fn commit(&self, offset: usize, len: usize) {
        let end = offset.saturating_add(len).min(self.len);
        if offset < end {
            // SAFETY: the range lies in the memory of this value. Pages that are committed already stay as they are.
            let committed =
                unsafe { VirtualAlloc(self.as_ptr().add(offset).cast(), end - offset, MEM_COMMIT, PAGE_READWRITE) };
            if committed.is_null() {
                out_of_memory(len);
            }
        }
    }

    /// Grows the memory to at least `bytes` bytes, all of them usable. The content stays, and the address may change;
    /// new bytes are zero. Ends the process when the system has no memory.
    pub fn grow(&mut self, bytes: usize) {
        if bytes > self.len {
            self.commit(0, self.len);
            let larger = Self::zeroed(bytes);
            // SAFETY: both have these bytes, and no reference into them exists.
            unsafe { larger.as_ptr().copy_from_nonoverlapping(self.as_ptr(), self.len) };
            *self = larger;
        }
    }

    /// The first byte. Through this pointer the bytes may be read and written, also while `self` is shared.
    pub fn as_ptr(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Returns the memory of the whole pages in a range to the system. The content of the range is lost, and must not
    /// be read or written until it is committed again. The content around it stays.
    ///
    /// # Safety
    /// No reference into the range exists, and nobody reads or writes it until it is committed again.
    pub unsafe fn discard(&self, offset: usize, len: usize) {
        let pages = whole_pages(offset..offset.saturating_add(len).min(self.len), page_size());
        if !pages.is_empty() {
            // SAFETY: the memory begins at a page, so these pages lie in the range, and nobody uses them (contract). An
            // error is harmless: the memory is then merely kept.
            let _ = unsafe { VirtualFree(self.as_ptr().add(pages.start).cast(), pages.len(), MEM_DECOMMIT) };
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the whole memory was reserved by one call, and nobody can use it any more.
        let _ = unsafe { VirtualFree(self.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}

/// The bytes of a page.
pub fn page_size() -> usize {
    let mut info = SYSTEM_INFO::default();
    // SAFETY: the function fills the structure, and cannot fail.
    unsafe { GetSystemInfo(&raw mut info) };
    info.dwPageSize as usize
}
