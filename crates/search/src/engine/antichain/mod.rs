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
//! disk, or on the instructions of the processor. The iteration of the optimum ends as soon as a solution is found.
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
mod saved;
mod search;
mod spill;
mod superset_index;
mod ways;

use super::beam_schedule::BeamSchedule;
use super::best_first::{BetweenLayers, Expanded};
use super::checkpointer::{CheckpointConfig, Checkpointer, check_rules, unusable};
use super::context::Context;
use super::incumbent::Incumbent;
use super::kind::EngineKind;
use super::outcome::{Outcome, Solution, Statistics};
use super::parallel::Workers;
use super::preparation::{from_leader, least_limits};
use super::snapshot::{ByLevels, EnginePosition, Snapshot};
use super::work::Work;
use crate::checkpoint::{BodyReader, CheckpointError, agree_on_result};
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::platform::Instant;
use crate::runtime::{Event, Layer, Monitor};
use expansion::IterationContext;
use search::Iteration;
use serde::{Deserialize, Serialize};
use spill::Spill;
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

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
pub(super) fn run(
    space: &dyn StateSpace,
    input: AntichainInput,
    beams: &BeamSchedule<'_>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    // All ranks take the input of the leader and the least limits.
    let context = &Context { limits: least_limits(context), ..*context };
    let input = from_leader(context.exchange(), || input);
    let monitor = Monitor::new(context.limits, context.observer, context.stop).among_replicas(context.exchange());
    let checkpointer = Checkpointer::new(context.kept(), &monitor).among(context.exchange());
    let spill = context.kept().map(|keep| Spill::new(&keep.files.storage, space.key_len(), context.limits.memory));
    let workers = Workers::new(context.threads, &monitor).among(context.exchange());
    monitor.gauges.survey.begin(context.threads);
    monitor.watch(|| {
        let mut search = AntichainSearch {
            space,
            incumbent: Incumbent::new(input.incumbent.clone(), &monitor),
            lower_bound: input.lower_bound.max(space.lower_bound()),
            // No beam search runs before the first iteration.
            is_prepared: true,
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
        let interrupted = match (context.kept().filter(|keep| keep.resume), &spill) {
            (Some(keep), Some(spill)) => search.resume_together(keep, spill)?,
            _ => None,
        };
        search.run(interrupted);
        Ok(search.conclude())
    })
}

/// The growth from one iteration to the next while it is unknown.
const GROWTH: [u64; 2] = [5, 1];

/// Iterations with fewer states than this do not show how iterations grow.
const TELLING: u64 = 64;

/// The expected expansions of the next iteration, if iterations go on growing as the last two did.
fn expected(layers: &[Layer]) -> u64 {
    let count = |back: usize| layers.len().checked_sub(back).map_or(0, |at| layers[at].expanded);
    let [last, before] = if count(2) >= TELLING { [count(1), count(2)] } else { GROWTH };
    count(1).saturating_mul(last.max(before)) / before
}

/// A search between two iterations.
struct AntichainSearch<'s> {
    space: &'s dyn StateSpace,
    incumbent: Incumbent<'s>,
    lower_bound: Cost,
    /// See [`ByLevels::is_prepared`].
    is_prepared: bool,
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

impl AntichainSearch<'_> {
    /// [`AntichainSearch::resume`] on all ranks, from the same checkpoint.
    ///
    /// # Errors
    /// When there is no checkpoint that all ranks can use.
    fn resume_together(
        &mut self,
        keep: &CheckpointConfig,
        spill: &Spill<'_>,
    ) -> Result<Option<Iteration>, CheckpointError> {
        let resumed = self.resume(keep, spill);
        let Some(exchange) = self.context.exchange() else { return resumed };
        let resumed = agree_on_result(exchange, &keep.files.storage.run, resumed)?;
        // Equal on all ranks that hold the same state.
        let digests = exchange.all_gather(&(self.lower_bound, self.work.generated));
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

    /// Takes over the newest checkpoint. Returns the iteration under way; `None` between two iterations.
    ///
    /// # Errors
    /// When there is no checkpoint that can be used.
    fn resume(&mut self, keep: &CheckpointConfig, spill: &Spill<'_>) -> Result<Option<Iteration>, CheckpointError> {
        let (snapshot, body) = self.read(keep)?;
        check_rules(keep, self.space, &snapshot)?;
        let Snapshot { lower_bound, layers, current, incumbent, work, position, .. } = snapshot;
        let (EnginePosition::Antichain(by_levels), Some(mut body)) = (position, body) else {
            return Err(unusable(keep, "no sets"));
        };
        let iteration = {
            let left = body.left();
            saved::read((&mut body, left), &by_levels, current, spill).map_err(|found| unusable(keep, &found))?
        };
        self.lower_bound = self.lower_bound.max(lower_bound);
        (self.layers, self.work, self.is_prepared) = (layers, work, by_levels.is_prepared);
        incumbent.into_iter().for_each(|held| self.incumbent.confirm(held));
        Ok(iteration)
    }

    /// Whether nothing is left to be done, or the search is to stop.
    fn is_over(&self) -> bool {
        let is_known = self.lower_bound >= self.incumbent.cost() || self.workers.is_finished();
        is_known || self.workers.stopped().is_some()
    }

    fn run(&mut self, mut interrupted: Option<Iteration>) {
        let monitor = self.workers.monitor;
        monitor.tell(&Event::LowerBound(self.lower_bound));
        if let Some(stop) = self.space.root_terminal() {
            self.incumbent.offer(stop, Vec::new);
        }
        let mut is_between = interrupted.is_none();
        while !self.is_over() {
            if is_between && !self.is_prepared {
                self.prepare_next();
                continue;
            }
            is_between = self.iterate(interrupted.take());
            if !is_between {
                break;
            }
        }
        // Within an iteration the checkpoint has been taken.
        if is_between && self.workers.stopped().is_some() {
            self.take_checkpoint(None);
        }
    }

    /// Runs an iteration, a new one or one that was interrupted. Returns whether it came to its end.
    fn iterate(&mut self, interrupted: Option<Iteration>) -> bool {
        let monitor = self.workers.monitor;
        let search = IterationContext {
            space: self.space,
            workers: self.workers,
            incumbent: &self.incumbent,
            checkpointer: self.checkpointer,
            memory: self.context.limits.memory,
            spill: self.spill,
        };
        let f = self.lower_bound;
        self.is_prepared = false;
        monitor.gauges.layer.store(f, Relaxed);
        monitor.begin_layer(interrupted.as_ref().map_or(0, |iteration| iteration.progress.layer.expanded));
        let mut iteration = interrupted.unwrap_or_else(|| {
            monitor.tell(&Event::LayerStarted { f, open: 1 });
            search.begin(f)
        });
        let ended = search.run(&mut iteration, &|now| self.take_checkpoint(Some(now))).is_some();
        self.context.exchange().into_iter().for_each(|exchange| self.incumbent.share(exchange));
        let Iteration { progress, links, .. } = iteration;
        self.work += progress.work;
        self.stored = self.stored.max(links.len() as u64 + 1);
        self.layers.push(progress.layer);
        if ended {
            monitor.tell(&Event::LayerDone(progress.layer));
            self.lower_bound = progress.cut.min(self.incumbent.cost());
            monitor.tell(&Event::LowerBound(self.lower_bound));
        }
        ended
    }

    /// Looks for a better solution with a beam search, if that costs little compared with the next iteration.
    fn prepare_next(&mut self) {
        let monitor = self.workers.monitor;
        // An expansion of the iteration costs half as much as one of a beam search.
        let cost = Expanded { in_layers: expected(&self.layers) / 2, in_session: 0 };
        let rest = self.context.remaining(self.began, monitor.gauges.expanded.load(Relaxed));
        let beams = self.beams.improve(cost, self.incumbent.solution(), &rest);
        // A clock may have ended the beams of a rank.
        let BetweenLayers { better, expanded } = from_leader(self.context.exchange(), || beams);
        monitor.gauges.expanded.fetch_add(expanded, Relaxed);
        better.into_iter().for_each(|better| self.incumbent.confirm(better));
        self.is_prepared = true;
        monitor.check_limits();
        self.workers.agree();
    }

    /// Takes a checkpoint if one is due, or the search is stopped: within an iteration, or between two.
    fn take_checkpoint(&self, iteration: Option<&Iteration>) {
        let snapshot = || {
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
                revision: self.space.revision(),
                position: EnginePosition::Antichain(ByLevels { is_prepared: self.is_prepared, ..by_levels }),
                ..Snapshot::default()
            }
        };
        self.context.exchange().into_iter().for_each(|exchange| self.incumbent.share(exchange));
        let used = self.spill.map_or(0, Spill::used);
        let write = &mut |out: &mut dyn Write| saved::write(iteration, self.space.key_len(), out);
        self.checkpointer.take_with_body(used, snapshot, write);
    }

    fn conclude(self) -> Outcome {
        let (failure, stopped) = (self.checkpointer.finish(None), self.workers.stopped());
        let (monitor, bound) = (self.workers.monitor, self.space.bound().name);
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
        Outcome { incumbent, lower_bound, stopped, failure, statistics, ..Outcome::unknown() }
    }
}
