//! One worker of an IDA* search.

use super::dfs_stack::{DfsStack, Node, Replay};
use super::search::IdaSearch;
use crate::domain::Cost;
use crate::engine::checkpoints::OpenBranch;
use crate::engine::work::Work;
use crate::expand::{ChildWithin, Expander, Slot};
use crate::store::{Offer, TranspositionTable, Visit, hash_key};
use crate::sync::lock;
use crossbeam::deque::Worker as Queue;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

pub(super) struct IdaWorker<'s, 'a> {
    search: &'s IdaSearch<'a>,
    number: usize,
    expander: Box<dyn Expander + 's>,
    children: Vec<ChildWithin>,
    queue: Queue<OpenBranch>,
    /// The worker's open nodes, except those of the branches in its queue.
    stack: DfsStack,
    /// Branches that were in the queue when the workers came to the barrier.
    queued_at_barrier: Vec<OpenBranch>,
    key: Vec<u8>,
    /// The table of the current layer, if the search has one. It is released at barriers, so that it can be replaced
    /// there.
    table: Option<Arc<TranspositionTable>>,
    threshold: Cost,
    /// The least f beyond the threshold since the last barrier.
    next_f: Cost,
    /// States visited since the last barrier.
    visited: u64,
    /// See `IterationState::layer_state_change`.
    layer_state_change: i64,
    expanded: u64,
    duplicates: u64,
    reported: Reported,
    submitted: Work,
    /// The number of expansions after which the worker updates the gauges and checks the limits.
    allowance: u64,
}

/// The work that the gauges contain already.
#[derive(Clone, Copy, Default)]
struct Reported {
    visited: u64,
    expanded: u64,
    generated: u64,
    duplicates: u64,
}

impl<'s, 'a> IdaWorker<'s, 'a> {
    pub(super) fn new(search: &'s IdaSearch<'a>, number: usize, queue: Queue<OpenBranch>) -> Self {
        Self {
            search,
            number,
            expander: search.space.expander(),
            children: Vec::new(),
            queue,
            stack: DfsStack::default(),
            queued_at_barrier: Vec::new(),
            key: vec![0; search.space.key_len()],
            table: None,
            threshold: search.threshold.load(Relaxed),
            next_f: Cost::MAX,
            visited: 0,
            layer_state_change: 0,
            expanded: 0,
            duplicates: 0,
            reported: Reported::default(),
            submitted: Work::default(),
            allowance: 1,
        }
    }

    pub(super) fn work(mut self) {
        if self.number == 0
            && let Some(cost) = self.search.space.root_terminal_cost()
        {
            self.search.team.incumbent.offer(cost, Vec::new);
        }
        loop {
            self.prepare_for_barrier();
            if self.search.team.barrier(self.number, || self.search.decide_at_barrier()).is_err() {
                return;
            }
            let threshold = self.search.threshold.load(Relaxed);
            if threshold == Cost::MAX {
                return;
            }
            self.table = lock(&self.search.iteration).table.clone();
            self.allowance = self.search.team.allowance();
            let is_new = std::mem::replace(&mut self.threshold, threshold) != threshold;
            if is_new && self.number == 0 {
                self.expander.truncate(0);
                let root = self.expander.place_root();
                let root_f = self.search.root_f;
                self.open(Node::root(root, root_f), root_f);
            }
            self.queued_at_barrier.drain(..).for_each(|branch| self.queue.push(branch));
            self.drain();
        }
    }

    /// Adds the work of this worker to the ledger and the iteration, hands over its open nodes, and releases the table.
    fn prepare_for_barrier(&mut self) {
        self.report_gauges();
        // Once the queue is empty, no other worker can steal the branches that are described below.
        self.queued_at_barrier.extend(std::iter::from_fn(|| self.queue.pop()));
        let stack = Some(&self.stack).filter(|stack| !stack.nodes.is_empty());
        let open: Vec<_> = self.queued_at_barrier.iter().cloned().chain(stack.map(DfsStack::to_branch)).collect();
        let nodes = open.iter().map(|branch| branch.nodes.len() as u64).sum();
        let work = self.work_so_far();
        let mut ledger = lock(&self.search.ledger);
        ledger.add(work - self.submitted);
        if nodes > 0 {
            ledger.announce(self.threshold, nodes);
        }
        drop(ledger);
        let mut iteration = lock(&self.search.iteration);
        iteration.next_f = iteration.next_f.min(std::mem::replace(&mut self.next_f, Cost::MAX));
        iteration.visited += std::mem::take(&mut self.visited);
        iteration.layer_state_change += std::mem::take(&mut self.layer_state_change);
        iteration.open.extend(open);
        (self.submitted, self.reported.visited, self.table) = (work, 0, None);
    }

    fn work_so_far(&self) -> Work {
        let counts = self.expander.counts();
        Work { expanded: self.expanded, generated: counts.generated, evaluated: counts.evaluated, reopened: 0 }
    }

    /// Expands nodes until the layer is finished on all workers, or until all workers are asked to come to the barrier.
    fn drain(&mut self) {
        let search = self.search;
        while !search.team.monitor.should_leave_layer() {
            if let Some(node) = self.stack.pop() {
                self.expand(node);
            } else if let Some(branch) = self.queue.pop() {
                self.load_branch(branch);
            } else if let Some(branch) = search.team.steal(self.number) {
                self.load_branch(branch);
            } else {
                return;
            }
        }
    }

    /// Makes the worker's stack, which is empty, from the nodes of a branch.
    fn load_branch(&mut self, branch: OpenBranch) {
        let (table, threshold, key) = (self.table.as_deref(), self.threshold, &mut self.key);
        let IdaSearch { frame_bytes, root_f, .. } = *self.search;
        let mut replay = Replay { expander: &mut *self.expander, frame_bytes, root_f, threshold };
        // The nodes are entered in the table, so that other paths to their states are recognised.
        let restored = replay.restore(&branch, |node, expander| {
            if let Some(table) = table {
                expander.pack(node.state, key);
                // The answer does not matter: the node stays open, and expanding a state twice does no harm.
                let _ = table.visit(threshold, &Offer { hash: hash_key(key), key, g: node.g, sleep_set: node.skip });
            }
        });
        // Branches of a checkpoint were restored once when it was read, and all other branches come from this process.
        // Dropping the branch could prove a wrong optimum.
        self.stack = restored.unwrap_or_else(|found| {
            unreachable!("found {found}: the puzzle breaks the contract of its domain or its bound")
        });
    }

    fn expand(&mut self, node: Node) {
        let Node { state, g, f, skip, depth, .. } = node;
        self.expander.truncate(state.frame + 1);
        self.expanded += 1;
        let bottom = self.stack.nodes.len();
        let mut children = std::mem::take(&mut self.children);
        let (frame, min_beyond) = self.expander.expand_within(state, skip, g, self.threshold, &mut children);
        self.next_f = self.next_f.min(min_beyond);
        for &ChildWithin { ref child, index, f: child_f } in &children {
            let (state, g) = (Slot { frame, index }, g + child.cost);
            if let Some(end_cost) = child.terminal_cost {
                self.search.take_solution(g + end_cost, || [&self.stack.path[..], &[child.mv]].concat());
            }
            if let Some(child_f) = child_f {
                let (f, skip, depth, mv) = (f.max(child_f), child.sleep_set, depth + 1, child.mv);
                self.open(Node { state, g, f, skip, depth, mv, promise: 0 }, child_f - g);
            }
        }
        children.clear();
        self.children = children;
        // The most promising child is expanded first. Ties keep the order of the domain.
        if let opened @ [_, _, ..] = &mut self.stack.nodes[bottom..] {
            opened.reverse();
            opened.iter_mut().for_each(|node| node.promise = self.expander.promise(node.state, None));
            opened.sort_by_key(|node| node.promise);
        }
        if self.search.team.crew.has_idle_worker() && self.queue.is_empty() {
            self.stack.split().into_iter().for_each(|branch| self.queue.push(branch));
        }
        self.expander.evict(self.search.frame_bytes);
        if self.expanded - self.reported.expanded >= self.allowance {
            self.report_gauges();
            self.search.check_limits_and_checkpoint();
            self.allowance = self.search.team.allowance();
        }
    }

    /// Opens a node within the threshold; `h` is its lower bound. The node is not opened if the table knows its state
    /// with the same or a smaller g, and no move is woken.
    fn open(&mut self, node: Node, h: Cost) {
        let is_of_layer = node.f == self.threshold;
        let skip = match self.visit(&node) {
            Visit::First => {
                self.visited += 1;
                self.layer_state_change += i64::from(is_of_layer);
                node.skip
            }
            Visit::Cheaper(g) => {
                // The state was counted in this layer, and now turns out to belong to a lower one.
                self.layer_state_change -= i64::from(!is_of_layer && g + h == self.threshold);
                node.skip
            }
            Visit::Woken(moves) => !moves,
            Visit::Known => {
                self.duplicates += 1;
                return;
            }
        };
        self.stack.nodes.push(Node { skip, ..node });
    }

    /// Looks a node up in the table, and enters it. Without a table every node is the first of its state.
    #[inline]
    fn visit(&mut self, node: &Node) -> Visit {
        let Some(table) = &self.table else { return Visit::First };
        self.expander.pack(node.state, &mut self.key);
        let offer = Offer { hash: hash_key(&self.key), key: &self.key, g: node.g, sleep_set: node.skip };
        table.visit(self.threshold, &offer)
    }

    fn report_gauges(&mut self) {
        let (gauges, reported) = (&self.search.team.monitor.gauges, self.reported);
        let generated = self.expander.counts().generated;
        let (visited, expanded, duplicates) = (self.visited, self.expanded, self.duplicates);
        self.reported = Reported { visited, expanded, generated, duplicates };
        gauges.expanded.fetch_add(self.expanded - reported.expanded, Relaxed);
        gauges.generated.fetch_add(generated - reported.generated, Relaxed);
        gauges.duplicates.fetch_add(duplicates - reported.duplicates, Relaxed);
        if let Some(table) = &self.table {
            gauges.stored.fetch_add(self.visited - reported.visited, Relaxed);
            // The table holds no more states than it has entries.
            gauges.stored.fetch_min(table.entries(), Relaxed);
        }
    }
}
