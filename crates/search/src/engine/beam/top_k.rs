//! The best k candidates of a beam, each state once.
//!
//! Candidates are ranked by f, by the ordering heuristic, and by key. Candidates accumulate until there are
//! [`CAPACITY_FACTOR`] times k ([`TopK::is_full`]); then [`TopK::select`] drops all but the best k. Later candidates
//! that rank behind these k are refused by f and heuristic alone, before their keys are written.
//!
//! **Limits.** The owner of a list makes room for candidates ([`TopK::grow`]), and knows beforehand how many bytes this
//! takes. A selection from millions of candidates takes seconds; it ends early when the search is to stop.
//!
//! **Independent of the order.** Several lists may each be offered a part of the candidates, and then be joined by
//! [`TopK::absorb`]. The result keeps the same k candidates as one list that was offered all of them. A list drops a
//! candidate only if it knows k different states that rank before.

use super::links::Link;
use crate::domain::Cost;
use crate::runtime::Stopped;
use foldhash::fast::FixedState;
use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

/// A candidate for the next depth of a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) f: Cost,
    pub(super) promise: Reverse<u32>,
    pub(super) g: Cost,
    pub(super) link: Link,
}

/// A selection is due at this many times k candidates.
const CAPACITY_FACTOR: usize = 4;

/// A list makes room for at least this many candidates, unless fewer make it full.
const MIN_CAPACITY: usize = 64;

/// The largest number of candidates sorted at once. Between two such parts a selection may end early.
const SORT_RUN: usize = if cfg!(test) { 64 } else { 1 << 19 };

/// A selection processes this many candidates between two checks of `should_stop`.
const CHECK_INTERVAL: usize = 1 << 12;

/// Keeps the best `width` of the candidates that it is offered.
#[derive(Clone, Debug)]
pub(super) struct TopK {
    width: usize,
    key_len: usize,
    /// Each candidate with the offset of its key in `keys`.
    candidates: Vec<(Candidate, usize)>,
    keys: Vec<u8>,
    /// The rank of the last of `width` kept candidates. Candidates that rank behind it are refused. `None` if fewer
    /// candidates were kept.
    last: Option<(Cost, Reverse<u32>)>,
}

impl TopK {
    /// An empty list for the best `width` states, with keys of `key_len` bytes.
    pub(super) fn new(width: usize, key_len: usize) -> Self {
        Self { width, key_len, candidates: Vec::new(), keys: Vec::new(), last: None }
    }

    /// The most bytes that a list holds for each of its `width` states.
    pub(super) fn bytes_per_width(key_len: usize) -> u64 {
        // Buffers that grew by doubling, the set of keys during a selection, and the keys that are kept.
        let (candidate, key) = (size_of::<(Candidate, usize)>(), key_len);
        (CAPACITY_FACTOR * 2 * (candidate + key) + 2 * size_of::<&[u8]>() + key) as u64
    }

    #[inline]
    pub(super) fn has_room(&self, more: usize) -> bool {
        let free = self.candidates.capacity() - self.candidates.len();
        free >= more && self.keys.capacity() - self.keys.len() >= more * self.key_len
    }

    /// The capacity for the next [`TopK::grow`]: room for at least `more` further candidates, and otherwise twice the
    /// present capacity, but no more than a full list needs.
    pub(super) fn next_capacity(&self, more: usize) -> usize {
        let full = self.width.saturating_mul(CAPACITY_FACTOR);
        (2 * self.candidates.capacity()).max(MIN_CAPACITY).min(full).max(self.candidates.len() + more)
    }

    /// The bytes of a list with room for `capacity` candidates, including those that a selection takes.
    pub(super) fn bytes_for(&self, capacity: usize) -> u64 {
        // The set of kept keys has at most 16 slots for each 7 keys.
        let per_kept = (size_of::<&[u8]>() + 1) * 16 / 7 + self.key_len;
        // Sorting takes a buffer for all candidates.
        let per_candidate = 2 * size_of::<(Candidate, usize)>() + self.key_len;
        (capacity * per_candidate + capacity.min(self.width) * per_kept) as u64
    }

    pub(super) fn grow(&mut self, capacity: usize) {
        self.candidates.reserve_exact(capacity - self.candidates.len());
        self.keys.reserve_exact(capacity * self.key_len - self.keys.len());
    }

    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Whether [`TopK::select`] is due.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.candidates.len() >= self.width.saturating_mul(CAPACITY_FACTOR)
    }

    /// The least promise with which [`TopK::offer`] takes a candidate of this f; `None` if it refuses this f.
    pub(super) fn min_promise(&self, f: Cost) -> Option<u32> {
        match self.last {
            Some((last, Reverse(least))) if f == last => Some(least),
            Some((last, _)) if f > last => None,
            _ => Some(0),
        }
    }

    /// Takes a candidate, unless `width` better ones are known. `pack` writes its key.
    #[inline]
    pub(super) fn offer(&mut self, candidate: Candidate, pack: impl FnOnce(&mut [u8])) {
        if self.last.is_some_and(|last| last < (candidate.f, candidate.promise)) {
            return;
        }
        let offset = self.keys.len();
        self.keys.resize(offset + self.key_len, 0);
        pack(&mut self.keys[offset..]);
        self.candidates.push((candidate, offset));
    }

    pub(super) fn absorb(&mut self, other: Self) {
        if self.candidates.is_empty() {
            (self.candidates, self.keys) = (other.candidates, other.keys);
            return;
        }
        let key_base = self.keys.len();
        self.keys.extend(other.keys);
        self.candidates.extend(other.candidates.into_iter().map(|(candidate, offset)| (candidate, key_base + offset)));
    }

    /// Drops all candidates but the best `width` with an f below `upper`, each state once. Afterwards the candidates
    /// are sorted by rank. As soon as `should_stop` returns true, the selection ends with an error, and the list is
    /// unusable.
    pub(super) fn select(&mut self, upper: Cost, should_stop: impl Fn() -> bool) -> Result<(), Stopped> {
        let Self { width, key_len, candidates, keys, last } = self;
        let key = |offset: usize| &keys[offset..offset + *key_len];
        let order = |(a, a_offset): &(Candidate, usize), (b, b_offset): &(Candidate, usize)| {
            let rank = |c: &Candidate| (c.f, c.promise);
            rank(a).cmp(&rank(b)).then_with(|| key(*a_offset).cmp(key(*b_offset))).then_with(|| a.link.cmp(&b.link))
        };
        sort_in_parts(candidates, order, &should_stop)?;
        let mut seen: HashSet<&[u8], FixedState> = HashSet::default();
        let (mut checked, mut is_stopped) = (0, false);
        candidates.retain(|&(candidate, offset)| {
            checked += 1;
            is_stopped |= checked % CHECK_INTERVAL == 0 && should_stop();
            !is_stopped && candidate.f < upper && seen.len() < *width && seen.insert(key(offset))
        });
        if is_stopped {
            return Err(Stopped);
        }
        drop(seen);
        let mut kept_keys = Vec::with_capacity(candidates.len() * *key_len);
        for (_, offset) in candidates.iter_mut() {
            let to = kept_keys.len();
            kept_keys.extend_from_slice(key(*offset));
            *offset = to;
        }
        *last = (candidates.len() == *width).then(|| candidates.last().map(|(c, _)| (c.f, c.promise))).flatten();
        keys.clear();
        keys.extend_from_slice(&kept_keys);
        Ok(())
    }

    /// The candidates after [`TopK::select`], by rank.
    pub(super) fn candidates(&self) -> impl Iterator<Item = Candidate> {
        self.candidates.iter().map(|&(candidate, _)| candidate)
    }

    /// The packed keys of the candidates after [`TopK::select`], one after another, by rank.
    pub(super) fn into_keys(mut self) -> Vec<u8> {
        self.keys.shrink_to_fit();
        self.keys
    }
}

/// Sorts parts of a list, and then merges them, until `should_stop` returns true.
fn sort_in_parts<T>(
    list: &mut [T],
    order: impl Fn(&T, &T) -> Ordering,
    should_stop: impl Fn() -> bool,
) -> Result<(), Stopped> {
    // A stable sort finds parts that are sorted, and merges them.
    let check_stop = || if should_stop() { Err(Stopped) } else { Ok(()) };
    let mut run = SORT_RUN;
    loop {
        list.chunks_mut(run).try_for_each(|part| {
            part.sort_by(&order);
            check_stop()
        })?;
        if run >= list.len() {
            return Ok(());
        }
        run *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    fn keys(top_k: &TopK) -> Vec<(Cost, Vec<u8>, Link)> {
        let key = |place: usize| top_k.keys[place..place + 4].to_vec();
        top_k.candidates.iter().map(|&(candidate, place)| (candidate.f, key(place), candidate.link)).collect()
    }

    /// The best states remain, each once. This depends neither on how often a list selects in between, nor on how the
    /// candidates are divided among the lists.
    #[test]
    fn the_best_of_all_remain() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (width, offered, states) in [(1, 50, 9), (5, 400, 30), (8, 9, 100), (40, 3_000, 300), (100, 60, 40)] {
            let mut all = Vec::new();
            for number in 0..offered {
                let state = rng.next_u32() % states;
                // The promise is a function of the state; f may depend on the path.
                let (f, promise) = (rng.next_u32() % 4 + state % 3, Reverse(state % 5));
                all.push((f, promise, state.to_le_bytes().to_vec(), Link { parent: number, mv: 0 }));
            }
            let mut parts = [(); 3].map(|()| TopK::new(width, 4));
            for (f, promise, key, link) in &all {
                let part = &mut parts[rng.next_u32() as usize % 3];
                let candidate = Candidate { f: *f, promise: *promise, g: 0, link: *link };
                if !part.has_room(1) {
                    part.grow(part.next_capacity(1));
                }
                part.offer(candidate, |place| place.copy_from_slice(key));
                assert!(part.candidates.capacity() <= CAPACITY_FACTOR * width, "it holds no more");
                if part.is_full() {
                    assert_eq!(part.select(Cost::MAX, || false), Ok(()));
                }
            }
            let upper = 5;
            let mut together = TopK::new(width, 4);
            parts.into_iter().for_each(|part| together.absorb(part));
            assert_eq!(together.clone().select(upper, || true), Err(Stopped));
            assert_eq!(together.select(upper, || false), Ok(()));
            all.sort();
            let mut best: Vec<(Cost, Vec<u8>, Link)> = Vec::new();
            for (f, _, key, link) in all {
                if f < upper && best.len() < width && best.iter().all(|other| other.1 != key) {
                    best.push((f, key, link));
                }
            }
            assert_eq!(keys(&together), best, "{width} of {offered}");
        }
    }
}
