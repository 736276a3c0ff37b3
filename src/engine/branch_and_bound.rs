//! Branch and bound: every solution that is found is better than the one before, and when nothing is left the last one is
//! optimal. With a deadline it is an anytime engine; without one it proves what it finds.
//!
//! Which open node a worker takes next makes three engines of it: the most promising child of what it expanded last
//! (depth-first), the one that was opened first (breadth-first), or the most promising of all that it has (greedy best-first search,
//! Doran and Michie 1966). Idle workers steal. A state is skipped when it was reached at least as cheaply before, and opened again
//! when it was not.
//!
//! The idea of the depth-first order (the colour that adds most, first) and of the deadline is known from the "switch-color"
//! solver.

use super::batch::{Admitted, Patience};
use super::explorer::{Explorer, explore, new_store};
use super::team::Team;
use super::{Context, Outcome, Solution};
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::runtime::{Event, Monitor};
use crate::store::{Id, Store};
use crossbeam::deque::Worker as Queue;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Which of its open nodes a worker takes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The most promising of those that were opened last.
    Deepest,
    /// The one that was opened first.
    Oldest,
    /// The most promising of all.
    MostPromising,
}

/// An open node: its record and its f.
type Open = (Id, Cost);

/// Runs the search. `known` is a solution found before; only cheaper ones are looked for.
pub(super) fn run(space: &dyn StateSpace, next: Next, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let new_queue = if next == Next::Deepest { Queue::new_lifo } else { Queue::new_fifo };
    let (team, queues) = Team::new(known, &monitor, context, new_queue);
    let store = new_store(space, queues.len());
    let (lower_bound, open_bytes) = (space.lower_bound(), AtomicU64::new(0));
    let search = Search { space, next, store, team, lower_bound, open_bytes };
    monitor.tell(&Event::LowerBound(search.lower_bound));
    monitor.watch(|| search.run(queues))
}

struct Search<'a> {
    space: &'a dyn StateSpace,
    next: Next,
    store: Store,
    team: Team<'a, Open>,
    /// Proven before the search.
    lower_bound: Cost,
    /// Bytes of the lists of open nodes.
    open_bytes: AtomicU64,
}

impl Search<'_> {
    fn run(self, queues: Vec<Queue<Open>>) -> Outcome {
        let statistics = explore((self.space, true), &self.team, &self.store, queues, |number, queue, explorer| {
            let open = OpenList { next: self.next, queue, heap: BinaryHeap::new(), told: 0 };
            let mut worker = Worker { search: &self, number, open, explorer };
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

/// The open nodes of one worker.
struct OpenList {
    next: Next,
    /// What others steal from.
    queue: Queue<Open>,
    /// What is taken by its promise lies here, until somebody else wants work.
    heap: BinaryHeap<(u32, Id, Cost)>,
    /// The bytes that the search was told of.
    told: u64,
}

impl OpenList {
    fn pop(&mut self) -> Option<Open> {
        self.heap.pop().map(|(_, id, f)| (id, f)).or_else(|| self.queue.pop())
    }

    /// Adds nodes that were admitted together. Of equally promising ones the first in the domain's order comes first; by their promise alone those
    /// of a heap come by their records. Either way one worker alone always takes the same way.
    fn add(&mut self, admitted: &mut Vec<Admitted>) {
        let best_last = |child: &Admitted| (child.promise, Reverse(child.place));
        match self.next {
            Next::Deepest => admitted.sort_unstable_by_key(best_last),
            Next::Oldest => admitted.sort_unstable_by_key(|child| Reverse(best_last(child))),
            Next::MostPromising => {}
        }
        for Admitted { id, f, promise, .. } in admitted.drain(..) {
            match self.next {
                Next::Deepest | Next::Oldest => self.queue.push((id, f)),
                Next::MostPromising => self.heap.push((promise, id, f)),
            }
        }
    }

    /// Lets others have the best of the heap.
    fn share(&mut self) {
        if self.queue.is_empty()
            && self.heap.len() > 1
            && let Some((_, id, f)) = self.heap.pop()
        {
            self.queue.push((id, f));
        }
    }

    /// Brings an account of bytes up to date with this list.
    fn tell(&mut self, account: &AtomicU64) -> u64 {
        // Its buffer doubles as it grows; one that empties is halved when a quarter is in use.
        let queued = if self.queue.is_empty() { 0 } else { self.queue.len().next_power_of_two() };
        let bytes = self.heap.capacity() * size_of::<(u32, Id, Cost)>() + queued * size_of::<Open>();
        let more = (bytes as u64).wrapping_sub(std::mem::replace(&mut self.told, bytes as u64));
        account.fetch_add(more, Relaxed).wrapping_add(more)
    }
}

struct Worker<'s, 'a> {
    search: &'s Search<'a>,
    number: usize,
    open: OpenList,
    explorer: Explorer<'s, 'a>,
}

impl Worker<'_, '_> {
    fn work(&mut self) {
        let search = self.search;
        if self.number == 0 {
            self.explorer.begin();
            self.flush();
        }
        while !search.team.monitor.leaving() {
            let cost = if let Some(cost) = self.explorer.expand_woken(0) {
                cost
            } else if let Some((id, f)) = self.open.pop().or_else(|| search.team.steal(self.number)) {
                // The incumbent may have improved since the node was opened.
                if f >= search.team.incumbent.cost() {
                    continue;
                }
                self.explorer.expand(id, f)
            } else {
                return;
            };
            if cost <= search.lower_bound {
                search.team.monitor.finish();
            }
            self.flush();
        }
    }

    /// Brings the collected children to the store and opens them.
    fn flush(&mut self) {
        let (search, explorer) = (self.search, &mut self.explorer);
        explorer.flush(0, Patience::Waits);
        self.open.add(&mut explorer.admitted);
        if search.team.crew.has_idle() {
            self.open.share();
        }
        let gauges = &search.team.monitor.gauges;
        explorer.tell(gauges);
        gauges.hold(search.store.bytes() + self.open.tell(&search.open_bytes));
        search.team.monitor.check_limits();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(next: Next) -> OpenList {
        let queue = if next == Next::Deepest { Queue::new_lifo() } else { Queue::new_fifo() };
        OpenList { next, queue, heap: BinaryHeap::new(), told: 0 }
    }

    /// Adds nodes that were admitted together, each with an f by which it is known again and a promise; the domain's order is theirs.
    fn add(list: &mut OpenList, nodes: &[(Cost, u32)]) {
        let node = |(at, &(f, promise))| Admitted { id: Id::NONE, f, g: 0, promise, place: at as u32 };
        // They come shard by shard.
        list.add(&mut nodes.iter().enumerate().rev().map(node).collect());
    }

    fn drain(list: &mut OpenList) -> Vec<Cost> {
        std::iter::from_fn(|| list.pop()).map(|(_, f)| f).collect()
    }

    #[test]
    fn each_takes_its_own_node_next() {
        let cases = [
            (Next::Deepest, [21, 20, 11, 10, 12]),
            (Next::Oldest, [11, 10, 12, 21, 20]),
            (Next::MostPromising, [11, 21, 20, 10, 12]),
        ];
        for (next, expected) in cases {
            let mut list = list(next);
            add(&mut list, &[(10, 3), (11, 9), (12, 2)]);
            add(&mut list, &[(20, 4), (21, 5)]);
            assert_eq!(drain(&mut list), expected, "{next:?}");
        }
        // Of equal ones the first.
        for next in [Next::Deepest, Next::Oldest] {
            let mut list = list(next);
            add(&mut list, &[(10, 1), (11, 1), (12, 1)]);
            assert_eq!(drain(&mut list), [10, 11, 12], "{next:?}");
        }
    }

    #[test]
    fn others_get_the_best_and_nothing_is_lost() {
        let mut list = list(Next::MostPromising);
        let thief = list.queue.stealer();
        list.share();
        add(&mut list, &[(10, 3)]);
        list.share();
        assert!(thief.is_empty(), "the only node is kept");
        add(&mut list, &[(11, 9), (12, 2), (13, 4)]);
        list.share();
        list.share();
        assert_eq!(thief.steal().success().map(|(_, f)| f), Some(11));
        assert!(thief.is_empty(), "one at a time");
        list.share();
        assert_eq!(drain(&mut list), [10, 12, 13], "what nobody stole comes last");
    }

    #[test]
    fn the_account_follows_the_lists() {
        let account = AtomicU64::new(0);
        for next in [Next::Deepest, Next::Oldest, Next::MostPromising] {
            let (mut one, mut other) = (list(next), list(next));
            add(&mut one, &[(1, 1); 100]);
            add(&mut other, &[(1, 1); 10]);
            let (of_one, of_both) = if next == Next::MostPromising { (100, 110) } else { (128, 128 + 16) };
            assert!(one.tell(&account) >= of_one * size_of::<Open>() as u64, "{next:?}");
            assert!(other.tell(&account) >= of_both * size_of::<Open>() as u64, "{next:?}");
            (one.heap, other.heap) = (BinaryHeap::new(), BinaryHeap::new());
            drain(&mut one);
            drain(&mut other);
            one.tell(&account);
            assert_eq!(other.tell(&account), 0, "{next:?}");
        }
    }
}
