//! Branch and bound with three orders of the open list: depth-first, breadth-first, and greedy best-first search.
//!
//! Each solution found is cheaper than the one before. A node that cannot beat the incumbent is dropped. When no node
//! is open, the incumbent is optimal. The order ([`NodeOrder`]) selects the open node that a worker takes next:
//!
//! * `branch-and-bound`: the most promising child of the node expanded last (depth-first);
//! * `breadth-first`: the node that was opened first;
//! * `greedy`: the most promising of all open nodes of the worker (greedy best-first search, Doran and Michie 1966).
//!
//! A state that was reached with the same or a smaller g before is skipped. A state that is reached with a smaller g is
//! reopened. Idle workers steal nodes.
//!
//! **When to use it.** For a solution in a given order of moves, or for better and better solutions until a time limit.
//! Memory grows with the number of states.
//!
//! **Guarantees.** Optimal when it finishes, with every admissible bound and on any number of threads. Before that, the
//! lower bound is that of the root. One thread always expands the same states; on several threads, the number of
//! expanded states varies.
//!
//! Reference: the depth-first order (the colour that adds most comes first) and the use with a deadline are known from
//! the "switch-color" solver.

use super::batch::{Admitted, Blocking};
use super::context::Context;
use super::outcome::{Outcome, Solution};
use super::state_worker::{StateWorker, explore, new_store};
use super::team::Team;
use crate::domain::Cost;
use crate::expand::StateSpace;
use crate::runtime::{Event, Monitor};
use crate::store::{Id, Store, shards_for};
use crossbeam::deque::Worker as Queue;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The order in which a worker takes its open nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeOrder {
    /// The most promising of the nodes that were opened last.
    Deepest,
    /// The node that was opened first.
    Oldest,
    /// The most promising of all nodes.
    MostPromising,
}

/// An open node: the id of its record, and its f.
type OpenEntry = (Id, Cost);

/// Runs the search. `known` is a solution found before; only cheaper ones are searched.
pub(super) fn run(space: &dyn StateSpace, order: NodeOrder, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let new_queue = if order == NodeOrder::Deepest { Queue::new_lifo } else { Queue::new_fifo };
    let (team, queues) = Team::new(known, &monitor, context, new_queue);
    let store = new_store(space, shards_for(1, queues.len()));
    let (lower_bound, open_bytes) = (space.lower_bound(), AtomicU64::new(0));
    let search = OpenListSearch { space, order, store, team, lower_bound, open_bytes };
    monitor.tell(&Event::LowerBound(search.lower_bound));
    monitor.watch(|| search.run(queues))
}

/// What the workers of a search share.
struct OpenListSearch<'a> {
    space: &'a dyn StateSpace,
    order: NodeOrder,
    store: Store,
    team: Team<'a, OpenEntry>,
    /// The lower bound of the root.
    lower_bound: Cost,
    /// Bytes of the open lists of all workers.
    open_bytes: AtomicU64,
}

impl OpenListSearch<'_> {
    fn run(self, queues: Vec<Queue<OpenEntry>>) -> Outcome {
        let statistics =
            explore((self.space, true), &self.team, (&self.store, None), queues, |number, queue, state_worker| {
                let open = OpenList { order: self.order, queue, heap: BinaryHeap::new(), reported: 0 };
                let mut worker = OpenListWorker { search: &self, number, open, state_worker };
                worker.work();
                worker.state_worker
            });
        let incumbent = self.team.incumbent.into_solution();
        let upper = incumbent.as_ref().map_or(Cost::MAX, |s| s.cost);
        // If nothing stopped the search, no node is open, so the incumbent is optimal. If the search was stopped, the
        // incumbent may still meet the lower bound.
        let stopped = self.team.monitor.stopped().filter(|_| upper > self.lower_bound);
        let lower_bound = if stopped.is_some() { self.lower_bound } else { self.lower_bound.max(upper) };
        Outcome { incumbent, lower_bound, stopped, statistics, ..Outcome::unknown() }
    }
}

/// The open list of one worker.
struct OpenList {
    order: NodeOrder,
    /// Nodes that other workers may steal. With the first two orders these are all nodes.
    queue: Queue<OpenEntry>,
    /// With [`NodeOrder::MostPromising`]: all nodes but those that were put aside for idle workers.
    heap: BinaryHeap<(u32, Id, Cost)>,
    /// Bytes that the common account contains already.
    reported: u64,
}

impl OpenList {
    /// The next node in the order. Nodes that were put aside for idle workers come last.
    fn pop(&mut self) -> Option<OpenEntry> {
        self.heap.pop().map(|(_, id, f)| (id, f)).or_else(|| self.queue.pop())
    }

    /// Adds nodes that one flush has opened. Among equally promising nodes, a queue takes the first one in the order of
    /// the domain first, a heap the one with the highest id. Both are deterministic with one worker.
    fn add(&mut self, admitted: &mut Vec<Admitted>) {
        let best_last = |child: &Admitted| (child.promise, Reverse(child.place));
        match self.order {
            NodeOrder::Deepest => admitted.sort_unstable_by_key(best_last),
            NodeOrder::Oldest => admitted.sort_unstable_by_key(|child| Reverse(best_last(child))),
            NodeOrder::MostPromising => {}
        }
        for Admitted { id, f, promise, .. } in admitted.drain(..) {
            match self.order {
                NodeOrder::Deepest | NodeOrder::Oldest => self.queue.push((id, f)),
                NodeOrder::MostPromising => self.heap.push((promise, id, f)),
            }
        }
    }

    /// Puts the best node of the heap aside for an idle worker, unless one is there already or it is the only node.
    fn share(&mut self) {
        if self.queue.is_empty()
            && self.heap.len() > 1
            && let Some((_, id, f)) = self.heap.pop()
        {
            self.queue.push((id, f));
        }
    }

    /// Updates a common account with the bytes of this list. Returns the bytes of all lists.
    fn report_bytes(&mut self, account: &AtomicU64) -> u64 {
        // The buffer of a queue doubles when it is full, and is halved when a quarter of it is in use.
        let queued = if self.queue.is_empty() { 0 } else { self.queue.len().next_power_of_two() };
        let bytes = self.heap.capacity() * size_of::<(u32, Id, Cost)>() + queued * size_of::<OpenEntry>();
        let more = (bytes as u64).wrapping_sub(std::mem::replace(&mut self.reported, bytes as u64));
        account.fetch_add(more, Relaxed).wrapping_add(more)
    }
}

/// One worker of a search.
struct OpenListWorker<'s, 'a> {
    search: &'s OpenListSearch<'a>,
    number: usize,
    open: OpenList,
    state_worker: StateWorker<'s, 'a>,
}

impl OpenListWorker<'_, '_> {
    /// Expands nodes until none is open on any worker, or the search has to stop.
    fn work(&mut self) {
        let search = self.search;
        if self.number == 0 {
            self.state_worker.begin();
            self.flush();
        }
        while !search.team.monitor.leaving() {
            let cost = if let Some(cost) = self.state_worker.expand_woken(0) {
                cost
            } else if let Some((id, f)) = self.open.pop().or_else(|| search.team.steal(self.number)) {
                // The incumbent may have improved since the node was opened.
                if f >= search.team.incumbent.cost() {
                    continue;
                }
                self.state_worker.expand(id, f)
            } else {
                return;
            };
            if cost <= search.lower_bound {
                search.team.monitor.finish();
            }
            self.flush();
        }
    }

    /// Brings the collected children to the store, opens the new ones, and checks the limits.
    fn flush(&mut self) {
        let (search, state_worker) = (self.search, &mut self.state_worker);
        state_worker.flush(0, Blocking::Wait);
        self.open.add(&mut state_worker.admitted);
        if search.team.crew.has_idle() {
            self.open.share();
        }
        let gauges = &search.team.monitor.gauges;
        state_worker.report(gauges);
        gauges.hold(search.store.bytes() + self.open.report_bytes(&search.open_bytes));
        search.team.monitor.check_limits();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(order: NodeOrder) -> OpenList {
        let queue = if order == NodeOrder::Deepest { Queue::new_lifo() } else { Queue::new_fifo() };
        OpenList { order, queue, heap: BinaryHeap::new(), reported: 0 }
    }

    /// Adds nodes as one flush opens them, each with an f that identifies it and a promise, in the order of the domain.
    fn add(list: &mut OpenList, nodes: &[(Cost, u32)]) {
        let node = |(at, &(f, promise))| Admitted { id: Id::NONE, f, g: 0, promise, place: at as u32 };
        // A flush opens nodes shard by shard, not in the order of the domain.
        list.add(&mut nodes.iter().enumerate().rev().map(node).collect());
    }

    fn drain(list: &mut OpenList) -> Vec<Cost> {
        std::iter::from_fn(|| list.pop()).map(|(_, f)| f).collect()
    }

    #[test]
    fn each_order_takes_its_own_node_next() {
        let cases = [
            (NodeOrder::Deepest, [21, 20, 11, 10, 12]),
            (NodeOrder::Oldest, [11, 10, 12, 21, 20]),
            (NodeOrder::MostPromising, [11, 21, 20, 10, 12]),
        ];
        for (order, expected) in cases {
            let mut list = list(order);
            add(&mut list, &[(10, 3), (11, 9), (12, 2)]);
            add(&mut list, &[(20, 4), (21, 5)]);
            assert_eq!(drain(&mut list), expected, "{order:?}");
        }
        // Among equal nodes the first one comes first.
        for order in [NodeOrder::Deepest, NodeOrder::Oldest] {
            let mut list = list(order);
            add(&mut list, &[(10, 1), (11, 1), (12, 1)]);
            assert_eq!(drain(&mut list), [10, 11, 12], "{order:?}");
        }
    }

    #[test]
    fn others_get_the_best_and_nothing_is_lost() {
        let mut list = list(NodeOrder::MostPromising);
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
        assert_eq!(drain(&mut list), [10, 12, 13], "a node that was put aside and not stolen comes last");
    }

    #[test]
    fn the_account_follows_the_lists() {
        let account = AtomicU64::new(0);
        for order in [NodeOrder::Deepest, NodeOrder::Oldest, NodeOrder::MostPromising] {
            let (mut one, mut other) = (list(order), list(order));
            add(&mut one, &[(1, 1); 100]);
            add(&mut other, &[(1, 1); 10]);
            let (of_one, of_both) = if order == NodeOrder::MostPromising { (100, 110) } else { (128, 128 + 16) };
            assert!(one.report_bytes(&account) >= of_one * size_of::<OpenEntry>() as u64, "{order:?}");
            assert!(other.report_bytes(&account) >= of_both * size_of::<OpenEntry>() as u64, "{order:?}");
            (one.heap, other.heap) = (BinaryHeap::new(), BinaryHeap::new());
            drain(&mut one);
            drain(&mut other);
            one.report_bytes(&account);
            assert_eq!(other.report_bytes(&account), 0, "{order:?}");
        }
    }
}
