//! The expander of a domain whose states are sets, for the search that learns.

use super::typed::Estimate;
use super::{Counts, Meter, Reach};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, SetMoves};

/// Works with the states of sets for one worker of a search that learns ([`SetMoves`]).
///
/// States lie on a stack; a *slot* is a place there. Sets are words of 64 bits.
pub trait SetExpander: Send {
    /// The number of words of a set.
    fn words(&self) -> usize;

    /// The number of elements.
    fn elements(&self) -> usize;

    /// Writes the set of the root.
    fn root(&self, out: &mut [u64]);

    /// Pushes the state of a set on the stack, and returns its slot.
    fn push(&mut self, set: &[u64]) -> usize;

    /// Pushes the child of the state in `slot` by a move on the stack, and returns its slot.
    fn push_child(&mut self, slot: usize, mv: MoveIndex) -> usize;

    /// Pops the states from a slot on.
    fn truncate(&mut self, slot: usize);

    /// The choices at the state in `slot`; see [`SetMoves::choices`].
    fn choices(&self, slot: usize, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool;

    /// The cost of a move.
    fn cost(&self, mv: MoveIndex) -> Cost;

    /// Whether the state in `slot` is a goal.
    fn is_goal(&self, slot: usize) -> bool;

    /// Writes the set of the state in `slot`.
    fn set(&mut self, slot: usize, out: &mut [u64]);

    /// Writes the set of the state in `slot` after [`SetMoves::raise`].
    fn raised(&mut self, slot: usize, out: &mut [u64]);

    /// Whether the lower bound of the state in `slot` is at least `need`.
    fn refutes(&mut self, slot: usize, need: Cost) -> bool;

    /// Writes the reason why the lower bound of the state in `slot` is at least `need`
    /// ([`LowerBound::explain`]). Returns false if it is below.
    fn explain(&mut self, slot: usize, need: Cost, wanted: &[u64], out: &mut [u64]) -> bool;

    /// Writes the largest set whose child by `mv` lies within `set` ([`SetMoves::regress`]).
    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]);

    /// The work so far.
    fn counts(&self) -> Counts;
}

/// The [`SetExpander`] of a domain and a lower bound.
pub(super) struct TypedSets<'a, D: Domain, B: LowerBound<D>> {
    domain: &'a D,
    moves: &'a dyn SetMoves<D::State>,
    estimate: Estimate<'a, D, B>,
    stack: Vec<D::State>,
    /// Holds a state that is not on the stack.
    raised: D::State,
    key: Vec<u8>,
    generated: u64,
}

impl<'a, D: Domain, B: LowerBound<D>> TypedSets<'a, D, B> {
    pub(super) fn new(
        domain: &'a D,
        moves: &'a dyn SetMoves<D::State>,
        bound: &'a B,
        meter: Option<&'a Meter>,
    ) -> Self {
        Self {
            domain,
            moves,
            estimate: Estimate::new(bound, meter),
            stack: Vec::new(),
            raised: domain.root(),
            key: vec![0; domain.key_len()],
            generated: 0,
        }
    }
}

impl<D: Domain, B: LowerBound<D>> SetExpander for TypedSets<'_, D, B> {
    fn words(&self) -> usize {
        words_for(self.key.len())
    }

    fn elements(&self) -> usize {
        self.moves.elements()
    }

    fn root(&self, out: &mut [u64]) {
        let mut key = self.key.clone();
        self.domain.pack(&self.domain.root(), &mut key);
        words_of_key(&key, out);
    }

    fn push(&mut self, set: &[u64]) -> usize {
        key_of_words(set, &mut self.key);
        let mut state = self.raised.clone();
        self.domain.unpack(&self.key, &mut state);
        self.stack.push(state);
        self.stack.len() - 1
    }

    fn push_child(&mut self, slot: usize, mv: MoveIndex) -> usize {
        self.generated += 1;
        let child = self.moves.child(&self.stack[slot], mv);
        self.stack.push(child);
        self.stack.len() - 1
    }

    fn truncate(&mut self, slot: usize) {
        self.stack.truncate(slot);
    }

    fn choices(&self, slot: usize, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool {
        self.moves.choices(&self.stack[slot], moves, pins)
    }

    fn cost(&self, mv: MoveIndex) -> Cost {
        self.moves.cost(mv)
    }

    fn is_goal(&self, slot: usize) -> bool {
        self.domain.terminal(&self.stack[slot]).is_some()
    }

    fn set(&mut self, slot: usize, out: &mut [u64]) {
        self.domain.pack(&self.stack[slot], &mut self.key);
        words_of_key(&self.key, out);
    }

    fn raised(&mut self, slot: usize, out: &mut [u64]) {
        self.raised.clone_from(&self.stack[slot]);
        self.moves.raise(&mut self.raised);
        self.domain.pack(&self.raised, &mut self.key);
        words_of_key(&self.key, out);
    }

    fn refutes(&mut self, slot: usize, need: Cost) -> bool {
        need == 0 || !matches!(self.estimate.reach(&self.stack[slot], 0, need - 1), Reach::Within(_))
    }

    fn explain(&mut self, slot: usize, need: Cost, wanted: &[u64], out: &mut [u64]) -> bool {
        if self.estimate.explain(&self.stack[slot], need, wanted, out) {
            return true;
        }
        let refutes = self.refutes(slot, need);
        if refutes {
            self.set(slot, out);
        }
        refutes
    }

    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]) {
        self.moves.regress(set, mv, out);
    }

    fn counts(&self) -> Counts {
        Counts { generated: self.generated, evaluated: self.estimate.evaluated() }
    }
}

/// The words of a block: subset tests look at so many words at a time.
pub(crate) const BLOCK: usize = 4;

/// The number of words that hold a key of `bytes` bytes, in whole blocks. The bits behind the key are 0.
pub(crate) fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(8 * BLOCK).max(1) * BLOCK
}

/// Copies a packed key into the words of a set. The rest of the words is 0.
#[inline]
pub(crate) fn words_of_key(key: &[u8], words: &mut [u64]) {
    let (whole, rest) = key.as_chunks::<8>();
    words.fill(0);
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if !rest.is_empty() {
        let mut bytes = [0; 8];
        bytes[..rest.len()].copy_from_slice(rest);
        words[whole.len()] = u64::from_le_bytes(bytes);
    }
}

/// Copies a set into a packed key.
#[inline]
pub(crate) fn key_of_words(words: &[u64], key: &mut [u8]) {
    for (bytes, word) in key.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}
