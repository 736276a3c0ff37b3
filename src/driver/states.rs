//! A search with an engine of states.

use super::puzzle::Puzzle;
use super::{HuntError, Request};
use crate::board::Board;
use crate::engine::{self, Context, Outcome};
use std::time::Instant;

/// Searches a board of a puzzle that has search spaces, with the engine and the bound of the request. Preparing the bound
/// counts against the time limit.
///
/// # Errors
/// When the engine searches no states, the bound does not apply to the board, or a checkpoint cannot be used.
pub(super) fn search_states(
    puzzle: &dyn Puzzle,
    board: &Board,
    request: &Request,
    context: &Context<'_>,
) -> Result<Outcome, HuntError> {
    let (engine, domain) = (request.engine, request.domain);
    let engine = engine.of_states().ok_or(HuntError::Engine { engine, domain })?;
    let mut found = Outcome::unknown();
    puzzle.with_spaces(board, request, &mut |spaces| {
        let began = Instant::now();
        let space = spaces.space(request.bound.as_ref(), context)?;
        found = engine::search(engine, &*space, &request.parameters, &context.remaining(began, 0))?;
        Ok(())
    })?;
    Ok(found)
}
