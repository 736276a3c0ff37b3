//! A table of rows of one length, which are looked up by fingerprint.
//!
//! Unlike in a store, the caller decides which rows are equal, and may replace a row.

use super::index::Index;

/// The number of rows of a segment. Memory for rows is allocated segment by segment, so no row moves when the catalogue
/// grows.
const SEGMENT: usize = if cfg!(test) { 8 } else { 1 << 12 };

/// Rows of `ROW` bytes, numbered from 0 in the order in which they were added. There are at most 2^32 - 1 rows.
#[derive(Debug)]
pub struct Catalogue<const ROW: usize> {
    /// All segments but the last are full.
    segments: Vec<Vec<[u8; ROW]>>,
    len: u32,
    index: Index,
}

impl<const ROW: usize> Default for Catalogue<ROW> {
    fn default() -> Self {
        Self { segments: Vec::new(), len: 0, index: Index::new() }
    }
}

impl<const ROW: usize> Catalogue<ROW> {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether the catalogue has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row of a number, which must be less than [`Catalogue::len`].
    #[must_use]
    #[inline]
    pub fn row(&self, number: u32) -> &[u8; ROW] {
        let at = number as usize;
        &self.segments[at / SEGMENT][at % SEGMENT]
    }

    /// Iterates over all rows, in the order of their numbers.
    pub fn rows(&self) -> impl Iterator<Item = &[u8; ROW]> {
        self.segments.iter().flatten()
    }

    /// Replaces the row of a number, which must be less than [`Catalogue::len`].
    pub fn replace(&mut self, number: u32, row: &[u8; ROW]) {
        let at = number as usize;
        self.segments[at / SEGMENT][at % SEGMENT] = *row;
    }

    /// The number of a row with this fingerprint that `matches` accepts, if there is one. It gets rows in no particular
    /// order.
    #[must_use]
    pub fn find(&self, fingerprint: u32, mut matches: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut cursor = self.index.start(fingerprint);
        std::iter::from_fn(|| self.index.next(fingerprint, &mut cursor)).find(|&number| matches(number))
    }

    /// Adds a row under a fingerprint that other rows may have too.
    pub fn add(&mut self, fingerprint: u32, row: &[u8; ROW]) {
        let mut cursor = self.index.start(fingerprint);
        while self.index.next(fingerprint, &mut cursor).is_some() {}
        self.index.insert(fingerprint, cursor, self.len);
        match self.segments.last_mut().filter(|segment| segment.len() < SEGMENT) {
            Some(segment) => segment.push(*row),
            None => {
                let mut segment = Vec::with_capacity(SEGMENT);
                segment.push(*row);
                self.segments.push(segment);
            }
        }
        self.len += 1;
    }

    /// The number of bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.segments.len() * SEGMENT * ROW) as u64 + self.index.bytes()
    }
}
