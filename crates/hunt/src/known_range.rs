//! The range of a board from earlier sessions.

#[cfg(doc)]
use super::History;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Outcome, Solution};

/// The lower bound and the best solution of a board from earlier sessions of its run. A session that is stopped at once
/// still reports this range, so the range of a board never widens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRange {
    /// The proven lower bound.
    pub lower_bound: Cost,
    /// The best solution. The plain rules have accepted it, unless it comes from [`History::open_boards`].
    pub solution: Option<Solution>,
}

impl KnownRange {
    /// Merges this range into the outcome of a later search of the same board.
    pub(super) fn merge_into(&self, outcome: &mut Outcome) {
        outcome.lower_bound = outcome.lower_bound.max(self.lower_bound);
        let is_better = |known: &&Solution| outcome.incumbent.as_ref().is_none_or(|found| known.cost < found.cost);
        if let Some(better) = self.solution.as_ref().filter(is_better) {
            outcome.incumbent = Some(better.clone());
        }
        if outcome.status().is_proven() {
            outcome.stopped = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_search::runtime::StopReason;

    #[test]
    fn a_range_never_widens() {
        let solution = |cost| Solution { cost, moves: vec![0; cost as usize] };
        let known = KnownRange { lower_bound: 5, solution: Some(solution(7)) };
        let joined = |lower_bound, cost: Option<Cost>| {
            let stopped = Some(StopReason::TimeLimit);
            let mut outcome = Outcome { lower_bound, stopped, incumbent: cost.map(solution), ..Outcome::unknown() };
            known.merge_into(&mut outcome);
            (outcome.lower_bound, outcome.incumbent.map(|found| found.cost), outcome.stopped.is_some())
        };
        assert_eq!(joined(0, None), (5, Some(7), true));
        assert_eq!(joined(6, Some(9)), (6, Some(7), true));
        assert_eq!(joined(4, Some(6)), (5, Some(6), true));
        // The lower bound of one session may be equal to the cost of another session's solution, which proves the
        // optimum.
        assert_eq!(joined(7, None), (7, Some(7), false));
        assert_eq!(joined(3, Some(5)), (5, Some(5), false));
    }
}
