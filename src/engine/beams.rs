//! Beams between the layers of a best-first search, as long as they cost little beside the layers.
//!
//! States with an f of the incumbent's cost or more are never stored. So an incumbent that costs one more than the
//! optimum makes a search store a whole layer, the largest, that it will never expand. A layer has some ten times as
//! many nodes as the one before; a beam that expands half as many states as all layers so far costs a twentieth of the
//! next.
//!
//! **Deterministic**: how wide a beam is depends on the layers alone, and what it finds on its width.

use super::best_first::{Expanded, Interlude};
use super::kernel::Problem;
use super::{Context, Solution, Statistics, beam};
use crate::domain::{Domain, LowerBound};
use crate::runtime::Silent;
use std::sync::{Mutex, PoisonError};

/// The widest beam between layers: what it holds comes on top of the store.
const WIDEST: usize = 50_000;

/// The widest beam as long as there is no solution.
const WIDEST_SEEKING: usize = 1_000_000;

/// The beams of one search.
pub(super) struct Beams<'a, D, B> {
    /// Beams prove nothing: this is the problem with the bound that costs least.
    problem: Problem<'a, D, B>,
    widest: usize,
    widest_seeking: usize,
    /// The width of the widest so far, and what all did together.
    so_far: Mutex<(usize, Statistics)>,
}

impl<'a, D: Domain, B: LowerBound<D>> Beams<'a, D, B> {
    /// Beams that are wider than `width`, with a sixteenth of the memory: what they hold is not part of the account that
    /// a limit is compared with.
    pub(super) fn new(problem: Problem<'a, D, B>, width: usize, context: &Context<'_>) -> Self {
        let memory = context.limits.memory;
        let affordable = memory.map_or(u64::MAX, |memory| memory / 16 / beam::bytes_per_width(problem));
        let affordable = usize::try_from(affordable).unwrap_or(usize::MAX);
        let (widest, widest_seeking) = (affordable.min(WIDEST), affordable.min(WIDEST_SEEKING));
        Self { problem, widest, widest_seeking, so_far: Mutex::new((width, Statistics::default())) }
    }

    /// No beams at all.
    pub(super) fn none(problem: Problem<'a, D, B>) -> Self {
        Self { problem, widest: 0, widest_seeking: 0, so_far: Mutex::default() }
    }

    /// Between two layers: looks for a better solution than `held`, if a beam twice as wide as the widest so far costs little
    /// beside what was expanded.
    pub(super) fn look(&self, expanded: Expanded, held: Option<Solution>, context: &Context<'_>) -> Interlude {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let depth = held.as_ref().map_or(1, |held| held.moves.len().max(1)) as u64;
        let width = usize::try_from(expanded.in_layers / (2 * depth)).unwrap_or(usize::MAX).min(self.widest);
        if width < 2 * so_far.0.max(1) {
            return Interlude::default();
        }
        so_far.0 = width;
        let mut context = Context { observer: &Silent, ..*context };
        context.limits.memory = None;
        let outcome = beam::run(self.problem, width, held, &context);
        so_far.1.include(&outcome.statistics);
        Interlude { better: outcome.incumbent, expanded: outcome.statistics.expanded, ends: false }
    }

    /// As long as there is no solution: a beam three times as wide as the widest so far, if that is not too wide. Returns what it found,
    /// and the states that it expanded.
    pub(super) fn widen(&self, context: &Context<'_>) -> Option<(Option<Solution>, u64)> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let width = so_far.0.max(1).saturating_mul(3);
        if width > self.widest_seeking {
            return None;
        }
        so_far.0 = width;
        let mut context = *context;
        context.limits.memory = None;
        let outcome = beam::run(self.problem, width, None, &context);
        so_far.1.include(&outcome.statistics);
        Some((outcome.incumbent, outcome.statistics.expanded))
    }

    /// What all beams did.
    pub(super) fn statistics(self) -> Statistics {
        self.so_far.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}
