//! Rows of one length that are found again by fingerprints, of which the older ones may lie on disk.
//!
//! In the store a record is found by its key, and is never changed. Here somebody else decides what a row stands for and when two of them are
//! the same, and a row may be replaced. Many threads may read a catalogue while nobody changes it.
//!
//! What lies on disk is in files without names, and read when it is asked for. When the disk fails the [`Spill`] says so, and what was
//! read since may be anything.

use super::Spill;
use super::archive::{ArchiveError, Health, Nameless};
use super::tiers::Tiers;
use std::sync::Arc;

/// Rows that are made room for at once, and go to disk together.
const SEGMENT: usize = if cfg!(test) { 8 } else { 1 << 12 };

/// Rows of `ROW` bytes, numbered from 0 in the order in which they came: 2^32 - 1 at most.
#[derive(Debug)]
pub struct Catalogue<const ROW: usize> {
    rows: Rows<ROW>,
    index: Tiers,
}

impl<const ROW: usize> Default for Catalogue<ROW> {
    fn default() -> Self {
        Self { rows: Rows { cold: None, hot: Vec::new(), len: 0 }, index: Tiers::new() }
    }
}

impl<const ROW: usize> Catalogue<ROW> {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.rows.len as u32
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.len == 0
    }

    /// A row; zeros when it cannot be read.
    #[must_use]
    #[inline]
    pub fn row(&self, number: u32) -> [u8; ROW] {
        self.rows.get(number as usize)
    }

    /// The first rows, one after the other; zeros for all that are on disk when these cannot be read.
    #[must_use]
    pub fn first_rows(&self, many: u32) -> Vec<u8> {
        self.rows.first(many as usize)
    }

    /// Puts another row in the place of one.
    pub fn replace(&mut self, number: u32, row: &[u8; ROW]) {
        self.rows.set(number as usize, row);
    }

    /// The first row with a fingerprint, in no particular order, that is what is looked for.
    #[must_use]
    pub fn find(&self, fingerprint: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let (found, _) = self.index.find(fingerprint, &mut Vec::new(), |number| is_it(number).then_some(number));
        found
    }

    /// Adds a row, whatever others have its fingerprint.
    pub fn add(&mut self, fingerprint: u32, row: &[u8; ROW]) {
        let place = self.index.end(fingerprint);
        self.index.insert(fingerprint, place, self.rows.len as u32);
        self.rows.push(row);
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.rows.bytes() + self.index.bytes()
    }

    /// Sends what is in memory to disk, as far as it is worth it and there is room. Says whether memory was given back.
    pub fn put_away(&mut self, spill: &Spill) -> bool {
        let before = self.bytes();
        let sizes = self.index.sizes();
        if sizes.is_worth_writing() && spill.has_room(sizes.bytes_on_disk()) {
            let file = spill.create("index", 0);
            let put = file.and_then(|file| self.index.put_away(file, spill.health()));
            spill.note(put.map(|_| ()));
        }
        if spill.has_room(self.rows.bytes()) {
            let put = self.rows.put_away(spill);
            spill.note(put);
        }
        self.bytes() < before
    }
}

/// Rows; the first ones may be on disk.
#[derive(Debug)]
struct Rows<const ROW: usize> {
    cold: Option<Cold>,
    /// Segments of the others, all of which are full but the last.
    hot: Vec<Vec<[u8; ROW]>>,
    len: usize,
}

/// Rows on disk.
#[derive(Debug)]
struct Cold {
    file: Nameless,
    rows: usize,
    health: Arc<Health>,
}

impl<const ROW: usize> Rows<ROW> {
    /// How many are on disk.
    #[inline]
    fn cold(&self) -> usize {
        self.cold.as_ref().map_or(0, |cold| cold.rows)
    }

    #[inline]
    fn get(&self, number: usize) -> [u8; ROW] {
        match number.checked_sub(self.cold()) {
            Some(at) => self.hot[at / SEGMENT][at % SEGMENT],
            None => self.get_cold(number),
        }
    }

    #[cold]
    fn get_cold(&self, number: usize) -> [u8; ROW] {
        let mut row = [0; ROW];
        self.read(number, &mut row);
        row
    }

    /// Reads rows from disk, from this one on; fills with zeros when that fails.
    fn read(&self, first: usize, bytes: &mut [u8]) {
        let Some(cold) = &self.cold else { return };
        if let Err(error) = cold.file.read(bytes, (first * ROW) as u64) {
            bytes.fill(0);
            cold.health.fail(error);
        }
    }

    fn first(&self, many: usize) -> Vec<u8> {
        let many = many.min(self.len);
        let cold = many.min(self.cold());
        let mut bytes = vec![0; cold * ROW];
        self.read(0, &mut bytes);
        bytes.reserve_exact((many - cold) * ROW);
        self.hot.iter().flatten().take(many - cold).for_each(|row| bytes.extend_from_slice(row));
        bytes
    }

    fn set(&mut self, number: usize, row: &[u8; ROW]) {
        match (number.checked_sub(self.cold()), &self.cold) {
            (Some(at), _) => self.hot[at / SEGMENT][at % SEGMENT] = *row,
            (None, Some(cold)) => {
                if let Err(error) = cold.file.write(row, (number * ROW) as u64) {
                    cold.health.fail(error);
                }
            }
            (None, None) => {}
        }
    }

    fn push(&mut self, row: &[u8; ROW]) {
        match self.hot.last_mut().filter(|segment| segment.len() < SEGMENT) {
            Some(segment) => segment.push(*row),
            None => {
                let mut segment = Vec::with_capacity(SEGMENT);
                segment.push(*row);
                self.hot.push(segment);
            }
        }
        self.len += 1;
    }

    fn bytes(&self) -> u64 {
        (self.hot.len() * SEGMENT * ROW) as u64
    }

    /// Sends full segments to disk.
    ///
    /// # Errors
    /// Those of the disk; all rows are where they were then.
    fn put_away(&mut self, spill: &Spill) -> Result<(), ArchiveError> {
        let full = self.hot.iter().take_while(|segment| segment.len() == SEGMENT).count();
        if full == 0 {
            return Ok(());
        }
        let cold = match &mut self.cold {
            Some(cold) => cold,
            none => none.insert(Cold { file: spill.create("rows", 1)?, rows: 0, health: Arc::clone(spill.health()) }),
        };
        for (number, segment) in self.hot[..full].iter().enumerate() {
            cold.file.write(segment.as_flattened(), ((cold.rows + number * SEGMENT) * ROW) as u64)?;
        }
        cold.rows += full * SEGMENT;
        self.hot.drain(..full);
        Ok(())
    }
}
