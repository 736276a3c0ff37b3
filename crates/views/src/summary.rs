//! The summary of a run: totals over all boards in one sentence.

use super::number_format::{count, seconds};
use super::text::plural;
use super::totals::Sums;
use gridhunt_hunt::BoardRecord;
use gridhunt_search::engine::Status;
use std::fmt;

const MAX_NAMED: usize = 5;

/// Totals over the boards of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Boards with a record.
    pub boards: u64,
    /// Boards that could not be read or searched.
    pub failed: u64,
    /// The names of the boards whose search was not begun.
    pub not_begun: Vec<String>,
    /// Boards with a solution.
    pub solved: Sums,
    /// Boards without a solution so far that are not proven unsolvable.
    pub unsolved: Sums,
    /// Boards whose optimum is proven.
    pub proven: u64,
    /// Boards proven to have no solution.
    pub unsolvable: u64,
    /// States expanded.
    pub expanded: u64,
    /// Wall-clock time in seconds: of the session, or of all boards if there is none.
    pub seconds: f64,
    /// CPU time in seconds, of the same session or boards.
    pub cpu_seconds: f64,
}

impl Summary {
    /// The number of boards that have a record or failed.
    #[must_use]
    pub fn searched(&self) -> u64 {
        self.boards + self.failed
    }

    /// Adds one board. The caller sets the times of a session.
    pub fn add(&mut self, record: &BoardRecord) {
        self.boards += 1;
        self.proven += u64::from(record.status == Status::Optimal);
        self.unsolvable += u64::from(record.status == Status::Unsolvable);
        // A record without a lower bound proves that the board has no solution.
        if let Some(lower_bound) = record.lower_bound {
            let sums = if record.cost.is_some() { &mut self.solved } else { &mut self.unsolved };
            sums.add(record.cost, lower_bound);
        }
        self.expanded += record.expanded;
        self.seconds += record.seconds;
        self.cpu_seconds += record.cpu_seconds;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = plural(self.searched() + self.not_begun.len() as u64, "board");
        write!(f, "{all}: {} solved, {} proven optimal", count(self.solved.boards), count(self.proven))?;
        if self.unsolvable > 0 {
            write!(f, ", {} proven unsolvable", count(self.unsolvable))?;
        }
        if self.failed > 0 {
            write!(f, ", {} failed", count(self.failed))?;
        }
        if !self.not_begun.is_empty() {
            let (named, rest) = self.not_begun.split_at(self.not_begun.len().min(MAX_NAMED));
            write!(f, ", {} not begun ({}", count(self.not_begun.len() as u64), named.join(", "))?;
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", count(rest.len() as u64)) };
            write!(f, "{more})")?;
        }
        write!(f, "; {}", self.solved)?;
        if self.unsolved.boards > 0 {
            let bound = count(self.unsolved.total_lower_bound);
            write!(f, "; {} without a solution, total lower bound {bound}", count(self.unsolved.boards))?;
        }
        let (wall, cpu) = (seconds(self.seconds), seconds(self.cpu_seconds));
        write!(f, "; {wall}, {cpu} CPU, {} expanded", count(self.expanded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::{feasible, optimal, unknown, unsolvable};

    #[test]
    fn adds_up_what_is_known() {
        let mut summary = Summary::default();
        for record in [optimal(), feasible(), unknown(), unsolvable()] {
            summary.add(&record);
        }
        let expected = "4 boards: 2 solved, 1 proven optimal, 1 proven unsolvable; \
                        total cost 14, total lower bound 12; 1 without a solution, total lower bound 5; 2.00 s, 3.60 s CPU, 4,936 expanded";
        assert_eq!(summary.to_string(), expected);
    }

    #[test]
    fn what_failed_and_what_was_not_begun_is_named() {
        let not_begun = (3..10).map(|number| format!("a#{number}")).collect();
        let mut summary = Summary { failed: 2, not_begun, ..Summary::default() };
        summary.add(&optimal());
        let expected = "10 boards: 1 solved, 1 proven optimal, 2 failed, \
                        7 not begun (a#3, a#4, a#5, a#6, a#7 and 2 more); total cost 7,";
        assert!(summary.to_string().starts_with(expected), "{summary}");
    }
}
