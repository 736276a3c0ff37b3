//! The handle of an engine of states, and how the engine runs.

use super::context::Context;
use super::outcome::{Outcome, Solution};
use super::parameters::Parameters;
use crate::checkpoint::CheckpointError;
use crate::expand::StateSpace;
use crate::platform::thread_cpu_seconds;
use crate::runtime::Event;
use std::fmt;

/// What is known of an engine without a search.
#[derive(Debug, PartialEq, Eq)]
pub struct EngineInfo {
    /// The name on the command line. If an engine of states and an engine of programs share a name, all fields of their
    /// information are the same.
    pub name: &'static str,
    /// One line that `gridhunt engines` prints.
    pub summary: &'static str,
    /// Whether the engine proves optimality when nothing stops it.
    pub proves: bool,
    /// Whether a run keeps checkpoints of the engine. Without checkpoints, a resume begins a board anew.
    pub has_checkpoints: bool,
    /// Whether several ranks can share the search of one board. Otherwise the leading rank searches alone.
    pub uses_ranks: bool,
}

/// An engine that searches a [`StateSpace`]. Engines are equal if their names are.
#[derive(Clone, Copy)]
pub struct StateEngine {
    /// What is known of the engine without a search.
    pub info: &'static EngineInfo,
    /// Runs the engine.
    pub(super) run: Run,
}

/// The function that runs one engine; see [`search`].
pub(super) type Run =
    fn(&dyn StateSpace, &Parameters, Option<Solution>, &Context<'_>) -> Result<Outcome, CheckpointError>;

impl PartialEq for StateEngine {
    fn eq(&self, other: &Self) -> bool {
        self.info.name == other.info.name
    }
}

impl Eq for StateEngine {}

impl fmt::Debug for StateEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// Runs one engine on one space. With a `known` solution, whose cost must be right, the search looks for cheaper
/// solutions only. It returns the known one if there is no cheaper one.
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
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let &EngineInfo { name, uses_ranks, .. } = engine.info;
    context.observer.observe(&Event::EngineStarted { engine: name });
    let cpu_before = thread_cpu_seconds();
    let context = &context.limited_to_free_memory();
    if !context.leads() && !uses_ranks {
        return Ok(Outcome::unknown());
    }
    let context = &Context { exchange: context.exchange.filter(|_| uses_ranks), ..*context };
    let mut outcome = (engine.run)(space, parameters, known, context)?;
    outcome.statistics.bound = space.bound().name;
    // Engines count the CPU time of the threads that they start. The calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - cpu_before;
    Ok(outcome)
}
