//! How long a lower bound takes, measured while it guides a search.

use crate::domain::{Bound, Cost, Domain, LowerBound, Making};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// One evaluation in so many is timed: reading the clock twice takes as long as a cheap bound. A prime, so that it falls on
/// first, second and last children alike.
const STEP: u64 = 61;

/// What was measured.
#[derive(Debug, Default)]
pub(super) struct Times {
    timed: AtomicU64,
    nanoseconds: AtomicU64,
    /// Making the bound better for a board.
    sharpening: AtomicU64,
}

impl Times {
    /// Seconds of one evaluation, on the average; `None` when too few were timed to say.
    pub(super) fn of_one(&self) -> Option<f64> {
        const ENOUGH: u64 = 16;
        let timed = self.timed.load(Relaxed);
        (timed >= ENOUGH).then(|| self.nanoseconds.load(Relaxed) as f64 / timed as f64 / 1e9)
    }

    /// Seconds in which the bound was sharpened.
    pub(super) fn sharpening(&self) -> f64 {
        self.sharpening.load(Relaxed) as f64 / 1e9
    }
}

/// A bound whose evaluations are timed. Its values are those of `bound`.
#[derive(Debug)]
pub(super) struct Metered<B> {
    pub(super) bound: B,
    times: Arc<Times>,
}

/// The working memory of one worker, and how many evaluations it has made.
#[derive(Default)]
pub(super) struct MeterScratch<S> {
    scratch: S,
    evaluations: u64,
}

impl<B> Metered<B> {
    pub(super) fn new(bound: B) -> (Self, Arc<Times>) {
        let times = Arc::new(Times::default());
        (Self { bound, times: Arc::clone(&times) }, times)
    }

    #[inline]
    fn time<S>(&self, meter: &mut MeterScratch<S>, evaluate: impl FnOnce(&B, &mut S) -> Bound) -> Bound {
        meter.evaluations += 1;
        if !meter.evaluations.is_multiple_of(STEP) {
            return evaluate(&self.bound, &mut meter.scratch);
        }
        let began = Instant::now();
        let value = evaluate(&self.bound, &mut meter.scratch);
        self.times.nanoseconds.fetch_add(nanoseconds(began), Relaxed);
        self.times.timed.fetch_add(1, Relaxed);
        value
    }
}

fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl<D: Domain, B: LowerBound<D>> LowerBound<D> for Metered<B> {
    type Scratch = MeterScratch<B::Scratch>;

    fn name(&self) -> String {
        self.bound.name()
    }

    #[inline]
    fn evaluate(&self, state: &D::State, enough: Cost, meter: &mut Self::Scratch) -> Bound {
        self.time(meter, |bound, scratch| bound.evaluate(state, enough, scratch))
    }

    #[inline]
    fn evaluate_child(&self, parent: &D::State, child: &D::State, enough: Cost, meter: &mut Self::Scratch) -> Bound {
        self.time(meter, |bound, scratch| bound.evaluate_child(parent, child, enough, scratch))
    }

    fn patience(&self) -> Option<u64> {
        self.bound.patience()
    }

    fn sharpen(&self, sample: &[D::State], making: &Making<'_>) -> Option<Self> {
        let began = Instant::now();
        let sharper = self.bound.sharpen(sample, making);
        self.times.sharpening.fetch_add(nanoseconds(began), Relaxed);
        sharper.map(|bound| Self { bound, times: Arc::clone(&self.times) })
    }

    fn recipe(&self) -> Vec<u8> {
        self.bound.recipe()
    }

    fn restore(&self, recipe: &[u8], making: &Making<'_>) -> Option<Self> {
        let bound = self.bound.restore(recipe, making)?;
        Some(Self { bound, times: Arc::clone(&self.times) })
    }

    fn bytes(&self) -> u64 {
        self.bound.bytes()
    }

    fn consistent(&self) -> bool {
        self.bound.consistent()
    }
}
