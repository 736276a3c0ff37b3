//! The best k candidates of a beam, each state once.
//!
//! Candidates are ranked by f, by the ordering heuristic, and by key. Candidates collect until there are [`OVERSIZE`]
//! times k; then all but the best k are dropped. Later candidates that rank behind these k are refused by their f and
//! heuristic alone, before their key is written.
//!
//! **Independent of the order.** Several lists may each be offered a part of the candidates, and then be joined by
//! [`TopK::absorb`]. The result keeps the same k candidates as one list that was offered all of them. A list drops a
//! candidate only if it knows k different states that rank before.

use crate::domain::{Cost, MoveIndex};
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::HashSet;

/// How a node was reached: the index of its parent at the depth before, and the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) parent: u32,
    pub(super) mv: MoveIndex,
}

/// A candidate for the next depth of a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) f: Cost,
    pub(super) promise: Reverse<u32>,
    pub(super) g: Cost,
    pub(super) link: Link,
}

/// How many times k candidates collect before the best k are selected.
const OVERSIZE: usize = 4;

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
        (OVERSIZE * 2 * (candidate + key) + 2 * size_of::<&[u8]>() + key) as u64
    }

    /// Bytes of the buffers.
    pub(super) fn bytes(&self) -> u64 {
        (self.candidates.capacity() * size_of::<(Candidate, usize)>() + self.keys.capacity()) as u64
    }

    /// Takes a candidate, unless `width` better ones are known. `pack` writes its key.
    #[inline]
    pub(super) fn offer(&mut self, candidate: Candidate, pack: impl FnOnce(&mut [u8])) {
        if self.last.is_some_and(|last| last < (candidate.f, candidate.promise)) {
            return;
        }
        let place = self.keys.len();
        self.keys.resize(place + self.key_len, 0);
        pack(&mut self.keys[place..]);
        self.candidates.push((candidate, place));
        if self.candidates.len() >= self.width.saturating_mul(OVERSIZE) {
            self.select(Cost::MAX);
        }
    }

    /// Takes all candidates of another list.
    pub(super) fn absorb(&mut self, other: Self) {
        let after = self.keys.len();
        self.keys.extend(other.keys);
        self.candidates.extend(other.candidates.into_iter().map(|(candidate, place)| (candidate, after + place)));
    }

    /// Drops all candidates but the best `width` with an f below `upper`, each state once. Afterwards the candidates
    /// are sorted by rank.
    pub(super) fn select(&mut self, upper: Cost) {
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

    /// The candidates after [`TopK::select`], by rank.
    pub(super) fn kept(&self) -> impl Iterator<Item = Candidate> {
        self.candidates.iter().map(|&(candidate, _)| candidate)
    }

    /// The packed keys of the candidates after [`TopK::select`], one after another, by rank.
    pub(super) fn into_keys(self) -> Vec<u8> {
        self.keys
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
                part.offer(candidate, |place| place.copy_from_slice(key));
                assert!(part.candidates.len() <= OVERSIZE * width, "it holds no more");
            }
            let upper = 5;
            let mut together = TopK::new(width, 4);
            parts.into_iter().for_each(|part| together.absorb(part));
            together.select(upper);
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
