//! Program synthesis: the shortest program that marks every goal of a machine, with a proof.
//!
//! Bottom-up enumerative synthesis. Sizes are tested one after the other ([`test_size`]), with a bank of program
//! fragments that has one fragment for each semantics ([`bank`]). The effect of a fragment never depends on which goals
//! are marked. So equivalent fragments may replace each other in every program.
//!
//! **When it may be used:** on any [`Machine`]. Memory and time grow about tenfold with each token of the shortest
//! program.
//!
//! **What it guarantees:** when size `t` is finished, no program of `t` tokens or fewer exists. The result is a
//! shortest program, and the same program on any number of threads. If a loop has more counts than are tried, the
//! search continues, but proves nothing from that size on.
//!
//! A *layer* of the outcome is a size: it counts the bodies that were tried, and the candidates for fragments.
//!
//! **Checkpoints** hold the recipes of all fragments and the position of the search. A resume computes the semantics
//! again, on any number of threads and with any memory.
//!
//! Modules, each of which imports only from those above it:
//!
//! | module | contents |
//! | --- | --- |
//! | [`codes`], [`parallel`], [`orbits`] | codes of programs; parallel loops; orbits of states under repetition |
//! | [`visits`] | states that were visited |
//! | [`semantics`], [`workspace`] | the effect of a fragment from every state; buffers for semantics |
//! | [`bank`] | the fragments, level by level |
//! | [`test_size`] | the test of one size |
//! | [`simulate`], [`tour`], [`anneal`] | programs step by step; incumbents |
//! | [`saved`], [`search`] | the form in a checkpoint; the search |
//!
//! Reference: Udupa et al. (2013), TRANSIT; Albarghouthi, Gulwani and Kincaid (2013), recursive program synthesis.

mod anneal;
mod bank;
mod codes;
mod orbits;
mod saved;
mod search;
mod semantics;
mod simulate;
mod test_size;
#[cfg(test)]
mod tests;
mod tour;
mod visits;
mod workspace;

use super::{Context, Parameters, ProgramEngine};
use crate::checkpoint::CheckpointError;
use crate::domain::Machine;
use crate::engine::best_first::unread;
use crate::engine::outcome::{Outcome, Solution};
use crate::engine::parallel::Workers;
use crate::platform::thread_cpu_seconds;
use crate::runtime::{Event, Monitor, StopReason};
use search::{Plan, SynthesisSearch};

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
    if context.is_idle() {
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

/// A note for a session that ends before its checkpoint is read. The outcome is then that of the checkpoint.
const UNREAD: &str = "stopped while reading the checkpoint; allow more time";

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
    context.observer.observe(&Event::EngineStarted { engine: engine.name() });
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
        let search = SynthesisSearch::new(machine, incumbent.clone(), workers, limits, context.kept(), plan);
        if let (Err(CheckpointError::Interrupted { .. }), Some(keep)) = (&search, context.kept()) {
            monitor.tell(&Event::Note(UNREAD));
            let mut outcome = unread(keep, monitor.stopped())?;
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
