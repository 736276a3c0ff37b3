//! What the boards of a run, or of all its parts, add up to.

use super::number_format::count;
use super::text::plural;
use serde::Serialize;
use std::fmt;
use std::iter::Sum;

/// Boards by what became of them, and the sums of their costs and bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Number of boards.
    pub boards: usize,
    /// Boards that are done.
    pub done: usize,
    /// Boards whose optimum is proven.
    pub optimal: usize,
    /// Boards that are proven to have no solution.
    pub unsolvable: usize,
    /// The sum of the costs of the best solutions, over all boards with a result.
    pub total_cost: u64,
    /// The sum of the best lower bounds that results, checkpoints and events name. Each of them is proven.
    pub total_lower_bound: u64,
}

impl Sum for Totals {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            boards: sum.boards + one.boards,
            done: sum.done + one.done,
            optimal: sum.optimal + one.optimal,
            unsolvable: sum.unsolvable + one.unsolvable,
            total_cost: sum.total_cost + one.total_cost,
            total_lower_bound: sum.total_lower_bound + one.total_lower_bound,
        })
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} done", count(self.done as u64), plural(self.boards as u64, "board"))?;
        write!(f, ", {} proven optimal", count(self.optimal as u64))?;
        if self.unsolvable > 0 {
            write!(f, ", {} proven unsolvable", count(self.unsolvable as u64))?;
        }
        write!(f, "; total cost {}, total lower bound {}", count(self.total_cost), count(self.total_lower_bound))
    }
}
