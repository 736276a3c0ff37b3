//! The read-only data that all threads share while programs of one size are tried.

use super::prefix::{Prefix, distinct};
use crate::bank::{Fragments, Id};
use gridhunt_search::engine::Workers;
use gridhunt_search::runtime::{Monitor, Stopped};
use std::ops::{Range, RangeInclusive};

/// The data of one size.
pub(super) struct SizeContext<'a, 'm> {
    pub(super) fragments: &'a Fragments<'m>,
    pub(super) monitor: &'a Monitor<'a>,
    /// Tokens of the programs.
    pub(super) tokens: usize,
    /// The highest level that is used.
    pub(super) depth: usize,
    /// Prefixes by their tokens.
    pub(super) prefixes: Vec<Vec<Prefix>>,
}

impl<'a, 'm> SizeContext<'a, 'm> {
    /// A context without prefixes. Levels up to `depth` must be complete, and `tokens` larger than `depth`.
    pub(super) fn new(fragments: &'a Fragments<'m>, monitor: &'a Monitor<'a>, tokens: usize, depth: usize) -> Self {
        Self { fragments, monitor, tokens, depth, prefixes: Vec::new() }
    }

    /// Tokens of the longest body.
    pub(super) fn longest(&self) -> usize {
        self.tokens - 1
    }

    /// Tokens that the longest body has beyond the highest level.
    pub(super) fn beyond(&self) -> usize {
        self.longest() - self.depth
    }

    /// The most goals that a prefix of `size` tokens may leave: as many as the remaining tokens can mark, and one more
    /// for an instruction behind them. A prefix that leaves more begins no program of this size or of one token more.
    pub(super) fn most_missing(&self, size: usize) -> u32 {
        self.fragments.most_marks(self.tokens - size).saturating_add(1)
    }

    /// Adds the prefixes that are fragments of a level.
    pub(super) fn add_prefixes(&mut self, size: usize, workers: &Workers<'_>) -> Result<(), Stopped> {
        /// Fragments that a thread takes at a time.
        const CHUNK: usize = 256;
        let (fragments, most) = (self.fragments, self.most_missing(size));
        let empty = Prefix::empty(fragments);
        let of_chunk = |(): &mut (), ids: &Range<Id>| -> Vec<Prefix> {
            ids.clone().filter_map(|id| empty.then(fragments, id, most)).collect()
        };
        let chunks: Vec<Range<Id>> = chunks_of_levels(fragments, size..=size, CHUNK).collect();
        let prefixes = workers.map(&chunks, 1, || (), of_chunk)?;
        self.prefixes.push(distinct(fragments.codes, prefixes.into_iter().flatten().collect()));
        Ok(())
    }

    /// Adds the prefixes of a size above the highest level: `with_loops`, which end with a loop that the bank does not
    /// have, and shorter prefixes with an atom behind them.
    pub(super) fn add_longer_prefixes(&mut self, size: usize, with_loops: Vec<Prefix>) {
        let most = self.most_missing(size);
        let mut prefixes = with_loops;
        for of_atom in 1..=self.depth {
            for atom in self.fragments.atoms(of_atom) {
                let shorter = self.prefixes[size - of_atom].iter();
                prefixes.extend(shorter.filter_map(|prefix| prefix.then(self.fragments, atom, most)));
            }
        }
        self.prefixes.push(distinct(self.fragments.codes, prefixes));
    }
}

/// The fragments of some levels, in chunks of at most `most`, each from one level.
pub(super) fn chunks_of_levels(
    fragments: &Fragments<'_>,
    levels: RangeInclusive<usize>,
    most: usize,
) -> impl Iterator<Item = Range<Id>> {
    let of_level = move |Range { start, end }: Range<Id>| {
        (start..end).step_by(most).map(move |first| first..end.min(first + most as Id))
    };
    levels.flat_map(move |level| of_level(fragments.level(level)))
}
