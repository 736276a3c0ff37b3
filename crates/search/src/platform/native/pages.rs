//! For all systems: page arithmetic, and the end of the process when memory runs out.

use std::alloc::{Layout, handle_alloc_error};

/// The part of `range` that consists of whole pages of `page_size` bytes. `range` is relative to the beginning of a
/// page.
#[cfg_attr(all(not(test), any(miri, not(any(target_os = "linux", target_os = "macos", windows)))), expect(dead_code))]
pub(super) fn whole_pages(range: std::ops::Range<usize>, page_size: usize) -> std::ops::Range<usize> {
    range.start.next_multiple_of(page_size)..range.end / page_size * page_size
}

/// Ends the process, because the system refused this many bytes.
#[cold]
pub(super) fn out_of_memory(bytes: usize) -> ! {
    handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::family::Pages;
    use super::*;

    fn bytes(pages: &Pages, len: usize) -> &[u8] {
        // SAFETY: the pages hold `len` bytes, zeroed or written, and are borrowed.
        unsafe { std::slice::from_raw_parts(pages.as_ptr(), len) }
    }

    #[test]
    fn what_was_written_stays_and_what_was_not_is_zero() {
        let mut pages = Pages::zeroed(1_000);
        // Sizes below, around and above the limit for huge pages.
        const HUGE: usize = 8 << 20;
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
    #[cfg(all(any(target_os = "linux", windows), not(miri)))]
    fn what_lies_around_a_discarded_range_stays() {
        let page = super::super::family::page_size();
        let pages = Pages::reserved(8 * page);
        assert!(page.is_power_of_two());
        for (at, len) in [(page + 1, 4 * page), (2 * page - 1, 3 * page + 2), (3 * page, 2 * page), (5, page), (9, 0)] {
            pages.commit(0, 8 * page);
            // SAFETY: the pages have these bytes, all of them usable.
            unsafe { pages.as_ptr().write_bytes(7, 8 * page) };
            // SAFETY: no reference into the pages exists.
            unsafe { pages.discard(at, len) };
            pages.commit(at, len);
            let bytes = bytes(&pages, 8 * page);
            let (before, rest) = bytes.split_at(at);
            let (inside, behind) = rest.split_at(len);
            assert!(before.iter().chain(behind).all(|&byte| byte == 7), "{len} bytes at {at}");
            let given_back = inside.iter().filter(|&&byte| byte == 0).count();
            assert_eq!(given_back, whole_pages(at..at + len, page).len());
        }
    }
}
