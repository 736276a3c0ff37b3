//! The default engine: a narrow beam for a first incumbent, best-first until proven, and wider beams in between as
//! long as they cost little beside the layers. When memory runs out, IDA* goes on from the lower bound that is proven.
//!
//! States with an f of the incumbent's cost or more are never stored. So an incumbent that costs one more than the
//! optimum makes a search store a whole layer, the largest, that it will never expand. A layer has some ten times as
//! many nodes as the one before; a beam that expands half as many states as all layers so far costs a twentieth of the
//! next.
//!
//! A bound that can be sharpened is, in the beginning of the best-first search (see `tune`), unless the search is kept.
//!
//! **Kept on disk**, both searches have an archive each, that of IDA* in a folder of the other's. As soon as there is a
//! checkpoint of IDA*, a resume goes on with that, and the store of best-first search is not read again. IDA* needs no disk:
//! where there is no room for its checkpoints either, it goes on without and says so. A checkpoint does not say how a bound
//! was sharpened, and a resume goes on with the bound that the search began with: so that one stays as it is.

use super::best_first::{Begun, Expanded, Interlude, Known};
use super::keeper::Keep;
use super::kernel::Problem;
use super::tune::{Tuned, tune};
use super::{Context, EngineKind, Outcome, Parameters, Solution, Statistics, Status, beam, best_first, ida};
use crate::domain::{Cost, Domain, LowerBound};
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
    let Prepared { mut tuned, statistics } = prepare(problem, parameters, begun, context)?;
    if let Some(mut outcome) = tuned.outcome.take() {
        outcome.statistics.include(&statistics);
        return Ok(outcome);
    }
    let counted = statistics.expanded + tuned.known.begun.as_ref().map_or(0, Begun::expanded);
    let (plain, known) = (problem, tuned.known);
    let problem = Problem { bound: tuned.bound.as_ref().unwrap_or(problem.bound), ..problem };
    let limited = context.beside(problem.bound.bytes());
    let search = Search { plain, problem, begun, counted, context: limited, sequel: sequel.as_ref() };
    let mut outcome = search.run(parameters.auto_beam_width, known, statistics)?;
    outcome.statistics.bound = problem.bound.name();
    Ok(outcome)
}

/// What a search begins with.
struct Prepared<B> {
    tuned: Tuned<B>,
    /// The work that it took, as far as nobody else counts it.
    statistics: Statistics,
}

/// Looks for a first solution and sharpens the bound, unless either is the end.
fn prepare<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    parameters: &Parameters,
    begun: Instant,
    context: &Context<'_>,
) -> Result<Prepared<B>, ArchiveError> {
    let (mut incumbent, mut statistics) = (None, Statistics::default());
    // What a beam found before a checkpoint is in it.
    if context.keep.is_none_or(|keep| !keep.resume) {
        let mut free = *context;
        free.limits.memory = None;
        let first = beam::run(problem, parameters.auto_beam_width, None, &free);
        if first.stopped.is_some() || first.status() == Status::Optimal {
            let tuned = Tuned { outcome: Some(first), ..Tuned::plain(None) };
            return Ok(Prepared { tuned, statistics });
        }
        (incumbent, statistics) = (first.incumbent, first.statistics);
    }
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    let tuned = match context.keep {
        Some(_) => Tuned::plain(incumbent),
        None => tune(problem, incumbent, &context.remaining(begun, statistics.expanded))?,
    };
    statistics.include(&tuned.statistics);
    Ok(Prepared { tuned, statistics })
}

/// Best-first search with beams between its layers, and IDA* behind it.
struct Search<'s, 'a, D, B> {
    /// Beams prove nothing: they take the bound that costs least.
    plain: Problem<'a, D, B>,
    problem: Problem<'s, D, B>,
    begun: Instant,
    /// States that count against the limit of expansions before it begins.
    counted: u64,
    context: Context<'s>,
    sequel: Option<&'s Keep>,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, '_, D, B> {
    /// `width` is that of the widest beam so far, `earlier` the work before.
    fn run(&self, width: usize, known: Known, earlier: Statistics) -> Result<Outcome, ArchiveError> {
        let beams = Mutex::new((width, earlier));
        // A sixteenth of the memory is for beams; what they hold is not part of the account that the limit is compared
        // with.
        let memory = self.context.limits.memory;
        let affordable = memory.map_or(u64::MAX, |memory| memory / 16 / beam::bytes_per_width(self.plain));
        let widest = usize::try_from(affordable).unwrap_or(usize::MAX).min(WIDEST);
        let between_layers = |expanded: Expanded, _: Cost, held: Option<Solution>| {
            let mut beams = beams.lock().unwrap_or_else(PoisonError::into_inner);
            let depth = held.as_ref().map_or(1, |s| s.moves.len().max(1)) as u64;
            let width = usize::try_from(expanded.in_layers / (2 * depth)).unwrap_or(usize::MAX).min(widest);
            if width < 2 * beams.0 {
                return Interlude::default();
            }
            beams.0 = width;
            let mut context = Context { observer: &Silent, ..self.remaining(expanded.in_session) };
            context.limits.memory = None;
            let outcome = beam::run(self.plain, width, held, &context);
            beams.1.include(&outcome.statistics);
            Interlude { better: outcome.incumbent, expanded: outcome.statistics.expanded, ends: false }
        };
        let (mut outcome, in_session) = best_first::run(self.problem, known, &between_layers, &self.remaining(0))?;
        let (_, beams) = beams.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.statistics.include(&beams);
        if matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit)) {
            return self.go_on(outcome, in_session);
        }
        Ok(outcome)
    }

    /// Goes on depth-first where memory has ended the best-first search, from what that has proven.
    fn go_on(&self, earlier: Outcome, in_session: u64) -> Result<Outcome, ArchiveError> {
        let Outcome { incumbent, lower_bound, statistics, .. } = earlier;
        // The layer that was under way is searched anew.
        let layers = statistics.layers.iter().copied().filter(|layer| layer.f < lower_bound).collect();
        let known = ida::Known { incumbent, lower_bound, layers, work: statistics.work(), is_sequel: true };
        let context = Context { keep: self.sequel, ..self.remaining(in_session) };
        let mut outcome = depth_first(self.problem, known, &context)?;
        outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
        Ok(outcome)
    }

    fn remaining(&self, in_session: u64) -> Context<'_> {
        self.context.remaining(self.begun, self.counted + in_session)
    }
}

fn depth_first<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: ida::Known,
    context: &Context<'_>,
) -> Result<Outcome, ArchiveError> {
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Ida.name() });
    ida::run(problem, known, context)
}
