//! Sets as packed keys of one length, one behind the other.

use crate::domain::Cost;
use crate::engine::links::Link;
pub(super) use crate::expand::{contains, is_subset, key_of_words, words_for, words_of_key};

/// The number of elements.
#[inline(always)]
pub(super) fn size(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// A hash of a set. It selects places in tables; equality is decided on the sets.
#[inline(always)]
pub(super) fn hash(set: &[u64]) -> u64 {
    let mut hash = 0_u64;
    for &word in set {
        hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    hash
}

/// What is known of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// How it was reached.
    pub(super) link: Link,
    /// The f of the set is at most this.
    pub(super) most_f: Cost,
}

/// Sets, each with what is known of it.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedSets {
    /// The words of a set.
    words: usize,
    keys: Vec<u64>,
    origins: Vec<Origin>,
}

impl PackedSets {
    /// No sets yet, for keys of so many words.
    pub(super) fn new(words: usize) -> Self {
        Self { words, ..Self::default() }
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    /// The words of each set.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Set number `at`.
    #[inline(always)]
    pub(super) fn get(&self, at: usize) -> &[u64] {
        &self.keys[at * self.words..][..self.words]
    }

    /// What is known of set number `at`.
    pub(super) fn origin(&self, at: usize) -> Origin {
        self.origins[at]
    }

    /// How each set was reached.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> {
        self.origins.iter().map(|origin| origin.link)
    }

    /// Adds a set.
    #[inline]
    pub(super) fn push(&mut self, set: &[u64], origin: Origin) {
        self.keys.extend_from_slice(set);
        self.origins.push(origin);
    }

    /// Moves all sets of `other` behind these.
    pub(super) fn append(&mut self, other: &mut Self) {
        self.keys.append(&mut other.keys);
        self.origins.append(&mut other.origins);
    }

    /// The sets with these numbers, in this order.
    pub(super) fn select(&self, numbers: &[u32]) -> Self {
        let mut selected = Self::new(self.words);
        selected.keys.reserve_exact(numbers.len() * self.words);
        selected.origins.reserve_exact(numbers.len());
        for number in numbers.iter().map(|&number| number as usize) {
            selected.push(self.get(number), self.origin(number));
        }
        selected
    }

    /// Bytes of one set.
    pub(super) fn bytes_of_set(&self) -> u64 {
        (self.words * 8 + size_of::<Origin>()) as u64
    }

    /// Bytes of the memory that the sets take.
    pub(super) fn bytes(&self) -> u64 {
        (self.keys.capacity() * 8 + self.origins.capacity() * size_of::<Origin>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a block, in which sets come.
    const BLOCK: usize = 4;

    #[test]
    fn keys_of_any_length_come_back() {
        for len in [1, 7, 8, 9, 31, 32, 33, 100] {
            let key: Vec<u8> = (1..=len as u8).collect();
            let mut words = vec![u64::MAX; words_for(len)];
            words_of_key(&key, &mut words);
            let mut back = vec![0; len];
            key_of_words(&words, &mut back);
            assert_eq!((&back, words.len() % BLOCK), (&key, 0));
            assert_eq!(size(&words), key.iter().map(|byte| byte.count_ones()).sum::<u32>());
        }
    }

    #[test]
    fn each_bit_counts() {
        let empty = vec![0; 2 * BLOCK];
        for bit in 0..2 * BLOCK * 64 {
            let mut one = empty.clone();
            one[bit / 64] |= 1 << (bit % 64);
            assert!(is_subset(&empty, &one) && is_subset(&one, &one) && !is_subset(&one, &empty), "{bit}");
        }
    }
}
