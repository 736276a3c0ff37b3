//! A search with an engine that searches states, not programs.

use super::held::FromSolution;
use super::puzzle::Puzzle;
use super::{DriverError, Request};
use crate::board::Board;
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::engine::{self, Context, Outcome, Parameters, Solution, StateEngine};
use crate::expand::RefinableSpace;
use crate::platform::Instant;
use crate::runtime::Event;

/// Searches a board with the engine and the bound of the request. The puzzle must have search spaces. The time to
/// prepare the bound counts against the time limit.
///
/// `auto` plays a first solution before the bound is prepared. This solution is reported if the search finds no better
/// one.
///
/// # Errors
/// When the engine does not search states, the bound does not apply to the board, or a checkpoint cannot be used.
pub(super) fn search_states(
    puzzle: &dyn Puzzle,
    board: &Board,
    request: &Request,
    known: Option<&Solution>,
    context: &Context<'_>,
) -> Result<Outcome, DriverError> {
    search_with(puzzle, board, request, known, context, engine::search_from)
}

/// [`search_states`] by engines that store no states, for boards whose costs are too large for stored states. The
/// request must be for `auto`.
///
/// # Errors
/// As [`search_states`].
pub(super) fn search_unstored(
    puzzle: &dyn Puzzle,
    board: &Board,
    request: &Request,
    known: Option<&Solution>,
    context: &Context<'_>,
) -> Result<Outcome, DriverError> {
    search_with(puzzle, board, request, known, context, |_, space, parameters, known, context| {
        Ok(engine::search_unstored(space, parameters, known, context))
    })
}

/// A function that runs an engine, given a known solution.
type Run = fn(
    StateEngine,
    &dyn RefinableSpace<'_>,
    &Parameters,
    Option<Solution>,
    &Context<'_>,
) -> Result<Outcome, CheckpointError>;

fn search_with(
    puzzle: &dyn Puzzle,
    board: &Board,
    request: &Request,
    known: Option<&Solution>,
    context: &Context<'_>,
    run: Run,
) -> Result<Outcome, DriverError> {
    let (engine, domain) = (request.engine, request.domain);
    let engine = engine.of_states().ok_or(DriverError::Engine { engine, domain })?;
    let mut found = Outcome::unknown();
    puzzle.with_spaces(board, request, &mut |spaces| {
        let began = Instant::now();
        if let Some(Solution { cost, moves }) = known {
            context.observer.observe(&Event::Incumbent { cost: *cost, moves });
        }
        let upper = known.map_or(Cost::MAX, |known| known.cost);
        let plays_first = engine == StateEngine::Auto;
        let first = plays_first.then(|| {
            context.observer.observe(&Event::EngineStarted { engine: engine.name() });
            engine::first_solution(&*spaces.plain(), upper, context)
        });
        let first = first.flatten();
        let at_hand = first.as_ref().or(known);
        let observer = FromSolution { cost: at_hand.map(|solution| solution.cost), next: context.observer };
        let context = Context { observer: &observer, ..*context };
        let space = spaces.space(request.bound.as_ref(), &context)?;
        found = run(engine, &*space, &request.parameters, known.cloned(), &context.remaining(began, 0))?;
        let is_better = |at_hand: &&Solution| found.incumbent.as_ref().is_none_or(|held| at_hand.cost < held.cost);
        if let Some(better) = at_hand.filter(is_better) {
            found.incumbent = Some(better.clone());
            found.stopped = found.stopped.filter(|_| better.cost > found.lower_bound);
        }
        Ok(())
    })?;
    Ok(found)
}
