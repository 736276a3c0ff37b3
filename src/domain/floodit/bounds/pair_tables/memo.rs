//! What a worker remembers of the states it has evaluated.
//!
//! Whoever expands a state has most often just evaluated it. So what is known of the distances of its targets is found
//! here, and what is known of its children's follows from it. A state that was forgotten is evaluated from nothing, with
//! the same result: what is asked for is a function of the state alone.

use super::super::distance::Distances;
use super::deadlines::CELLS;
use super::witness::Witnesses;
use crate::domain::Cost;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};

/// Bytes of a memory, about.
const BYTES: usize = 2 << 20;

/// What is known of one state.
#[derive(Clone, Debug)]
pub(super) struct Entry<const W: usize> {
    /// The flood; empty when there is none.
    pub(super) set: Bits<W>,
    /// Turns until all colours are finished, by the pairs.
    pub(super) turns: u8,
    /// The bound, others that are combined with this one included; 0 while it is not known.
    pub(super) h: Cost,
    /// The largest distance of each cell.
    pub(super) cells: [u8; CELLS],
}

/// Remembers states by their flood, each in one place.
#[derive(Clone, Debug)]
pub(in super::super) struct Memo<const W: usize> {
    /// Whose distances these are.
    owner: u64,
    entries: Vec<Entry<W>>,
    /// Of each state, the distance of each target.
    values: Vec<u8>,
    tables: usize,
    pub(super) witnesses: Witnesses,
    /// Of the state that was evaluated last.
    distances: Distances<W>,
    /// The plain distance of each region from there.
    plain: Vec<u8>,
}

impl<const W: usize> Default for Memo<W> {
    fn default() -> Self {
        Self {
            owner: u64::MAX,
            entries: Vec::new(),
            values: Vec::new(),
            tables: 0,
            witnesses: Witnesses::default(),
            distances: Distances::default(),
            plain: Vec::new(),
        }
    }
}

impl<const W: usize> Memo<W> {
    /// Forgets what belongs to others than `owner`, who has so many tables.
    #[inline]
    pub(super) fn belong_to(&mut self, owner: u64, tables: usize) {
        if self.owner != owner {
            let nothing = Entry { set: bits::empty(), turns: 0, h: 0, cells: [0; CELLS] };
            let entries = (BYTES / (size_of::<Entry<W>>() + tables) + 1).next_power_of_two().clamp(1 << 6, 1 << 14);
            *self = Self {
                owner,
                entries: vec![nothing; entries],
                values: vec![0; entries * tables],
                tables,
                ..Self::default()
            };
        }
    }

    /// The letters that lead a single walker to each region, as far as bytes tell them; and room for the distances of each target.
    #[inline(always)]
    pub(super) fn measure(
        &mut self,
        puzzle: &FloodIt<W>,
        state: &Flood<W>,
        place: usize,
    ) -> (&[u8], &mut Entry<W>, &mut [u8]) {
        self.plain.clear();
        self.plain.resize(puzzle.regions(), 0);
        let layers = self.distances.measure(puzzle, state).layers();
        for (layer, letters) in layers.iter().zip((1..=u8::MAX).chain(std::iter::repeat(u8::MAX))) {
            bits::for_each(layer, |region| self.plain[region] = letters);
        }
        let values = &mut self.values[place * self.tables..][..self.tables];
        (&self.plain, &mut self.entries[place], values)
    }

    /// The place of a flood, and whether it is the one that is remembered there.
    #[inline(always)]
    pub(super) fn find(&self, set: &Bits<W>) -> (usize, bool) {
        let mut hash = 0_u64;
        for &word in set {
            hash = (hash.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        let place = (hash >> 40) as usize & (self.entries.len() - 1);
        (place, self.entries[place].set == *set)
    }

    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> (&Entry<W>, &[u8]) {
        (&self.entries[place], &self.values[place * self.tables..][..self.tables])
    }

    /// The witnesses too, to learn from what is known of a state.
    pub(super) fn witnesses_and_entry(&mut self, place: usize) -> (&mut Witnesses, &Entry<W>, &[u8]) {
        let values = &self.values[place * self.tables..][..self.tables];
        (&mut self.witnesses, &self.entries[place], values)
    }

    #[inline(always)]
    pub(super) fn entry_mut(&mut self, place: usize) -> (&mut Entry<W>, &mut [u8]) {
        (&mut self.entries[place], &mut self.values[place * self.tables..][..self.tables])
    }

    /// Copies the distances of a state to another place.
    #[inline(always)]
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        let begin = from * self.tables;
        self.values.copy_within(begin..begin + self.tables, to * self.tables);
    }
}
