//! The default engine: a beam search for a first incumbent, then best-first search for the proof, with wider beam
//! searches between its layers while they cost little (`beam_schedule`). When memory runs out, IDA* continues from the
//! proven lower bound.
//!
//! **Without a first solution**, more beam searches run in turn with best-first search ([`seek`]): each three times as
//! wide as the one before, and beside them narrower ones by variations of the ordering heuristic, if there are any.
//!
//! **A lower bound that can be refined** is refined early in the best-first search (`refine`).
//!
//! **When to use it.** For everything, unless another engine is known to be better.
//!
//! **Guarantees.** Those of best-first search, and of IDA* for the layers that IDA* searches. The beam searches depend
//! on counts of layers alone, so they are the same on any number of threads.
//!
//! **Checkpoints.** Both searches have checkpoints; those of IDA* lie in a folder below those of best-first search. As
//! soon as IDA* has a checkpoint, a resume continues with it, and the store of best-first search is not read again.
//! IDA* needs no disk: if its checkpoints cannot be written, it continues without checkpoints and sends a note. A
//! checkpoint holds the serialized form of the refined bound, and a resume uses this bound. If a run was stopped while
//! its bound was being refined, the resume begins the search anew. This happens only once: after a second such stop,
//! the search keeps the bound that it has.

use super::beam::Selection;
use super::beam_schedule::BeamSchedule;
use super::best_first::{BestFirstInput, BetweenLayers, Expanded};
use super::checkpointer::{CheckpointConfig, peers_of, unusable};
use super::refine::{PreparedSearch, RefinedSpace, refine_bound};
use super::{
    Context, EngineKind, Outcome, Parameters, Snapshot, Solution, Statistics, Status, beam, best_first, ida,
    preparation,
};
use crate::checkpoint::{CheckpointError, Inspection, discard, glance_together};
use crate::domain::Cost;
use crate::expand::{RefinableSpace, StateSpace};
use crate::platform::Instant;
use crate::runtime::{Event, Exchange, StopReason};

/// The most states that best-first search expands in its turns between beam searches, in a run with checkpoints. The
/// memory of these states is not limited.
const MOST_PROBED: u64 = 200_000;

/// Runs the search. `known` is a solution found before; only cheaper ones are searched.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn RefinableSpace<'_>,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let started = Instant::now();
    let sequel = context.keep.map(|keep| keep.sequel(context.exchange));
    if let Some(keep) = sequel.as_ref().filter(|keep| keep.resume) {
        return match restore(space, keep, started, context)? {
            Err(reason) => best_first::unread(keep, Some(reason)),
            Ok(Restored { refined, .. }) => {
                let space: &dyn StateSpace = refined.as_deref().unwrap_or(space);
                resume_sequel(space, &Context { keep: Some(keep), ..*context }, started)
            }
        };
    }
    if let Some(keep) = sequel.as_ref().filter(|_| !context.is_idle()) {
        // An older run may have left a checkpoint of IDA* in the folder. The old checkpoint must not be taken for one
        // of this run.
        discard(&keep.files)?;
    }
    let beams = BeamSchedule::new(space, parameters.auto_beam_width, context);
    let Some(keep) = context.keep.filter(|keep| keep.resume) else {
        if context.is_idle() {
            let Some(prepared) = preparation::receive(space, started, context) else { return Ok(Outcome::unknown()) };
            let prepared = Preparation { search: prepared, statistics: Statistics::default() };
            return search(space, prepared, beams, started, (sequel.as_ref(), context));
        }
        let mut prepared = prepare(space, parameters, known, (&beams, started), context)?;
        preparation::send(space, &mut prepared.search, context);
        return search(space, prepared, beams, started, (sequel.as_ref(), context));
    };
    let restored = match restore(space, keep, started, context)? {
        Ok(restored) => restored,
        Err(reason) => return best_first::unread(keep, Some(reason)),
    };
    if restored.snapshot.continuation.begins_anew(space.revision()) {
        let keep = CheckpointConfig { resume: false, ..keep.clone() };
        let anew = Context { keep: Some(&keep), ..*context };
        restored.notes.iter().for_each(|note| context.observer.observe(&Event::Note(note)));
        let reason = if restored.snapshot.continuation.refinement_interrupted {
            "stopped while its lower bound was being made"
        } else {
            "stopped under the pruning rules of another version"
        };
        let note = &format!("{reason}: the search begins anew, and keeps its proven range");
        context.observer.observe(&Event::Note(note));
        if context.is_idle() {
            let Some(prepared) = preparation::receive(space, started, &anew) else { return Ok(Outcome::unknown()) };
            let prepared = Preparation { search: prepared, statistics: Statistics::default() };
            return search(space, prepared, beams, started, (sequel.as_ref(), &anew));
        }
        let mut prepared = prepare(space, parameters, known, (&beams, started), &anew)?;
        prepared.search.inherit(restored.snapshot);
        preparation::send(space, &mut prepared.search, &anew);
        return search(space, prepared, beams, started, (sequel.as_ref(), &anew));
    }
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    // The checkpoint holds the incumbent. Beam searches look for a first solution only if there is no incumbent.
    let sought = match &restored.snapshot.incumbent {
        Some(_) => PreparedSearch::plain(known),
        None if known.is_some() => PreparedSearch::plain(known),
        None => preparation::by_leader(context, || seek(space, &beams, 0, &context.remaining(started, 0)))?,
    };
    let prepared = Preparation {
        search: PreparedSearch { refined: restored.refined, ..sought },
        statistics: Statistics::default(),
    };
    search(space, prepared, beams, started, (sequel.as_ref(), context))
}

/// Runs the main search after the preparation, unless the preparation has ended the search.
fn search<'p>(
    space: &dyn RefinableSpace<'p>,
    Preparation { search: prepared, statistics }: Preparation<'p>,
    beams: BeamSchedule<'_>,
    started: Instant,
    (sequel, context): (Option<&CheckpointConfig>, &Context<'_>),
) -> Result<Outcome, CheckpointError> {
    if let Some(mut outcome) = prepared.outcome {
        outcome.statistics.include(&statistics);
        outcome.statistics.include(&beams.statistics());
        return Ok(outcome);
    }
    let counted = statistics.expanded + prepared.in_session;
    let space: &dyn StateSpace = prepared.refined.as_deref().unwrap_or(space);
    let limited = context.beside(space.bound_bytes());
    let search = AutoSearch { space, started, counted, context: limited, sequel };
    let mut outcome = search.run(beams, prepared.input, &statistics)?;
    outcome.statistics.bound = space.bound_name();
    Ok(outcome)
}

/// Resumes IDA* from its own checkpoint.
fn resume_sequel(space: &dyn StateSpace, context: &Context<'_>, started: Instant) -> Result<Outcome, CheckpointError> {
    let input = ida::IdaInput { is_sequel: true, ..ida::IdaInput::default() };
    let mut outcome = depth_first(space, input, &context.remaining(started, 0))?;
    outcome.statistics.bound = space.bound_name();
    Ok(outcome)
}

/// The result of the preparation.
struct Preparation<'p> {
    search: PreparedSearch<'p>,
    /// The work of the preparation that is counted nowhere else.
    statistics: Statistics,
}

/// Searches for a first solution and refines the bound. Either step may end the search.
fn prepare<'p>(
    space: &dyn RefinableSpace<'p>,
    parameters: &Parameters,
    known: Option<Solution>,
    (beams, started): (&BeamSchedule<'_>, Instant),
    context: &Context<'_>,
) -> Result<Preparation<'p>, CheckpointError> {
    let mut free = *context;
    free.limits.memory = None;
    let first =
        beam::run(space, Selection { widens: true, ..Selection::of_width(parameters.auto_beam_width) }, known, &free);
    if first.stopped.is_some() || first.status() == Status::Optimal {
        let prepared = PreparedSearch { outcome: Some(first), ..PreparedSearch::plain(None) };
        return Ok(Preparation { search: prepared, statistics: Statistics::default() });
    }
    let mut statistics = first.statistics;
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::BestFirst.name() });
    let rest = |prepared: &PreparedSearch<'p>| context.remaining(started, statistics.expanded + prepared.in_session);
    let mut prepared = PreparedSearch::plain(first.incumbent);
    if prepared.input.incumbent.is_none() {
        let most_probed = if context.keep.is_some() { MOST_PROBED } else { u64::MAX };
        prepared = seek(space, beams, most_probed, &rest(&prepared))?;
    }
    if prepared.outcome.is_none() {
        let rest = rest(&prepared);
        prepared = refine_bound(space, prepared, beams, &rest)?;
    }
    statistics.include(&prepared.statistics);
    Ok(Preparation { search: prepared, statistics })
}

/// Searches for a first solution with beam searches that alternate with best-first search. The best-first search
/// may prove that no solution exists, or find one itself. The best-first search gets a quarter of the expansions where
/// states have few children, and the fewer the more children they have, because it stores them all; at most
/// `most_probed`. Each of its turns continues where the previous one stopped, and the main search continues after the
/// last turn.
fn seek<'p>(
    space: &dyn StateSpace,
    beams: &BeamSchedule<'_>,
    most_probed: u64,
    context: &Context<'_>,
) -> Result<PreparedSearch<'p>, CheckpointError> {
    let (started, has_checkpoints) = (Instant::now(), context.keep.is_some());
    let mut prepared = PreparedSearch::plain(None);
    let mut probed = 0;
    while let Some((found, expanded)) = beams.seek_next(&context.remaining(started, prepared.in_session)) {
        prepared.in_session += expanded;
        prepared.input.incumbent = found;
        if prepared.input.incumbent.is_some() || context.stopped(started).is_some() {
            break;
        }
        let mut rest = context.remaining(started, prepared.in_session);
        let left = rest.limits.expansions.unwrap_or(u64::MAX);
        let children = beams.children();
        let share = prepared.in_session / (4 + children * children / 16);
        let turn = share.min(most_probed).saturating_sub(probed);
        if turn == 0 && left > 0 {
            continue;
        }
        rest.limits.expansions = Some(turn.min(left));
        if has_checkpoints {
            // As in `refine_bound`: the main search handles the end of memory.
            rest.limits.memory = None;
        }
        let input = std::mem::take(&mut prepared.input);
        let quiet = |_: Expanded, _: Cost, _: Option<Solution>| BetweenLayers::default();
        let (outcome, in_session, resume_point) = best_first::probe(space, input, &quiet, &rest)?;
        probed += in_session;
        prepared.in_session += in_session;
        let has_turns = outcome.stopped == Some(StopReason::ExpansionLimit) && turn < left;
        // As in `refine_bound`, too.
        let continues = has_turns
            || outcome.stopped == Some(StopReason::MemoryLimit)
            || has_checkpoints && outcome.stopped.is_some();
        let Some(resume_point) = resume_point.filter(|_| continues) else {
            prepared.outcome = Some(outcome);
            return Ok(prepared);
        };
        prepared.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..outcome.statistics });
        prepared.input = BestFirstInput {
            incumbent: outcome.incumbent,
            resume_point: Some(resume_point),
            refinement_interrupted: false,
        };
        // The best-first search has dropped nodes that cannot beat its incumbent. So the main search has to know this
        // incumbent too, and the beam searches end.
        if !has_turns || prepared.input.incumbent.is_some() {
            break;
        }
    }
    Ok(prepared)
}

/// A checkpoint before its store is read back.
struct Restored<'p> {
    /// The space with the refined bound, if the bound was refined.
    refined: Option<RefinedSpace<'p>>,
    snapshot: Snapshot,
    /// Notes about damaged files.
    notes: Vec<String>,
}

impl PreparedSearch<'_> {
    /// Takes over the lower bound and the incumbent of the run before, when a search begins anew. The search does not
    /// begin anew a second time.
    fn inherit(&mut self, earlier: Snapshot) {
        let better = |held: &Option<Solution>| {
            let cost = held.as_ref().map_or(Cost::MAX, |held| held.cost);
            earlier.incumbent.clone().filter(|earlier| earlier.cost < cost)
        };
        if let Some(outcome) = &mut self.outcome {
            outcome.lower_bound = outcome.lower_bound.max(earlier.lower_bound);
            outcome.incumbent = better(&outcome.incumbent).or(outcome.incumbent.take());
        }
        if let Some(resume_point) = &mut self.input.resume_point {
            resume_point.raise(earlier.lower_bound);
        }
        self.input.incumbent = better(&self.input.incumbent).or(self.input.incumbent.take());
        self.input.refinement_interrupted = false;
    }
}

/// Reads a checkpoint, and restores its refined bound. `Err` within `Ok` is why the run has to end before the bound is
/// restored: on all ranks, if on one of them.
///
/// # Errors
/// When there is no usable checkpoint.
fn restore<'p>(
    space: &dyn RefinableSpace<'p>,
    keep: &CheckpointConfig,
    started: Instant,
    context: &Context<'_>,
) -> Result<Result<Restored<'p>, StopReason>, CheckpointError> {
    let Inspection { payload, notes, .. } = glance_together(&keep.files, peers_of(context.exchange))?;
    let snapshot = Snapshot::decode(&payload).map_err(|reason| unusable(keep, &reason))?;
    if snapshot.bound.is_empty() || snapshot.continuation.revision != space.revision() {
        return Ok(Ok(Restored { refined: None, snapshot, notes }));
    }
    let (refined, cut) = context.with_build_context(started, |build| space.restore_refinement(&snapshot.bound, build));
    let cut = cut.filter(|_| refined.is_none());
    let of_ranks = context.exchange.map_or_else(Vec::new, |exchange| exchange.agree_on(&cut));
    if let Some(reason) = cut.or_else(|| of_ranks.into_iter().flatten().next()) {
        return Ok(Err(reason));
    }
    if refined.is_none() {
        return Err(unusable(keep, "a refined lower bound that does not belong to this one"));
    }
    Ok(Ok(Restored { refined, snapshot, notes }))
}

/// The main search: best-first search with beam searches between its layers, then IDA* if memory runs out.
struct AutoSearch<'s> {
    space: &'s dyn StateSpace,
    started: Instant,
    /// States expanded before the main search. They count against the limit of expansions.
    counted: u64,
    context: Context<'s>,
    sequel: Option<&'s CheckpointConfig>,
}

impl AutoSearch<'_> {
    /// Runs the main search. `earlier` is the work of the preparation.
    fn run(
        &self,
        beams: BeamSchedule<'_>,
        input: BestFirstInput,
        earlier: &Statistics,
    ) -> Result<Outcome, CheckpointError> {
        let between_layers = |expanded: Expanded, _: Cost, held: Option<Solution>| {
            beams.improve(expanded, held, &self.remaining(expanded.in_session))
        };
        let (mut outcome, in_session) = best_first::run(self.space, input, &between_layers, &self.remaining(0))?;
        outcome.statistics.include(earlier);
        outcome.statistics.include(&beams.statistics());
        if matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit)) {
            if outcome.stopped == Some(StopReason::DiskLimit) {
                let why = outcome.failure.as_deref().unwrap_or("the limit of disk space is reached");
                self.context.observer.observe(&Event::Note(&format!("{why}: the search goes on with ida")));
            }
            return self.continue_with_ida(outcome, in_session);
        }
        Ok(outcome)
    }

    /// Continues with IDA* after memory has ended the best-first search, from the lower bound that best-first search
    /// has proven. All ranks do so alike: they have agreed on the outcome of best-first search.
    fn continue_with_ida(&self, earlier: Outcome, in_session: u64) -> Result<Outcome, CheckpointError> {
        let Outcome { incumbent, lower_bound, statistics, .. } = earlier;
        // IDA* searches the interrupted layer from its beginning.
        let layers = statistics.layers.iter().copied().filter(|layer| layer.f < lower_bound).collect();
        let input = ida::IdaInput { incumbent, lower_bound, layers, work: statistics.work(), is_sequel: true };
        let of_all_ranks = |exchange: &Exchange| exchange.agree_on(&in_session).into_iter().sum();
        let in_session = self.context.exchange.map_or(in_session, of_all_ranks);
        let context = Context { keep: self.sequel, ..self.remaining(in_session) };
        let mut outcome = depth_first(self.space, input, &context)?;
        outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
        Ok(outcome)
    }

    /// The context with the limits that are left.
    fn remaining(&self, in_session: u64) -> Context<'_> {
        self.context.remaining(self.started, self.counted + in_session)
    }
}

/// Runs IDA*, and tells the observer that the engine starts.
fn depth_first(
    space: &dyn StateSpace,
    input: ida::IdaInput,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Ida.name() });
    ida::run(space, input, context)
}
