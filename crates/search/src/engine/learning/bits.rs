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
pub(super) fn for_each(set: &[u64], mut visit: impl FnMut(u32)) {
    for (word, &(mut bits)) in (0..).zip(set) {
        while bits != 0 {
            visit(word * 64 + bits.trailing_zeros());
            bits &= bits - 1;
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
    /// How many elements `a` and `b` share: the number among the elements of `preferred`, and the number among all.
    pub(super) fn shared(a: &[u64], b: &[u64], preferred: &[u64]) -> (u32, u32) = count_shared
}

#[inline(always)]
fn count_shared(a: &[u64], b: &[u64], preferred: &[u64]) -> (u32, u32) {
    let (mut preferred_count, mut count) = (0, 0);
    for ((a, b), preferred) in a.iter().zip(b).zip(preferred) {
        count += (a & b).count_ones();
        preferred_count += (a & b & preferred).count_ones();
    }
    (preferred_count, count)
}
