//! The one place where states are expanded and evaluated; every engine goes through it.

use super::meter::Meter;
use crate::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
use crate::store::{Layout, Store, shards_for};

/// A domain with a lower bound.
pub struct Problem<'a, D, B> {
    /// The rules.
    pub domain: &'a D,
    /// The estimate.
    pub bound: &'a B,
    /// Measures what the estimate takes, where somebody wants to know.
    pub(super) meter: Option<&'a Meter>,
}

impl<D, B> Clone for Problem<'_, D, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, B> Copy for Problem<'_, D, B> {}

impl<'a, D, B> Problem<'a, D, B> {
    /// A domain with a lower bound on it.
    #[must_use]
    pub fn new(domain: &'a D, bound: &'a B) -> Self {
        Self { domain, bound, meter: None }
    }

    /// The same with another bound, measured as this one is.
    pub(super) fn bounded(self, bound: &'a B) -> Self {
        Self { bound, ..self }
    }
}

impl<D: Domain, B: LowerBound<D>> Problem<'_, D, B> {
    /// An empty store for its states.
    pub(super) fn new_store(&self, workers: usize) -> Store {
        Store::new(Layout {
            key_len: self.domain.key_len(),
            mask_bits: self.domain.mask_bits(),
            shards: shards_for(workers),
        })
    }

    /// A proven lower bound before any search.
    pub(super) fn lower_bound(&self) -> Cost {
        let root = self.domain.root();
        self.bound.evaluate(&root, Cost::MAX, &mut B::Scratch::default()).0
    }
}

/// Where the least f of a solution through a state lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// It may be this, which is no more than the limit.
    Within(Cost),
    /// It is this or more, which is more than the limit.
    Beyond(Cost),
    /// No solution leads through the state.
    DeadEnd,
}

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

    /// The same without some children through which nothing costs less than `upper`, of a state that was reached at cost `g`.
    #[inline]
    pub(super) fn expand_below(
        &mut self,
        state: &D::State,
        skip: MoveMask,
        g: Cost,
        upper: Cost,
    ) -> Vec<Successor<D::State>> {
        let mut children = self.expand(state, skip);
        self.problem.bound.dismiss(state, upper.saturating_sub(g), &mut children, &mut self.scratch);
        children
    }

    /// Takes a buffer of children back.
    #[inline]
    pub(super) fn recycle(&mut self, mut children: Vec<Successor<D::State>>) {
        children.clear();
        self.children = children;
    }

    /// The least f of a solution through `state`, a child of `parent`, or `None` when that is proven to be `upper` or
    /// more.
    #[inline]
    pub(super) fn evaluate(
        &mut self,
        parent: Option<&D::State>,
        state: &D::State,
        g: Cost,
        upper: Cost,
    ) -> Option<Cost> {
        match self.reach(parent, state, g, upper.saturating_sub(1)) {
            Reach::Within(f) if f < upper => Some(f),
            _ => None,
        }
    }

    /// Compares the least f of a solution through `state`, a child of `parent`, with `limit`.
    #[inline]
    pub(super) fn reach(&mut self, parent: Option<&D::State>, state: &D::State, g: Cost, limit: Cost) -> Reach {
        self.counts.evaluated += 1;
        let enough = limit.saturating_add(1).saturating_sub(g);
        let (bound, scratch) = (self.problem.bound, &mut self.scratch);
        let timer = self.problem.meter.and_then(|meter| meter.evaluation(self.counts.evaluated));
        let value = match parent {
            Some(parent) => bound.evaluate_child(parent, state, enough, scratch),
            None => bound.evaluate(state, enough, scratch),
        };
        drop(timer);
        match value {
            Bound::DEAD_END => Reach::DeadEnd,
            Bound(h) if h < enough => Reach::Within(g + h),
            Bound(h) => Reach::Beyond(g.saturating_add(h)),
        }
    }
}
