//! Zeroed memory mapped directly from the system. Large mappings use huge pages. Mappings grow without a copy.
//!
//! The tables of the store are accessed at random. Huge pages cause fewer TLB misses, and one page fault instead of
//! 512. Pages that were never written take address space but no memory.

use super::super::pages::out_of_memory;
use crate::platform::on_failed_allocation;
use memmap2::{MmapOptions, MmapRaw};
use std::io;

/// The smallest mapping that uses huge pages. A smaller one would waste too much of its last huge page.
#[cfg(target_os = "linux")]
const MIN_HUGE_BYTES: usize = 8 << 20;

/// A private anonymous mapping: zero where it was never written. No reference to its bytes is kept, so they may be
/// written through its pointer.
#[derive(Debug)]
pub struct Pages(MmapRaw);

impl Pages {
    /// Maps `bytes` zero bytes, at least one. Ends the process when the system has no memory, as every allocation does.
    pub fn zeroed(bytes: usize) -> Self {
        let mut options = MmapOptions::new();
        options.len(bytes.max(1));
        // No swap is reserved: a log maps twice the memory that it uses, and the unused half must not count.
        #[cfg(not(miri))]
        options.no_reserve_swap();
        let pages = Self(map_with_retry(bytes, || options.map_anon()).into());
        pages.advise_huge_pages();
        pages
    }

    /// The same as [`Pages::zeroed`]: pages take memory when they are first written.
    pub fn reserved(bytes: usize) -> Self {
        Self::zeroed(bytes)
    }

    /// Does nothing: reserved memory is usable already.
    pub fn commit(&self, _offset: usize, _len: usize) {}

    /// Grows the mapping to at least `bytes` bytes. The content stays, and the address may change; new bytes are zero.
    /// Ends the process when the system has no memory.
    pub fn grow(&mut self, bytes: usize) {
        if bytes <= self.0.len() {
            return;
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // SAFETY: `self` is borrowed mutably, so no reference into the mapping exists; an anonymous mapping grows
            // by zero bytes.
            map_with_retry(bytes, || unsafe { self.0.remap(bytes, memmap2::RemapOptions::new().may_move(true)) });
            self.advise_huge_pages();
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        {
            let larger = Self::zeroed(bytes);
            // SAFETY: both mappings have these bytes, and no reference into them exists.
            unsafe { larger.as_ptr().copy_from_nonoverlapping(self.as_ptr(), self.0.len()) };
            *self = larger;
        }
    }

    /// The first byte. Through this pointer the bytes may be read and written, also while `self` is shared.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Returns the memory of the whole pages in a range to the system. The content of the range is lost. The content
    /// around it stays: a page that reaches beyond the range keeps its memory. The range must not be read or written
    /// until it is committed again.
    ///
    /// # Safety
    /// No reference into the range exists, and nobody reads or writes it until it is committed again.
    pub unsafe fn discard(&self, offset: usize, len: usize) {
        #[cfg(all(any(target_os = "linux", target_os = "macos"), not(miri)))]
        {
            #[cfg(target_os = "linux")]
            const DISCARD: memmap2::UncheckedAdvice = memmap2::UncheckedAdvice::DontNeed;
            #[cfg(target_os = "macos")]
            const DISCARD: memmap2::UncheckedAdvice = memmap2::UncheckedAdvice::FreeReusable;
            // The system would round outwards and clear bytes around the range.
            let pages = super::super::pages::whole_pages(offset..offset + len, rustix::param::page_size());
            if pages.is_empty() {
                return;
            }
            // SAFETY: the mapping begins at a page, so these pages lie in the range. No reference sees their bytes
            // change (contract). An error is harmless: the memory is then merely kept.
            let _ = unsafe { self.0.unchecked_advise_range(DISCARD, pages.start, pages.len()) };
            // Otherwise the kernel would allocate the range again to form huge pages.
            #[cfg(target_os = "linux")]
            let _ = self.0.advise_range(memmap2::Advice::NoHugePage, pages.start, pages.len());
        }
        #[cfg(not(all(any(target_os = "linux", target_os = "macos"), not(miri))))]
        let _ = (offset, len);
    }

    fn advise_huge_pages(&self) {
        #[cfg(target_os = "linux")]
        if self.0.len() >= MIN_HUGE_BYTES {
            // An error is harmless: without huge pages the memory is only slower.
            let _ = self.0.advise(memmap2::Advice::HugePage);
        }
    }
}

/// Calls `map`. If it fails, releases the reserve and calls `map` once more. Ends the process if both calls fail.
fn map_with_retry<T>(bytes: usize, mut map: impl FnMut() -> io::Result<T>) -> T {
    let mut mapping = map();
    if mapping.is_err() {
        on_failed_allocation();
        mapping = map();
    }
    mapping.unwrap_or_else(|_| out_of_memory(bytes))
}
