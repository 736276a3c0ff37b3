//! The incumbent: the best solution of a search so far.

use super::outcome::Solution;
use crate::domain::{Cost, MoveIndex};
use crate::runtime::{Event, Exchange, Monitor};
use crate::sync::lock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The incumbent, shared by the workers of a search. Its cost only falls, unless `replace` drops a claimed cost.
pub struct Incumbent<'m> {
    monitor: &'m Monitor<'m>,
    cost: AtomicU32,
    best: Mutex<Option<Solution>>,
}

impl<'m> Incumbent<'m> {
    /// Starts with a known solution, if there is one.
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

    /// Replaces the incumbent by a solution of this cost if it is cheaper. `moves` is called only in that case.
    pub fn offer(&self, cost: Cost, moves: impl FnOnce() -> Vec<MoveIndex>) {
        if cost < self.cost() {
            self.confirm(Solution { cost, moves: moves() });
        }
    }

    /// Lowers the cost to the cost of a solution whose moves are not known yet. Returns whether the cost fell.
    pub(super) fn claim(&self, cost: Cost) -> bool {
        self.cost.fetch_min(cost, Ordering::Relaxed) > cost
    }

    /// Replaces the incumbent by a cheaper solution, whose cost may have been claimed before.
    pub(super) fn confirm(&self, solution: Solution) {
        let mut best = lock(&self.best);
        if best.as_ref().is_none_or(|current| solution.cost < current.cost) {
            self.cost.fetch_min(solution.cost, Ordering::Relaxed);
            self.monitor.send(&Event::Incumbent { cost: solution.cost, moves: &solution.moves });
            *best = Some(solution);
        }
    }

    /// Sets the incumbent to the best solution of all ranks. Drops a cost that was claimed but not confirmed.
    pub(super) fn replace(&self, best: Option<Solution>) {
        best.iter().for_each(|best| self.confirm(best.clone()));
        self.cost.store(best.as_ref().map_or(Cost::MAX, |best| best.cost), Ordering::Relaxed);
        *lock(&self.best) = best;
    }

    /// Synchronises the incumbents of all ranks, which call this together.
    pub(super) fn synchronise(&self, exchange: &Exchange) {
        let solutions = exchange.all_gather(&self.solution()).into_iter().flatten();
        self.replace(solutions.min_by_key(|solution| solution.cost));
    }

    pub(super) fn solution(&self) -> Option<Solution> {
        lock(&self.best).clone()
    }

    /// The incumbent at the end of the search.
    #[must_use]
    pub fn into_solution(self) -> Option<Solution> {
        self.best.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
