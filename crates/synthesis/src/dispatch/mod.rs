//! The engines that search programs, and which of them runs.

use crate::machine::Machine;
use crate::search::{self, SynthesisSearch, Tuning};
use crate::{anneal, tour};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::engine::{Context, EngineInfo, Outcome, Parameters, Solution, StateEngine, Workers};
use gridhunt_search::platform::thread_cpu_seconds;
use gridhunt_search::runtime::{Event, Limits, Monitor, StopReason};

/// An engine that searches the programs of a [`Machine`].
#[derive(Clone, Copy, Debug)]
pub struct ProgramEngine {
    /// The name and the properties of the engine.
    pub info: &'static EngineInfo,
    /// The number of threads that memory suffices for, at most the requested number.
    affordable_threads: fn(Limits, &dyn Machine, usize) -> usize,
    run: fn(EngineInput<'_>) -> Result<Outcome, CheckpointError>,
}

/// The input of an engine.
struct EngineInput<'a> {
    machine: &'a dyn Machine,
    parameters: &'a Parameters,
    /// The shorter of the known program and a tour of the goals.
    incumbent: Option<Solution>,
    workers: Workers<'a>,
    threads: usize,
    context: &'a Context<'a>,
    /// The limits of the context minus the memory of the threads.
    limits: Limits,
    tuning: Tuning,
}

const SUMMARY: &str = "for programs: enumeration modulo observational equivalence, size by size; proven when it ends";

impl ProgramEngine {
    /// Synthesis, and annealing if memory does not suffice for it.
    pub const AUTO: Self = Self {
        info: StateEngine::AUTO.info,
        run: |input| synthesise(input.parameters.anneal_rounds, input),
        ..Self::SYNTHESIS
    };
    /// Synthesis: proves a shortest program.
    pub const SYNTHESIS: Self = Self {
        info: &EngineInfo {
            name: search::NAME,
            summary: SUMMARY,
            proves: true,
            has_checkpoints: true,
            uses_ranks: false,
        },
        affordable_threads: search::affordable_threads,
        run: |input| synthesise(0, input),
    };
    /// Annealing: finds programs, and proves nothing.
    pub const ANNEAL: Self = Self {
        info: StateEngine::ANNEAL.info,
        affordable_threads: |_, _, requested| requested,
        run: |EngineInput { machine, incumbent, parameters, workers, .. }| {
            Ok(anneal::run(machine, incumbent, parameters, &workers))
        },
    };

    /// Every engine.
    pub const ALL: [Self; 3] = [Self::AUTO, Self::SYNTHESIS, Self::ANNEAL];

    /// The engine with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.info.name == name)
    }
}

/// Searches for a shortest program. If memory does not suffice, anneals `anneal_rounds` rounds instead.
fn synthesise(anneal_rounds: usize, input: EngineInput<'_>) -> Result<Outcome, CheckpointError> {
    let EngineInput { machine, parameters, incumbent, workers, threads, context, limits, tuning } = input;
    let (monitor, min_bytes) = (workers.monitor, search::min_bytes(machine, threads));
    if context.limits.memory.is_some_and(|memory| memory < min_bytes) {
        let note = format!("synthesis needs about {} of memory for this board", bytesize::ByteSize(min_bytes));
        monitor.send(&Event::Note(&note));
        let outcome = anneal::run(machine, incumbent, &Parameters { anneal_rounds, ..*parameters }, &workers);
        monitor.stop(StopReason::MemoryLimit);
        return Ok(Outcome { stopped: monitor.stop_reason(), ..outcome });
    }
    let config = context.checkpoint_config();
    let search = SynthesisSearch::new(machine, incumbent.clone(), workers, limits, config, tuning);
    if let (Err(CheckpointError::Interrupted { .. }), Some(config)) = (&search, config) {
        let mut outcome = config.unread_outcome(monitor)?;
        "sizes".clone_into(&mut outcome.statistics.bound);
        outcome.incumbent = outcome.incumbent.into_iter().chain(incumbent).min_by_key(|solution| solution.cost);
        return Ok(outcome);
    }
    Ok(search?.run())
}

/// Searches for the shortest program. The codes of the program are the moves of the solution: 0 for the end of a loop,
/// 1 to `n` for the `n` instructions of the machine, `n + 1` for an endless loop, and `n + 1 + count` for a loop that
/// is repeated `count` times.
///
/// [`ProgramEngine::SYNTHESIS`] proves a shortest program. [`ProgramEngine::AUTO`] does the same, or anneals if memory
/// does not suffice. [`ProgramEngine::ANNEAL`] finds incumbents only. A known program is returned unless a shorter one
/// is found.
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
    if !context.is_leader() {
        return Ok(Outcome::unknown());
    }
    search_with(engine, machine, parameters, known, context, Tuning::DEFAULT)
}

/// [`search_program`] with other tuning constants.
fn search_with(
    engine: ProgramEngine,
    machine: &dyn Machine,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
    tuning: Tuning,
) -> Result<Outcome, CheckpointError> {
    let context = &context.limited_to_free_memory();
    let requested = context.threads.max(1);
    let threads = (engine.affordable_threads)(context.limits, machine, requested);
    let limits = search::without_thread_memory(context.limits, machine, threads);
    let monitor = Monitor::new(limits, context.observer, context.stop);
    context.observer.observe(&Event::EngineStarted { engine: engine.info.name });
    let cpu_before = thread_cpu_seconds();
    let mut outcome = monitor.run_with_progress(|| -> Result<Outcome, CheckpointError> {
        let workers = Workers::new(threads, &monitor);
        let is_better = |tour: &Solution| known.as_ref().is_none_or(|known| tour.cost < known.cost);
        let incumbent = tour::goal_tour(machine).filter(is_better).or(known.clone());
        if let Some(Solution { cost, moves }) = &incumbent {
            monitor.send(&Event::Incumbent { cost: *cost, moves });
        }
        if threads < requested {
            monitor.send(&Event::Note(&format!("memory suffices for {threads} of {requested} threads")));
        }
        (engine.run)(EngineInput { machine, parameters, incumbent, workers, threads, context, limits, tuning })
    })?;
    // The workers count the threads that they start. The calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - cpu_before;
    Ok(outcome)
}

#[cfg(test)]
mod tests;
