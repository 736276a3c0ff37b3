//! Hopping Bunny: board -> machine -> synthesis -> replay.

use super::solve::{Found, refuse};
use super::{HuntError, Request};
use crate::board::{Board, Program};
use crate::domain::Cost;
use crate::domain::bunny::BunnyMachine;
use crate::engine::{Context, Outcome, Statistics, search_program};
use crate::runtime::Event;
use crate::verify::verify_program;

/// Searches a board and replays what comes out.
pub(super) fn solve(board: &Board, request: &Request, context: &Context<'_>) -> Result<Found, HuntError> {
    check_squares(board)?;
    let machine = BunnyMachine::new(board);
    let Some(cell) = machine.unreachable() else {
        return conclude(board, request, search_program(request.engine, &machine, &request.parameters, context)?);
    };
    let note = format!("{}: the square at {cell} cannot be reached from the start", board.name());
    context.observer.observe(&Event::Note(&note));
    let statistics = Statistics { bound: "reach".to_owned(), ..Statistics::default() };
    let outcome = Outcome { incumbent: None, lower_bound: Cost::MAX, stopped: None, failure: None, statistics };
    conclude(board, request, outcome)
}

/// Refuses a board that is none of Hopping Bunny.
///
/// # Errors
/// When it has other colours, or a start that is not marked.
pub(super) fn check_squares(board: &Board) -> Result<(), HuntError> {
    if board.is_bunny() {
        return Ok(());
    }
    Err(HuntError::NoSquares { board: board.name().to_owned(), colours: board.symbols().join(" ") })
}

/// What is found when it passes its replay.
fn conclude(board: &Board, request: &Request, outcome: Outcome) -> Result<Found, HuntError> {
    let mut moves = Vec::new();
    if let Some(solution) = &outcome.incumbent {
        let program = Program::from_codes(&solution.moves)
            .ok_or_else(|| refuse(board, request, "found codes that are no program"))?;
        verify_program(board, &program, Some(solution.cost)).map_err(|e| refuse(board, request, e))?;
        moves = vec![program.to_string()];
    }
    Ok(Found { outcome, moves })
}
