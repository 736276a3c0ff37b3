//! The states that a worker has evaluated.
//!
//! A worker that expands a state has most often just evaluated it. So the values of the targets are found here, and the
//! bounds of the children follow from them. A state that was forgotten is evaluated from nothing, with the same bound,
//! because the bound is a function of the state alone.

use super::super::distance::Distances;
use super::deadlines::{CELLS, SlotSet};
use super::witness::Witnesses;
use crate::domain::Cost;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};

/// Bytes of the memory of one worker: at least so many, and less than twice as many, for tables of usual numbers.
const BYTES: usize = 2 << 20;

/// One remembered state.
#[derive(Clone, Debug)]
pub(super) struct Entry<const W: usize> {
    /// The flood; empty when there is none.
    pub(super) set: Bits<W>,
    /// The slots that are not finished.
    pub(super) unfinished: SlotSet,
    /// Turns until all colours are finished, by the pairs.
    pub(super) turns: u8,
    /// The greatest of `turns` and of all bounds that are combined with it; 0 while it is not known.
    pub(super) h: Cost,
    /// The greatest distance of each cell.
    pub(super) cells: [u8; CELLS],
}

/// Evaluated states, each at the one place that its flood determines.
#[derive(Clone, Debug)]
pub(in super::super) struct Memo<const W: usize> {
    /// The number of the tables whose values these are.
    owner: u64,
    entries: Vec<Entry<W>>,
    /// An upper limit for the distance of each target, state by state. It is the distance itself for the targets that
    /// attain the greatest value of their cell. (A cell is a set of one or two colours; see `deadlines`.)
    values: Vec<u8>,
    tables: usize,
    pub(super) witnesses: Witnesses,
    /// The plain distances from the state that was evaluated last.
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
    /// Forgets all states if their values belong to other tables than those of `owner`, which are `tables` many.
    #[inline]
    pub(super) fn belong_to(&mut self, owner: u64, tables: usize) {
        if self.owner != owner {
            let nothing = Entry { set: bits::empty(), unfinished: 0, turns: 0, h: 0, cells: [0; CELLS] };
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

    /// The plain distance of each region from `state`, at most 255; and the entry and the values at `place`, to be
    /// filled.
    #[inline(always)]
    pub(super) fn plain_and_entry(
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

    /// The place of a flood, and whether this flood is remembered there.
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

    /// The witnesses, and the entry of a state from which they can learn.
    pub(super) fn witnesses_and_entry(&mut self, place: usize) -> (&mut Witnesses, &Entry<W>, &[u8]) {
        let values = &self.values[place * self.tables..][..self.tables];
        (&mut self.witnesses, &self.entries[place], values)
    }

    #[inline(always)]
    pub(super) fn entry_mut(&mut self, place: usize) -> (&mut Entry<W>, &mut [u8]) {
        (&mut self.entries[place], &mut self.values[place * self.tables..][..self.tables])
    }

    /// The cells and the values of a parent, and the entry and the values of its child, at another place.
    #[inline(always)]
    pub(super) fn parent_and_child(
        &mut self,
        parent: usize,
        child: usize,
    ) -> ([u8; CELLS], &[u8], &mut Entry<W>, &mut [u8]) {
        let ranges = [parent, child].map(|place| place * self.tables..(place + 1) * self.tables);
        let [before, values] = self.values.get_disjoint_mut(ranges).expect("two places");
        (self.entries[parent].cells, before, &mut self.entries[child], values)
    }
}
