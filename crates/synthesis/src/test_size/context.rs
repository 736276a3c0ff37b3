//! The data that all threads share during the test of one size.

use super::prefix::{Prefix, deduplicated};
use crate::bank::{Fragments, Id};
use gridhunt_search::engine::Workers;
use gridhunt_search::runtime::{Monitor, Stopped};
use std::ops::{Range, RangeInclusive};

/// The shared data of the test of one size.
pub(super) struct SizeContext<'a, 'm> {
    pub(super) fragments: &'a Fragments<'m>,
    pub(super) monitor: &'a Monitor<'a>,
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

    /// The number of tokens of the longest body.
    pub(super) fn max_body_tokens(&self) -> usize {
        self.tokens - 1
    }

    /// The number of tokens that the longest body has beyond the highest level.
    pub(super) fn extra_tokens(&self) -> usize {
        self.max_body_tokens() - self.depth
    }

    /// The largest number of goals that a prefix of `size` tokens may leave unmarked: the number that the remaining
    /// tokens can mark, plus one for an instruction after them. A prefix that leaves more goals begins no program of
    /// this size or of one more token.
    pub(super) fn max_missing(&self, size: usize) -> u32 {
        self.fragments.max_marks(self.tokens - size).saturating_add(1)
    }

    /// Adds the prefixes that are fragments of a level.
    pub(super) fn add_prefixes(&mut self, size: usize, workers: &Workers<'_>) -> Result<(), Stopped> {
        const CHUNK_LEN: usize = 256;
        let (fragments, max_missing) = (self.fragments, self.max_missing(size));
        let empty = Prefix::empty(fragments);
        let of_chunk = |(): &mut (), ids: &Range<Id>| -> Vec<Prefix> {
            ids.clone().filter_map(|id| empty.followed_by(fragments, id, max_missing)).collect()
        };
        let chunks: Vec<Range<Id>> = chunks_of_levels(fragments, size..=size, CHUNK_LEN).collect();
        let prefixes = workers.map(&chunks, 1, || (), of_chunk)?;
        self.prefixes.push(deduplicated(fragments.codes, prefixes.into_iter().flatten().collect()));
        Ok(())
    }

    /// Adds the prefixes of a size above the highest level: `with_loops`, which end with a loop that is not in the
    /// bank, and shorter prefixes followed by an atom.
    pub(super) fn add_longer_prefixes(&mut self, size: usize, with_loops: Vec<Prefix>) {
        let max_missing = self.max_missing(size);
        let mut prefixes = with_loops;
        for atom_size in 1..=self.depth {
            for atom in self.fragments.atoms(atom_size) {
                let shorter = self.prefixes[size - atom_size].iter();
                prefixes.extend(shorter.filter_map(|prefix| prefix.followed_by(self.fragments, atom, max_missing)));
            }
        }
        self.prefixes.push(deduplicated(self.fragments.codes, prefixes));
    }
}

/// The fragments of some levels, in chunks of at most `max_len`, each from one level.
pub(super) fn chunks_of_levels(
    fragments: &Fragments<'_>,
    levels: RangeInclusive<usize>,
    max_len: usize,
) -> impl Iterator<Item = Range<Id>> {
    let of_level = move |Range { start, end }: Range<Id>| {
        (start..end).step_by(max_len).map(move |first| first..end.min(first + max_len as Id))
    };
    levels.flat_map(move |level| of_level(fragments.level(level)))
}
