//! Sets as slices of words. All have the same length, a whole number of blocks.

pub(super) use crate::expand::{contains, is_subset};
use crate::multiversion;

#[inline(always)]
pub(super) fn insert(set: &mut [u64], element: u32) {
    set[element as usize / 64] |= 1 << (element % 64);
}

#[inline(always)]
pub(super) fn remove(set: &mut [u64], element: u32) {
    set[element as usize / 64] &= !(1 << (element % 64));
}

/// Removes from `a` the elements that are not in `b`.
#[inline(always)]
pub(super) fn intersect(a: &mut [u64], b: &[u64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a &= b);
}

#[inline(always)]
pub(super) fn for_each(set: &[u64], mut take: impl FnMut(u32)) {
    for (word, &bits) in (0..).zip(set) {
        let mut rest = bits;
        while rest != 0 {
            take(word * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

multiversion! {
    pub(super) fn size(set: &[u64]) -> u32 = count
}

#[inline(always)]
fn count(set: &[u64]) -> u32 {
    let mut sum = 0;
    for word in set {
        sum += word.count_ones();
    }
    sum
}

multiversion! {
    /// How many elements `a` and `b` share: first the number among those in `first`, then the number among all.
    pub(super) fn shared(a: &[u64], b: &[u64], first: &[u64]) -> (u32, u32) = count_shared
}

#[inline(always)]
fn count_shared(a: &[u64], b: &[u64], first: &[u64]) -> (u32, u32) {
    let (mut of_first, mut of_all) = (0, 0);
    for ((a, b), first) in a.iter().zip(b).zip(first) {
        of_all += (a & b).count_ones();
        of_first += (a & b & first).count_ones();
    }
    (of_first, of_all)
}
