//! The handle of an engine of states, and the function that runs it.

use super::context::Context;
use super::outcome::{Outcome, Solution};
use super::parameters::Parameters;
use crate::checkpoint::CheckpointError;
use crate::expand::StateSpace;
use crate::platform::thread_cpu_seconds;
use crate::runtime::Event;
use std::fmt;

/// The properties of an engine.
#[derive(Debug, PartialEq, Eq)]
pub struct EngineInfo {
    /// The name on the command line. If an engine for states and an engine for programs share a name, their properties
    /// are equal.
    pub name: &'static str,
    /// One line that `gridhunt engines` prints.
    pub summary: &'static str,
    /// Whether the engine proves optimality if nothing stops it.
    pub proves: bool,
    /// Whether the engine takes checkpoints. Without them, a resume restarts the board.
    pub has_checkpoints: bool,
    /// Whether several ranks can share the search of one board. Otherwise the leading rank searches alone.
    pub uses_ranks: bool,
}

/// An engine that searches a [`StateSpace`]. Engines are equal if their names are.
#[derive(Clone, Copy)]
pub struct StateEngine {
    /// The properties of the engine.
    pub info: &'static EngineInfo,
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

/// Runs one engine on one space. The search looks only for solutions cheaper than `known`, whose cost must be correct,
/// and returns `known` if there is none.
///
/// The range from the outcome's lower bound to the cost of its incumbent is proven, also if a limit ends the search.
///
/// On several ranks, all ranks call this with the same arguments, and the leader's outcome counts. An engine that does
/// not use ranks searches on the leader alone.
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
    if !context.is_leader() && !uses_ranks {
        return Ok(Outcome::unknown());
    }
    let context = &Context { exchange: context.exchange.filter(|_| uses_ranks), ..*context };
    let mut outcome = (engine.run)(space, parameters, known, context)?;
    outcome.statistics.bound = space.bound().name;
    // Engines count the CPU time of the threads that they start. The calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - cpu_before;
    Ok(outcome)
}
