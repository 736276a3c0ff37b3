//! The best candidates of a beam, each state once.
//!
//! Candidates are ranked by f, by promise and by key. Whoever ranks behind as many different states as are wanted is not kept, so a
//! sieve never holds more than a few times as many, however many it is offered; most are turned away by their f and promise
//! alone, before their key is written. What is left of a sieve that took the contents of others is what would
//! be left of all that any of them was offered.

use crate::domain::{Cost, MoveIndex};
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::HashSet;

/// How a node was reached: position of its parent in the depth before, and the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) parent: u32,
    pub(super) mv: MoveIndex,
}

/// A state that may be in the next depth of a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) f: Cost,
    pub(super) promise: Reverse<u32>,
    pub(super) g: Cost,
    pub(super) link: Link,
}

/// How often the wanted number is held before it is sifted.
const HOLDS: usize = 4;

/// Keeps the best `width` of the states that it is offered, about.
#[derive(Clone, Debug)]
pub(super) struct Sieve {
    width: usize,
    key_len: usize,
    /// Each with the place of its key.
    candidates: Vec<(Candidate, usize)>,
    keys: Vec<u8>,
    /// The rank behind which nobody is wanted.
    last: Option<(Cost, Reverse<u32>)>,
}

impl Sieve {
    /// For the best `width` states of keys of that length.
    pub(super) fn new(width: usize, key_len: usize) -> Self {
        Self { width, key_len, candidates: Vec::new(), keys: Vec::new(), last: None }
    }

    /// The most bytes that it holds for each state that is wanted.
    pub(super) fn bytes_per_width(key_len: usize) -> u64 {
        // A table that grew by doubling, the keys that are seen while it is sifted, and the keys that are kept.
        let (candidate, key) = (size_of::<(Candidate, usize)>(), key_len);
        (HOLDS * 2 * (candidate + key) + 2 * size_of::<&[u8]>() + key) as u64
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> u64 {
        (self.candidates.capacity() * size_of::<(Candidate, usize)>() + self.keys.capacity()) as u64
    }

    /// Takes a state, whose key `pack` writes, unless enough better ones are known.
    #[inline]
    pub(super) fn offer(&mut self, candidate: Candidate, pack: impl FnOnce(&mut [u8])) {
        if self.last.is_some_and(|last| last < (candidate.f, candidate.promise)) {
            return;
        }
        let place = self.keys.len();
        self.keys.resize(place + self.key_len, 0);
        pack(&mut self.keys[place..]);
        self.candidates.push((candidate, place));
        if self.candidates.len() >= self.width.saturating_mul(HOLDS) {
            self.sift(Cost::MAX);
        }
    }

    /// Takes all that another one holds.
    pub(super) fn absorb(&mut self, other: Self) {
        let after = self.keys.len();
        self.keys.extend(other.keys);
        self.candidates.extend(other.candidates.into_iter().map(|(candidate, place)| (candidate, after + place)));
    }

    /// Leaves the best states of an f below `upper`, in their order, each once.
    pub(super) fn sift(&mut self, upper: Cost) {
        let Self { width, key_len, candidates, keys, last } = self;
        let key = |place: usize| &keys[place..place + *key_len];
        candidates.sort_unstable_by(|(a, at), (b, other)| {
            let rank = |c: &Candidate| (c.f, c.promise);
            rank(a).cmp(&rank(b)).then_with(|| key(*at).cmp(key(*other))).then_with(|| a.link.cmp(&b.link))
        });
        let mut seen: HashSet<&[u8], FixedState> = HashSet::default();
        candidates.retain(|&(candidate, place)| candidate.f < upper && seen.len() < *width && seen.insert(key(place)));
        let mut kept = Vec::with_capacity(candidates.len() * *key_len);
        for (_, place) in candidates.iter_mut() {
            let to = kept.len();
            kept.extend_from_slice(key(*place));
            *place = to;
        }
        *last = (candidates.len() == *width).then(|| candidates.last().map(|(c, _)| (c.f, c.promise))).flatten();
        *keys = kept;
    }

    /// What a sift left, in its order.
    pub(super) fn kept(&self) -> impl Iterator<Item = Candidate> {
        self.candidates.iter().map(|&(candidate, _)| candidate)
    }

    /// The packed keys of what a sift left, one after another in its order.
    pub(super) fn into_keys(self) -> Vec<u8> {
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    fn keys(sieve: &Sieve) -> Vec<(Cost, Vec<u8>, Link)> {
        let key = |place: usize| sieve.keys[place..place + 4].to_vec();
        sieve.candidates.iter().map(|&(candidate, place)| (candidate.f, key(place), candidate.link)).collect()
    }

    /// However often it is sifted in between, and whoever is offered which part: the best that there are, each state once.
    #[test]
    fn what_is_left_is_the_best_of_all() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (width, offered, states) in [(1, 50, 9), (5, 400, 30), (8, 9, 100), (40, 3_000, 300), (100, 60, 40)] {
            let mut all = Vec::new();
            for number in 0..offered {
                let state = rng.next_u32() % states;
                // Its promise belongs to a state; its f may depend on the way.
                let (f, promise) = (rng.next_u32() % 4 + state % 3, Reverse(state % 5));
                all.push((f, promise, state.to_le_bytes().to_vec(), Link { parent: number, mv: 0 }));
            }
            let mut parts = [(); 3].map(|()| Sieve::new(width, 4));
            for (f, promise, key, link) in &all {
                let part = &mut parts[rng.next_u32() as usize % 3];
                let candidate = Candidate { f: *f, promise: *promise, g: 0, link: *link };
                part.offer(candidate, |place| place.copy_from_slice(key));
                assert!(part.candidates.len() <= HOLDS * width, "it holds no more");
            }
            let upper = 5;
            let mut together = Sieve::new(width, 4);
            parts.into_iter().for_each(|part| together.absorb(part));
            together.sift(upper);
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
