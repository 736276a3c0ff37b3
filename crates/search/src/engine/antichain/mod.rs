//! Antichain search: breadth-first heuristic search that keeps, of the states with equal g, only those that no other
//! one contains.
//!
//! It is for domains whose states are sets, and where a larger set is at least as good
//! ([`SetMoves`](crate::domain::SetMoves)). An *iteration* looks for a solution of at most f, the proven lower bound,
//! as an iteration of IDA* does. Its *levels* are the states of one g. A level is expanded as a whole. Three filters
//! drop children: a sibling of no greater cost contains the child; g plus the lower bound of the child is more than f;
//! another child of the same g contains it. What is left is an antichain. If no level is left, no solution costs f or
//! less. The next iteration has the least f that the lower bound has cut off.
//!
//! **When to use it.** For counts that threads do not change, and on boards that take a small part of a second. It
//! holds the states of two levels, and of all others parent and move; where memory ends, it stops. It takes no
//! checkpoints.
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
//! the optimum does not depend on threads, on how many children are filtered at a time, or on the instructions of the
//! processor. The iteration of the optimum ends as soon as a solution is found.
//!
//! References: Zhou and Hansen (2006) for breadth-first heuristic search; De Wulf, Doyen and Raskin (2006) for
//! antichains; Torralba (2017) for dominance pruning.

mod expansion;
mod maximal;
mod packed_sets;
mod search;
mod superset_index;

use super::context::Context;
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use super::parallel::Workers;
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::runtime::{Event, Monitor};
use expansion::IterationContext;
use search::Iteration;
use std::sync::atomic::Ordering::Relaxed;

/// Runs the search. `known` is a solution found before; only cheaper ones are searched.
pub(super) fn run(space: &dyn StateSpace, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let workers = Workers::new(context.threads, &monitor);
    let incumbent = Incumbent::new(known, &monitor);
    let mut statistics = Statistics::default();
    monitor.gauges.survey.begin(context.threads);
    let search = IterationContext { space, workers: &workers, incumbent: &incumbent, memory: context.limits.memory };
    let lower_bound = monitor.watch(|| iterate(&search, &mut statistics));
    statistics.peak_bytes = monitor.gauges.peak_bytes.load(Relaxed);
    statistics.cpu_seconds = workers.cpu_seconds();
    let stopped = monitor.stopped().filter(|_| lower_bound < incumbent.cost());
    Outcome { incumbent: incumbent.into_solution(), lower_bound, stopped, failure: None, statistics }
}

/// Runs one iteration after another until the incumbent is proven optimal, or the search has to stop. Returns the
/// proven lower bound.
fn iterate(search: &IterationContext<'_>, statistics: &mut Statistics) -> Cost {
    let (monitor, incumbent) = (search.workers.monitor, search.incumbent);
    let mut f = search.space.lower_bound();
    monitor.tell(&Event::LowerBound(f));
    if let Some(stop) = search.space.root_terminal() {
        incumbent.offer(stop, Vec::new);
    }
    while f < incumbent.cost() && monitor.stopped().is_none() {
        monitor.gauges.layer.store(f, Relaxed);
        monitor.begin_layer(0);
        monitor.tell(&Event::LayerStarted { f, open: 1 });
        let mut iteration = search.begin(f);
        let ended = search.run(&mut iteration).is_some();
        let Iteration { links, layer, evaluated, cut, .. } = iteration;
        statistics.expanded += layer.expanded;
        statistics.generated += layer.generated;
        statistics.evaluated += evaluated;
        statistics.stored = statistics.stored.max(links.len() as u64 + 1);
        statistics.layers.push(layer);
        if ended {
            monitor.tell(&Event::LayerDone(layer));
            f = cut.min(incumbent.cost());
            monitor.tell(&Event::LowerBound(f));
        }
    }
    f
}
