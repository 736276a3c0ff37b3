//! Depth-first branch and bound: the way to a first solution is short, every later one is better, and when nothing is
//! left the last one is optimal.
//!
//! Of the open nodes each worker takes the most promising child of what it expanded last; idle workers steal the
//! oldest node of another. A state is skipped when it was reached at least as cheaply before, and opened again when it
//! was not. With a deadline it is an anytime engine; without one it proves what it finds.
//!
//! The idea of the order (the colour that adds most, first) and of the deadline is known from the "switch-color"
//! solver.

use super::batch::Patience;
use super::explorer::{Explorer, explore};
use super::kernel::Problem;
use super::team::Team;
use super::{Context, Outcome, Solution};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::{Event, Monitor};
use crate::store::{Id, Store};
use crossbeam::deque::Worker as Stack;

/// An open node: its record and its f.
type Open = (Id, Cost);

/// Runs the search. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let (team, stacks) = Team::new(known, &monitor, context, Stack::new_lifo);
    let store = problem.new_store(stacks.len());
    let search = Search { problem, store, team, lower_bound: problem.lower_bound() };
    monitor.tell(&Event::LowerBound(search.lower_bound));
    monitor.watch(|| search.run(stacks))
}

struct Search<'a, D, B> {
    problem: Problem<'a, D, B>,
    store: Store,
    team: Team<'a, Open>,
    /// Proven before the search.
    lower_bound: Cost,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, stacks: Vec<Stack<Open>>) -> Outcome {
        let statistics = explore(self.problem, &self.team, &self.store, stacks, |number, stack, explorer| {
            let mut worker = Worker { search: &self, number, stack, explorer };
            worker.work();
            worker.explorer
        });
        let incumbent = self.team.incumbent.into_solution();
        let upper = incumbent.as_ref().map_or(Cost::MAX, |s| s.cost);
        // Without a stop the search is exhausted; with one, the incumbent may meet the bound all the same.
        let stopped = self.team.monitor.stopped().filter(|_| upper > self.lower_bound);
        let lower_bound = if stopped.is_some() { self.lower_bound } else { self.lower_bound.max(upper) };
        Outcome { failure: None, incumbent, lower_bound, stopped, statistics }
    }
}

struct Worker<'s, 'a, D: Domain, B: LowerBound<D>> {
    search: &'s Search<'a, D, B>,
    number: usize,
    stack: Stack<Open>,
    explorer: Explorer<'s, 'a, D, B>,
}

impl<D: Domain, B: LowerBound<D>> Worker<'_, '_, D, B> {
    fn work(&mut self) {
        let search = self.search;
        if self.number == 0 {
            self.explorer.begin();
            self.flush();
        }
        while !search.team.monitor.leaving() {
            let cost = if let Some(cost) = self.explorer.expand_woken() {
                cost
            } else if let Some((id, f)) = self.stack.pop().or_else(|| search.team.steal(self.number)) {
                // The incumbent may have improved since the node was opened.
                if f >= search.team.incumbent.cost() {
                    continue;
                }
                self.explorer.expand(id)
            } else {
                return;
            };
            if cost <= search.lower_bound {
                search.team.monitor.finish();
            }
            self.flush();
        }
    }

    /// Brings the collected children to the store and opens them, the most promising last.
    fn flush(&mut self) {
        let (search, explorer) = (self.search, &mut self.explorer);
        explorer.flush(0, Patience::Waits);
        // Ties are broken by id, so that one worker alone always takes the same way.
        explorer.admitted.sort_unstable_by_key(|child| (child.promise, child.id));
        for child in explorer.admitted.drain(..) {
            self.stack.push((child.id, child.f));
        }
        let gauges = &search.team.monitor.gauges;
        explorer.tell(gauges);
        gauges.hold(search.store.bytes());
        search.team.monitor.check_limits();
    }
}
