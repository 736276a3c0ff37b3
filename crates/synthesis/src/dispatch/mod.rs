//! The engines that search programs, and which of them runs.

#[cfg(test)]
mod tests;

use crate::machine::Machine;
use crate::search::{self, Plan, SynthesisSearch};
use crate::{anneal, tour};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::engine::{Context, EngineKind, Outcome, Parameters, Solution, Workers};
use gridhunt_search::platform::thread_cpu_seconds;
use gridhunt_search::runtime::{Event, Monitor, StopReason};

/// An engine that searches the programs of a [`Machine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramEngine {
    /// Synthesis, and annealing if memory does not suffice for it.
    Auto,
    /// Synthesis: proves a shortest program.
    Synthesis,
    /// Annealing: finds programs, and proves nothing.
    Anneal,
}

impl ProgramEngine {
    /// All of them, in the order of [`EngineKind::ALL`].
    pub const ALL: [Self; 3] = [Self::Auto, Self::Synthesis, Self::Anneal];

    /// The engine for programs with this name, if there is one.
    #[must_use]
    pub fn of(kind: EngineKind) -> Option<Self> {
        Self::ALL.into_iter().find(|&engine| EngineKind::from(engine) == kind)
    }
}

impl From<ProgramEngine> for EngineKind {
    fn from(engine: ProgramEngine) -> Self {
        match engine {
            ProgramEngine::Auto => Self::Auto,
            ProgramEngine::Synthesis => Self::Synthesis,
            ProgramEngine::Anneal => Self::Anneal,
        }
    }
}

/// Searches for the shortest program. The codes of the program are the moves of the solution: 0 for the end of a loop,
/// 1 to `n` for the `n` instructions of the machine, `n + 1` for an endless loop, and `n + 1 + count` for a loop that
/// is repeated `count` times.
///
/// [`ProgramEngine::Synthesis`] proves a shortest program. [`ProgramEngine::Auto`] does the same, and
/// anneals if memory does not suffice. [`ProgramEngine::Anneal`] finds incumbents only. A known program is returned
/// unless a shorter one is found.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub fn search_program(
    engine: ProgramEngine,
    machine: &dyn Machine,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    if !context.leads() {
        return Ok(Outcome::unknown());
    }
    search_with(engine, machine, parameters, known, context, Plan::DEFAULT)
}

/// The outcome if memory does not suffice for synthesis: a first program, which [`ProgramEngine::Auto`] anneals.
fn without_synthesis(
    engine: ProgramEngine,
    machine: &dyn Machine,
    incumbent: Option<Solution>,
    parameters: &Parameters,
    workers: &Workers<'_>,
) -> Outcome {
    let anneal_rounds = if engine == ProgramEngine::Auto { parameters.anneal_rounds } else { 0 };
    let outcome = anneal::run(machine, incumbent, &Parameters { anneal_rounds, ..*parameters }, workers);
    workers.monitor.end(StopReason::MemoryLimit);
    Outcome { stopped: workers.monitor.stopped(), ..outcome }
}

/// [`search_program`] with a plan.
fn search_with(
    engine: ProgramEngine,
    machine: &dyn Machine,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
    plan: Plan,
) -> Result<Outcome, CheckpointError> {
    let context = &context.within_process();
    let wanted = context.threads.max(1);
    let threads = match engine {
        ProgramEngine::Anneal => wanted,
        _ => search::affordable_threads(context.limits, machine, wanted),
    };
    let limits = search::without_threads(context.limits, machine, threads);
    let monitor = Monitor::new(limits, context.observer, context.stop);
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::from(engine).name() });
    let begun = thread_cpu_seconds();
    let mut outcome = monitor.watch(|| -> Result<Outcome, CheckpointError> {
        let workers = Workers::new(threads, &monitor);
        let is_better = |tour: &Solution| known.as_ref().is_none_or(|known| tour.cost < known.cost);
        let incumbent = tour::tour(machine).filter(is_better).or(known.clone());
        if let Some(Solution { cost, moves }) = &incumbent {
            monitor.tell(&Event::Incumbent { cost: *cost, moves });
        }
        if threads < wanted {
            monitor.tell(&Event::Note(&format!("memory suffices for {threads} of {wanted} threads")));
        }
        let least = search::least_bytes(machine, threads);
        if engine != ProgramEngine::Anneal && context.limits.memory.is_some_and(|memory| memory < least) {
            let note = format!("synthesis needs about {} of memory for this board", bytesize::ByteSize(least));
            monitor.tell(&Event::Note(&note));
            return Ok(without_synthesis(engine, machine, incumbent, parameters, &workers));
        }
        if engine == ProgramEngine::Anneal {
            return Ok(anneal::run(machine, incumbent, parameters, &workers));
        }
        let search =
            SynthesisSearch::new(machine, incumbent.clone(), workers, limits, context.checkpoint_config(), plan);
        if let (Err(CheckpointError::Interrupted { .. }), Some(keep)) = (&search, context.checkpoint_config()) {
            let mut outcome = keep.unread(&monitor)?;
            "sizes".clone_into(&mut outcome.statistics.bound);
            outcome.incumbent = outcome.incumbent.into_iter().chain(incumbent).min_by_key(|held| held.cost);
            return Ok(outcome);
        }
        Ok(search?.run())
    })?;
    // The workers count the threads that they start. The calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - begun;
    Ok(outcome)
}
