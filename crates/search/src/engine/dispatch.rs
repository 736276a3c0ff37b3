//! Runs an engine that searches states.

use super::beam::BeamSchedule;
use super::best_first::BestFirstInput;
use super::context::Context;
use super::ida::IdaInput;
use super::kind::{EngineKind, StateEngine};
use super::learning::{self, LearningInput};
use super::outcome::{Outcome, Solution};
use super::parameters::Parameters;
use super::{anneal, auto, beam, best_first, ida};
use crate::checkpoint::CheckpointError;
use crate::expand::StateSpace;
use crate::platform::thread_cpu_seconds;
use crate::runtime::Event;

/// Runs one engine on one space.
///
/// The range from the outcome's lower bound to the cost of its incumbent is proven at every exit, also when a limit
/// ended the search.
///
/// On several ranks, all of them call this with the same arguments, and the leader's outcome counts. An engine that
/// cannot be spread over ranks searches on the leading rank alone.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub fn search(
    engine: StateEngine,
    space: &dyn StateSpace,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    search_from(engine, space, parameters, None, context)
}

/// [`search`] from a known solution: the search looks for cheaper solutions only, and returns the known one if there is
/// none. The cost of `known` must be right.
///
/// # Errors
/// As [`search`].
pub fn search_from(
    engine: StateEngine,
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    context.observer.observe(&Event::EngineStarted { engine: engine.name() });
    let cpu_before = thread_cpu_seconds();
    let context = &context.within_process();
    let uses_ranks = EngineKind::from(engine).uses_ranks();
    if !context.leads() && !uses_ranks {
        return Ok(Outcome::unknown());
    }
    let context = &Context { exchange: context.exchange.filter(|_| uses_ranks), ..*context };
    let engine = if engine == StateEngine::Learning && space.set_expander().is_none() {
        let note = format!("{} needs states that are sets: best-first searches instead", engine.name());
        context.observer.observe(&Event::Note(&note));
        StateEngine::BestFirst
    } else {
        engine
    };
    let mut outcome = match engine {
        StateEngine::Auto => auto::run(space, parameters, known, context)?,
        StateEngine::Learning => {
            let input = LearningInput { incumbent: known, ..LearningInput::default() };
            learning::run(space, input, &BeamSchedule::none(space), context)?
        }
        StateEngine::BestFirst => {
            let input = BestFirstInput { incumbent: known, ..BestFirstInput::default() };
            best_first::run(space, input, &BeamSchedule::none(space), context)?.0
        }
        StateEngine::Ida => {
            let input = IdaInput { incumbent: known, ..IdaInput::default() };
            ida::run(space, input, parameters.ida_entries, context)?
        }
        StateEngine::Beam => beam::run(space, beam::Selection::of_width(parameters.beam_width), known, context),
        StateEngine::Anneal => anneal::run(space, parameters, known, context),
    };
    outcome.statistics.bound = space.bound().name;
    // Engines count the CPU time of the threads that they start. The calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - cpu_before;
    Ok(outcome)
}
