//! Flood-It: board -> regions -> engine -> replay.

use super::solve::{Found, refuse};
use super::{HuntError, Request};
use crate::board::Board;
use crate::checkpoint::CheckpointError;
use crate::domain::floodit::{FloodBound, FloodIt, Visitor, with_puzzle};
use crate::engine::{self, Context, Outcome};
use crate::expand::Problem;
use crate::verify::verify_solution;
use std::time::Instant;

/// Bytes that tables of a lower bound may take: a quarter of the memory of a search at most. A search that is kept goes on
/// with the same tables whatever its memory, which is measured there with all that the process holds.
pub(super) fn table_bytes(request: &Request, context: &Context<'_>) -> u64 {
    let memory = context.limits.memory.filter(|_| context.keep.is_none());
    memory.map_or(request.bound_memory, |memory| request.bound_memory.min(memory / 4))
}

struct Search<'a> {
    request: &'a Request,
    context: &'a Context<'a>,
}

impl Visitor for Search<'_> {
    type Output = Result<Outcome, CheckpointError>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let Self { request, context } = self;
        let (began, bytes) = (Instant::now(), table_bytes(request, context));
        let bound =
            context.with_build_context(began, |build| FloodBound::within(puzzle, &request.flood_bound(), bytes, build));
        let problem = Problem::new(puzzle, bound);
        engine::search(request.engine, &problem, &request.parameters, &context.remaining(began, 0))
    }
}

/// Searches a board and replays what comes out.
pub(super) fn solve(board: &Board, request: &Request, context: &Context<'_>) -> Result<Found, HuntError> {
    conclude(board, request, with_puzzle(board, Search { request, context })??)
}

/// What is found when it passes its replay.
fn conclude(board: &Board, request: &Request, outcome: Outcome) -> Result<Found, HuntError> {
    let mut moves = Vec::new();
    if let Some(solution) = &outcome.incumbent {
        let claimed = Some(solution.cost);
        verify_solution(board, &solution.moves, claimed).map_err(|e| refuse(board, request, e))?;
        moves = solution.moves.iter().map(|&m| board.symbols()[usize::from(m)].clone()).collect();
    }
    Ok(Found { outcome, moves })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Cell, usual_symbols};
    use crate::domain::Cost;
    use crate::engine::{Solution, Statistics};

    fn claim(moves: &[u16], cost: Cost) -> Result<Found, HuntError> {
        // One row, 1 2 1 3: the optimum is 3.
        let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        let incumbent = Some(Solution { cost, moves: moves.to_vec() });
        let outcome =
            Outcome { incumbent, lower_bound: 3, stopped: None, failure: None, statistics: Statistics::default() };
        conclude(&row, &Request::default(), outcome)
    }

    #[test]
    fn nothing_is_found_that_fails_its_replay() {
        assert_eq!(claim(&[1, 0, 2], 3).unwrap().moves, ["2", "1", "3"]);
        let cases = [
            (claim(&[1, 0], 2), "found 1 cell left"),
            (claim(&[1, 0, 2, 1], 4), "move 4"),
            (claim(&[1, 0, 9], 3), "found colour number 9"),
            (claim(&[1, 0, 2], 2), "found 3 moves, expected 2"),
        ];
        for (result, expected) in cases {
            let error = result.map(|found| found.moves).unwrap_err();
            assert!(error.is_internal());
            let text = error.to_string();
            assert!(text.starts_with("row: the solution of engine auto fails its replay: "), "{text}");
            assert!(text.contains(expected), "{text}");
        }
    }
}
