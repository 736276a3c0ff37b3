//! The search that learns: depth-first refutation with no-goods, for domains whose states are sets.
//!
//! A *no-good* of budget r is a set N such that no solution from a set within N costs r or less. When a set S is
//! refuted for a budget, the reason is made as large as possible (`generalise.rs`) and kept. It refutes every set
//! within it from then on, in this iteration and in all later ones: r counts what is left, whatever the trial cost is.
//!
//! An *iteration* asks whether a solution costs f or less, f being the proven lower bound. If none does, the next
//! iteration asks for f + 1. To refute S for r, each of its choices is refuted: by the lower bound of the child, by a
//! no-good that contains the child, or by a search of the child for what is left, the largest child first.
//!
//! **When to use it.** For puzzles whose states are sets ([`SetMoves`](crate::domain::SetMoves)), unless they are so
//! small that learning does not pay. It holds no-goods, not states: memory grows slowly, and a no-good may always be
//! forgotten.
//!
//! **Why no optimum is lost.** By induction on r, no solution from a no-good N of budget r costs r or less. N is no
//! goal, because its child by some choice lies within a reason, which is none, and contains N; where no choice has a
//! reason, N is checked. Each of its choices is too dear, or changes nothing, or leads to a child that lies within a
//! no-good of r less the cost of the move, or within an explanation of the lower bound for it: from none of these a
//! solution costs what is left. A shortest solution has no move that changes nothing. The choices at N are among those
//! at S, which [`SetMoves::choices`](crate::domain::SetMoves::choices) promises as long as N lacks one of the pins.
//! More is never worse, so the same holds for each set within N. When the root is refuted for f, no solution costs f or
//! less.
//!
//! **Guarantees.** Optimal with every admissible lower bound. On one thread the counts are the same on every machine;
//! they change where memory is so short that no-goods are forgotten, and after a resume.
//!
//! **Beam searches** run between iterations ([`BeamSchedule`]): a good incumbent spares the iteration of the optimum.
//!
//! **Checkpoints** hold the no-goods. A resume accepts any number of threads and any memory.
//!
//! References: property-directed reachability (Bradley 2011), for planning Suda (2014).

mod bits;
mod generalise;
mod learner;
mod no_goods;
mod peers;
mod reasons;
mod refuted_sets;
mod refuter;
mod saved;
mod visited;

use super::beam_schedule::BeamSchedule;
use super::best_first::{BetweenLayers, Expanded};
use super::checkpointer::{CheckpointConfig, Checkpointer, check_rules, unusable};
use super::context::Context;
use super::incumbent::Incumbent;
use super::kind::EngineKind;
use super::outcome::{Outcome, Solution, Statistics};
use super::parallel::Workers;
use super::snapshot::{EnginePosition, Learned, Snapshot};
use super::work::Work;
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::expand::{Counts, StateSpace};
use crate::platform::Instant;
use crate::runtime::{Event, Layer, Monitor};
use learner::{Learner, Refutation};
use peers::{Peer, Peers};
pub use refuted_sets::RefutedSets;
pub use refuter::Refuter;
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a search knows when it begins.
#[derive(Debug, Default)]
pub(super) struct LearningInput {
    /// A solution found before. Only cheaper ones are searched.
    pub(super) incumbent: Option<Solution>,
    /// A lower bound that is proven already.
    pub(super) lower_bound: Cost,
}

/// How many states of a beam search cost as much as the refutation of a set.
const BEAM_STATES: u64 = 8;

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
    if space.set_expander().is_none() {
        return Ok(Outcome::unknown());
    }
    let expanders = (0..context.threads.max(1)).map_while(|_| space.set_expander());
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let checkpointer = Checkpointer::new(context.kept(), &monitor);
    let workers = Workers::new(context.threads, &monitor);
    let peers: Vec<Peer> = (0..workers.threads).map(|_| Peer::default()).collect();
    // Each worker has all no-goods.
    let memory = context.limits.memory.map(|memory| memory / workers.threads as u64);
    let learner = |(number, expander)| {
        Mutex::new(Learner::new(expander, memory, &monitor, &checkpointer, Peers::new(&peers, number)))
    };
    let learners = expanders.enumerate().map(learner).collect();
    monitor.gauges.survey.begin(context.threads);
    monitor.watch(|| {
        let mut search = LearningSearch {
            space,
            learners,
            workers: &workers,
            incumbent: Incumbent::new(input.incumbent, &monitor),
            lower_bound: input.lower_bound.max(space.lower_bound()),
            layers: Vec::new(),
            current: None,
            work: Work::default(),
            monitor: &monitor,
            checkpointer: &checkpointer,
            beams,
            context,
            began: Instant::now(),
        };
        if let Some(keep) = context.kept().filter(|keep| keep.resume) {
            search.resume(keep)?;
        }
        search.run();
        Ok(search.conclude())
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct LearningSearch<'s> {
    space: &'s dyn StateSpace,
    /// The workers. They wait between two iterations.
    learners: Vec<Mutex<Learner<'s>>>,
    workers: &'s Workers<'s>,
    incumbent: Incumbent<'s>,
    lower_bound: Cost,
    /// The iterations so far.
    layers: Vec<Layer>,
    /// The iteration under way.
    current: Option<Layer>,
    /// The work of earlier sessions.
    work: Work,
    monitor: &'s Monitor<'s>,
    checkpointer: &'s Checkpointer<'s>,
    beams: &'s BeamSchedule<'s>,
    context: &'s Context<'s>,
    began: Instant,
}

impl<'s> LearningSearch<'s> {
    /// Takes over the newest checkpoint.
    ///
    /// # Errors
    /// When there is no checkpoint that can be used.
    fn resume(&mut self, keep: &CheckpointConfig) -> Result<(), CheckpointError> {
        let (snapshot, body) = self.checkpointer.resume_with_body(keep, EngineKind::Learning)?;
        check_rules(keep, self.space, &snapshot)?;
        let Snapshot { lower_bound, layers, current, incumbent, work, .. } = snapshot;
        let Some(mut body) = body else { return Err(unusable(keep, "no no-goods")) };
        let left = body.left();
        let mut learners = self.learners.iter().map(lock);
        if let Some(mut first) = learners.next() {
            saved::read((&mut body, left), self.space.key_len(), &mut first).map_err(|found| unusable(keep, &found))?;
            learners.for_each(|mut other| other.levels.clone_from(&first.levels));
        }
        self.lower_bound = self.lower_bound.max(lower_bound);
        (self.layers, self.current, self.work) = (layers, current, work);
        incumbent.into_iter().for_each(|held| self.incumbent.confirm(held));
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.lower_bound >= self.incumbent.cost() || self.monitor.stopped().is_some()
    }

    fn run(&mut self) {
        self.monitor.tell(&Event::LowerBound(self.lower_bound));
        if let Some(stop) = self.space.root_terminal() {
            self.incumbent.offer(stop, Vec::new);
        }
        if !self.is_over() && self.incumbent.cost() == Cost::MAX && !self.first().is_solvable() {
            self.lower_bound = Cost::MAX;
            self.monitor.tell(&Event::LowerBound(self.lower_bound));
        }
        while !self.is_over() {
            self.iterate();
            if !self.is_over() {
                self.improve();
            }
        }
        if self.monitor.stopped().is_some() {
            self.take_checkpoint();
        }
    }

    /// Looks for a solution of the proven lower bound, or proves that there is none.
    fn iterate(&mut self) {
        let f = self.lower_bound;
        let before = self.current.take().unwrap_or(Layer { f, ..Layer::default() });
        let counts = self.session();
        self.monitor.gauges.layer.store(f, Relaxed);
        self.monitor.begin_layer(before.expanded);
        self.monitor.tell(&Event::LayerStarted { f, open: 1 });
        loop {
            let refutation = self.refute(f);
            let now = self.session();
            let layer = Layer {
                f,
                expanded: before.expanded + now.expanded - counts.expanded,
                generated: before.generated + now.generated - counts.generated,
            };
            self.current = Some(layer);
            match refutation {
                Refutation::Refuted => self.lower_bound = f + 1,
                Refutation::Solved(moves, cost) => self.incumbent.offer(cost, || moves),
                Refutation::Left if self.monitor.stopped().is_some() => return,
                Refutation::Left => {
                    self.take_checkpoint();
                    self.monitor.go_on();
                    continue;
                }
            }
            self.current = None;
            self.layers.push(layer);
            self.monitor.tell(&Event::LayerDone(layer));
            self.monitor.tell(&Event::LowerBound(self.lower_bound));
            return;
        }
    }

    /// Lets all workers refute the root for a budget, or find a solution that costs no more.
    fn refute(&self, budget: Cost) -> Refutation {
        let refute = |(): &mut (), learner: &Mutex<Learner<'_>>| {
            let refutation = lock(learner).refute_root(budget);
            if let Refutation::Solved(moves, cost) = &refutation {
                // Nothing costs less than the budget, so nothing is left to be found.
                self.incumbent.offer(*cost, || moves.clone());
                self.monitor.finish();
            }
            refutation
        };
        let mut all = self.workers.map_all(&self.learners, 1, || (), refute);
        self.learners.iter().for_each(|learner| lock(learner).hear_all());
        let rank = |refutation: &Refutation| match refutation {
            Refutation::Solved(..) => 0,
            Refutation::Refuted => 1,
            Refutation::Left => 2,
        };
        all.sort_by_key(rank);
        all.into_iter().next().unwrap_or(Refutation::Left)
    }

    /// The first worker, which knows what all know between two iterations.
    fn first(&self) -> MutexGuard<'_, Learner<'s>> {
        lock(&self.learners[0])
    }

    /// The work of this session.
    fn session(&self) -> Work {
        let mut work = Work::default();
        for learner in &self.learners {
            let learner = lock(learner);
            let Counts { generated, evaluated } = learner.expander.counts();
            work += Work { expanded: learner.expanded, generated, evaluated, reopened: 0 };
        }
        work
    }

    /// Looks for a better solution, if that costs little compared with the next iteration.
    fn improve(&mut self) {
        let last = self.layers.last().map_or(0, |layer| layer.expanded);
        let cost = Expanded { in_layers: last.saturating_mul(BEAM_STATES), in_session: 0 };
        let rest = self.context.remaining(self.began, self.monitor.gauges.expanded.load(Relaxed));
        let BetweenLayers { better, expanded } = self.beams.improve(cost, self.incumbent.solution(), &rest);
        self.monitor.gauges.expanded.fetch_add(expanded, Relaxed);
        better.into_iter().for_each(|better| self.incumbent.confirm(better));
        self.monitor.check_limits();
    }

    /// All work of this search.
    fn work(&self) -> Work {
        let mut work = self.work;
        work += self.session();
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
            position: EnginePosition::Learning(Learned { no_goods: self.first().held() }),
            ..Snapshot::default()
        };
        let write = &mut |out: &mut dyn Write| saved::write(&self.first(), self.space.key_len(), out);
        self.checkpointer.take_with_body(0, snapshot, write);
    }

    fn conclude(self) -> Outcome {
        let failure = self.checkpointer.finish(None);
        let Work { expanded, generated, evaluated, reopened } = self.work();
        let (most_held, refuted) = {
            let mut first = self.first();
            (
                first.most_held.max(first.held()),
                RefutedSets { levels: std::mem::take(&mut first.levels), all: first.all.clone() },
            )
        };
        let incumbent = self.incumbent.into_solution();
        let cost = incumbent.as_ref().map_or(Cost::MAX, |held| held.cost);
        let layers = self.layers.into_iter().chain(self.current).collect();
        let statistics = Statistics {
            expanded,
            generated,
            evaluated,
            reopened,
            layers,
            stored: most_held,
            peak_bytes: self.monitor.gauges.peak_bytes.load(Relaxed),
            cpu_seconds: self.workers.cpu_seconds(),
            bound: self.space.bound().name,
        };
        let stopped = self.monitor.stopped().filter(|_| self.lower_bound < cost);
        Outcome { incumbent, lower_bound: self.lower_bound, stopped, failure, statistics, refuted }
    }
}

#[cfg(test)]
mod tests;
