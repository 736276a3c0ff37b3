//! The maximal ones of many sets: those that no other set contains.
//!
//! Sets are looked at by falling size. A set that is not maximal is contained in a maximal one, which is larger, or
//! equal and came before. So it suffices to ask the maximal sets found so far.
//!
//! **Several threads** ask them for a batch of sets at a time. What is left of the batch is settled among itself: an
//! index of these sets is asked for strict supersets. Containment is transitive, so a set is dropped rightly even if
//! the one that contains it is dropped too.

use super::packed_sets::{PackedSets, hash, size};
use super::superset_index::{Queries, SupersetIndex};
use crate::engine::parallel::Workers;
use crate::for_each_level;

/// Sets that a thread takes at a time.
const CHUNK: usize = 128;

/// Sets whose duplicates are sought together, at least.
const RUN: usize = 1 << 10;

/// Sets that are asked between two looks at the limits; on several threads, before any of them is added.
const BATCH: usize = 1 << 12;

/// An estimate of the bytes that it takes at most to find the maximal ones of these sets, with a copy of them.
pub(super) fn bytes_to_reduce(sets: &PackedSets) -> u64 {
    // Sizes and hashes, four lists of numbers, and an index with half-full leaves.
    sets.len() as u64 * (sets.bytes_of_set() + 16 + 4 * 4 + 2 * 8 * sets.words() as u64)
}

/// The numbers of the sets by falling size, of equal sets the first alone. `None` when the search is to stop.
pub(super) fn by_falling_size(sets: &PackedSets, workers: &Workers<'_>) -> Option<Vec<u32>> {
    let begins: Vec<usize> = (0..sets.len()).step_by(RUN).collect();
    let measured = workers.map(&begins, 1, || (), |(), &begin| measure(sets, begin))?.concat();
    let sorted = sort(&measured);
    let distinct =
        workers.map(&runs(&sorted, &measured), 1, Vec::new, |table, run| distinct(sets, run, &measured, table))?;
    Some(distinct.concat())
}

/// Those of the sets with these numbers that no other one of them contains, in the same order. The sets are distinct,
/// and come by falling size. `None` when the search is to stop.
pub(super) fn maximal(sets: &PackedSets, order: &[u32], workers: &Workers<'_>) -> Option<Vec<u32>> {
    let (mut index, mut queries) = (SupersetIndex::new(sets.words()), Queries::default());
    let mut among = SupersetIndex::new(sets.words());
    let mut kept = Vec::new();
    for batch in order.chunks(BATCH) {
        if workers.threads == 1 {
            for &number in batch {
                let set = sets.get(number as usize);
                if !index.has_superset(set, &mut queries) {
                    index.insert(set);
                    kept.push(number);
                }
            }
            workers.monitor.check_limits();
            if workers.monitor.leaving() {
                return None;
            }
        } else {
            let left = without(batch, workers, |number, queries| index.has_superset(sets.get(number), queries))?;
            among.clear();
            left.iter().for_each(|&number| among.insert(sets.get(number as usize)));
            let left = without(&left, workers, |number, queries| among.has_strict_superset(sets.get(number), queries))?;
            left.iter().for_each(|&number| index.insert(sets.get(number as usize)));
            kept.extend(left);
        }
    }
    Some(kept)
}

/// These numbers without those that are `contained`.
fn without(
    numbers: &[u32],
    workers: &Workers<'_>,
    contained: impl Fn(usize, &mut Queries) -> bool + Sync,
) -> Option<Vec<u32>> {
    let chunks: Vec<&[u32]> = numbers.chunks(CHUNK).collect();
    let left = workers.map(&chunks, 1, Queries::default, |queries, chunk| {
        chunk.iter().copied().filter(|&number| !contained(number as usize, queries)).collect::<Vec<_>>()
    })?;
    Some(left.concat())
}

for_each_level! {
    /// The size and the hash of each set of a run.
    fn measure(sets: &PackedSets, begin: usize) -> Vec<(u32, u64)> = measure_each
}

#[inline(always)]
fn measure_each(sets: &PackedSets, begin: usize) -> Vec<(u32, u64)> {
    let end = sets.len().min(begin + RUN);
    let mut measured = Vec::with_capacity(end - begin);
    for number in begin..end {
        let set = sets.get(number);
        measured.push((size(set), hash(set)));
    }
    measured
}

/// All numbers by falling size, those of one size in rising order.
fn sort(measured: &[(u32, u64)]) -> Vec<u32> {
    let most = measured.iter().map(|&(size, _)| size).max().unwrap_or(0);
    let place = |size: u32| (most - size) as usize;
    let mut next = vec![0; most as usize + 2];
    measured.iter().for_each(|&(size, _)| next[place(size) + 1] += 1);
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut sorted = vec![0; measured.len()];
    for (number, &(size, _)) in measured.iter().enumerate() {
        let at = &mut next[place(size)];
        sorted[*at] = number as u32;
        *at += 1;
    }
    sorted
}

/// Cuts the sorted numbers between two sizes, into runs of at least [`RUN`] numbers but the last.
fn runs<'a>(mut rest: &'a [u32], measured: &[(u32, u64)]) -> Vec<&'a [u32]> {
    let size = |number: u32| measured[number as usize].0;
    let mut runs = Vec::new();
    while !rest.is_empty() {
        let mut end = rest.len().min(RUN);
        while end < rest.len() && size(rest[end]) == size(rest[end - 1]) {
            end += 1;
        }
        let (run, others) = rest.split_at(end);
        runs.push(run);
        rest = others;
    }
    runs
}

/// The numbers of a run, of equal sets the first alone.
fn distinct(sets: &PackedSets, run: &[u32], measured: &[(u32, u64)], table: &mut Vec<u32>) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    let hash = |number: u32| measured[number as usize].1;
    let places = (2 * run.len()).next_power_of_two();
    table.clear();
    table.resize(places, FREE);
    let is_first = |&number: &u32| {
        let mut place = (hash(number) >> (64 - places.trailing_zeros())) as usize;
        loop {
            let held = table[place];
            if held == FREE {
                table[place] = number;
                return true;
            }
            if hash(held) == hash(number) && sets.get(held as usize) == sets.get(number as usize) {
                return false;
            }
            place = (place + 1) % places;
        }
    };
    run.iter().copied().filter(is_first).collect()
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

    fn reduce(sets: &PackedSets, workers: &Workers<'_>) -> Option<Vec<u32>> {
        maximal(sets, &by_falling_size(sets, workers)?, workers)
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
                let mut found = reduce(&sets, &Workers::new(threads, &monitor)).expect("no limit");
                let sizes: Vec<u32> = found.iter().map(|&at| size(sets.get(at as usize))).collect();
                assert!(sizes.is_sorted_by(|a, b| a >= b), "by falling size");
                found.sort_unstable();
                assert_eq!(found, expected, "{number} sets of {bits} bits, {threads} threads");
            }
            dropped += number - expected.len();
        }
        assert!(dropped > 3_000, "{dropped}: too few to tell");
    }

    /// Several threads ask a batch at a time.
    #[test]
    fn many_sets_are_the_same_on_many_threads() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let sets = random_sets(5 * BATCH, 60, 7);
        let alone = reduce(&sets, &Workers::new(1, &monitor)).expect("no limit");
        assert_eq!(reduce(&sets, &Workers::new(4, &monitor)).expect("no limit"), alone);
        // The maximal ones of some, then those of these and of the others, are the maximal ones of all.
        let halves: Vec<u32> = (0..sets.len() as u32 / 2).collect();
        let first = sets.select(&halves);
        let mut joined = first.select(&reduce(&first, &Workers::new(1, &monitor)).expect("no limit"));
        joined.append(&mut sets.select(&(sets.len() as u32 / 2..sets.len() as u32).collect::<Vec<_>>()));
        let left = joined.select(&reduce(&joined, &Workers::new(1, &monitor)).expect("no limit"));
        assert!((0..left.len()).all(|at| left.get(at) == sets.get(alone[at] as usize)));
        stop.stop(StopReason::Interrupted);
        assert_eq!(reduce(&sets, &Workers::new(2, &monitor)), None, "it ends early");
    }
}
