//! The search that learns: depth-first refutation with no-goods, for domains whose states are sets.
//!
//! A *no-good* of budget r is a set N such that no solution from a set within N costs r or less. When a set S is
//! refuted for a budget, the reason is made as large as possible (`generalise.rs`) and kept as a no-good. The no-good
//! refutes every set within it, in this iteration and in all later ones, because r is the remaining budget, independent
//! of f.
//!
//! An *iteration* asks whether a solution costs f or less, f being the proven lower bound. If none does, the next
//! iteration asks for f + 1. To refute S for r, each of its choices is refuted: by the lower bound of the child, by a
//! no-good that contains the child, or by a search of the child for the remaining budget. The largest child is searched
//! first.
//!
//! **When to use it.** For puzzles whose states are sets ([`SetMoves`](crate::domain::SetMoves)), unless they are so
//! small that learning does not pay. It stores no-goods, not states: memory grows slowly, and a no-good may always be
//! forgotten.
//!
//! **Why no optimum is lost.** By induction on r, no solution from a no-good N of budget r costs r or less. N is no
//! goal: its child by some choice contains N and lies within a reason, and a reason is no goal. If no choice has a
//! reason, N itself is checked. Each choice at N costs more than r, or changes nothing, or leads to a child from which
//! no solution costs the remaining budget or less: the child lies within a no-good of this budget, or within an
//! explanation of the lower bound for it. A shortest solution has no move that changes nothing. The choices at N are
//! among those at S, which [`SetMoves::choices`](crate::domain::SetMoves::choices) promises as long as N lacks one of
//! the pins. More is never worse, so the same holds for each set within N. When the root is refuted for f, no solution
//! costs f or less.
//!
//! **Guarantees.** Optimal with every admissible lower bound. On one thread the counts are the same on every machine;
//! they change after a resume, and if memory is so short that no-goods are forgotten.
//!
//! **Beam searches** run between iterations ([`BeamSchedule`]): an optimal incumbent saves the last iteration.
//!
//! **Threads and ranks** refute the same root. The threads of a rank share its no-goods. A no-good is a fact: the
//! worker that learns it sends it to the others (`peers.rs`; between ranks in letters, `rank_messenger.rs`), and it may
//! arrive late, in any order, or never. A child that another worker searches is deferred to the end. Ranks wait for
//! each other only at the beginning. So if a rank lags, freezes or dies, only its own share of the work is lost.
//!
//! **Checkpoints** hold the no-goods. The leader takes them. When the search is resumed, it sends their content to the
//! other ranks. A resume accepts any number of ranks and threads, and any memory.
//!
//! References: property-directed reachability (Bradley 2011); for planning, Suda (2014).

mod bits;
mod element_frequencies;
mod generalise;
mod learner;
mod no_goods;
mod notices;
mod peers;
mod rank_messenger;
mod reasons;
mod refuted_sets;
mod refuter;
mod saved;

use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::engine::beam::{BeamSchedule, BetweenLayers};
use crate::engine::best_first;
use crate::engine::checkpoints::{Checkpointer, EnginePosition, Snapshot};
use crate::engine::context::Context;
use crate::engine::dispatch::{EngineInfo, StateEngine};
use crate::engine::incumbent::Incumbent;
use crate::engine::outcome::{Outcome, Solution, Statistics};
use crate::engine::parallel::Workers;
use crate::engine::work::Work;
use crate::expand::{Counts, StateSpace};
use crate::platform::Instant;
use crate::runtime::{Event, Exchange, Layer, Monitor};
use crate::sync::lock;
use learner::{Learner, Refutation};
use notices::Peer;
use peers::Peers;
use rank_messenger::RankMessenger;
pub use refuted_sets::RefutedSets;
use refuted_sets::SharedLevels;
pub use refuter::Refuter;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::io::{Read, Write};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};

const SUMMARY: &str = "depth-first search over sets: learns a no-good from each refutation; proven when it ends";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "learning", summary: SUMMARY, proves: true, has_checkpoints: true, uses_ranks: true },
    run: |space, parameters, known, context| {
        if space.set_expander().is_none() {
            let note = "learning needs states that are sets: best-first searches instead";
            context.observer.observe(&Event::Note(note));
            return (best_first::ENGINE.run)(space, parameters, known, context);
        }
        let input = LearningInput { incumbent: known, ..LearningInput::default() };
        run(space, input, &BeamSchedule::none(space), context)
    },
};

#[derive(Debug, Default)]
pub(super) struct LearningInput {
    /// A solution found before. Only cheaper ones are looked for.
    pub(super) incumbent: Option<Solution>,
    pub(super) lower_bound: Cost,
    /// The work of the preparation. The result and checkpoints include it.
    pub(super) work: Work,
}

/// A refutation takes as long as the expansion of this many states of a beam, if the no-good grows.
const BEAM_STATES: u64 = 8;

/// A refutation takes as long as the expansion of this many states of a beam, if the no-good does not grow.
const BEAM_STATES_IN_WARM_UP: u64 = 2;

/// Runs the search.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn StateSpace,
    input: LearningInput,
    beams: &BeamSchedule<'_>,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let expanders = (0..context.threads.max(1)).map_while(|_| space.set_expander());
    let exchange = context.exchange();
    let monitor = Monitor::new(context.limits, context.observer, context.stop).with_exchange(exchange);
    // Only the leader writes checkpoints: it receives the no-goods of all ranks.
    let config = context.checkpoint_config().filter(|_| context.is_leader());
    let checkpointer = Checkpointer::new(config, &monitor);
    let workers = Workers::new(context.threads, &monitor);
    let incumbent = Incumbent::new(input.incumbent, &monitor);
    let messenger =
        exchange.map(|exchange| RankMessenger::new(exchange, &incumbent, &monitor, context.limits.expansions));
    let peers: Vec<Peer> = (0..workers.threads).map(|_| Peer::default()).collect();
    let shared = SharedLevels::default();
    let learner = |(number, expander)| {
        let peers = Peers::new(&peers, number, messenger.as_ref());
        Mutex::new(Learner::new(expander, &shared, context.limits.memory, &monitor, &checkpointer, peers))
    };
    let learners = expanders.enumerate().map(learner).collect();
    monitor.gauges.survey.set_worker_count(context.threads);
    monitor.run_with_progress(|| {
        let mut search = LearningSearch {
            space,
            shared: &shared,
            learners,
            workers: &workers,
            incumbent: &incumbent,
            messenger: messenger.as_ref(),
            lower_bound: input.lower_bound.max(space.lower_bound()),
            layers: Vec::new(),
            current: None,
            work: input.work,
            monitor: &monitor,
            checkpointer: &checkpointer,
            beams,
            context,
            began: Instant::now(),
        };
        if !search.begin()? {
            return Ok(Outcome::unknown());
        }
        exchange.into_iter().for_each(|exchange| {
            exchange.begin_search();
            exchange.tolerate_silence();
        });
        search.run();
        Ok(search.conclude())
    })
}

struct LearningSearch<'s> {
    space: &'s dyn StateSpace,
    /// The no-goods that the workers share.
    shared: &'s SharedLevels,
    /// The workers. They wait between two iterations.
    learners: Vec<Mutex<Learner<'s>>>,
    workers: &'s Workers<'s>,
    incumbent: &'s Incumbent<'s>,
    /// Exchanges letters with other ranks, if there are any.
    messenger: Option<&'s RankMessenger<'s>>,
    lower_bound: Cost,
    /// The iterations so far.
    layers: Vec<Layer>,
    /// The iteration under way.
    current: Option<Layer>,
    /// The work of earlier sessions, or else of the preparation.
    work: Work,
    monitor: &'s Monitor<'s>,
    checkpointer: &'s Checkpointer<'s>,
    beams: &'s BeamSchedule<'s>,
    context: &'s Context<'s>,
    began: Instant,
}

#[derive(Debug, Serialize, Deserialize)]
struct InitialKnowledge {
    lower_bound: Cost,
    incumbent: Option<Solution>,
    /// No-goods, as in a checkpoint.
    no_goods: ByteBuf,
}

/// Tells the other ranks that the search is over before it begins. The other ranks call [`run`] with any input.
pub(super) fn cancel(context: &Context<'_>) {
    context.exchange().into_iter().for_each(|exchange| drop(broadcast_from_leader(exchange, None)));
}

/// Sends the leader's `knowledge` to all ranks; the other ranks pass `None`. Returns `None` if there is no search.
fn broadcast_from_leader(exchange: &Exchange, knowledge: Option<InitialKnowledge>) -> Option<InitialKnowledge> {
    exchange.all_gather(&knowledge).into_iter().next().flatten()
}

impl<'s> LearningSearch<'s> {
    /// Resumes the search on the leader, if it is to be resumed, and sends the initial knowledge to the other ranks.
    /// Returns false on the other ranks if there is no search.
    ///
    /// # Errors
    /// When there is no checkpoint that can be used.
    fn begin(&mut self) -> Result<bool, CheckpointError> {
        let Some(exchange) = self.context.exchange() else { return self.resume().map(|()| true) };
        let mut knowledge = None;
        let resumed = if exchange.is_leader() { self.resume() } else { Ok(()) };
        if exchange.is_leader() && resumed.is_ok() {
            let mut no_goods = Vec::new();
            // Writing to memory does not fail.
            let _ = saved::write(self.shared, self.space.key_len(), &mut no_goods);
            let (lower_bound, incumbent) = (self.lower_bound, self.incumbent.solution());
            knowledge = Some(InitialKnowledge { lower_bound, incumbent, no_goods: ByteBuf::from(no_goods) });
        }
        let received = broadcast_from_leader(exchange, knowledge);
        resumed?;
        let Some(InitialKnowledge { lower_bound, incumbent, no_goods }) = received else { return Ok(false) };
        if !self.context.is_leader() {
            if self.take_no_goods(&mut &no_goods[..], no_goods.len() as u64).is_err() {
                exchange.abort("found no-goods that cannot be read, expected one program and board on all ranks");
            }
            self.lower_bound = lower_bound;
            incumbent.into_iter().for_each(|solution| self.incumbent.confirm(solution));
        }
        Ok(true)
    }

    /// Takes over the newest checkpoint, if the search is to be resumed.
    ///
    /// # Errors
    /// When there is no checkpoint that can be used.
    fn resume(&mut self) -> Result<(), CheckpointError> {
        let Some(config) = self.context.checkpoint_config().filter(|config| config.resume) else { return Ok(()) };
        let (snapshot, body) = self.checkpointer.resume_payload(config, ENGINE.info.name)?;
        config.check_rules(self.space, &snapshot)?;
        let Snapshot { lower_bound, layers, current, incumbent, work, .. } = snapshot;
        let Some(mut body) = body else { return Err(config.unusable("no no-goods")) };
        let body_len = body.remaining_bytes();
        self.take_no_goods(&mut body, body_len).map_err(|found| config.unusable(&found))?;
        self.lower_bound = self.lower_bound.max(lower_bound);
        (self.layers, self.current, self.work) = (layers, current, work);
        let expanded = self.layers.iter().chain(&self.current).map(|layer| layer.expanded).sum();
        self.learners.iter().for_each(|learner| lock(learner).expanded_before = expanded);
        incumbent.into_iter().for_each(|solution| self.incumbent.confirm(solution));
        Ok(())
    }

    /// Takes over the no-goods of the body of a checkpoint, which has `bytes` bytes.
    ///
    /// # Errors
    /// Returns what was found if the body is malformed.
    fn take_no_goods(&self, body: &mut dyn Read, bytes: u64) -> Result<(), String> {
        saved::read(body, bytes, self.space.key_len(), &mut self.first_learner())
    }

    fn is_over(&self) -> bool {
        self.lower_bound >= self.incumbent.cost() || self.monitor.is_finished() || self.monitor.stop_reason().is_some()
    }

    fn raise_lower_bound(&mut self, lower_bound: Cost) {
        self.lower_bound = self.lower_bound.max(lower_bound);
        if let Some(messenger) = self.messenger {
            messenger.raise_lower_bound(self.lower_bound);
            self.lower_bound = messenger.lower_bound();
        }
    }

    fn run(&mut self) {
        self.raise_lower_bound(self.lower_bound);
        self.monitor.send(&Event::LowerBound(self.lower_bound));
        if let Some(cost) = self.space.root_terminal_cost() {
            self.incumbent.offer(cost, Vec::new);
        }
        if !self.is_over() && self.incumbent.cost() == Cost::MAX && !self.first_learner().is_solvable() {
            self.raise_lower_bound(Cost::MAX);
            self.monitor.send(&Event::LowerBound(self.lower_bound));
        }
        while !self.is_over() {
            self.iterate();
            if !self.is_over() {
                self.improve();
            }
        }
        if self.monitor.stop_reason().is_some() {
            self.take_checkpoint();
        }
    }

    /// Looks for a solution that costs as much as the proven lower bound, or proves that there is none.
    fn iterate(&mut self) {
        let f = self.lower_bound;
        let earlier = self.current.take().unwrap_or(Layer { f, ..Layer::default() });
        let work_before = self.session_work_of_ranks();
        self.monitor.gauges.layer.store(f, Relaxed);
        self.monitor.begin_layer(earlier.expanded);
        self.monitor.send(&Event::LayerStarted { f, open: 1 });
        loop {
            let refutation = self.refute(f);
            let work = self.session_work_of_ranks();
            let layer = Layer {
                f,
                expanded: earlier.expanded + work.expanded - work_before.expanded,
                generated: earlier.generated + work.generated - work_before.generated,
            };
            self.current = Some(layer);
            self.first_learner().exchange();
            self.raise_lower_bound(if refutation == Refutation::Refuted { f + 1 } else { f });
            match refutation {
                Refutation::Solved(moves, cost) => self.incumbent.offer(cost, || moves),
                _ if self.lower_bound > f || self.monitor.is_finished() => {}
                _ if self.monitor.stop_reason().is_some() => return,
                _ => {
                    self.take_checkpoint();
                    self.monitor.resume();
                    continue;
                }
            }
            self.current = None;
            self.layers.push(layer);
            self.monitor.send(&Event::LayerDone(layer));
            self.monitor.send(&Event::LowerBound(self.lower_bound));
            return;
        }
    }

    /// Has all workers refute the root for a budget, or find a solution that costs no more.
    fn refute(&self, budget: Cost) -> Refutation {
        let refute = |(): &mut (), learner: &Mutex<Learner<'_>>| {
            let refutation = lock(learner).refute_root(budget);
            if let Refutation::Solved(moves, cost) = &refutation {
                // No solution costs less than the budget, so the search is finished.
                self.incumbent.offer(*cost, || moves.clone());
                self.monitor.finish();
            }
            refutation
        };
        let mut all = self.workers.map_all(&self.learners, 1, || (), refute);
        self.learners.iter().for_each(|learner| drop(lock(learner).receive_notices(&[])));
        let rank = |refutation: &Refutation| match refutation {
            Refutation::Solved(..) => 0,
            Refutation::Refuted => 1,
            Refutation::Interrupted => 2,
        };
        all.sort_by_key(rank);
        all.into_iter().next().unwrap_or(Refutation::Interrupted)
    }

    /// The first worker. Between two iterations it has stored the no-goods that have arrived from other ranks.
    fn first_learner(&self) -> MutexGuard<'_, Learner<'s>> {
        lock(&self.learners[0])
    }

    fn session_work(&self) -> Work {
        let mut work = Work::default();
        for learner in &self.learners {
            let learner = lock(learner);
            let Counts { generated, evaluated } = learner.expander.counts();
            work += Work { expanded: learner.expanded, generated, evaluated, reopened: 0 };
        }
        work
    }

    /// The work of this session on all ranks, as far as this rank knows.
    fn session_work_of_ranks(&self) -> Work {
        let mut work = self.session_work();
        work += self.messenger.map_or_else(Work::default, RankMessenger::remote_work);
        work
    }

    /// Runs a beam search for a better solution, if the beam costs little compared with the next iteration. Only the
    /// leader does this; the other ranks begin the next iteration.
    fn improve(&mut self) {
        if !self.context.is_leader() {
            return;
        }
        let last = self.layers.last().map_or(0, |layer| layer.expanded);
        let factor = if self.first_learner().is_warm_up() { BEAM_STATES_IN_WARM_UP } else { BEAM_STATES };
        let states = last.saturating_mul(factor);
        let of_other_ranks = self.messenger.map_or_else(Work::default, RankMessenger::remote_work);
        let expanded = self.monitor.gauges.expanded.load(Relaxed) + of_other_ranks.expanded;
        let remaining = self.context.remaining(self.began, expanded);
        let BetweenLayers { solution, expanded } = self.beams.improve(states, self.incumbent.solution(), &remaining);
        self.monitor.gauges.expanded.fetch_add(expanded, Relaxed);
        solution.into_iter().for_each(|solution| self.incumbent.confirm(solution));
        self.monitor.check_limits();
    }

    fn work(&self) -> Work {
        let mut work = self.work;
        work += self.session_work_of_ranks();
        work += self.beams.work();
        work
    }

    fn take_checkpoint(&self) {
        let snapshot = || Snapshot {
            lower_bound: self.lower_bound,
            layers: self.layers.clone(),
            current: self.current,
            incumbent: self.incumbent.solution(),
            work: self.work(),
            revision: self.space.revision(),
            position: EnginePosition::Learning(self.shared.no_good_count()),
            ..Snapshot::default()
        };
        let write = &mut |out: &mut dyn Write| saved::write(self.shared, self.space.key_len(), out);
        self.checkpointer.take_with_body(snapshot, write);
    }

    fn conclude(mut self) -> Outcome {
        let failure = self.checkpointer.finish(None);
        self.messenger.into_iter().for_each(|messenger| messenger.send_last_letters(self.session_work()));
        let work = self.work();
        let peak_no_goods =
            self.learners.iter().map(|learner| lock(learner).peak_no_goods).fold(self.shared.no_good_count(), u64::max);
        let refuted = RefutedSets { levels: self.shared.take(), all: self.first_learner().all.clone() };
        self.raise_lower_bound(self.lower_bound);
        let incumbent = self.incumbent.solution();
        let cost = incumbent.as_ref().map_or(Cost::MAX, |solution| solution.cost);
        let layers = self.layers.into_iter().chain(self.current).collect();
        let statistics = Statistics {
            layers,
            stored: peak_no_goods,
            peak_bytes: self.monitor.gauges.peak_bytes.load(Relaxed),
            cpu_seconds: self.workers.cpu_seconds(),
            ..Statistics::from(work)
        };
        let stopped = self.monitor.stop_reason().filter(|_| self.lower_bound < cost);
        Outcome { incumbent, lower_bound: self.lower_bound, stopped, failure, statistics, refuted }
    }
}

#[cfg(test)]
mod tests;
