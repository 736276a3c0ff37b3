//! The default engine: a narrow beam for a first incumbent, best-first until proven, and wider beams in between as
//! long as they cost little beside the layers (see `beams`). When memory runs out, IDA* goes on from the lower bound that is proven.
//!
//! Where the first beam finds no solution, wider ones do, each three times as wide, in turn with beams by another promise, if the domain has one, and
//! with best-first search (`seek`).
//!
//! A bound that can be sharpened is, in the beginning of the best-first search (see `tune`).
//!
//! **Checkpoints**: both searches have their own, IDA* in a folder below that of best-first search. As soon as there is a
//! checkpoint of IDA*, a resume goes on with that, and the store of best-first search is not read again. IDA* needs no disk:
//! where there is no room for its checkpoints either, it goes on without and says so. A checkpoint says how the bound was
//! sharpened, and a resume goes on with the very same. A search that was stopped while its bound was being sharpened is begun
//! anew, once: what is stopped there again stays with the bound that it has.

use super::beams::Beams;
use super::best_first::{Expanded, Interlude, Known};
use super::checkpointer::{CheckpointConfig, unusable};
use super::tune::{Refined, Tuned, tune};
use super::{Context, EngineKind, Outcome, Parameters, Snapshot, Solution, Statistics, Status, beam, best_first, ida};
use crate::checkpoint::{CheckpointError, Inspection, discard, glance};
use crate::domain::Cost;
use crate::expand::{Promise, RefinableSpace, StateSpace};
use crate::runtime::{Event, StopReason};
use std::time::Instant;

/// States that best-first search expands, in turn with beams, before a search that is kept on disk is: their memory is not looked after.
const MOST_PROBED: u64 = 200_000;

/// Runs the search.
///
/// # Errors
/// When it is to go on behind a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn RefinableSpace<'_>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let begun = Instant::now();
    let sequel = context.keep.map(CheckpointConfig::sequel);
    if let Some(keep) = sequel.as_ref().filter(|keep| keep.resume) {
        return match restore(space, keep, begun, context) {
            Err(CheckpointError::Interrupted { .. }) => best_first::unread(keep, context.stopped(begun)),
            restored => {
                let refined = restored?.refined;
                let space: &dyn StateSpace = refined.as_deref().unwrap_or(space);
                go_on_with_sequel(space, &Context { keep: Some(keep), ..*context }, begun)
            }
        };
    }
    if let Some(keep) = &sequel {
        // What an older run may have left there must not be taken for a checkpoint of this one.
        discard(&keep.files)?;
    }
    let beams = Beams::new(space, parameters.auto_beam_width, context);
    let Some(keep) = context.keep.filter(|keep| keep.resume) else {
        let prepared = prepare(space, parameters, &beams, begun, context)?;
        return search(space, prepared, beams, begun, (sequel.as_ref(), context));
    };
    let restored = match restore(space, keep, begun, context) {
        Err(CheckpointError::Interrupted { .. }) => return best_first::unread(keep, context.stopped(begun)),
        restored => restored?,
    };
    if restored.snapshot.being_sharpened {
        let keep = CheckpointConfig { resume: false, ..keep.clone() };
        let anew = Context { keep: Some(&keep), ..*context };
        restored.notes.iter().for_each(|note| context.observer.observe(&Event::Note(note)));
        context.observer.observe(&Event::Note("stopped while its lower bound was being made: the search begins anew"));
        let mut prepared = prepare(space, parameters, &beams, begun, &anew)?;
        prepared.tuned.inherit(restored.snapshot);
        return search(space, prepared, beams, begun, (sequel.as_ref(), &anew));
    }
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    // What a beam found before the checkpoint is in it.
    let sought = match &restored.snapshot.incumbent {
        Some(_) => Tuned::plain(None),
        None => seek(space, &beams, 0, &context.remaining(begun, 0))?,
    };
    let prepared = Prepared { tuned: Tuned { refined: restored.refined, ..sought }, statistics: Statistics::default() };
    search(space, prepared, beams, begun, (sequel.as_ref(), context))
}

/// The search after all preparations.
fn search<'p>(
    space: &dyn RefinableSpace<'p>,
    Prepared { tuned, statistics }: Prepared<'p>,
    beams: Beams<'_>,
    begun: Instant,
    (sequel, context): (Option<&CheckpointConfig>, &Context<'_>),
) -> Result<Outcome, CheckpointError> {
    if let Some(mut outcome) = tuned.outcome {
        outcome.statistics.include(&statistics);
        outcome.statistics.include(&beams.statistics());
        return Ok(outcome);
    }
    let counted = statistics.expanded + tuned.in_session;
    let space: &dyn StateSpace = tuned.refined.as_deref().unwrap_or(space);
    let limited = context.beside(space.bound_bytes());
    let search = Search { space, begun, counted, context: limited, sequel };
    let mut outcome = search.run(beams, tuned.known, &statistics)?;
    outcome.statistics.bound = space.bound_name();
    Ok(outcome)
}

/// IDA* behind its own checkpoint.
fn go_on_with_sequel(
    space: &dyn StateSpace,
    context: &Context<'_>,
    begun: Instant,
) -> Result<Outcome, CheckpointError> {
    let known = ida::Known { is_sequel: true, ..ida::Known::default() };
    let mut outcome = depth_first(space, known, &context.remaining(begun, 0))?;
    outcome.statistics.bound = space.bound_name();
    Ok(outcome)
}

/// What a search begins with.
struct Prepared<'p> {
    tuned: Tuned<'p>,
    /// The work that it took, as far as nobody else counts it.
    statistics: Statistics,
}

/// Looks for a first solution and sharpens the bound, unless either is the end.
fn prepare<'p>(
    space: &dyn RefinableSpace<'p>,
    parameters: &Parameters,
    beams: &Beams<'_>,
    begun: Instant,
    context: &Context<'_>,
) -> Result<Prepared<'p>, CheckpointError> {
    let mut free = *context;
    free.limits.memory = None;
    let first = beam::run(space, (parameters.auto_beam_width, Promise::Usual), None, &free);
    if first.stopped.is_some() || first.status() == Status::Optimal {
        let tuned = Tuned { outcome: Some(first), ..Tuned::plain(None) };
        return Ok(Prepared { tuned, statistics: Statistics::default() });
    }
    let mut statistics = first.statistics;
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    let rest = |tuned: &Tuned<'p>| context.remaining(begun, statistics.expanded + tuned.in_session);
    let mut tuned = Tuned::plain(first.incumbent);
    if tuned.known.incumbent.is_none() {
        let most_probed = if context.keep.is_some() { MOST_PROBED } else { u64::MAX };
        tuned = seek(space, beams, most_probed, &rest(&tuned))?;
    }
    if tuned.outcome.is_none() {
        let rest = rest(&tuned);
        tuned = tune(space, tuned, beams, &rest)?;
    }
    statistics.include(&tuned.statistics);
    Ok(Prepared { tuned, statistics })
}

/// Looks for a first solution with ever wider beams, in turn with best-first search, which may prove that there is none, or come to one
/// by itself. That has a quarter of the expansions, and `most_probed` of them at most; where it stopped the search behind goes on.
fn seek<'p>(
    space: &dyn StateSpace,
    beams: &Beams<'_>,
    most_probed: u64,
    context: &Context<'_>,
) -> Result<Tuned<'p>, CheckpointError> {
    let (began, keeps) = (Instant::now(), context.keep.is_some());
    let mut tuned = Tuned::plain(None);
    let mut probed = 0;
    while let Some((found, expanded)) = beams.widen(&context.remaining(began, tuned.in_session)) {
        tuned.in_session += expanded;
        tuned.known.incumbent = found;
        if tuned.known.incumbent.is_some() || context.stopped(began).is_some() {
            break;
        }
        let mut rest = context.remaining(began, tuned.in_session);
        let left = rest.limits.expansions.unwrap_or(u64::MAX);
        let turn = (tuned.in_session / 4).min(most_probed).saturating_sub(probed);
        if turn == 0 && left > 0 {
            continue;
        }
        rest.limits.expansions = Some(turn.min(left));
        if keeps {
            // As in `tune`: somebody else's to look after.
            rest.limits.memory = None;
        }
        let known = std::mem::take(&mut tuned.known);
        let quiet = |_: Expanded, _: Cost, _: Option<Solution>| Interlude::default();
        let (outcome, in_session, begun) = best_first::probe(space, known, &quiet, &rest)?;
        probed += in_session;
        tuned.in_session += in_session;
        let has_turns = outcome.stopped == Some(StopReason::ExpansionLimit) && turn < left;
        // As in `tune`, too.
        let goes_on =
            has_turns || outcome.stopped == Some(StopReason::MemoryLimit) || keeps && outcome.stopped.is_some();
        let Some(begun) = begun.filter(|_| goes_on) else {
            tuned.outcome = Some(outcome);
            return Ok(tuned);
        };
        tuned.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..outcome.statistics });
        tuned.known = Known { incumbent: outcome.incumbent, begun: Some(begun), being_sharpened: false };
        // What has begun leaves out all that costs as much as a solution that it knows: the search behind has to know it too.
        if !has_turns || tuned.known.incumbent.is_some() {
            break;
        }
    }
    Ok(tuned)
}

/// What a checkpoint says before it is read back.
struct Restored<'p> {
    /// The space with the bound as it was sharpened, if it was.
    refined: Option<Refined<'p>>,
    snapshot: Snapshot,
    /// What was found to be damaged.
    notes: Vec<String>,
}

impl Tuned<'_> {
    /// Takes over what was found out before the search was begun anew. It is not begun anew a second time.
    fn inherit(&mut self, earlier: Snapshot) {
        let better = |held: &Option<Solution>| {
            let cost = held.as_ref().map_or(Cost::MAX, |held| held.cost);
            earlier.incumbent.clone().filter(|earlier| earlier.cost < cost)
        };
        if let Some(outcome) = &mut self.outcome {
            outcome.lower_bound = outcome.lower_bound.max(earlier.lower_bound);
            outcome.incumbent = better(&outcome.incumbent).or(outcome.incumbent.take());
        }
        if let Some(begun) = &mut self.known.begun {
            begun.raise(earlier.lower_bound);
        }
        self.known.incumbent = better(&self.known.incumbent).or(self.known.incumbent.take());
        self.known.being_sharpened = false;
    }
}

fn restore<'p>(
    space: &dyn RefinableSpace<'p>,
    keep: &CheckpointConfig,
    begun: Instant,
    context: &Context<'_>,
) -> Result<Restored<'p>, CheckpointError> {
    let Inspection { payload, notes, .. } = glance(&keep.files)?;
    let snapshot = Snapshot::decode(&payload).map_err(|reason| unusable(keep, &reason))?;
    if snapshot.bound.is_empty() {
        return Ok(Restored { refined: None, snapshot, notes });
    }
    match context.making(begun, |making| space.restore(&snapshot.bound, making)) {
        None if context.stopped(begun).is_some() => {
            Err(CheckpointError::Interrupted { path: keep.files.storage.run.clone() })
        }
        None => Err(unusable(keep, "a recipe of a lower bound that this one cannot follow")),
        refined => Ok(Restored { refined, snapshot, notes }),
    }
}

/// Best-first search with beams between its layers, and IDA* behind it.
struct Search<'s> {
    space: &'s dyn StateSpace,
    begun: Instant,
    /// States that count against the limit of expansions before it begins.
    counted: u64,
    context: Context<'s>,
    sequel: Option<&'s CheckpointConfig>,
}

impl Search<'_> {
    /// `earlier` is the work before.
    fn run(&self, beams: Beams<'_>, known: Known, earlier: &Statistics) -> Result<Outcome, CheckpointError> {
        let between_layers = |expanded: Expanded, _: Cost, held: Option<Solution>| {
            beams.look(expanded, held, &self.remaining(expanded.in_session))
        };
        let (mut outcome, in_session) = best_first::run(self.space, known, &between_layers, &self.remaining(0))?;
        outcome.statistics.include(earlier);
        outcome.statistics.include(&beams.statistics());
        if matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit)) {
            return self.go_on(outcome, in_session);
        }
        Ok(outcome)
    }

    /// Goes on depth-first where memory has ended the best-first search, from what that has proven.
    fn go_on(&self, earlier: Outcome, in_session: u64) -> Result<Outcome, CheckpointError> {
        let Outcome { incumbent, lower_bound, statistics, .. } = earlier;
        // The layer that was under way is searched anew.
        let layers = statistics.layers.iter().copied().filter(|layer| layer.f < lower_bound).collect();
        let known = ida::Known { incumbent, lower_bound, layers, work: statistics.work(), is_sequel: true };
        let context = Context { keep: self.sequel, ..self.remaining(in_session) };
        let mut outcome = depth_first(self.space, known, &context)?;
        outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
        Ok(outcome)
    }

    fn remaining(&self, in_session: u64) -> Context<'_> {
        self.context.remaining(self.begun, self.counted + in_session)
    }
}

fn depth_first(space: &dyn StateSpace, known: ida::Known, context: &Context<'_>) -> Result<Outcome, CheckpointError> {
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Ida.name() });
    ida::run(space, known, context)
}
