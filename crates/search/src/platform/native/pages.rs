//! Zeroed memory mapped directly from the system. It uses huge pages when it is large, and grows without a copy.
//!
//! The tables of the store are accessed at random. Huge pages mean fewer misses of the processor's TLB, and one page
//! fault where small pages take 512. Pages that were never written take address space but no memory.

use memmap2::{MmapOptions, MmapRaw};
use std::alloc::{Layout, handle_alloc_error};

/// The smallest mapping in huge pages: the waste of a partly filled huge page at the end is small compared with it.
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
        let pages = Self(options.map_anon().unwrap_or_else(|_| refused(bytes)).into());
        pages.advise();
        pages
    }

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
            let grown = unsafe { self.0.remap(bytes, memmap2::RemapOptions::new().may_move(true)) };
            grown.unwrap_or_else(|_| refused(bytes));
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
    /// around it stays: a page that reaches beyond the range keeps its memory.
    ///
    /// # Safety
    /// No reference into the range exists.
    pub unsafe fn discard(&self, at: usize, len: usize) {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // The system itself rounds outwards, and would clear what lies around the range.
            let pages = whole_pages(at..at + len, rustix::param::page_size());
            if pages.is_empty() {
                return;
            }
            // SAFETY: the mapping begins at a page, so these pages lie in the range. No reference sees their bytes
            // change (contract). An error is harmless: the memory is then merely kept.
            let _ =
                unsafe { self.0.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, pages.start, pages.len()) };
            // Otherwise the kernel would fill the hole again, to make huge pages of what is left.
            let _ = self.0.advise_range(memmap2::Advice::NoHugePage, pages.start, pages.len());
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
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

/// The bytes of the whole pages in a range that is counted from the beginning of a page.
#[cfg(any(test, all(target_os = "linux", not(miri))))]
fn whole_pages(range: std::ops::Range<usize>, page: usize) -> std::ops::Range<usize> {
    range.start.next_multiple_of(page)..range.end / page * page
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
        // Sizes below, around and above the limit for huge pages.
        let sizes: &[usize] = if cfg!(miri) { &[5_000, 9_000] } else { &[5_000, HUGE - 1, HUGE + 1, 3 * HUGE] };
        let mut len = 1_000;
        for &larger in sizes {
            // SAFETY: the pages hold `len` bytes.
            unsafe { pages.as_ptr().add(len - 1).write(7) };
            pages.grow(larger);
            pages.grow(len);
            let (old, new) = bytes(&pages, larger).split_at(len);
            assert_eq!(old[len - 1], 7);
            assert!(new.iter().all(|&byte| byte == 0), "behind {len} of {larger} bytes");
            len = larger;
        }
    }

    /// Segments of a log have 4,096 records of any length: multiples of 4 KiB, but not of larger pages.
    #[test]
    fn only_whole_pages_are_given_back() {
        for page in [4 << 10, 16 << 10, 64 << 10] {
            for segment in [9, 17, 24, 33].map(|stride| 4_096 * stride) {
                for at in (0..20).map(|number| number * segment) {
                    let (pages, end) = (whole_pages(at..at + segment, page), at + segment);
                    assert!(pages.start.is_multiple_of(page) && pages.end.is_multiple_of(page));
                    assert!(pages.start >= at && pages.end <= end, "records of another segment are lost");
                    assert!(pages.start < at + page && end < pages.end + page, "a page is kept that need not be");
                }
            }
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn what_lies_around_a_discarded_range_stays() {
        let page = rustix::param::page_size();
        let pages = Pages::zeroed(8 * page);
        for (at, len) in [(page + 1, 4 * page), (2 * page - 1, 3 * page + 2), (3 * page, 2 * page), (5, page), (9, 0)] {
            // SAFETY: the pages have these bytes.
            unsafe { pages.as_ptr().write_bytes(7, 8 * page) };
            // SAFETY: no reference into the pages exists.
            unsafe { pages.discard(at, len) };
            let bytes = bytes(&pages, 8 * page);
            let (before, rest) = bytes.split_at(at);
            let (inside, behind) = rest.split_at(len);
            assert!(before.iter().chain(behind).all(|&byte| byte == 7), "{len} bytes at {at}");
            let given_back = inside.iter().filter(|&&byte| byte == 0).count();
            assert_eq!(given_back, whole_pages(at..at + len, page).len());
        }
    }
}
