//! The default engine. Where states are sets, it is the search that learns (`learning`). Elsewhere it is best-first
//! search, and when memory runs out, IDA* continues from the proven lower bound. A beam search for a first incumbent
//! comes first, and wider beam searches run between layers or iterations while they cost little (`beam/schedule.rs`).
//!
//! **Without a first solution**, more beam searches take turns with best-first search ([`seek`](StateSearch::seek)).
//! Each is three times as wide as the one before. If the ordering heuristic has variations, narrower beams by these
//! variations run too.
//!
//! **When to use it.** For everything, unless another engine is known to be better.
//!
//! **Guarantees.** Those of the main search, and of IDA* for the layers that IDA* searches. The beam searches depend on
//! the counts of the layers alone: if these counts do not change with the number of threads, the beam searches do not
//! either.
//!
//! **Checkpoints.** All these searches have checkpoints; those of IDA* lie in a folder below those of best-first
//! search. As soon as IDA* has a checkpoint, a resume continues with it, and the search before is not read again. IDA*
//! needs no disk: if its checkpoints cannot be written, it continues without checkpoints and sends a note.
//!
//! **On several ranks** IDA* does not continue: the search ends when memory runs out, with its proven range. The
//! leading rank alone resumes a checkpoint of IDA*.

mod first;
mod preparation;

use crate::checkpoint::{CheckpointError, Inspection, discard_together, glance_together};
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

pub use first::{first_solution, played_path};

const SUMMARY: &str = "beams for incumbents, then learning, best-first or ida until proven; synthesis for programs";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "auto", summary: SUMMARY, proves: true, has_checkpoints: true, uses_ranks: true },
    run,
};

/// The most states that best-first search expands in its turns between beam searches, if there are checkpoints or
/// several ranks. With checkpoints, the memory of these states is not limited; on several ranks, the leader sends these
/// states to all others.
const MAX_PROBED: u64 = 200_000;

/// Where a search begins.
enum Start {
    /// At the root. From a checkpoint of another engine, or of another revision of the rules, only the proven range is
    /// kept.
    Anew(Option<Snapshot>),
    /// At the checkpoint.
    Resumed,
}

impl Start {
    /// Finds out where a search by `engine` begins.
    ///
    /// # Errors
    /// When the search is to resume from a checkpoint that cannot be used.
    fn of(engine: StateEngine, space: &dyn StateSpace, context: &Context<'_>) -> Result<Self, CheckpointError> {
        let Some(keep) = context.checkpoint_config().filter(|keep| keep.resume) else { return Ok(Self::Anew(None)) };
        let Inspection { payload, notes, .. } = glance_together(&keep.files, context.exchange())?;
        let snapshot = Snapshot::decode(&payload).map_err(|reason| keep.unusable(&reason))?;
        if snapshot.engine() == engine.info.name && snapshot.revision == space.revision() {
            return Ok(Self::Resumed);
        }
        notes.iter().for_each(|note| context.observer.observe(&Event::Note(note)));
        context.observer.observe(&Event::Note(OTHER_RULES));
        Ok(Self::Anew(Some(snapshot)))
    }
}

/// Runs the search. `known` is a solution found before; only cheaper ones are looked for.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
fn run(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    if space.set_expander().is_none() {
        return run_states(space, parameters, known, context);
    }
    if !context.leads() {
        return learning::run(space, LearningInput::default(), &BeamSchedule::none(space), context);
    }
    run_sets(space, parameters, known, context)
}

/// Searches a space of sets: the leading rank begins, then all ranks learn.
fn run_sets(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let (started, beams) = (Instant::now(), BeamSchedule::new(space, parameters.auto_beam_width, context));
    let begun = begin_sets(space, parameters, known, &context.without_ranks());
    let Ok(BegunSets { outcome: None, input, keep, mut statistics }) = begun else {
        learning::call_off(context);
        return begun.map(|begun| begun.outcome.unwrap_or_else(Outcome::unknown));
    };
    context.observer.observe(&Event::EngineStarted { engine: learning::ENGINE.info.name });
    let rest = Context { checkpoints: keep.as_ref(), ..context.remaining(started, statistics.expanded) };
    let mut outcome = learning::run(space, input, &beams, &rest)?;
    statistics.include(&beams.statistics());
    outcome.statistics.include(&statistics);
    Ok(outcome)
}

/// What comes before the search that learns.
#[derive(Default)]
struct BegunSets {
    /// The outcome, if the search is over.
    outcome: Option<Outcome>,
    input: LearningInput,
    keep: Option<CheckpointConfig>,
    /// The work of the first beam search.
    statistics: Statistics,
}

/// Decides whether the search begins at a checkpoint. If it does not, runs the first beam search.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
fn begin_sets(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<BegunSets, CheckpointError> {
    let mut begun = BegunSets::default();
    let BegunSets { input, .. } = &mut begun;
    input.incumbent = known;
    let start = Start::of(learning::ENGINE, space, context)?;
    let resume = matches!(start, Start::Resumed);
    if let Start::Anew(earlier) = start {
        if let Some(Snapshot { lower_bound, incumbent, .. }) = earlier {
            input.lower_bound = lower_bound;
            input.incumbent = Solution::cheaper(input.incumbent.take(), incumbent);
        }
        let selection = Selection { widens: true, ..Selection::of_width(parameters.auto_beam_width) };
        let mut free = *context;
        free.limits.memory = None;
        let first = beam::run(space, selection, input.incumbent.take(), &free);
        if is_over(&first) {
            let lower_bound = first.lower_bound.max(input.lower_bound);
            return Ok(BegunSets { outcome: Some(Outcome { lower_bound, ..first }), ..begun });
        }
        (input.incumbent, begun.statistics) = (first.incumbent, first.statistics);
    }
    let keep = context.checkpoint_config().map(|keep| CheckpointConfig { resume, ..keep.clone() });
    Ok(BegunSets { keep, ..begun })
}

/// Whether nothing is left to be searched, or the session is to end.
fn is_over(outcome: &Outcome) -> bool {
    outcome.stopped.is_some() || outcome.status() == Status::Optimal
}

/// Searches a space whose states are no sets: by beam searches, by best-first search, and, on one rank, by IDA* when
/// memory runs out.
fn run_states(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let started = Instant::now();
    let sequel = context.checkpoint_config().map(|keep| keep.sequel(context.exchange()));
    let sequel = sequel.as_ref();
    if let Some(keep) = sequel.filter(|keep| !keep.resume) {
        // An older run may have left a checkpoint of IDA* in the folder. The old checkpoint must not be taken for one
        // of this run.
        discard_together(&keep.files, context.exchange())?;
    }
    let beams = BeamSchedule::new(space, parameters.auto_beam_width, context);
    if sequel.is_some_and(|keep| keep.resume) {
        if !context.leads() {
            return Ok(Outcome::unknown());
        }
        let rest = Context { checkpoints: sequel, ..context.without_ranks().remaining(started, 0) };
        return depth_first(space, IdaInput { is_sequel: true, ..IdaInput::default() }, &rest);
    }
    let start = Start::of(best_first::ENGINE, space, context)?;
    let resume = matches!(start, Start::Resumed);
    let keep = context.checkpoint_config().map(|keep| CheckpointConfig { resume, ..keep.clone() });
    let context = Context { checkpoints: keep.as_ref(), ..*context };
    let search = StateSearch { space, parameters, context, beams, started, sequel };
    let prepared = match start {
        Start::Anew(earlier) => preparation::shared(space, &search.context, || {
            let mut prepared = search.prepare(known)?;
            earlier.into_iter().for_each(|earlier| prepared.inherit(earlier));
            Ok(prepared)
        })?,
        Start::Resumed => {
            context.observer.observe(&Event::EngineStarted { engine: best_first::ENGINE.info.name });
            // The search continues from the checkpoint at once. Otherwise the beams of earlier sessions would run
            // again, and a session that is too short for them would make no progress.
            PreparedSearch::plain(known)
        }
    };
    search.run(prepared)
}

/// The note to the observer if a checkpoint holds a search that cannot be continued.
const OTHER_RULES: &str =
    "stopped in another engine, or under the rules of another version: the search begins anew, and keeps its range";

/// A search of a space whose states are no sets.
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
        let PreparedSearch { outcome, input, in_session, statistics } = prepared;
        if let Some(mut outcome) = outcome {
            outcome.statistics.include(&statistics);
            outcome.statistics.include(&beams.statistics());
            return Ok(outcome);
        }
        let before = statistics.expanded + in_session;
        let context = context.with_reserved_memory(space.bound().bytes);
        let (mut outcome, in_session, _) = best_first::run(space, input, &beams, &context.remaining(started, before))?;
        outcome.statistics.include(&statistics);
        outcome.statistics.include(&beams.statistics());
        let has_room = !matches!(outcome.stopped, Some(StopReason::MemoryLimit | StopReason::DiskLimit));
        if has_room || context.exchange().is_some() {
            return Ok(outcome);
        }
        if outcome.stopped == Some(StopReason::DiskLimit) {
            let why = outcome.failure.as_deref().unwrap_or("the limit of disk space is reached");
            context.observer.observe(&Event::Note(&format!("{why}: the search goes on with ida")));
        }
        let rest = Context { checkpoints: sequel, ..context.remaining(started, before + in_session) };
        continue_with_ida(space, outcome, &rest)
    }

    /// Searches for a first solution, which may end the search.
    fn prepare(&self, known: Option<Solution>) -> Result<PreparedSearch, CheckpointError> {
        let Self { space, parameters, ref context, started, .. } = *self;
        let mut free = context.without_ranks();
        free.limits.memory = None;
        let selection = Selection { widens: true, ..Selection::of_width(parameters.auto_beam_width) };
        let lower_bound = space.lower_bound();
        let (first, is_found) = beam::seek(space, selection, known, lower_bound, &free);
        let mut statistics = Statistics::default();
        statistics.include(&first.statistics);
        if is_over(&first) {
            return Ok(PreparedSearch::over(first));
        }
        let mut incumbent = first.incumbent;
        if Ranking::usual(space) != Ranking::of_goals(space) {
            let mut usual = beam::run(space, selection, incumbent, &free.remaining(started, statistics.expanded));
            statistics.include(&usual.statistics);
            if is_over(&usual) {
                usual.statistics = statistics;
                return Ok(PreparedSearch::over(usual));
            }
            incumbent = usual.incumbent;
        }
        context.observer.observe(&Event::EngineStarted { engine: best_first::ENGINE.info.name });
        let is_free = context.checkpoint_config().is_none() && context.exchange().is_none();
        let max_probed = if is_free { u64::MAX } else { MAX_PROBED };
        let rest = context.without_ranks().remaining(started, statistics.expanded);
        let mut prepared = self.seek(incumbent, is_found, max_probed, &rest)?;
        prepared.statistics.include(&statistics);
        Ok(prepared)
    }

    /// Searches for a goal with beam searches that alternate with best-first search. The best-first search may prove
    /// that no solution exists, or find one itself. If states have few children, the best-first search gets half of the
    /// expansions. The more children they have, the smaller is its part, because it stores all of them. It expands at
    /// most `max_probed` states. Each of its turns continues where the previous one stopped, and the main search
    /// continues after the last turn.
    fn seek(
        &self,
        known: Option<Solution>,
        mut is_found: bool,
        max_probed: u64,
        context: &Context<'_>,
    ) -> Result<PreparedSearch, CheckpointError> {
        let Self { space, beams, .. } = self;
        let (started, has_checkpoints) = (Instant::now(), context.checkpoint_config().is_some());
        let mut prepared = PreparedSearch::plain(known);
        let (mut probed, mut lower_bound) = (0, space.lower_bound());
        while seeks_goal(*space, prepared.input.incumbent.as_ref(), is_found, lower_bound) {
            let rest = context.remaining(started, prepared.in_session);
            let Some((outcome, finds)) = beams.seek_next(prepared.input.incumbent.as_ref(), &rest) else { break };
            prepared.in_session += outcome.statistics.expanded;
            prepared.input.incumbent = outcome.incumbent;
            is_found |= finds;
            if is_found || context.stop_reason(started).is_some() {
                break;
            }
            let mut rest = context.remaining(started, prepared.in_session);
            let left = rest.limits.expansions.unwrap_or(u64::MAX);
            let children = beams.children();
            // With an incumbent, the best-first search is already on its way to better solutions.
            let weight = if prepared.input.incumbent.is_some() { 4 } else { 1 };
            let share = prepared.in_session.saturating_mul(weight) / (2 + children.saturating_pow(3) / 256);
            let turn = share.min(max_probed).saturating_sub(probed);
            if turn == 0 && left > 0 {
                continue;
            }
            rest.limits.expansions = Some(turn.min(left));
            if has_checkpoints {
                // With checkpoints, the budget of the process limits the memory, and the main search keeps to this
                // budget.
                rest.limits.memory = None;
            }
            let input = BestFirstInput { can_continue: true, ..std::mem::take(&mut prepared.input) };
            let alone = Context { threads: 1, checkpoints: None, exchange: None, ..rest };
            let none = BeamSchedule::none(*space);
            let (outcome, in_session, resume_point) = best_first::run(*space, input, &none, &alone)?;
            probed += in_session;
            prepared.in_session += in_session;
            let has_turns = outcome.stopped == Some(StopReason::ExpansionLimit) && turn < left;
            // The main search handles the end of memory. With checkpoints, it also saves the work so far before any
            // other stop.
            let continues = has_turns
                || outcome.stopped == Some(StopReason::MemoryLimit)
                || has_checkpoints && outcome.stopped.is_some();
            let Some(resume_point) = resume_point.filter(|_| continues) else {
                prepared.outcome = Some(outcome);
                return Ok(prepared);
            };
            prepared.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..outcome.statistics });
            let (incumbent, resume_point) = (outcome.incumbent, Some(resume_point));
            prepared.input = BestFirstInput { incumbent, resume_point, can_continue: false };
            // The best-first search has dropped nodes that cannot beat its incumbent. So the main search has to know
            // this incumbent too.
            if !has_turns {
                break;
            }
            lower_bound = outcome.lower_bound;
        }
        Ok(prepared)
    }
}

/// Continues with IDA* after memory has ended the best-first search, from the lower bound that best-first search has
/// proven.
fn continue_with_ida(
    space: &dyn StateSpace,
    earlier: Outcome,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let Outcome { incumbent, lower_bound, statistics, refuted, .. } = earlier;
    // Memory has run out, and a certificate can do without the refuted sets.
    drop(refuted);
    // IDA* searches the interrupted layer from its beginning.
    let layers = statistics.layers.iter().copied().filter(|layer| layer.f < lower_bound).collect();
    let work = statistics.work();
    let input = IdaInput { incumbent, lower_bound, layers, work, is_sequel: true };
    let mut outcome = depth_first(space, input, context)?;
    outcome.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..statistics });
    Ok(outcome)
}

/// Whether beam searches look for a goal before the main search. They do if no solution is known, or if a goal may be
/// better than the known solution and none was found. `lower_bound` is proven.
fn seeks_goal(space: &dyn StateSpace, incumbent: Option<&Solution>, is_found: bool, lower_bound: Cost) -> bool {
    let ends_elsewhere = space.root_terminal_cost().is_some();
    incumbent.is_none_or(|held| match space.guidance().lazy_goal_cost {
        Some(GoalCost::Optimal) => lower_bound == 0 && held.cost > 0,
        Some(GoalCost::Any) => ends_elsewhere && !is_found,
        Some(GoalCost::EverySolution) | None => false,
    })
}

/// Runs IDA*, and tells the observer that the engine starts.
fn depth_first(space: &dyn StateSpace, input: IdaInput, context: &Context<'_>) -> Result<Outcome, CheckpointError> {
    context.observer.observe(&Event::EngineStarted { engine: ida::ENGINE.info.name });
    ida::run(space, input, Parameters::default().ida_entries, context)
}
