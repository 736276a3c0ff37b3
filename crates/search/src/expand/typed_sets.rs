//! The expander of a domain whose states are sets, compiled for each state type.

use super::meter::Counts;
use super::sets::{SetExpander, key_of_words, words_for, words_of_key};
use super::typed::BoundEvaluator;
use super::{FValue, Meter};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, SetMoves};

/// The [`SetExpander`] of a domain and a lower bound.
pub(super) struct TypedSetExpander<'a, D: Domain, B: LowerBound<D>> {
    domain: &'a D,
    moves: &'a dyn SetMoves<D::State>,
    evaluator: BoundEvaluator<'a, D, B>,
    stack: Vec<D::State>,
    /// Cloned for each new state, then overwritten.
    template: D::State,
    /// A packed state, followed by zeros up to the end of the last word.
    key: Vec<u8>,
    generated: u64,
}

impl<'a, D: Domain, B: LowerBound<D>> TypedSetExpander<'a, D, B> {
    /// `None` if the states of the domain are not sets.
    pub(super) fn new(domain: &'a D, bound: &'a B, meter: Option<&'a Meter>) -> Option<Self> {
        let (moves, template) = (domain.set_moves()?, domain.root());
        let (evaluator, key) = (BoundEvaluator::new(bound, meter), vec![0; words_for(domain.key_len()) * 8]);
        Some(Self { domain, moves, evaluator, stack: Vec::new(), template, key, generated: 0 })
    }
}

impl<D: Domain, B: LowerBound<D>> SetExpander for TypedSetExpander<'_, D, B> {
    fn words(&self) -> usize {
        self.key.len() / 8
    }

    fn element_count(&self) -> usize {
        self.moves.element_count()
    }

    fn has_few_states(&self) -> bool {
        self.moves.has_few_states()
    }

    fn root(&self, out: &mut [u64]) {
        let mut key = self.key.clone();
        self.domain.pack(&self.domain.root(), &mut key[..self.domain.key_len()]);
        words_of_key(&key, out);
    }

    fn push(&mut self, set: &[u64]) -> usize {
        key_of_words(set, &mut self.key);
        let mut state = self.template.clone();
        self.domain.unpack(&self.key[..self.domain.key_len()], &mut state);
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
        self.domain.terminal_cost(&self.stack[slot]).is_some()
    }

    fn set(&mut self, slot: usize, out: &mut [u64]) {
        self.domain.pack(&self.stack[slot], &mut self.key[..self.domain.key_len()]);
        words_of_key(&self.key, out);
    }

    fn push_saturated(&mut self, slot: usize, out: &mut [u64]) -> usize {
        let mut state = self.stack[slot].clone();
        self.moves.saturate(&mut state);
        self.stack.push(state);
        let saturated = self.stack.len() - 1;
        self.set(saturated, out);
        saturated
    }

    fn refutes(&mut self, slot: usize, min_bound: Cost) -> bool {
        min_bound == 0 || !matches!(self.evaluator.evaluate(&self.stack[slot], 0, min_bound - 1), FValue::Within(_))
    }

    fn explain(&mut self, slot: usize, min_bound: Cost, wanted: &[u64], out: &mut [u64]) -> bool {
        if self.evaluator.explain(&self.stack[slot], min_bound, wanted, out) {
            return true;
        }
        let refutes = !self.evaluator.bound.explains_all() && self.refutes(slot, min_bound);
        if refutes {
            self.set(slot, out);
        }
        refutes
    }

    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]) {
        self.moves.regress(set, mv, out);
    }

    fn bound_bytes(&self) -> u64 {
        self.evaluator.bound.bytes()
    }

    fn counts(&self) -> Counts {
        Counts { generated: self.generated, evaluated: self.evaluator.evaluated }
    }
}
