//! The default engine: `learning` if states are sets, and there are many. Otherwise it is best-first search, and when
//! memory runs out, IDA* continues from the proven lower bound. A beam search finds a first incumbent, and wider beam
//! searches run between layers or iterations while they cost little (`beam/schedule.rs`).
//!
//! **Without a first solution**, more beam searches alternate with best-first search ([`seek`](StateSearch::seek)).
//! Each is three times as wide as the previous one. If the ordering heuristic has variations, narrower beams use them.
//!
//! **When to use it.** For everything, unless another engine is known to be better.
//!
//! **Guarantees.** Those of the main search, and of IDA* for its layers. The beam searches depend only on the counts of
//! the layers.
//!
//! **Checkpoints.** All main searches have checkpoints; those of IDA* are in a subfolder. As soon as IDA* has a
//! checkpoint, a resume continues with it. If its checkpoints cannot be written, IDA* continues without them and sends
//! a note.
//!
//! **On several ranks** IDA* does not continue: the search ends when memory runs out, with its proven range. The
//! leading rank alone resumes a checkpoint of IDA*.

mod first;
mod preparation;

use crate::checkpoint::{CheckpointError, Inspection, discard_together, read_manifest};
use crate::domain::{Cost, GoalCost};
use crate::engine::beam::{BeamSchedule, Ranking, Selection};
use crate::engine::best_first::BestFirstInput;
use crate::engine::checkpoints::CheckpointConfig;
use crate::engine::dispatch::{EngineInfo, StateEngine};
use crate::engine::ida::IdaInput;
use crate::engine::learning::{self, LearningInput};
use crate::engine::{Context, Outcome, Parameters, Snapshot, Solution, Statistics, Status, beam, best_first, ida};
use crate::expand::StateSpace;
use crate::platform::Instant;
use crate::runtime::{Event, StopReason};
use preparation::PreparedSearch;

pub use first::{first_solution, greedy_path};

const SUMMARY: &str = "beams for incumbents, then learning, best-first or ida until proven; synthesis for programs";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "auto", summary: SUMMARY, proves: true, has_checkpoints: true, uses_ranks: true },
    run: |space, parameters, known, context| {
        if space.set_expander().is_none_or(|sets| sets.has_few_states()) {
            return run_states(space, parameters, known, context);
        }
        if !context.is_leader() {
            return learning::run(space, LearningInput::default(), &BeamSchedule::none(space), context);
        }
        run_sets(space, parameters, known, context)
    },
};

/// The largest number of states that best-first search expands between beam searches with checkpoints or several ranks.
/// With checkpoints, their memory is not limited; on several ranks, the leader sends these states to all others.
const MAX_PROBED: u64 = 200_000;

enum Start {
    /// At the root. A checkpoint of another engine or revision provides only the proven range.
    AtRoot(Option<Snapshot>),
    AtCheckpoint,
}

impl Start {
    /// The start of a search by `engine`.
    ///
    /// # Errors
    /// When the search is to resume from a checkpoint that cannot be used.
    fn of(engine: StateEngine, space: &dyn StateSpace, context: &Context<'_>) -> Result<Self, CheckpointError> {
        let Some(config) = context.checkpoint_config().filter(|config| config.resume) else {
            return Ok(Self::AtRoot(None));
        };
        let Inspection { payload, notes, .. } = read_manifest(&config.files, context.exchange())?;
        let snapshot = Snapshot::decode(&payload).map_err(|reason| config.unusable(&reason))?;
        if snapshot.engine() == engine.info.name && snapshot.revision == space.revision() {
            return Ok(Self::AtCheckpoint);
        }
        notes.iter().for_each(|note| context.observer.observe(&Event::Note(note)));
        context.observer.observe(&Event::Note(FOREIGN_CHECKPOINT));
        Ok(Self::AtRoot(Some(snapshot)))
    }
}

/// Searches a space of sets for solutions cheaper than `known`: the leader prepares, then all ranks run `learning`.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
fn run_sets(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let (started, beams) = (Instant::now(), BeamSchedule::new(space, parameters.auto_beam_width, context));
    let prepared = prepare_sets(space, parameters, known, &context.without_ranks());
    let Ok(PreparedSets { outcome: None, input, config, mut statistics }) = prepared else {
        learning::cancel(context);
        return prepared.map(|prepared| prepared.outcome.unwrap_or_else(Outcome::unknown));
    };
    context.observer.observe(&Event::EngineStarted { engine: learning::ENGINE.info.name });
    let remaining = Context { checkpoints: config.as_ref(), ..context.remaining(started, statistics.expanded) };
    let mut outcome = learning::run(space, input, &beams, &remaining)?;
    statistics.include(&beams.statistics());
    outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
    Ok(outcome)
}

#[derive(Default)]
struct PreparedSets {
    outcome: Option<Outcome>,
    input: LearningInput,
    config: Option<CheckpointConfig>,
    statistics: Statistics,
}

/// Finds the start of the search. At the root, runs the first beam search.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
fn prepare_sets(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<PreparedSets, CheckpointError> {
    let mut prepared = PreparedSets::default();
    let PreparedSets { input, .. } = &mut prepared;
    input.incumbent = known;
    let start = Start::of(learning::ENGINE, space, context)?;
    let resume = matches!(start, Start::AtCheckpoint);
    if let Start::AtRoot(earlier) = start {
        if let Some(Snapshot { lower_bound, incumbent, .. }) = earlier {
            input.lower_bound = lower_bound;
            input.incumbent = Solution::cheaper(input.incumbent.take(), incumbent);
        }
        let selection = Selection { widens: true, ..Selection::of_width(parameters.auto_beam_width) };
        let first = beam::run(space, selection, input.incumbent.take(), &context.without_memory_limit());
        if is_over(&first) {
            let lower_bound = first.lower_bound.max(input.lower_bound);
            return Ok(PreparedSets { outcome: Some(Outcome { lower_bound, ..first }), ..prepared });
        }
        (input.incumbent, input.work, prepared.statistics) =
            (first.incumbent, first.statistics.work(), first.statistics);
    }
    let config = context.checkpoint_config().map(|config| CheckpointConfig { resume, ..config.clone() });
    Ok(PreparedSets { config, ..prepared })
}

/// Whether the outcome is optimal, or the session is to end.
fn is_over(outcome: &Outcome) -> bool {
    outcome.stopped.is_some() || outcome.status() == Status::Optimal
}

/// Searches a space without sets: by beam searches, by best-first search, and, on one rank, by IDA* when memory runs
/// out.
fn run_states(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let started = Instant::now();
    let sequel = context.checkpoint_config().map(|config| config.sequel(context.exchange()));
    let sequel = sequel.as_ref();
    if let Some(config) = sequel.filter(|config| !config.resume) {
        // A resume of this run must not find an IDA* checkpoint of an older run in the folder.
        discard_together(&config.files, context.exchange())?;
    }
    let beams = BeamSchedule::new(space, parameters.auto_beam_width, context);
    if sequel.is_some_and(|config| config.resume) {
        if !context.is_leader() {
            return Ok(Outcome::unknown());
        }
        let remaining = Context { checkpoints: sequel, ..context.without_ranks().remaining(started, 0) };
        return run_ida(space, IdaInput { is_sequel: true, ..IdaInput::default() }, &remaining);
    }
    let start = Start::of(best_first::ENGINE, space, context)?;
    let resume = matches!(start, Start::AtCheckpoint);
    let config = context.checkpoint_config().map(|config| CheckpointConfig { resume, ..config.clone() });
    let context = Context { checkpoints: config.as_ref(), ..*context };
    let search = StateSearch { space, parameters, context, beams, started, sequel };
    let prepared = match start {
        Start::AtRoot(earlier) => preparation::prepare_on_leader(space, &search.context, || {
            let mut prepared = search.prepare(known)?;
            earlier.into_iter().for_each(|earlier| prepared.inherit(earlier));
            Ok(prepared)
        })?,
        Start::AtCheckpoint => {
            context.observer.observe(&Event::EngineStarted { engine: best_first::ENGINE.info.name });
            // No beams run again: a session that is too short for them would make no progress.
            PreparedSearch::with_incumbent(known)
        }
    };
    search.run(prepared)
}

/// The note to the observer if a checkpoint holds a search that cannot be continued.
const FOREIGN_CHECKPOINT: &str =
    "the checkpoint is of another engine or of other pruning rules: the search starts again with its proven range";

/// A search of a space without sets.
struct StateSearch<'a> {
    space: &'a dyn StateSpace,
    parameters: &'a Parameters,
    /// The context, with the checkpoints of best-first search.
    context: Context<'a>,
    beams: BeamSchedule<'a>,
    started: Instant,
    /// The checkpoints of the IDA* search that continues when memory runs out.
    sequel: Option<&'a CheckpointConfig>,
}

impl StateSearch<'_> {
    /// Runs the main search after the preparation, unless the preparation has ended the search.
    fn run(self, prepared: PreparedSearch) -> Result<Outcome, CheckpointError> {
        let Self { space, ref context, beams, started, sequel, .. } = self;
        let PreparedSearch { outcome, input, session_expanded, statistics } = prepared;
        if let Some(mut outcome) = outcome {
            outcome.statistics.include(&statistics);
            outcome.statistics.include(&beams.statistics());
            return Ok(outcome);
        }
        let expanded_before = statistics.expanded + session_expanded;
        let context = context.with_reserved_memory(space.bound().bytes);
        let (mut outcome, expanded, _) =
            best_first::run(space, input, &beams, &context.remaining(started, expanded_before))?;
        outcome.statistics.include(&statistics);
        outcome.statistics.include(&beams.statistics());
        let has_room = !matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit));
        if has_room || context.exchange().is_some() {
            return Ok(outcome);
        }
        if outcome.stopped == Some(StopReason::DiskLimit) {
            let reason = outcome.failure.as_deref().unwrap_or("the limit of disk space is reached");
            context.observer.observe(&Event::Note(&format!("{reason}: the search continues with ida")));
        }
        let remaining = Context { checkpoints: sequel, ..context.remaining(started, expanded_before + expanded) };
        continue_with_ida(space, outcome, &remaining)
    }

    /// Searches for a first solution. This may end the search.
    fn prepare(&self, known: Option<Solution>) -> Result<PreparedSearch, CheckpointError> {
        let Self { space, parameters, ref context, started, .. } = *self;
        let unlimited = context.without_ranks().without_memory_limit();
        let selection = Selection { widens: true, ..Selection::of_width(parameters.auto_beam_width) };
        let lower_bound = space.lower_bound();
        let (first, goal_found) = beam::seek_goal(space, selection, known, lower_bound, &unlimited);
        let mut statistics = Statistics::default();
        statistics.include(&first.statistics);
        if is_over(&first) {
            return Ok(PreparedSearch::finished(first));
        }
        let mut incumbent = first.incumbent;
        if Ranking::default_for(space) != Ranking::for_goals(space) {
            let remaining = unlimited.remaining(started, statistics.expanded);
            let mut default_outcome = beam::run(space, selection, incumbent, &remaining);
            statistics.include(&default_outcome.statistics);
            if is_over(&default_outcome) {
                default_outcome.statistics = statistics;
                return Ok(PreparedSearch::finished(default_outcome));
            }
            incumbent = default_outcome.incumbent;
        }
        context.observer.observe(&Event::EngineStarted { engine: best_first::ENGINE.info.name });
        let is_unrestricted = context.checkpoint_config().is_none() && context.exchange().is_none();
        let max_probed = if is_unrestricted { u64::MAX } else { MAX_PROBED };
        let remaining = context.without_ranks().remaining(started, statistics.expanded);
        let mut prepared = self.seek(incumbent, goal_found, max_probed, &remaining)?;
        prepared.statistics.include(&statistics);
        Ok(prepared)
    }

    /// Searches for a goal with beam searches that alternate with best-first search, which may prove that no solution
    /// exists, or find one. Best-first search gets half of the expansions if states have few children. It gets less if
    /// they have many, because it stores all children. It expands at most `max_probed` states. Each turn continues the
    /// previous one, and the main search continues the last turn.
    fn seek(
        &self,
        known: Option<Solution>,
        mut goal_found: bool,
        max_probed: u64,
        context: &Context<'_>,
    ) -> Result<PreparedSearch, CheckpointError> {
        let Self { space, beams, .. } = self;
        let (started, has_checkpoints) = (Instant::now(), context.checkpoint_config().is_some());
        let mut prepared = PreparedSearch::with_incumbent(known);
        let (mut probed, mut lower_bound) = (0, space.lower_bound());
        while seeks_goal(*space, prepared.input.incumbent.as_ref(), goal_found, lower_bound) {
            let remaining = context.remaining(started, prepared.session_expanded);
            let Some((outcome, found)) = beams.seek_next(prepared.input.incumbent.as_ref(), &remaining) else { break };
            prepared.session_expanded += outcome.statistics.expanded;
            prepared.input.incumbent = outcome.incumbent;
            goal_found |= found;
            if goal_found || context.stop_reason(started).is_some() {
                break;
            }
            let mut remaining = context.remaining(started, prepared.session_expanded);
            let remaining_expansions = remaining.limits.expansions.unwrap_or(u64::MAX);
            let branching = beams.branching_factor();
            // With an incumbent, the best-first search is already on its way to better solutions.
            let weight = if prepared.input.incumbent.is_some() { 4 } else { 1 };
            let share = prepared.session_expanded.saturating_mul(weight) / (2 + branching.saturating_pow(3) / 256);
            let turn_limit = share.min(max_probed).saturating_sub(probed);
            if turn_limit == 0 && remaining_expansions > 0 {
                continue;
            }
            remaining.limits.expansions = Some(turn_limit.min(remaining_expansions));
            if has_checkpoints {
                // The main search obeys the memory budget of the process.
                remaining.limits.memory = None;
            }
            let input = BestFirstInput { can_continue: true, ..std::mem::take(&mut prepared.input) };
            let single = Context { threads: 1, checkpoints: None, exchange: None, ..remaining };
            let no_beams = BeamSchedule::none(*space);
            let (outcome, session_expanded, resume_point) = best_first::run(*space, input, &no_beams, &single)?;
            probed += session_expanded;
            prepared.session_expanded += session_expanded;
            let has_turns = outcome.stopped == Some(StopReason::ExpansionLimit) && turn_limit < remaining_expansions;
            // The main search handles a memory limit. With checkpoints, it also saves the work before any other stop.
            let continues = has_turns
                || outcome.stopped == Some(StopReason::MemoryLimit)
                || has_checkpoints && outcome.stopped.is_some();
            let Some(resume_point) = resume_point.filter(|_| continues) else {
                prepared.outcome = Some(outcome);
                return Ok(prepared);
            };
            prepared.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..outcome.statistics });
            let (incumbent, resume_point) = (outcome.incumbent, Some(resume_point));
            prepared.input = BestFirstInput { incumbent, resume_point, ..BestFirstInput::default() };
            // Best-first search has pruned with this incumbent, so the main search must start with it.
            if !has_turns {
                break;
            }
            lower_bound = outcome.lower_bound;
        }
        Ok(prepared)
    }
}

/// Continues with IDA*, from the lower bound of a best-first search that memory has ended.
fn continue_with_ida(
    space: &dyn StateSpace,
    earlier: Outcome,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let Outcome { incumbent, lower_bound, statistics, refuted, .. } = earlier;
    // Frees memory. Certificates do not need the refuted sets.
    drop(refuted);
    // IDA* restarts the interrupted layer.
    let layers = statistics.layers.iter().copied().filter(|layer| layer.f < lower_bound).collect();
    let work = statistics.work();
    let input = IdaInput { incumbent, lower_bound, layers, work, is_sequel: true };
    let mut outcome = run_ida(space, input, context)?;
    outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
    Ok(outcome)
}

/// Whether to search for a goal before the main search: no solution is known, or no goal was found and a goal may be
/// cheaper than the incumbent. `lower_bound` is proven.
fn seeks_goal(space: &dyn StateSpace, incumbent: Option<&Solution>, goal_found: bool, lower_bound: Cost) -> bool {
    let may_end_without_goal = space.root_terminal_cost().is_some();
    incumbent.is_none_or(|incumbent| match space.guidance().lazy_goal_cost {
        Some(GoalCost::Optimal) => lower_bound == 0 && incumbent.cost > 0,
        Some(GoalCost::Any) => may_end_without_goal && !goal_found,
        Some(GoalCost::EverySolution) | None => false,
    })
}

/// Runs IDA*, and announces the engine to the observer.
fn run_ida(space: &dyn StateSpace, input: IdaInput, context: &Context<'_>) -> Result<Outcome, CheckpointError> {
    context.observer.observe(&Event::EngineStarted { engine: ida::ENGINE.info.name });
    ida::run(space, input, Parameters::default().ida_entries, context)
}
