//! A domain with a lower bound: the one implementation of the engines' [`StateSpace`].

use super::playout::TypedPlayout;
use super::typed::TypedExpander;
use super::{Expander, Meter, Playout, RefinableSpace, StateSpace};
use crate::domain::{Cost, Domain, LowerBound, Making};
use std::sync::Arc;

/// A domain with a lower bound on it. What an engine is given to search: `search(kind, &Problem::new(&domain, bound), ..)`.
#[derive(Debug)]
pub struct Problem<'p, D, B> {
    domain: &'p D,
    bound: B,
    meter: Option<Arc<Meter>>,
}

impl<'p, D: Domain, B: LowerBound<D>> Problem<'p, D, B> {
    /// A domain with a lower bound on it.
    #[must_use]
    pub fn new(domain: &'p D, bound: B) -> Self {
        Self { domain, bound, meter: None }
    }

    /// The same domain with another bound, measured as this one is.
    fn refined(&self, bound: B) -> Self {
        Self { domain: self.domain, bound, meter: self.meter.clone() }
    }
}

impl<D: Domain, B: LowerBound<D>> StateSpace for Problem<'_, D, B> {
    fn key_len(&self) -> usize {
        self.domain.key_len()
    }

    fn mask_bits(&self) -> u32 {
        self.domain.mask_bits()
    }

    fn root_terminal(&self) -> Option<Cost> {
        self.domain.terminal(&self.domain.root())
    }

    fn lower_bound(&self) -> Cost {
        self.bound.evaluate(&self.domain.root(), Cost::MAX, &mut B::Scratch::default()).0
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(TypedExpander::new(self.domain, &self.bound, self.meter.as_deref()))
    }

    fn playout(&self) -> Box<dyn Playout + '_> {
        Box::new(TypedPlayout::new(self.domain))
    }

    fn has_other_promise(&self) -> bool {
        self.domain.other_promise(&self.domain.root()).is_some()
    }

    fn bound_name(&self) -> String {
        self.bound.name()
    }

    fn bound_bytes(&self) -> u64 {
        self.bound.bytes()
    }

    fn is_consistent(&self) -> bool {
        self.bound.consistent()
    }

    fn patience(&self) -> Option<u64> {
        self.bound.patience()
    }

    fn recipe(&self) -> Vec<u8> {
        self.bound.recipe()
    }

    fn measure(&mut self, meter: Arc<Meter>) {
        self.meter = Some(meter);
    }
}

impl<'p, D: Domain, B: LowerBound<D> + 'p> RefinableSpace<'p> for Problem<'p, D, B> {
    fn refine(&self, sample: &[Box<[u8]>], making: &Making<'_>) -> Option<Box<dyn RefinableSpace<'p> + 'p>> {
        let unpack = |key: &Box<[u8]>| {
            let mut state = self.domain.root();
            self.domain.unpack(key, &mut state);
            state
        };
        let states: Vec<_> = sample.iter().map(unpack).collect();
        let timer = self.meter.as_deref().map(Meter::sharpening);
        let bound = self.bound.sharpen(&states, making);
        drop(timer);
        let bound = bound?;
        Some(Box::new(self.refined(bound)))
    }

    fn restore(&self, recipe: &[u8], making: &Making<'_>) -> Option<Box<dyn RefinableSpace<'p> + 'p>> {
        let bound = self.bound.restore(recipe, making)?;
        Some(Box::new(self.refined(bound)))
    }
}
