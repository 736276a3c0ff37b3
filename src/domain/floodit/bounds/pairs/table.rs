//! Tables of target pairs: how far every pair of regions is from them.
//!
//! For targets `u` and `v` let `T[a][b]` be the length of the shortest word that leads two walkers from `a` and `b` to
//! `u` and `v`, in whatever order. It does not depend on the flood, because colours outside of it never change. So the
//! distance of the targets from a flood `F` is the least `T[a][b]` with `a` and `b` in `F`.
//!
//! A table is kept as bitsets: row `(k, a)` holds every `b` with `T[a][b] <= k`, for each `k` below the distance from
//! the start; no state that is searched is farther. One more row a level holds every `a` whose row is not empty. Rows are read all over, and that takes most of the time: they lie in
//! huge pages where the system has them.

use super::walk::{Relation, spread_back};
use crate::domain::floodit::FloodIt;
use crate::domain::floodit::bits::{self, Bits};
use crate::store::Pages;
use std::sync::Arc;

/// Two regions to be reached; the same one twice stands for a single walker.
pub(super) type Target = (u16, u16);

/// The table of one target.
#[derive(Clone, Debug)]
pub(super) struct Table<const W: usize> {
    pub(super) target: Target,
    /// Distance from the start.
    pub(super) top: u8,
    rows: Rows<W>,
}

/// Rows of a table, in pages that it shares with others.
#[derive(Clone, Debug)]
struct Rows<const W: usize> {
    /// Where the first begins, in pages that live as long as this.
    first: *const Bits<W>,
    _pages: Arc<Pages>,
    /// Rows of regions that a level has.
    regions: usize,
}

// SAFETY: nobody writes the rows any more; reading them is the same from every thread.
unsafe impl<const W: usize> Send for Rows<W> {}

// SAFETY: as above.
unsafe impl<const W: usize> Sync for Rows<W> {}

impl<const W: usize> Table<W> {
    /// The tables of targets, each with its distance from the start. `None` when there is no time for them.
    pub(super) fn build(puzzle: &FloodIt<W>, targets: &[(Target, u8)], leaves: &dyn Fn() -> bool) -> Option<Vec<Self>> {
        let regions = puzzle.regions();
        let rows: usize = targets.iter().map(|&(_, top)| usize::from(top) * (regions + 1)).sum();
        let mut pages = Pages::zeroed(rows * size_of::<Bits<W>>());
        // SAFETY: the pages hold so many rows, zeroed, aligned to a page, and nobody else has them yet.
        let mut rest = unsafe { std::slice::from_raw_parts_mut(pages.as_mut_ptr().cast::<Bits<W>>(), rows) };
        for &(target, top) in targets {
            if leaves() {
                return None;
            }
            let (own, others) = rest.split_at_mut(usize::from(top) * (regions + 1));
            fill(puzzle, target, own);
            rest = others;
        }
        let pages = Arc::new(pages);
        let mut first = pages.as_ptr().cast::<Bits<W>>();
        let table = |&(target, top): &(Target, u8)| {
            let rows = Rows { first, _pages: pages.clone(), regions };
            first = first.wrapping_add(usize::from(top) * (regions + 1));
            Self { target, top, rows }
        };
        Some(targets.iter().map(table).collect())
    }

    /// Bytes of the rows of a target at that distance from the start.
    pub(super) fn bytes(puzzle: &FloodIt<W>, top: u8) -> u64 {
        (usize::from(top) * (puzzle.regions() + 1) * size_of::<Bits<W>>()) as u64
    }

    /// The regions `b` with `T[a][b] <= k`; `k` is below the table's top.
    #[inline(always)]
    pub(super) fn row(&self, k: u8, a: usize) -> &Bits<W> {
        // Beyond that lie the rows of others, or none: better no answer than theirs.
        assert!(k < self.top && a <= self.rows.regions);
        // SAFETY: the pages hold `top` times `regions + 1` rows from `first` on, written and never changed again.
        unsafe { &*self.rows.first.add(usize::from(k) * (self.rows.regions + 1) + a) }
    }

    /// The regions whose row of level `k` is not empty.
    #[inline(always)]
    pub(super) fn rows(&self, k: u8) -> &Bits<W> {
        self.row(k, self.rows.regions)
    }
}

/// Writes the rows of a target by rising level.
fn fill<const W: usize>(puzzle: &FloodIt<W>, (u, v): Target, rows: &mut [Bits<W>]) {
    let mut relation = Relation::new(puzzle.regions(), (u.into(), v.into()));
    for level in rows.chunks_exact_mut(puzzle.regions() + 1) {
        debug_assert!(!bits::contains(&relation.reached[puzzle.start], puzzle.start));
        if let Some((filled, of_level)) = level.split_last_mut() {
            of_level.copy_from_slice(&relation.reached);
            for (a, _) in of_level.iter().enumerate().filter(|(_, row)| !bits::is_empty(row)) {
                bits::set(filled, a);
            }
        }
        spread_back(puzzle, &mut relation);
    }
}
