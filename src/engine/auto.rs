//! The default engine: a narrow beam for a first incumbent, best-first until proven, and wider beams in between as
//! long as they cost little beside the layers. When memory runs out, IDA* goes on from the lower bound that is proven.
//!
//! States with an f of the incumbent's cost or more are never stored. So an incumbent that costs one more than the
//! optimum makes a search store a whole layer, the largest, that it will never expand. A layer has some ten times as
//! many nodes as the one before; a beam that expands half as many states as all layers so far costs a twentieth of the
//! next.
//!
//! A bound that can be sharpened is, before the best-first search (see `tune`).

use super::best_first::Interlude;
use super::kernel::Problem;
use super::{Context, EngineKind, Outcome, Parameters, Solution, Status, beam, best_first, ida, tune};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::{Event, Silent, StopReason};
use crate::store::ArchiveError;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The widest beam between layers: what it holds comes on top of the store.
const WIDEST: usize = 50_000;

/// Runs the search.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Outcome, ArchiveError> {
    let begun = Instant::now();
    let mut narrow = *context;
    narrow.limits.memory = None;
    let first = beam::run(problem, parameters.auto_beam_width, None, &narrow);
    if first.stopped.is_some() || first.status() == Status::Optimal {
        return Ok(first);
    }
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    let rest = remaining(context, begun, first.statistics.expanded);
    let mut earlier = first.statistics;
    let tuned = tune::tune(problem, first.incumbent, &rest)?;
    if let Some(mut outcome) = tuned.outcome {
        outcome.statistics.include(&earlier);
        return Ok(outcome);
    }
    earlier.include(&tuned.statistics);
    // Beams prove nothing: they go on with the bound that costs least.
    let plain = problem;
    let problem = Problem { bound: tuned.bound.as_ref().unwrap_or(problem.bound), ..problem };
    let mut rest = remaining(context, begun, earlier.expanded);
    rest.limits.memory = rest.limits.memory.map(|bytes| bytes.saturating_sub(problem.bound.bytes()));
    let beams = Mutex::new((parameters.auto_beam_width, earlier));
    // A sixteenth of the memory is for beams; what they hold is not part of the account that the limit is compared
    // with.
    let affordable = context.limits.memory.map_or(u64::MAX, |m| m / 16 / beam::bytes_per_width(problem));
    let widest = usize::try_from(affordable).unwrap_or(usize::MAX).min(WIDEST);
    let between_layers = |expanded: u64, _: Cost, held: Option<Solution>| {
        let mut beams = beams.lock().unwrap_or_else(PoisonError::into_inner);
        let depth = held.as_ref().map_or(1, |s| s.moves.len().max(1)) as u64;
        let width = usize::try_from(expanded / (2 * depth)).unwrap_or(usize::MAX).min(widest);
        if width < 2 * beams.0 {
            return Interlude::default();
        }
        beams.0 = width;
        let mut context = Context { observer: &Silent, ..remaining(context, begun, expanded + beams.1.expanded) };
        context.limits.memory = None;
        let outcome = beam::run(plain, width, held, &context);
        beams.1.include(&outcome.statistics);
        Interlude { better: outcome.incumbent, expanded: outcome.statistics.expanded, ends: false }
    };
    let mut outcome = best_first::run(problem, tuned.incumbent, &between_layers, &rest)?;
    let (_, beams) = beams.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.statistics.include(&beams);
    outcome.statistics.bound = problem.bound.name();
    outcome.lower_bound = outcome.lower_bound.max(tuned.lower_bound);
    if matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit)) {
        outcome = go_on(problem, outcome, begun, context);
    }
    Ok(outcome)
}

/// Goes on depth-first where memory has ended a best-first search, from what that has proven.
fn go_on<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    earlier: Outcome,
    begun: Instant,
    context: &Context<'_>,
) -> Outcome {
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Ida.name() });
    let Outcome { incumbent, lower_bound, mut statistics, .. } = earlier;
    // The layer that was under way is searched anew.
    statistics.layers.retain(|layer| layer.f < lower_bound);
    let visited = statistics.layers.iter().map(|layer| layer.expanded).sum();
    let rest = remaining(context, begun, statistics.expanded);
    let mut outcome = ida::run(problem, ida::Known { incumbent, lower_bound, visited }, &rest);
    let layers = std::mem::take(&mut outcome.statistics.layers);
    outcome.statistics.include(&statistics);
    outcome.statistics.layers = [statistics.layers, layers].concat();
    outcome.statistics.bound = statistics.bound;
    outcome
}

/// `context` with what the time since `begun` and the states `expanded` leave of its limits.
fn remaining<'a>(context: &Context<'a>, begun: Instant, expanded: u64) -> Context<'a> {
    let mut rest = *context;
    rest.limits.time = rest.limits.time.map(|t| t.saturating_sub(begun.elapsed()));
    rest.limits.expansions = rest.limits.expansions.map(|n| n.saturating_sub(expanded));
    rest
}
