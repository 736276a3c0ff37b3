//! The incumbent: the best solution that a search holds.

use super::outcome::Solution;
use crate::domain::{Cost, MoveIndex};
use crate::runtime::{Event, Exchange, Monitor};
use crate::sync::lock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The incumbent, shared by the workers of a search. Its cost only falls.
pub struct Incumbent<'m> {
    monitor: &'m Monitor<'m>,
    cost: AtomicU32,
    best: Mutex<Option<Solution>>,
}

impl<'m> Incumbent<'m> {
    /// Begins with a solution that was known before, if there is one.
    #[must_use]
    pub fn new(known: Option<Solution>, monitor: &'m Monitor<'m>) -> Self {
        let cost = known.as_ref().map_or(Cost::MAX, |s| s.cost);
        monitor.record_incumbent(cost);
        let cost = AtomicU32::new(cost);
        Self { monitor, cost, best: Mutex::new(known) }
    }

    /// The cost of the incumbent. [`Cost::MAX`] while there is none.
    #[inline]
    pub(super) fn cost(&self) -> Cost {
        // Relaxed is enough: an old value only prunes less.
        self.cost.load(Ordering::Relaxed)
    }

    /// Takes a solution of this cost if it is cheaper. `moves` is called only in that case.
    pub fn offer(&self, cost: Cost, moves: impl FnOnce() -> Vec<MoveIndex>) {
        if cost < self.cost() {
            self.confirm(Solution { cost, moves: moves() });
        }
    }

    /// Prunes with the cost of a solution whose moves are not known yet. Returns whether it costs less than all before.
    pub(super) fn claim(&self, cost: Cost) -> bool {
        self.cost.fetch_min(cost, Ordering::Relaxed) > cost
    }

    /// Takes a solution if it costs less than the one held. Its cost may have been claimed before.
    pub(super) fn confirm(&self, solution: Solution) {
        let mut best = lock(&self.best);
        if best.as_ref().is_none_or(|held| solution.cost < held.cost) {
            self.cost.fetch_min(solution.cost, Ordering::Relaxed);
            self.monitor.send(&Event::Incumbent { cost: solution.cost, moves: &solution.moves });
            *best = Some(solution);
        }
    }

    /// Takes the best solution of all ranks, which costs no more than the one held. A cost that was claimed but not
    /// confirmed is forgotten.
    pub(super) fn replace(&self, best: Option<Solution>) {
        best.iter().for_each(|best| self.confirm(best.clone()));
        self.cost.store(best.as_ref().map_or(Cost::MAX, |best| best.cost), Ordering::Relaxed);
        *lock(&self.best) = best;
    }

    /// Lets all ranks hold the same best solution. All ranks call this together.
    pub(super) fn share(&self, exchange: &Exchange) {
        let all = exchange.all_gather(&self.solution()).into_iter().flatten();
        self.replace(all.min_by_key(|solution| solution.cost));
    }

    /// A copy of the incumbent.
    pub(super) fn solution(&self) -> Option<Solution> {
        lock(&self.best).clone()
    }

    /// The incumbent at the end of the search.
    #[must_use]
    pub fn into_solution(self) -> Option<Solution> {
        self.best.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
