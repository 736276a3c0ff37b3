//! Antichain search: breadth-first heuristic search that keeps, of the states with equal g, only those that no other
//! one contains.
//!
//! It is for domains whose states are sets, and where a larger set is at least as good
//! ([`Domain::supersets_dominate`](crate::domain::Domain::supersets_dominate)). An *iteration* looks for a solution of
//! at most f, the proven lower bound, as an iteration of IDA* does. Its *levels* are the states of one g. A level is
//! expanded as a whole. Three filters drop children: a sibling of no greater cost contains the child; g plus the lower
//! bound of the child is more than f; another child of the same g contains it. What is left is an antichain. If no
//! level is left, no solution costs f or less. The next iteration has the least f that the lower bound has cut off.
//!
//! **When to use it.** Whenever the domain allows it. It holds the states of two levels, and of all others parent and
//! move.
//!
//! **Why no optimum is lost.** Let c be a cost below the f of every state that the lower bound has cut off, and suppose
//! that there is a solution of cost c. Call a state *good* if its g plus the cost of a cheapest solution from it is at
//! most c. The root is good. If a good state is expanded and is not a goal, one of its children is good
//! (`Domain::successors`). The lower bound cuts off no good state. A good state that is dropped for another one is
//! contained in it, and the other one has the same g, or is a sibling of no greater cost. So the other one is good too,
//! because a solution from it costs no more. Strict containment is acyclic, and of equal states one is kept. So a good
//! state is left in some level until a goal is generated. The lower bound need not be antitone for this: if it cuts off
//! the larger set, no solution of cost c leads through the smaller one either.
//!
//! **Guarantees.** Optimal with every admissible bound, on any number of threads. Each filter is a function of the
//! level as a set, whatever the order of its states. So the number of states that are expanded in each iteration below
//! the optimum does not depend on threads, on how many children are filtered at a time, on checkpoints, on what is on
//! disk, or on the instructions of the processor. With a refined bound this holds if the bound is antitone, as long as
//! memory has room for all its tables, and no session ends while it is refined. The iteration of the optimum ends as
//! soon as a solution is found.
//!
//! **Refined bounds.** Between two iterations the lower bound may be refined for a sample of the states that the last
//! one has expanded, if the next one is expected to be long. The sample holds the states with the least hashes, so it
//! does not depend on their order. The unrefined bound is evaluated at each child. The refined one is evaluated at the
//! maximal children alone; at each child, if it has refuted most states of the level before (`refutation.rs`). A memo
//! is carried from parent to child
//! ([`LowerBound::evaluate_refinement`](crate::domain::LowerBound::evaluate_refinement)).
//!
//! **Beam searches** run between iterations ([`BeamSchedule`]). The iteration of the optimum is the longest, and it is
//! spared if a beam has found an optimal solution.
//!
//! **Memory.** In a run with checkpoints, children go to disk where they would take too much of it (`spill.rs`), and
//! how states were reached goes there too (`ways.rs`). A level that was on disk is expanded file by file.
//!
//! **Checkpoints** hold what is left of a level, its children so far, and how each state was reached. A resume accepts
//! any number of threads and any memory.
//!
//! References: Zhou and Hansen (2006) for breadth-first heuristic search; De Wulf, Doyen and Raskin (2006) for
//! antichains; Torralba (2017) for dominance pruning.

mod expansion;
mod maximal;
mod packed_sets;
mod refutation;
mod sample;
mod saved;
mod search;
mod spill;
mod superset_index;
mod ways;

use super::beam_schedule::BeamSchedule;
use super::best_first::{BetweenLayers, Expanded, unread};
use super::checkpointer::{CheckpointConfig, Checkpointer, check_rules, unusable};
use super::context::Context;
use super::incumbent::Incumbent;
use super::kind::EngineKind;
use super::outcome::{Outcome, Solution, Statistics};
use super::parallel::Workers;
use super::preparation::{from_leader, least_limits};
use super::snapshot::{ByLevels, EnginePosition, Preparation, Snapshot};
use super::work::Work;
use crate::checkpoint::{BodyReader, CheckpointError, agree_on_result};
use crate::domain::{BuildContext, Cost, Job};
use crate::expand::{RefinableSpace, StateSpace};
use crate::platform::Instant;
use crate::runtime::{Event, Layer, Monitor, StopReason};
use expansion::IterationContext;
use sample::Sample;
use saved::Position;
use search::Iteration;
use serde::{Deserialize, Serialize};
use spill::Spill;
use std::cmp::Reverse;
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

/// A space whose lower bound was refined.
pub(super) type RefinedSpace<'p> = Box<dyn RefinableSpace<'p> + 'p>;

/// What a search knows when it begins.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct AntichainInput {
    /// A solution found before. Only cheaper ones are searched.
    pub(super) incumbent: Option<Solution>,
    /// A lower bound that is proven already.
    pub(super) lower_bound: Cost,
}

/// Runs the search.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run<'p>(
    space: &dyn RefinableSpace<'p>,
    input: AntichainInput,
    beams: &BeamSchedule<'_>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    Ok(run_and_refine(space, input, beams, context)?.0)
}

/// [`run`]. Returns also the space with the refined bound, if the bound was refined.
///
/// # Errors
/// As [`run`].
pub(super) fn run_and_refine<'p>(
    space: &dyn RefinableSpace<'p>,
    input: AntichainInput,
    beams: &BeamSchedule<'_>,
    context: &Context<'_>,
) -> Result<(Outcome, Option<RefinedSpace<'p>>), CheckpointError> {
    let (input, context) = &begin_together(input, space.lower_bound(), context);
    let monitor = Monitor::new(context.limits, context.observer, context.stop).among_replicas(context.exchange());
    let checkpointer = Checkpointer::new(context.kept(), &monitor).among(context.exchange());
    let spill = context.kept().map(|keep| Spill::new(&keep.files.storage, space.key_len(), context.limits.memory));
    let workers = Workers::new(context.threads, &monitor).among(context.exchange());
    monitor.gauges.survey.begin(context.threads);
    monitor.watch(|| {
        let mut search = AntichainSearch {
            space,
            refined: None,
            refined_for: 0,
            incumbent: Incumbent::new(input.incumbent.clone(), &monitor),
            lower_bound: input.lower_bound,
            prepared: Preparation::Nothing,
            layers: Vec::new(),
            work: Work::default(),
            stored: 0,
            workers: &workers,
            checkpointer: &checkpointer,
            spill: spill.as_ref(),
            beams,
            context,
            began: Instant::now(),
        };
        let position = match (context.kept().filter(|keep| keep.resume), &spill) {
            (Some(keep), Some(spill)) => match search.resume_together(keep, spill)? {
                Ok(position) => Some(position),
                Err(reason) => return Ok((unread(keep, Some(reason))?, None)),
            },
            _ => None,
        };
        search.run(position);
        Ok(search.conclude())
    })
}

/// The input and the context of a search, if `lower_bound` is that of the root. All ranks take the input of the leader,
/// the least limits and the greatest lower bound: the bound of a rank is weaker if its clock ended the making of it.
fn begin_together<'c>(
    input: AntichainInput,
    lower_bound: Cost,
    context: &Context<'c>,
) -> (AntichainInput, Context<'c>) {
    let context = Context { limits: least_limits(context), ..*context };
    let input = from_leader(context.exchange(), || input);
    let Reverse(lower_bound) = context.least(Reverse(input.lower_bound.max(lower_bound)));
    (AntichainInput { lower_bound, ..input }, context)
}

/// A digest of a refined bound. Ranks may exchange memos only if their digests are equal.
fn digest<'p>(refined: &(dyn RefinableSpace<'p> + 'p)) -> (u32, usize) {
    (crc32fast::hash(&refined.serialize_refinement()), refined.bound().memo_len)
}

/// The growth from one iteration to the next while it is unknown.
const GROWTH: [u64; 2] = [5, 1];

/// Iterations with fewer states than this do not show how iterations grow.
const TELLING: u64 = 64;

/// How many times as long as expected at the last refinement an iteration has to be for the next one.
const REFINED_AGAIN: u64 = 4;

/// The expected expansions of the next iteration, if iterations go on growing as the last two did.
fn expected(layers: &[Layer]) -> u64 {
    let count = |back: usize| layers.len().checked_sub(back).map_or(0, |at| layers[at].expanded);
    let [last, before] = if count(2) >= TELLING { [count(1), count(2)] } else { GROWTH };
    count(1).saturating_mul(last.max(before)) / before
}

/// A search between two iterations.
struct AntichainSearch<'s, 'p> {
    space: &'s dyn RefinableSpace<'p>,
    refined: Option<RefinedSpace<'p>>,
    /// The expected expansions of the iteration for which the bound was refined.
    refined_for: u64,
    incumbent: Incumbent<'s>,
    lower_bound: Cost,
    /// How far the next iteration is prepared.
    prepared: Preparation,
    /// The iterations so far.
    layers: Vec<Layer>,
    work: Work,
    stored: u64,
    workers: &'s Workers<'s>,
    checkpointer: &'s Checkpointer<'s>,
    /// Where sets go when memory is short, in a run with checkpoints.
    spill: Option<&'s Spill<'s>>,
    beams: &'s BeamSchedule<'s>,
    context: &'s Context<'s>,
    began: Instant,
}

impl<'p> AntichainSearch<'_, 'p> {
    /// [`AntichainSearch::resume`] on all ranks, from the same checkpoint.
    ///
    /// # Errors
    /// When there is no checkpoint that all ranks can use.
    fn resume_together(
        &mut self,
        keep: &CheckpointConfig,
        spill: &Spill<'_>,
    ) -> Result<Result<Position, StopReason>, CheckpointError> {
        let resumed = self.resume(keep, spill);
        let Some(exchange) = self.context.exchange() else { return resumed };
        let resumed = agree_on_result(exchange, &keep.files.storage.run, resumed)?;
        let reasons = exchange.all_gather(&resumed.as_ref().err().copied());
        if let Some(reason) = reasons.into_iter().flatten().next() {
            return Ok(Err(reason));
        }
        let digests = exchange.all_gather(&self.digest());
        if digests.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(unusable(keep, "another checkpoint on another rank"));
        }
        Ok(resumed)
    }

    /// Reads the newest checkpoint, on the leader first, because the leader removes what is newer and broken.
    ///
    /// # Errors
    /// When there is no checkpoint that all ranks can use.
    fn read(&self, keep: &CheckpointConfig) -> Result<(Snapshot, Option<BodyReader>), CheckpointError> {
        let read = || self.checkpointer.resume_with_body(keep, EngineKind::Antichain);
        let Some(exchange) = self.context.exchange() else { return read() };
        let led = exchange.leads().then(read);
        exchange.all_gather(&());
        agree_on_result(exchange, &keep.files.storage.run, led.unwrap_or_else(read))
    }

    /// Equal on all ranks that hold the same state.
    fn digest(&self) -> (Cost, u64, Option<(u32, usize)>) {
        (self.lower_bound, self.work.generated, self.refined.as_deref().map(digest))
    }

    /// Takes over the newest checkpoint. The inner `Err` is the reason to stop, if the session ends before the refined
    /// bound of the checkpoint is restored.
    ///
    /// # Errors
    /// When there is no checkpoint that can be used.
    fn resume(
        &mut self,
        keep: &CheckpointConfig,
        spill: &Spill<'_>,
    ) -> Result<Result<Position, StopReason>, CheckpointError> {
        let (snapshot, body) = self.read(keep)?;
        if !snapshot.bound.is_empty() && snapshot.revision == self.space.revision() {
            let restore = |build: &BuildContext<'_>| self.space.restore_refinement(&snapshot.bound, build);
            let (refined, cut) = self.context.with_build_context(self.began, restore);
            if let (None, Some(reason)) = (&refined, cut) {
                return Ok(Err(reason));
            }
            self.refined = refined;
        }
        check_rules(keep, self.refined.as_deref().unwrap_or(self.space), &snapshot)?;
        let Snapshot { lower_bound, layers, current, incumbent, work, position, .. } = snapshot;
        let (EnginePosition::Antichain(by_levels), Some(mut body)) = (position, body) else {
            return Err(unusable(keep, "no sets"));
        };
        let position = {
            let left = body.left();
            saved::read((&mut body, left), &by_levels, current, spill).map_err(|found| unusable(keep, &found))?
        };
        self.lower_bound = self.lower_bound.max(lower_bound);
        (self.layers, self.work, self.refined_for) = (layers, work, by_levels.refined_for);
        self.prepared = by_levels.prepared;
        incumbent.into_iter().for_each(|held| self.incumbent.confirm(held));
        Ok(Ok(position))
    }

    /// Whether nothing is left to be done, or the search is to stop.
    fn is_over(&self) -> bool {
        let is_known = self.lower_bound >= self.incumbent.cost() || self.workers.is_finished();
        is_known || self.workers.stopped().is_some()
    }

    fn run(&mut self, position: Option<Position>) {
        let monitor = self.workers.monitor;
        monitor.tell(&Event::LowerBound(self.lower_bound));
        if let Some(stop) = self.space.root_terminal() {
            self.incumbent.offer(stop, Vec::new);
        }
        let (mut iteration, mut sample) = match position {
            Some(Position::Within(iteration)) => (Some(*iteration), None),
            Some(Position::Between(sample)) => (None, Some(sample)),
            None => (None, None),
        };
        let mut is_between = iteration.is_none();
        while !self.is_over() {
            if let Some(of_last) = &sample {
                self.prepare_next(of_last);
                if self.is_over() {
                    break;
                }
                sample = None;
            }
            let (ended, of_iteration) = self.iterate(iteration.take());
            is_between = ended;
            if !ended {
                break;
            }
            sample = Some(of_iteration);
        }
        // Within an iteration the checkpoint has been taken.
        if is_between && self.workers.stopped().is_some() {
            self.take_checkpoint(None, &sample.unwrap_or_else(|| Sample::new(search::SAMPLE)));
        }
    }

    /// Runs an iteration, a new one or one that was interrupted. Returns whether it came to its end, and its sample.
    fn iterate(&mut self, interrupted: Option<Iteration>) -> (bool, Sample) {
        let monitor = self.workers.monitor;
        let bound_bytes = self.refined.as_deref().map_or(0, |refined| refined.bound().bytes);
        let Reverse(bound_bytes) = self.context.least(Reverse(bound_bytes));
        let search = IterationContext {
            space: self.space,
            refined: self.refined.as_deref().map(|refined| refined as &dyn StateSpace),
            workers: self.workers,
            incumbent: &self.incumbent,
            checkpointer: self.checkpointer,
            memory: self.context.limits.memory,
            bound_bytes,
            spill: self.spill,
        };
        let f = self.lower_bound;
        self.prepared = Preparation::Nothing;
        monitor.gauges.layer.store(f, Relaxed);
        monitor.begin_layer(interrupted.as_ref().map_or(0, |iteration| iteration.progress.layer.expanded));
        let mut iteration = interrupted.unwrap_or_else(|| {
            monitor.tell(&Event::LayerStarted { f, open: 1 });
            search.begin(f)
        });
        let ended = search.run(&mut iteration, &|now| self.take_checkpoint(Some(now), &now.sample)).is_some();
        self.context.exchange().into_iter().for_each(|exchange| self.incumbent.share(exchange));
        let Iteration { progress, links, sample, .. } = iteration;
        self.work += progress.work;
        self.stored = self.stored.max(links.len() as u64 + 1);
        self.layers.push(progress.layer);
        if ended {
            monitor.tell(&Event::LayerDone(progress.layer));
            self.lower_bound = progress.cut.min(self.incumbent.cost());
            monitor.tell(&Event::LowerBound(self.lower_bound));
        }
        (ended, sample)
    }

    /// Looks for a better solution, and refines the lower bound, if that costs little compared with the next iteration.
    /// `sample` is that of the last iteration.
    fn prepare_next(&mut self, sample: &Sample) {
        let (next, monitor) = (expected(&self.layers), self.workers.monitor);
        let rest = || self.context.remaining(self.began, monitor.gauges.expanded.load(Relaxed));
        if self.prepared == Preparation::Nothing {
            let cost = Expanded { in_layers: self.cost_of(next), in_session: 0 };
            let improve = || self.beams.improve(cost, self.incumbent.solution(), &rest());
            // A clock may have ended the beams of a rank.
            let beams = improve();
            let BetweenLayers { better, expanded } = from_leader(self.context.exchange(), || beams);
            monitor.gauges.expanded.fetch_add(expanded, Relaxed);
            better.into_iter().for_each(|better| self.incumbent.confirm(better));
            self.prepared = Preparation::Beams;
        }
        monitor.check_limits();
        if self.workers.agree().is_none() || self.is_over() {
            return;
        }
        let held = self.refined.as_deref().unwrap_or(self.space);
        let pays = held
            .bound()
            .refine_after
            .is_some_and(|least| next >= least.max(self.refined_for.saturating_mul(REFINED_AGAIN)));
        // Where one rank has no table to refine, none refines.
        let pays = self.context.least(pays);
        if pays && self.prepared == Preparation::Beams {
            let context = rest().beside(held.bound().bytes);
            let keys = sample.clone().into_keys();
            let each = |jobs, job: Job<'_>| self.workers.each(jobs, job);
            let refine = |build: &BuildContext<'_>| held.refine(&keys, &BuildContext { each: &each, ..*build });
            let refined = self.alike(context.with_build_context(Instant::now(), refine).0);
            if refined.is_some() {
                (self.refined, self.refined_for) = (refined, next);
            }
        }
        self.prepared = Preparation::All;
    }

    /// The refined bound, if all ranks have made the same.
    fn alike(&self, refined: Option<RefinedSpace<'p>>) -> Option<RefinedSpace<'p>> {
        let Some(exchange) = self.context.exchange() else { return refined };
        let own = refined.as_deref().map(digest);
        let is_alike = exchange.all_gather(&own).into_iter().all(|other| other == own);
        refined.filter(|_| is_alike)
    }

    /// What an iteration of so many expansions costs, in expansions of a beam search.
    fn cost_of(&self, expanded: u64) -> u64 {
        let factor = if self.refined.is_some() { 4 } else { 1 };
        expanded.saturating_mul(factor) / 2
    }

    /// Takes a checkpoint if one is due, or the search is stopped: within an iteration, or between two. `sample` is
    /// that of the last iteration.
    fn take_checkpoint(&self, iteration: Option<&Iteration>, sample: &Sample) {
        let snapshot = || {
            let refined: &dyn StateSpace = self.refined.as_deref().unwrap_or(self.space);
            let (mut work, current, by_levels) = match iteration {
                Some(iteration) => {
                    (iteration.progress.work, Some(iteration.progress.layer), saved::position_of(iteration))
                }
                None => (Work::default(), None, ByLevels { states: self.stored, ..ByLevels::default() }),
            };
            work += self.work;
            Snapshot {
                lower_bound: self.lower_bound,
                layers: self.layers.clone(),
                current,
                incumbent: self.incumbent.solution(),
                work,
                bound: refined.serialize_refinement(),
                revision: self.space.revision(),
                position: EnginePosition::Antichain(ByLevels {
                    refined_for: self.refined_for,
                    prepared: self.prepared,
                    ..by_levels
                }),
                ..Snapshot::default()
            }
        };
        self.context.exchange().into_iter().for_each(|exchange| self.incumbent.share(exchange));
        let used = self.spill.map_or(0, Spill::used);
        let write = &mut |out: &mut dyn Write| saved::write((iteration, sample), self.space.key_len(), out);
        self.checkpointer.take_with_body(used, snapshot, write);
    }

    fn conclude(self) -> (Outcome, Option<RefinedSpace<'p>>) {
        let (failure, stopped) = (self.checkpointer.finish(None), self.workers.stopped());
        let (monitor, bound) = (self.workers.monitor, self.refined.as_deref().unwrap_or(self.space).bound().name);
        let incumbent = self.incumbent.into_solution();
        let cost = incumbent.as_ref().map_or(Cost::MAX, |held| held.cost);
        let lower_bound = self.lower_bound;
        let Work { expanded, generated, evaluated, reopened } = self.work;
        let statistics = Statistics {
            expanded,
            generated,
            evaluated,
            reopened,
            layers: self.layers,
            stored: self.stored,
            peak_bytes: monitor.gauges.peak_bytes.load(Relaxed),
            cpu_seconds: self.workers.cpu_seconds(),
            bound,
        };
        let stopped = stopped.filter(|_| lower_bound < cost);
        (Outcome { incumbent, lower_bound, stopped, failure, statistics }, self.refined)
    }
}
