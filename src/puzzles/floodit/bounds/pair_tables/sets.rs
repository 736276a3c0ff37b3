//! The sets of regions of many tables, side by side in huge pages where the system has them, because reads are
//! scattered.

use crate::puzzles::floodit::bits::Bits;
use gridhunt_search::platform::Pages;
use std::sync::Arc;

/// The sets of one table, in pages that many tables share.
#[derive(Clone, Debug)]
pub(super) struct Sets<const W: usize> {
    /// The first set, in pages that live as long as this object.
    first: *const Bits<W>,
    len: usize,
    _pages: Arc<Pages>,
}

// SAFETY: the sets are never written again, and reading them is the same from every thread.
unsafe impl<const W: usize> Send for Sets<W> {}

// SAFETY: as above.
unsafe impl<const W: usize> Sync for Sets<W> {}

impl<const W: usize> Sets<W> {
    /// Copies the sets of many tables, one table behind the other.
    pub(super) fn pack(all: &[&[Bits<W>]]) -> Vec<Self> {
        let total: usize = all.iter().map(|sets| sets.len()).sum();
        let pages = Pages::zeroed(total * size_of::<Bits<W>>());
        // SAFETY: the pages hold `total` sets, zeroed and aligned to a page, and no other reference to them exists yet.
        let mut rest = unsafe { std::slice::from_raw_parts_mut(pages.as_ptr().cast::<Bits<W>>(), total) };
        for sets in all {
            let (own, others) = rest.split_at_mut(sets.len());
            own.copy_from_slice(sets);
            rest = others;
        }
        let pages = Arc::new(pages);
        let mut first = pages.as_ptr().cast::<Bits<W>>().cast_const();
        let packed = |sets: &&[Bits<W>]| {
            let packed = Self { first, len: sets.len(), _pages: Arc::clone(&pages) };
            first = first.wrapping_add(sets.len());
            packed
        };
        all.iter().map(packed).collect()
    }
}

impl<const W: usize> std::ops::Deref for Sets<W> {
    type Target = [Bits<W>];

    #[inline(always)]
    fn deref(&self) -> &[Bits<W>] {
        // SAFETY: the pages hold `len` sets from `first` on, written before and never changed again, and live as long
        // as this object.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}
