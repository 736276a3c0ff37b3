//! A search with an engine that searches states, not programs.

use super::puzzle::Puzzle;
use super::{DriverError, Request};
use crate::board::Board;
use crate::engine::{self, Context, Outcome};
use std::time::Instant;

/// Searches a board with the engine and the bound of the request. The puzzle must have search spaces. The time to
/// prepare the bound counts against the time limit.
///
/// # Errors
/// When the engine does not search states, the bound does not apply to the board, or a checkpoint cannot be used.
pub(super) fn search_states(
    puzzle: &dyn Puzzle,
    board: &Board,
    request: &Request,
    context: &Context<'_>,
) -> Result<Outcome, DriverError> {
    let (engine, domain) = (request.engine, request.domain);
    let engine = engine.of_states().ok_or(DriverError::Engine { engine, domain })?;
    let mut found = Outcome::unknown();
    puzzle.with_spaces(board, request, &mut |spaces| {
        let began = Instant::now();
        let space = spaces.space(request.bound.as_ref(), context)?;
        found = engine::search(engine, &*space, &request.parameters, &context.remaining(began, 0))?;
        Ok(())
    })?;
    Ok(found)
}
