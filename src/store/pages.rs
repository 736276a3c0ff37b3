//! Zeroed memory straight from the system: large, in huge pages where that helps, and able to grow without being
//! copied.
//!
//! The store's tables are touched at random all over. In huge pages they miss the processor's address cache less often,
//! and filling them faults five hundred times less often. Pages that were never touched cost address space only.

use memmap2::{MmapMut, MmapOptions};
use std::alloc::{Layout, handle_alloc_error};

/// From this size on, half-filled huge pages at the end are a small part of the whole.
const HUGE: usize = 8 << 20;

/// A private mapping, zero where it was never written.
#[derive(Debug)]
pub(crate) struct Pages(MmapMut);

impl Pages {
    /// `bytes` zeros, at least one. Ends the process when the system refuses, as every allocation does.
    pub(crate) fn zeroed(bytes: usize) -> Self {
        // Without a reservation: a log maps twice what it holds, and what is never touched must not count.
        let map = MmapOptions::new().len(bytes.max(1)).no_reserve_swap().map_anon();
        let pages = Self(map.unwrap_or_else(|_| refused(bytes)));
        pages.advise();
        pages
    }

    /// Room for `bytes` zeros or more in place of the old room; what was written stays, at another address.
    pub(super) fn grow(&mut self, bytes: usize) {
        if bytes <= self.0.len() {
            return;
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // SAFETY: nobody holds an address inside, `self` being borrowed mutably; an anonymous mapping grows by
            // zeros.
            let grown = unsafe { self.0.remap(bytes, memmap2::RemapOptions::new().may_move(true)) };
            grown.unwrap_or_else(|_| refused(bytes));
            self.advise();
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        {
            let mut larger = Self::zeroed(bytes);
            larger.0[..self.0.len()].copy_from_slice(&self.0);
            *self = larger;
        }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Gives memory back; it is zero again.
    ///
    /// # Safety
    /// Nobody holds a reference into it.
    pub(super) unsafe fn discard(&self, at: usize, len: usize) {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // SAFETY: nobody sees the bytes change (contract).
            // Whatever the system says, the bytes are not needed any more.
            let _ = unsafe { self.0.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, at, len) };
            // Otherwise the system fills the holes again to make huge pages of what is left.
            let _ = self.0.advise_range(memmap2::Advice::NoHugePage, at, len);
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        let _ = (at, len);
    }

    fn advise(&self) {
        #[cfg(target_os = "linux")]
        if self.0.len() >= HUGE {
            // Only faster: a system without huge pages may refuse.
            let _ = self.0.advise(memmap2::Advice::HugePage);
        }
    }
}

#[cold]
fn refused(bytes: usize) -> ! {
    handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(pages: &Pages, len: usize) -> &[u8] {
        // SAFETY: the pages hold `len` bytes, zeroed or written, and are borrowed.
        unsafe { std::slice::from_raw_parts(pages.as_ptr(), len) }
    }

    #[test]
    fn what_was_written_stays_and_what_was_not_is_zero() {
        let mut pages = Pages::zeroed(1_000);
        // Into the small, across the line above which pages are huge, and beyond.
        let sizes: &[usize] = if cfg!(miri) { &[5_000, 9_000] } else { &[5_000, HUGE - 1, HUGE + 1, 3 * HUGE] };
        let mut len = 1_000;
        for &larger in sizes {
            // SAFETY: the pages hold `len` bytes.
            unsafe { pages.as_mut_ptr().add(len - 1).write(7) };
            pages.grow(larger);
            pages.grow(len);
            let (old, new) = bytes(&pages, larger).split_at(len);
            assert_eq!(old[len - 1], 7);
            assert!(new.iter().all(|&byte| byte == 0), "behind {len} of {larger} bytes");
            len = larger;
        }
    }
}
