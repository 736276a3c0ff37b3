//! Sets as words of 64 bits, and the expander of the search that learns.

use super::meter::Counts;
use crate::domain::{Cost, MoveIndex};

/// Expands and evaluates sets for one worker of a search that learns ([`SetMoves`](crate::domain::SetMoves)).
///
/// States lie on a stack; a *slot* is an index on it. Sets are words of 64 bits.
pub trait SetExpander: Send {
    /// The number of words of a set.
    fn words(&self) -> usize;

    /// The number of elements.
    fn element_count(&self) -> usize;

    /// Whether there are few states ([`SetMoves::has_few_states`](crate::domain::SetMoves::has_few_states)).
    fn has_few_states(&self) -> bool;

    /// Writes the set of the root.
    fn root(&self, out: &mut [u64]);

    /// Pushes the state of a set on the stack, and returns its slot.
    fn push(&mut self, set: &[u64]) -> usize;

    /// Pushes the child of the state in `slot` by a move on the stack, and returns its slot.
    fn push_child(&mut self, slot: usize, mv: MoveIndex) -> usize;

    /// Pops the state in `slot` and all states above it.
    fn truncate(&mut self, slot: usize);

    /// The choices at the state in `slot`; see [`SetMoves::choices`](crate::domain::SetMoves::choices).
    fn choices(&self, slot: usize, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool;

    /// The cost of a move.
    fn cost(&self, mv: MoveIndex) -> Cost;

    /// Whether the state in `slot` is a goal.
    fn is_goal(&self, slot: usize) -> bool;

    /// Writes the set of the state in `slot`.
    fn set(&mut self, slot: usize, out: &mut [u64]);

    /// Pushes the state in `slot` after [`SetMoves::saturate`](crate::domain::SetMoves::saturate) on the stack, and
    /// returns its slot. Writes the set of the new state.
    fn push_saturated(&mut self, slot: usize, out: &mut [u64]) -> usize;

    /// Whether the lower bound of the state in `slot` is at least `min_bound`.
    fn refutes(&mut self, slot: usize, min_bound: Cost) -> bool;

    /// Writes the reason why the lower bound of the state in `slot` is at least `min_bound`
    /// ([`LowerBound::explain`](crate::domain::LowerBound::explain)). Returns false if the lower bound is below
    /// `min_bound`.
    fn explain(&mut self, slot: usize, min_bound: Cost, wanted: &[u64], out: &mut [u64]) -> bool;

    /// Writes the largest set whose child by `mv` lies within `set`
    /// ([`SetMoves::regress`](crate::domain::SetMoves::regress)).
    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]);

    /// The work of this expander so far.
    fn counts(&self) -> Counts;

    /// Bytes of the lower bound.
    fn bound_bytes(&self) -> u64;
}

/// The number of words that a subset test compares at a time.
const BLOCK: usize = 4;

/// The number of words that hold a key of `bytes` bytes, in whole blocks. The bits behind the key are 0.
pub(crate) fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(8 * BLOCK).max(1) * BLOCK
}

/// Copies a packed key into the words of a set. All other bits of the words become 0.
#[inline]
pub(crate) fn words_of_key(key: &[u8], words: &mut [u64]) {
    let (whole, tail) = key.as_chunks::<8>();
    words.fill(0);
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if !tail.is_empty() {
        let mut bytes = [0; 8];
        bytes[..tail.len()].copy_from_slice(tail);
        words[whole.len()] = u64::from_le_bytes(bytes);
    }
}

#[inline]
pub(crate) fn key_of_words(words: &[u64], key: &mut [u8]) {
    let (whole, tail) = key.as_chunks_mut::<8>();
    for (bytes, word) in whole.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    if !tail.is_empty() {
        tail.copy_from_slice(&words[whole.len()].to_le_bytes()[..tail.len()]);
    }
}

/// Whether each element of `a` is in `b`. Both have the same number of words, in whole blocks.
#[inline(always)]
pub(crate) fn is_subset(a: &[u64], b: &[u64]) -> bool {
    let (a, b) = (a.as_chunks::<BLOCK>().0, b.as_chunks::<BLOCK>().0);
    for (a, b) in a.iter().zip(b) {
        let mut missing = 0;
        for i in 0..BLOCK {
            missing |= a[i] & !b[i];
        }
        if missing != 0 {
            return false;
        }
    }
    true
}

#[inline(always)]
pub(crate) fn contains(set: &[u64], element: u32) -> bool {
    set[element as usize / 64] >> (element % 64) & 1 == 1
}
