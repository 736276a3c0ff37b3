//! A domain with a lower bound, as a [`StateSpace`].

use super::local_search::DomainPath;
use super::playout;
use super::sets::SetExpander;
use super::typed::TypedExpander;
use super::typed_sets::TypedSetExpander;
use super::{BoundFacts, Expander, GuidanceFacts, Meter, StateSpace};
use crate::domain::{Cost, Domain, Guidance, LazyState, LocalSearchPath, LowerBound, MoveIndex};
use std::sync::Arc;

/// A domain with a lower bound: the [`StateSpace`] that [`search`](crate::engine::search) takes.
///
/// Each worker of an engine has its own expander and its own scratch memory of the bound. All workers share the domain
/// and the bound, which never change.
#[derive(Debug)]
pub struct Problem<'p, D, B> {
    domain: &'p D,
    bound: B,
    meter: Option<Arc<Meter>>,
}

impl<'p, D: Domain, B: LowerBound<D>> Problem<'p, D, B> {
    /// Joins a domain and a lower bound for it.
    #[must_use]
    pub fn new(domain: &'p D, bound: B) -> Self {
        Self { domain, bound, meter: None }
    }
}

impl<D: Domain, B: LowerBound<D>> StateSpace for Problem<'_, D, B> {
    fn key_len(&self) -> usize {
        self.domain.key_len()
    }

    fn mask_bits(&self) -> u32 {
        self.domain.mask_bits()
    }

    fn revision(&self) -> u8 {
        self.domain.revision()
    }

    fn root_key(&self) -> Vec<u8> {
        let mut key = vec![0; self.domain.key_len()];
        self.domain.pack(&self.domain.root(), &mut key);
        key
    }

    fn root_terminal_cost(&self) -> Option<Cost> {
        self.domain.terminal_cost(&self.domain.root())
    }

    fn lower_bound(&self) -> Cost {
        self.bound.evaluate(&self.domain.root(), Cost::MAX, &mut B::Scratch::default()).0
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(TypedExpander::new(self.domain, &self.bound, self.meter.as_deref()))
    }

    fn set_expander(&self) -> Option<Box<dyn SetExpander + '_>> {
        Some(Box::new(TypedSetExpander::new(self.domain, &self.bound, self.meter.as_deref())?))
    }

    fn greedy_path(&self, is_over: &dyn Fn() -> bool) -> Option<(Cost, Vec<MoveIndex>)> {
        playout::greedy_path(self.domain, self.guidance().max_played_moves, is_over)
    }

    fn local_search_path(&self) -> Box<dyn LocalSearchPath + '_> {
        let custom = self.domain.guidance().and_then(Guidance::local_search_path);
        custom.unwrap_or_else(|| Box::new(DomainPath::new(self.domain, self.guidance().max_played_moves)))
    }

    fn lazy_root(&self) -> Option<Box<dyn LazyState<'_> + '_>> {
        self.domain.guidance().and_then(Guidance::lazy_root)
    }

    fn guidance(&self) -> GuidanceFacts {
        struct NoGuidance;
        impl<S> Guidance<S> for NoGuidance {}
        let (guidance, root) = (self.domain.guidance().unwrap_or(&NoGuidance), self.domain.root());
        GuidanceFacts {
            max_played_moves: guidance.max_played_moves(),
            has_varied_promises: guidance.varied_promise(&root, 0).is_some(),
            has_staged_estimates: guidance.staged_estimate(&root, 0).is_some(),
            lazy_goal_cost: guidance.lazy_root().map(|_| guidance.goal_cost()),
        }
    }

    fn bound(&self) -> BoundFacts {
        BoundFacts { name: self.bound.name(), bytes: self.bound.bytes(), is_consistent: self.bound.is_consistent() }
    }

    fn measure(&mut self, meter: Arc<Meter>) {
        self.meter = Some(meter);
    }
}
