//! The default engine: a narrow beam for a first incumbent, best-first until proven, and wider beams in between as
//! long as they cost little beside the layers. When memory runs out, IDA* goes on from the lower bound that is proven.
//!
//! States with an f of the incumbent's cost or more are never stored. So an incumbent that costs one more than the
//! optimum makes a search store a whole layer, the largest, that it will never expand. A layer has some ten times as
//! many nodes as the one before; a beam that expands half as many states as all layers so far costs a twentieth of the
//! next.
//!
//! **Kept on disk**, both searches have an archive each, that of IDA* in a folder of the other's. As soon as there is a
//! checkpoint of IDA*, a resume goes on with that, and the store of best-first search is not read again. IDA* needs no disk:
//! where there is no room for its checkpoints either, it goes on without and says so.

use super::best_first::{Expanded, Interlude};
use super::keeper::Keep;
use super::kernel::Problem;
use super::{Context, EngineKind, Outcome, Parameters, Solution, Statistics, Status, beam, best_first, ida};
use crate::domain::{Domain, LowerBound};
use crate::runtime::{Event, Silent, StopReason};
use crate::store::{ArchiveError, discard};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The widest beam between layers: what it holds comes on top of the store.
const WIDEST: usize = 50_000;

/// Runs the search.
///
/// # Errors
/// When it is to go on behind a checkpoint that cannot be used.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Outcome, ArchiveError> {
    let begun = Instant::now();
    let sequel = context.keep.map(Keep::sequel);
    if sequel.as_ref().is_some_and(|keep| keep.resume) {
        let known = ida::Known { is_sequel: true, ..ida::Known::default() };
        return depth_first(problem, known, &Context { keep: sequel.as_ref(), ..*context });
    }
    if let Some(keep) = &sequel {
        // What an older run may have left there must not be taken for a checkpoint of this one.
        discard(&keep.archive)?;
    }
    let mut beams = (parameters.auto_beam_width, Statistics::default());
    let mut incumbent = None;
    // What a beam found before a checkpoint is in it.
    if context.keep.is_none_or(|keep| !keep.resume) {
        let mut narrow = *context;
        narrow.limits.memory = None;
        let first = beam::run(problem, parameters.auto_beam_width, None, &narrow);
        if first.stopped.is_some() || first.status() == Status::Optimal {
            return Ok(first);
        }
        (incumbent, beams.1) = (first.incumbent, first.statistics);
    }
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    let before = beams.1.expanded;
    let rest = remaining(context, begun, before);
    let beams = Mutex::new(beams);
    // A sixteenth of the memory is for beams; what they hold is not part of the account that the limit is compared
    // with.
    let affordable = context.limits.memory.map_or(u64::MAX, |m| m / 16 / beam::bytes_per_width(problem));
    let widest = usize::try_from(affordable).unwrap_or(usize::MAX).min(WIDEST);
    let between_layers = |expanded: Expanded, held: Option<Solution>| {
        let mut beams = beams.lock().unwrap_or_else(PoisonError::into_inner);
        let depth = held.as_ref().map_or(1, |s| s.moves.len().max(1)) as u64;
        let width = usize::try_from(expanded.in_layers / (2 * depth)).unwrap_or(usize::MAX).min(widest);
        if width < 2 * beams.0 {
            return Interlude::default();
        }
        beams.0 = width;
        let mut context = Context { observer: &Silent, ..remaining(context, begun, before + expanded.in_session) };
        context.limits.memory = None;
        let outcome = beam::run(problem, width, held, &context);
        beams.1.include(&outcome.statistics);
        Interlude { better: outcome.incumbent, expanded: outcome.statistics.expanded }
    };
    let (mut outcome, in_session) = best_first::run(problem, incumbent, &between_layers, &rest)?;
    let (_, beams) = beams.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.statistics.include(&beams);
    if matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit)) {
        let rest = Context { keep: sequel.as_ref(), ..remaining(context, begun, before + in_session) };
        return go_on(problem, outcome, &rest);
    }
    Ok(outcome)
}

/// Goes on depth-first where memory has ended a best-first search, from what that has proven.
fn go_on<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    earlier: Outcome,
    context: &Context<'_>,
) -> Result<Outcome, ArchiveError> {
    let Outcome { incumbent, lower_bound, statistics, .. } = earlier;
    // The layer that was under way is searched anew.
    let layers = statistics.layers.iter().copied().filter(|layer| layer.f < lower_bound).collect();
    let known = ida::Known { incumbent, lower_bound, layers, work: statistics.work(), is_sequel: true };
    let mut outcome = depth_first(problem, known, context)?;
    outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
    Ok(outcome)
}

fn depth_first<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: ida::Known,
    context: &Context<'_>,
) -> Result<Outcome, ArchiveError> {
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Ida.name() });
    ida::run(problem, known, context)
}

/// `context` with what the time since `begun` and the states `expanded` leave of its limits, which are those of a session.
fn remaining<'a>(context: &Context<'a>, begun: Instant, expanded: u64) -> Context<'a> {
    let mut rest = *context;
    rest.limits.time = rest.limits.time.map(|t| t.saturating_sub(begun.elapsed()));
    rest.limits.expansions = rest.limits.expansions.map(|n| n.saturating_sub(expanded));
    rest
}
