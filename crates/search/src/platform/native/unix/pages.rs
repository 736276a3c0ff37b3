//! Zeroed memory mapped directly from the system. It uses huge pages when it is large, and grows without a copy.
//!
//! The tables of the store are accessed at random. Huge pages mean fewer misses of the processor's TLB, and one page
//! fault where small pages take 512. Pages that were never written take address space but no memory.

use crate::platform::on_failed_allocation;
use memmap2::{MmapOptions, MmapRaw};
use std::alloc::{Layout, handle_alloc_error};
use std::io;

#[cfg(target_os = "linux")]
/// The smallest mapping that uses huge pages. Compared with it, the waste of a partly filled huge page at the end is
/// small.
const HUGE: usize = 8 << 20;

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
        let pages = Self(asked_twice(bytes, || options.map_anon()).into());
        pages.advise();
        pages
    }

    /// Reserves room for `bytes` bytes, as [`Pages::zeroed`] does: pages take memory when they are first written.
    pub fn reserved(bytes: usize) -> Self {
        Self::zeroed(bytes)
    }

    /// Does nothing: reserved memory is usable already.
    pub fn commit(&self, _at: usize, _len: usize) {}

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
            asked_twice(bytes, || unsafe { self.0.remap(bytes, memmap2::RemapOptions::new().may_move(true)) });
            self.advise();
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
    pub unsafe fn discard(&self, at: usize, len: usize) {
        #[cfg(all(any(target_os = "linux", target_os = "macos"), not(miri)))]
        {
            #[cfg(target_os = "linux")]
            const FREE: memmap2::UncheckedAdvice = memmap2::UncheckedAdvice::DontNeed;
            #[cfg(target_os = "macos")]
            const FREE: memmap2::UncheckedAdvice = memmap2::UncheckedAdvice::FreeReusable;
            // The system itself rounds outwards, and would clear what lies around the range.
            let pages = super::super::pages::whole_pages(at..at + len, rustix::param::page_size());
            if pages.is_empty() {
                return;
            }
            // SAFETY: the mapping begins at a page, so these pages lie in the range. No reference sees their bytes
            // change (contract). An error is harmless: the memory is then merely kept.
            let _ = unsafe { self.0.unchecked_advise_range(FREE, pages.start, pages.len()) };
            // Otherwise the kernel would fill the hole again, to make huge pages of what is left.
            #[cfg(target_os = "linux")]
            let _ = self.0.advise_range(memmap2::Advice::NoHugePage, pages.start, pages.len());
        }
        #[cfg(not(all(any(target_os = "linux", target_os = "macos"), not(miri))))]
        let _ = (at, len);
    }

    fn advise(&self) {
        #[cfg(target_os = "linux")]
        if self.0.len() >= HUGE {
            // An error is harmless: without huge pages the memory is only slower.
            let _ = self.0.advise(memmap2::Advice::HugePage);
        }
    }
}

/// Returns the memory that `ask` gets from the system. If it gets none, releases the reserve and asks once more.
fn asked_twice<T>(bytes: usize, mut ask: impl FnMut() -> io::Result<T>) -> T {
    let mut answer = ask();
    if answer.is_err() {
        on_failed_allocation();
        answer = ask();
    }
    answer.unwrap_or_else(|_| refused(bytes))
}

#[cold]
fn refused(bytes: usize) -> ! {
    handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()))
}
