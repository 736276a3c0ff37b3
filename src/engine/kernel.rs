//! The one place where states are expanded and evaluated; every engine goes through it.

use crate::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};

/// A domain with a lower bound, and the best solution known before the search.
pub struct Problem<'a, D, B> {
    /// The rules.
    pub domain: &'a D,
    /// The estimate.
    pub bound: &'a B,
}

impl<D, B> Clone for Problem<'_, D, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, B> Copy for Problem<'_, D, B> {}

/// Work that a kernel has done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) generated: u64,
    pub(super) evaluated: u64,
}

/// Expands and evaluates for one worker.
pub(super) struct Kernel<'a, D: Domain, B: LowerBound<D>> {
    pub(super) problem: Problem<'a, D, B>,
    pub(super) counts: Counts,
    scratch: B::Scratch,
    children: Vec<Successor<D::State>>,
}

impl<'a, D: Domain, B: LowerBound<D>> Kernel<'a, D, B> {
    pub(super) fn new(problem: Problem<'a, D, B>) -> Self {
        Self { problem, counts: Counts::default(), scratch: B::Scratch::default(), children: Vec::new() }
    }

    /// The children of `state` without the moves of `skip`, in the domain's order. Give the buffer back with
    /// [`Kernel::recycle`] to save an allocation.
    #[inline]
    pub(super) fn expand(&mut self, state: &D::State, skip: MoveMask) -> Vec<Successor<D::State>> {
        let mut children = std::mem::take(&mut self.children);
        self.problem.domain.successors(state, skip, &mut children);
        self.counts.generated += children.len() as u64;
        children
    }

    /// Takes a buffer of children back.
    #[inline]
    pub(super) fn recycle(&mut self, mut children: Vec<Successor<D::State>>) {
        children.clear();
        self.children = children;
    }

    /// The least f of a solution through `state`, or `None` when that is proven to be `upper` or more.
    #[inline]
    pub(super) fn evaluate(&mut self, state: &D::State, g: Cost, upper: Cost) -> Option<Cost> {
        self.counts.evaluated += 1;
        let enough = upper.saturating_sub(g);
        match self.problem.bound.evaluate(state, enough, &mut self.scratch) {
            Bound::DEAD_END => None,
            Bound(h) => (h < enough).then(|| g + h),
        }
    }
}
