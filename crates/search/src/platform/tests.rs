//! Memory of both systems, which Miri looks at too.

use super::Pages;

/// The memory of a web page, which needs no page.
#[path = "web/pages.rs"]
mod of_page;

/// A record is written while other records are read, as the log of the store does it.
#[test]
fn shared_pages_are_written_through_their_pointer() {
    macro_rules! check {
        ($Pages:ty) => {
            let pages = <$Pages>::reserved(64);
            pages.commit(0, 64);
            // SAFETY: the pages have these bytes, and only others are written.
            let read = unsafe { std::slice::from_raw_parts(pages.as_ptr(), 8) };
            for at in 8..64_u8 {
                // SAFETY: the pages have this byte, and no reference to it exists.
                unsafe { pages.as_ptr().add(at.into()).write(at) };
            }
            assert_eq!(read, [0; 8]);
            // SAFETY: the pages have these bytes, and nobody writes them any more.
            let all = unsafe { std::slice::from_raw_parts(pages.as_ptr(), 64) };
            assert!(all[8..].iter().copied().eq(8..64));
        };
    }
    check!(Pages);
    check!(of_page::Pages);
}

#[test]
fn memory_of_a_web_page_grows_and_keeps_what_was_written() {
    let mut pages = of_page::Pages::zeroed(0);
    let mut len = 1;
    for larger in [8, 9, 100, 100, 3_000] {
        // SAFETY: the pages have `len` bytes.
        unsafe { pages.as_ptr().add(len - 1).write(7) };
        pages.grow(larger);
        pages.grow(len);
        // SAFETY: the pages have `larger` bytes.
        let (old, new) = unsafe { std::slice::from_raw_parts(pages.as_ptr(), larger) }.split_at(len);
        assert_eq!(old[len - 1], 7);
        assert!(new.iter().all(|&byte| byte == 0), "behind {len} of {larger} bytes");
        len = larger;
    }
    // SAFETY: no reference into the pages exists.
    unsafe { pages.discard(0, len) };
}
