//! Depth-first branch and bound: the way to a first solution is short, every later one is better, and when nothing is
//! left the last one is optimal.
//!
//! Of the open nodes each worker takes the most promising child of what it expanded last; idle workers steal the
//! oldest node of another. A state is skipped when it was reached at least as cheaply before, and opened again when it
//! was not. With a deadline it is an anytime engine; without one it proves what it finds.
//!
//! The idea of the order (the colour that adds most, first) and of the deadline is known from the "switch-color" solver.

use super::explorer::Explorer;
use super::incumbent::Incumbent;
use super::kernel::Problem;
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::{Crew, Monitor, run_crew, thread_cpu_seconds};
use crate::store::{Id, Store};
use crossbeam::deque::{Stealer, Worker as Stack};
use std::sync::atomic::Ordering::Relaxed;

/// An open node: its record and its f.
type Open = (Id, Cost);

/// Runs the search. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let workers = context.threads.max(1);
    let stacks: Vec<_> = (0..workers).map(|_| Stack::new_lifo()).collect();
    let search = Search {
        problem,
        store: problem.new_store(workers),
        incumbent: Incumbent::new(known, &monitor),
        monitor: &monitor,
        crew: Crew::new(workers),
        stealers: stacks.iter().map(Stack::stealer).collect(),
        lower_bound: problem.lower_bound(),
    };
    monitor.watch(|| search.run(stacks))
}

struct Search<'a, D, B> {
    problem: Problem<'a, D, B>,
    store: Store,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    crew: Crew,
    stealers: Vec<Stealer<Open>>,
    /// Proven before the search.
    lower_bound: Cost,
}

impl<D: Domain, B: LowerBound<D>> Search<'_, D, B> {
    fn run(self, stacks: Vec<Stack<Open>>) -> Outcome {
        let results = run_crew(&self.crew, stacks, |number, stack| {
            let begun = thread_cpu_seconds();
            let explorer = Explorer::new(self.problem, &self.store, &self.incumbent);
            let mut worker = Worker { search: &self, number, stack, explorer };
            worker.work();
            let Explorer { kernel, expanded, bill, .. } = worker.explorer;
            (kernel.counts, expanded, bill, thread_cpu_seconds() - begun)
        });
        let mut statistics =
            Statistics { stored: self.store.records(), peak_bytes: self.store.bytes(), ..Statistics::default() };
        for (counts, expanded, bill, cpu) in results {
            statistics.expanded += expanded;
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            statistics.reopened += bill.reopened;
            statistics.cpu_seconds += cpu;
        }
        let incumbent = self.incumbent.into_solution();
        let upper = incumbent.as_ref().map_or(Cost::MAX, |s| s.cost);
        // Without a stop the search is exhausted; with one, the incumbent may meet the bound all the same.
        let stopped = self.monitor.stopped().filter(|_| upper > self.lower_bound);
        let lower_bound = if stopped.is_some() { self.lower_bound } else { upper };
        Outcome { incumbent, lower_bound, stopped, statistics }
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
        while !search.monitor.leaving() {
            let cost = if let Some(cost) = self.explorer.expand_woken() {
                cost
            } else if let Some((id, f)) = self.stack.pop().or_else(|| self.steal()) {
                // The incumbent may have improved since the node was opened.
                if f >= search.incumbent.cost() {
                    continue;
                }
                self.explorer.expand(id)
            } else {
                return;
            };
            if cost <= search.lower_bound {
                search.monitor.finish();
            }
            self.flush();
        }
    }

    fn steal(&self) -> Option<Open> {
        let search = self.search;
        search.crew.steal_from(&search.stealers, self.number, || search.monitor.leaving())
    }

    /// Brings the collected children to the store and opens them, the most promising last.
    fn flush(&mut self) {
        let (search, explorer) = (self.search, &mut self.explorer);
        let before = (explorer.bill.stored, explorer.kernel.counts.evaluated);
        explorer.flush(0);
        // Ties are broken by id, so that one worker alone always takes the same way.
        explorer.admitted.sort_unstable_by_key(|child| (child.promise, child.id));
        for child in explorer.admitted.drain(..) {
            self.stack.push((child.id, child.f));
        }
        let gauges = &search.monitor.gauges;
        gauges.expanded.fetch_add(1, Relaxed);
        gauges.generated.fetch_add(explorer.kernel.counts.evaluated - before.1, Relaxed);
        gauges.stored.fetch_add(explorer.bill.stored - before.0, Relaxed);
        gauges.hold(search.store.bytes());
        search.monitor.check_limits();
    }
}
