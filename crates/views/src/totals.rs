//! Totals over the boards of a run.

use super::number_format::count;
use super::text::plural;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::Status;
use serde::Serialize;
use std::fmt;

/// Sums over the same boards, so that they can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sums {
    /// Number of boards.
    pub boards: u64,
    /// The sum of the costs of their best solutions; 0 for boards without a solution.
    pub total_cost: u64,
    /// The sum of their proven lower bounds.
    pub total_lower_bound: u64,
}

impl Sums {
    pub(super) fn add(&mut self, cost: Option<Cost>, lower_bound: Cost) {
        self.boards += 1;
        self.total_cost += cost.map_or(0, u64::from);
        self.total_lower_bound += u64::from(lower_bound);
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "total cost {}, total lower bound {}", count(self.total_cost), count(self.total_lower_bound))
    }
}

/// The boards of a run by outcome, each kind with its own sums. Each lower bound is the best proven lower bound in
/// results, checkpoints and events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Totals {
    /// Number of boards.
    pub boards: usize,
    /// Boards that are done.
    pub done: usize,
    /// Boards whose optimum is proven.
    pub optimal: usize,
    /// Boards that are proven to have no solution.
    pub unsolvable: usize,
    /// Boards that are done and have a solution.
    pub solved: Sums,
    /// Boards that were begun, are not done, and have a solution.
    pub begun_solved: Sums,
    /// Boards that were begun, are not done, and have no solution yet.
    pub begun_unsolved: Sums,
    /// Boards that were not begun.
    pub not_begun: usize,
}

impl Totals {
    pub(super) fn not_begun(boards: usize) -> Self {
        Self { boards, not_begun: boards, ..Self::default() }
    }

    /// Counts a board as done that was counted as not begun.
    pub(super) fn add_done(&mut self, status: Status, cost: Option<Cost>, lower_bound: Cost) {
        self.not_begun = self.not_begun.saturating_sub(1);
        self.done += 1;
        self.optimal += usize::from(status == Status::Optimal);
        self.unsolvable += usize::from(status == Status::Unsolvable);
        if cost.is_some() {
            self.solved.add(cost, lower_bound);
        }
    }

    /// Counts a board as begun that was counted as not begun.
    pub(super) fn add_begun(&mut self, cost: Option<Cost>, lower_bound: Cost) {
        self.not_begun = self.not_begun.saturating_sub(1);
        let sums = if cost.is_some() { &mut self.begun_solved } else { &mut self.begun_unsolved };
        sums.add(cost, lower_bound);
    }
}

/// A line for the boards that are done, then a line for begun boards and a line for boards not begun, if there are any.
impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { solved, begun_solved, begun_unsolved, .. } = self;
        write!(f, "{} of {} done", count(self.done as u64), plural(self.boards as u64, "board"))?;
        write!(f, ", {} proven optimal", count(self.optimal as u64))?;
        if self.unsolvable > 0 {
            write!(f, ", {} proven unsolvable", count(self.unsolvable as u64))?;
        }
        if solved.boards > 0 {
            write!(f, "; {solved}")?;
        }
        let begun = begun_solved.boards + begun_unsolved.boards;
        if begun > 0 {
            let with = format!("{} with a solution, {begun_solved}", count(begun_solved.boards));
            let bound = count(begun_unsolved.total_lower_bound);
            let without = format!("{} without a solution, total lower bound {bound}", count(begun_unsolved.boards));
            let kinds = [(begun_solved, with), (begun_unsolved, without)];
            let kinds: Vec<_> = kinds.into_iter().filter(|(sums, _)| sums.boards > 0).map(|(_, text)| text).collect();
            write!(f, "\n{} begun: {}", count(begun), kinds.join("; "))?;
        }
        match self.not_begun as u64 {
            0 => Ok(()),
            boards => write!(f, "\n{} not begun", count(boards)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_boards_has_its_own_sums() {
        let mut totals = Totals::not_begun(8);
        totals.add_done(Status::Optimal, Some(20), 20);
        totals.add_done(Status::Unsolvable, None, 7);
        totals.add_begun(Some(30), 25);
        assert_eq!(totals.to_string().lines().count(), 3);
        totals.add_begun(None, 12);
        totals.add_begun(None, 13);
        let expected = "2 of 8 boards done, 1 proven optimal, 1 proven unsolvable; total cost 20, total lower bound 20\n\
                        3 begun: 1 with a solution, total cost 30, total lower bound 25; \
                        2 without a solution, total lower bound 25\n3 not begun";
        assert_eq!(totals.to_string(), expected);
        assert_eq!(Totals::not_begun(1).to_string(), "0 of 1 board done, 0 proven optimal\n1 not begun");
    }
}
