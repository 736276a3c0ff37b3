//! Sets of regions as `W` words of 64 bits.
//!
//! The functions are plain loops over a constant number of words: the compiler unrolls them and uses the widest vectors
//! that the caller's target features allow. Iterator adapters would be functions of their own, compiled without those
//! features.

/// A set of regions; region `r` is bit `r % 64` of word `r / 64`.
pub type Bits<const W: usize> = [u64; W];

/// The number of words of a set of colours (not of regions): 4 words of 64 bits have room for the colours of any board.
pub(super) const COLOUR_WORDS: usize = 4;

/// The empty set.
#[must_use]
#[inline]
pub fn empty<const W: usize>() -> Bits<W> {
    [0; W]
}

/// Reads a set from a packed key: the bits of the key, from the lowest bit of the first byte on, are those of the set.
#[must_use]
#[inline]
pub fn from_key<const W: usize>(key: &[u8]) -> Bits<W> {
    let mut set = [0; W];
    for (word, chunk) in set.iter_mut().zip(key.chunks(8)) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(bytes);
    }
    set
}

/// Adds one region.
#[inline]
pub fn insert<const W: usize>(bits: &mut Bits<W>, region: usize) {
    bits[region / 64] |= 1 << (region % 64);
}

/// Removes one region.
#[inline]
pub fn remove<const W: usize>(bits: &mut Bits<W>, region: usize) {
    bits[region / 64] &= !(1 << (region % 64));
}

/// Whether the region is in the set.
#[must_use]
#[inline]
pub fn contains<const W: usize>(bits: &Bits<W>, region: usize) -> bool {
    bits[region / 64] >> (region % 64) & 1 == 1
}

/// Returns the union of two sets.
#[must_use]
#[inline(always)]
pub fn union<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    let mut result = [0; W];
    for i in 0..W {
        result[i] = a[i] | b[i];
    }
    result
}

/// Returns the intersection of two sets.
#[must_use]
#[inline(always)]
pub fn intersection<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    let mut result = [0; W];
    for i in 0..W {
        result[i] = a[i] & b[i];
    }
    result
}

/// Returns the elements of `a` that are not in `b`.
#[must_use]
#[inline(always)]
pub fn difference<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    let mut result = [0; W];
    for i in 0..W {
        result[i] = a[i] & !b[i];
    }
    result
}

/// Whether the set has no element.
#[must_use]
#[inline(always)]
pub fn is_empty<const W: usize>(a: &Bits<W>) -> bool {
    let mut acc = 0;
    for word in a {
        acc |= word;
    }
    acc == 0
}

/// Whether the sets share an element.
#[must_use]
#[inline(always)]
pub fn intersects<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> bool {
    let mut acc = 0;
    for i in 0..W {
        acc |= a[i] & b[i];
    }
    acc != 0
}

/// Whether every element of `a` is in `b`.
#[must_use]
#[inline(always)]
pub fn is_subset<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> bool {
    let mut acc = 0;
    for i in 0..W {
        acc |= a[i] & !b[i];
    }
    acc == 0
}

/// Counts the elements.
#[must_use]
#[inline(always)]
pub fn count<const W: usize>(a: &Bits<W>) -> u32 {
    let mut sum = 0;
    for word in a {
        sum += word.count_ones();
    }
    sum
}

/// Iterates over the elements in rising order. Use it in a `for` loop, not with iterator adapters: a closure with a
/// long body might be compiled without the target features of the caller.
#[must_use]
#[inline(always)]
pub fn elements<const W: usize>(a: &Bits<W>) -> Elements<'_, W> {
    Elements { set: a, word: 0, unvisited: a[0] }
}

/// The iterator that [`elements`] returns.
#[derive(Clone, Debug)]
pub struct Elements<'s, const W: usize> {
    set: &'s Bits<W>,
    word: usize,
    /// The elements of this word that have not been visited.
    unvisited: u64,
}

impl<const W: usize> Iterator for Elements<'_, W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.unvisited == 0 {
            self.word += 1;
            if self.word >= W {
                return None;
            }
            self.unvisited = self.set[self.word];
        }
        let element = self.word * 64 + self.unvisited.trailing_zeros() as usize;
        self.unvisited &= self.unvisited - 1;
        Some(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bits_of(regions: &BTreeSet<usize>) -> Bits<3> {
        let mut bits = empty();
        regions.iter().for_each(|&region| insert(&mut bits, region));
        bits
    }

    fn regions_of(bits: &Bits<3>) -> Vec<usize> {
        (0..192).filter(|&region| contains(bits, region)).collect()
    }

    fn regions() -> impl Strategy<Value = BTreeSet<usize>> {
        prop_oneof![prop::collection::btree_set(0..192_usize, 0..8), prop::collection::btree_set(0..192_usize, 0..150)]
    }

    proptest! {
        #[test]
        fn bits_agree_with_sets(a in regions(), b in regions(), extra in 0..192_usize) {
            let (x, y) = (bits_of(&a), bits_of(&b));
            prop_assert_eq!(elements(&x).collect::<Vec<_>>(), regions_of(&x));
            prop_assert_eq!(regions_of(&x), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(union(&x, &y), bits_of(&(&a | &b)));
            prop_assert_eq!(intersection(&x, &y), bits_of(&(&a & &b)));
            prop_assert_eq!(difference(&x, &y), bits_of(&(&a - &b)));
            prop_assert_eq!(contains(&x, extra), a.contains(&extra));
            let mut without = x;
            remove(&mut without, extra);
            prop_assert_eq!(without, difference(&x, &bits_of(&BTreeSet::from([extra]))));
            prop_assert_eq!(count(&x) as usize, a.len());
            prop_assert_eq!(is_empty(&x), a.is_empty());
            prop_assert_eq!(intersects(&x, &y), !a.is_disjoint(&b));
            prop_assert_eq!(is_subset(&x, &y), a.is_subset(&b));
            prop_assert!(is_subset(&intersection(&x, &y), &x) && is_subset(&x, &x));
        }
    }
}
