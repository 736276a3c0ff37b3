//! The maximal ones of many sets: those that no other set contains.
//!
//! Sets are looked at by falling size. A set that is not maximal is contained in a maximal one, which is larger, or
//! equal and came before. So it suffices to ask the maximal sets found so far. Sets of one size cannot contain each
//! other; with several threads, all sets of a size are asked together before any of them is added.

use super::packed_sets::{PackedSets, hash, size};
use super::superset_index::{Queries, SupersetIndex};
use crate::engine::parallel::Workers;
use crate::platform::wide::for_each_level;

/// Sets that a thread asks between two looks at the limits.
const CHUNK: usize = 128;

/// The number of sets of one size from which on several threads ask them.
const MANY: usize = 4 * CHUNK;

/// An estimate of the bytes that [`maximal`] takes for these sets at most, with a copy of the maximal ones.
pub(super) fn bytes_to_reduce(sets: &PackedSets) -> u64 {
    // Sizes, hashes, two lists of numbers, a table of twice as many places, and an index with half-full leaves.
    sets.len() as u64 * (sets.bytes_of_set() + 2 * 8 * sets.words() as u64 + 4 + 8 + 8 + 16)
}

/// The numbers of the maximal sets by falling size; of equal sets the first. `None` when the search is to stop.
pub(super) fn maximal(sets: &PackedSets, workers: &Workers<'_>) -> Option<Vec<u32>> {
    let (sizes, hashes) = measure(sets);
    let order = by_falling_size(&distinct(sets, &hashes), &sizes);
    let mut filter =
        Filter { sets, index: SupersetIndex::new(sets.words()), queries: Queries::default(), kept: Vec::new() };
    for group in order.chunk_by(|&a, &b| sizes[a as usize] == sizes[b as usize]) {
        if workers.threads == 1 || group.len() < MANY {
            filter.add(group, true, workers)?;
        } else {
            let left = filter.ask(group, workers)?;
            filter.add(&left, false, workers)?;
        }
    }
    Some(filter.kept)
}

struct Filter<'a> {
    sets: &'a PackedSets,
    /// The maximal sets so far.
    index: SupersetIndex,
    queries: Queries,
    kept: Vec<u32>,
}

impl Filter<'_> {
    /// Those of these sets that no maximal set so far contains.
    fn ask(&self, group: &[u32], workers: &Workers<'_>) -> Option<Vec<u32>> {
        let chunks: Vec<&[u32]> = group.chunks(CHUNK).collect();
        let left = workers.map(&chunks, 1, Queries::default, |queries, chunk| {
            let is_left = |number: &&u32| !self.index.has_superset(self.sets.get(**number as usize), queries);
            chunk.iter().filter(is_left).copied().collect::<Vec<_>>()
        })?;
        Some(left.concat())
    }

    /// Adds the maximal ones of these sets, which have one size. Without `asks`, all of them are.
    fn add(&mut self, group: &[u32], asks: bool, workers: &Workers<'_>) -> Option<()> {
        for chunk in group.chunks(CHUNK) {
            for &number in chunk {
                let set = self.sets.get(number as usize);
                if !asks || !self.index.has_superset(set, &mut self.queries) {
                    self.index.insert(set);
                    self.kept.push(number);
                }
            }
            workers.monitor.check_limits();
            if workers.monitor.leaving() {
                return None;
            }
        }
        Some(())
    }
}

for_each_level! {
    /// The size and the hash of each set.
    fn measure(sets: &PackedSets) -> (Vec<u32>, Vec<u64>) = measure_each
}

#[inline(always)]
fn measure_each(sets: &PackedSets) -> (Vec<u32>, Vec<u64>) {
    let (mut sizes, mut hashes) = (Vec::with_capacity(sets.len()), Vec::with_capacity(sets.len()));
    for number in 0..sets.len() {
        let set = sets.get(number);
        sizes.push(size(set));
        hashes.push(hash(set));
    }
    (sizes, hashes)
}

/// The numbers of the sets, of equal ones the first alone.
fn distinct(sets: &PackedSets, hashes: &[u64]) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    let places = (2 * sets.len()).next_power_of_two().max(2);
    let shift = 64 - places.trailing_zeros();
    let mut table = vec![FREE; places];
    let mut distinct = Vec::with_capacity(sets.len());
    for (number, hash) in hashes.iter().enumerate() {
        let mut place = (hash >> shift) as usize;
        loop {
            let held = table[place];
            if held == FREE {
                table[place] = number as u32;
                distinct.push(number as u32);
                break;
            }
            if hashes[held as usize] == *hash && sets.get(held as usize) == sets.get(number) {
                break;
            }
            place = (place + 1) % places;
        }
    }
    distinct
}

/// The same numbers by falling size, those of one size in the same order.
fn by_falling_size(numbers: &[u32], sizes: &[u32]) -> Vec<u32> {
    let most = sizes.iter().copied().max().unwrap_or(0);
    let place = |number: u32| (most - sizes[number as usize]) as usize;
    let mut next = vec![0; most as usize + 2];
    numbers.iter().for_each(|&number| next[place(number) + 1] += 1);
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut sorted = vec![0; numbers.len()];
    for &number in numbers {
        let at = &mut next[place(number)];
        sorted[*at] = number;
        *at += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::super::packed_sets::{Origin, is_subset, words_for};
    use super::*;
    use crate::engine::links::Link;
    use crate::runtime::{Limits, Monitor, Silent, StopReason, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// Random sets of so many bits: chains, copies, and sets that have nothing to do with each other.
    fn random_sets(number: usize, bits: usize, seed: u64) -> PackedSets {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let words = words_for(bits.div_ceil(8));
        let mut sets = PackedSets::new(words);
        let mut last = vec![0; words];
        for at in 0..number {
            match random.next_u32() % 4 {
                0 => last.fill(0),
                1 => {}
                _ => (0..random.next_u32() % 6).for_each(|_| {
                    let bit = random.next_u32() as usize % bits;
                    last[bit / 64] ^= 1 << (bit % 64);
                }),
            }
            let link = Link { parent: at as u32, mv: 0 };
            sets.push(&last, Origin { link, most_f: 0 });
        }
        sets
    }

    fn by_definition(sets: &PackedSets) -> Vec<u32> {
        let dominates = |other: usize, at: usize| {
            let (set, by) = (sets.get(at), sets.get(other));
            is_subset(set, by) && (set != by || other < at)
        };
        (0..sets.len()).filter(|&at| !(0..sets.len()).any(|other| dominates(other, at))).map(|at| at as u32).collect()
    }

    #[test]
    fn they_are_what_the_definition_says() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut dropped = 0;
        for (number, bits, seed) in
            [(0, 9, 1), (1, 9, 2), (300, 12, 3), (2_500, 40, 4), (2_500, 300, 5), (2_500, 900, 6)]
        {
            let sets = random_sets(number, bits, seed);
            let expected = by_definition(&sets);
            for threads in [1, 3] {
                let mut found = maximal(&sets, &Workers::new(threads, &monitor)).expect("no limit");
                let sizes: Vec<u32> = found.iter().map(|&at| size(sets.get(at as usize))).collect();
                assert!(sizes.is_sorted_by(|a, b| a >= b), "by falling size");
                found.sort_unstable();
                assert_eq!(found, expected, "{number} sets of {bits} bits, {threads} threads");
            }
            dropped += number - expected.len();
        }
        assert!(dropped > 3_000, "{dropped}: too few to tell");
    }

    /// Several threads ask the sets of a size together, where there are many.
    #[test]
    fn many_sets_are_the_same_on_many_threads() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let sets = random_sets(40 * MANY, 60, 7);
        let alone = maximal(&sets, &Workers::new(1, &monitor)).expect("no limit");
        assert_eq!(maximal(&sets, &Workers::new(4, &monitor)).expect("no limit"), alone);
        // The maximal ones of some, then those of these and of the others, are the maximal ones of all.
        let halves: Vec<u32> = (0..sets.len() as u32 / 2).collect();
        let first = sets.select(&halves);
        let mut joined = first.select(&maximal(&first, &Workers::new(1, &monitor)).expect("no limit"));
        joined.append(&mut sets.select(&(sets.len() as u32 / 2..sets.len() as u32).collect::<Vec<_>>()));
        let left = joined.select(&maximal(&joined, &Workers::new(1, &monitor)).expect("no limit"));
        assert!((0..left.len()).all(|at| left.get(at) == sets.get(alone[at] as usize)));
        stop.stop(StopReason::Interrupted);
        assert_eq!(maximal(&sets, &Workers::new(2, &monitor)), None, "it ends early");
    }
}
