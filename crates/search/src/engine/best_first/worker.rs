//! One worker of a best-first search.

use super::batch::Blocking;
use super::rank_parcels::{Contents, OutgoingParcels};
use super::search::{BestFirstSearch, Item};
use super::state_worker::StateWorker;
use crate::domain::Cost;
use crate::engine::layers::{NextWork, REPORT_INTERVAL};
use crate::engine::work::Work;
use crate::runtime::Parcel;
use crate::store::{BlockFile, CHUNK, Chunk, Frontier, Id, NodeBlock, RUN_BYTES};
use crate::sync::lock;
use crossbeam::deque::Worker as Queue;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The number of children at which a worker flushes them to the store.
const BATCH: usize = 64;

/// A record is prefetched this many expansions before its own.
const PREFETCH_DISTANCE: usize = 3;

pub(super) struct BestFirstWorker<'s, 'a> {
    search: &'s BestFirstSearch<'a>,
    number: usize,
    state_worker: StateWorker<'s, 'a>,
    /// Full chunks of the current layer. Other workers may steal them.
    queue: Queue<Item>,
    frontier: Frontier,
    layer: Cost,
    /// The chunk that nodes are taken from, and their g.
    current: (Cost, Box<Chunk>),
    /// The file to which open nodes spill; `None` before the first spill.
    scratch: Option<Arc<BlockFile>>,
    /// Nodes of a checkpoint or of another search that were evaluated again.
    reevaluated: u64,
    submitted: Work,
    /// Bytes of the frontier that [`BestFirstSearch::frontier_bytes`] contains already.
    reported_bytes: u64,
    /// The number of expansions after which the worker flushes its children and checks the limits, however few children
    /// it has.
    allowance: u64,
}

impl<'s, 'a> BestFirstWorker<'s, 'a> {
    pub(super) fn new(search: &'s BestFirstSearch<'a>, number: usize, queue: Queue<Item>) -> Self {
        let outgoing = search.outgoing.as_ref();
        Self {
            search,
            number,
            state_worker: StateWorker::new(search.space, &search.store, outgoing, &search.team.incumbent),
            queue,
            frontier: Frontier::default(),
            layer: 0,
            current: (0, Box::default()),
            scratch: None,
            reevaluated: 0,
            submitted: Work::default(),
            reported_bytes: 0,
            allowance: 1,
        }
    }

    /// Works on one layer after another until the search is over.
    pub(super) fn work(&mut self) {
        self.begin();
        loop {
            self.prepare_for_barrier();
            if self.search.team.barrier(self.number, || self.search.decide_at_barrier()).is_err() {
                return;
            }
            let layer = self.search.layer.load(Relaxed);
            if layer == Cost::MAX {
                return;
            }
            self.layer = layer;
            self.allowance = self.search.team.monitor.expansion_allowance(u64::MAX, self.search.team.workers());
            self.frontier.truncate(self.search.team.incumbent.cost());
            for item in self.frontier.take_full(self.layer) {
                self.queue.push(item);
            }
            self.drain();
        }
    }

    /// Hands the open nodes to another search, if one is to continue.
    pub(super) fn hand_over(&mut self) {
        let Some(leftovers) = &self.search.leftovers else { return };
        while let Some((g, nodes)) = self.queue.pop() {
            self.take((g, nodes));
            while let Some(id) = self.current.1.pop() {
                self.frontier.push(self.layer, g, id);
            }
        }
        lock(leftovers).open = std::mem::take(&mut self.frontier);
    }

    /// Opens the root, or its share of the nodes that were open at the last checkpoint.
    fn begin(&mut self) {
        let search = self.search;
        if let Some(open) = lock(&search.open).take() {
            self.frontier = open;
        }
        if search.parts == 0 && search.is_new && self.number == 0 {
            self.state_worker.begin();
            self.flush(Blocking::Wait);
        }
        let floor = search.layer.load(Relaxed);
        while let part = search.parts_read.fetch_add(1, Relaxed)
            && part < search.parts
            // Only a stop ends the loop early. A pause does not: the layer must not end while open nodes are missing.
            && search.team.monitor.stop_reason().is_none()
        {
            self.state_worker.reopen(part, floor, |f, g, id| self.frontier.push(f, g, id));
            self.spill();
            self.report_gauges();
        }
    }

    /// Adds the work of this worker to the ledger, and announces its open nodes.
    fn prepare_for_barrier(&mut self) {
        self.report_gauges();
        self.publish_open();
        self.state_worker.note_closed();
        let work = self.state_worker.work();
        let mut ledger = lock(&self.search.ledger);
        ledger.add(work - self.submitted);
        self.submitted = work;
        if !self.queue.is_empty() {
            ledger.announce(self.layer, (self.queue.len() * CHUNK) as u64);
        }
        if let Some(lowest) = self.frontier.lowest() {
            ledger.announce(lowest, self.frontier.layer_len(lowest));
        }
    }

    /// Expands nodes until the layer is empty on all workers, or until all workers are asked to come to the barrier.
    fn drain(&mut self) {
        let search = self.search;
        let monitor = search.team.monitor;
        while !monitor.should_leave_layer() {
            if self.step() {
                continue;
            }
            match &search.outgoing {
                None => {
                    self.publish_open();
                    match search.team.steal(self.number) {
                        Some(item) => self.take(item),
                        None => return,
                    }
                }
                // The worker waits for work until the layer is over on all ranks.
                Some(outgoing) if self.wait_for_work(outgoing) => {}
                Some(_) => return,
            }
        }
        self.leave();
        // Parcels arrive until the layer is over on all ranks, and each parcel may bring new work.
        while let Some(outgoing) = &search.outgoing
            && self.wait_for_work(outgoing)
        {
            self.leave();
        }
    }

    /// Does the next piece of work of this worker. Returns false when it has none.
    #[inline]
    fn step(&mut self) -> bool {
        let search = self.search;
        if let Some(outgoing) = &search.outgoing
            && self.receive(outgoing)
        {
            return true;
        }
        if let Some(cost) = self.state_worker.expand_woken(self.layer) {
            search.team.stop_if_optimal(cost, self.layer);
        } else if let Some(id) = self.next() {
            if search.inherited.contains(id) && !self.is_in_layer(id) {
                return true;
            }
            let cost = self.state_worker.expand(id, self.layer);
            search.team.stop_if_optimal(cost, self.layer);
        } else if self.state_worker.pending() > 0 {
            self.flush(Blocking::Wait);
        } else {
            return false;
        }
        if self.state_worker.pending() >= BATCH || self.state_worker.unreported() >= self.allowance {
            self.flush(Blocking::Skip);
        }
        true
    }

    /// Processes a parcel if one has arrived. Returns false if the worker may do other work: no parcel has arrived, and
    /// no full parcel of this rank waits for room.
    #[inline]
    fn receive(&mut self, outgoing: &OutgoingParcels<'_>) -> bool {
        if let Some(parcel) = outgoing.exchange.next_parcel() {
            self.take_parcel(outgoing, &parcel);
            return true;
        }
        let is_stuck = outgoing.send_full();
        if is_stuck {
            self.search.exchange_notices(outgoing.exchange);
            std::thread::yield_now();
        }
        is_stuck
    }

    /// Waits for work, from this rank or from others, and takes it. Returns false when the layer is over on all ranks.
    fn wait_for_work(&mut self, outgoing: &OutgoingParcels<'s>) -> bool {
        let search = self.search;
        match search.team.wait_for_work(self.number, outgoing.exchange, search) {
            Some(NextWork::Work(item)) => self.take(item),
            Some(NextWork::Parcel(parcel)) => self.take_parcel(outgoing, &parcel),
            None => return false,
        }
        true
    }

    /// Processes a parcel of another rank, and opens the new states in it.
    fn take_parcel(&mut self, outgoing: &OutgoingParcels<'_>, parcel: &Parcel<'_>) {
        let (team, layer) = (&self.search.team, self.search.layer.load(Relaxed));
        match outgoing.open(parcel.bytes()) {
            // Nothing is left to find.
            Some(Contents::Children(_)) if team.monitor.is_finished() => {}
            Some(Contents::Children(children)) => self.state_worker.receive_children(children, layer),
            Some(Contents::Trail(trail)) => self.state_worker.follow(outgoing, trail),
            Some(Contents::Solution(solution)) => team.incumbent.confirm(solution),
            None => outgoing.exchange.abort("found a parcel of an unknown kind: the ranks run different programs"),
        }
        self.open_admitted();
    }

    /// Completes unfinished work, unless nothing is left to find.
    fn leave(&mut self) {
        if !self.search.team.monitor.is_finished() {
            self.finish_pending();
        }
    }

    /// Completes unfinished work before a barrier. Afterwards every closed state has all its children in the store, and
    /// every open node is in the frontier or in the queue.
    fn finish_pending(&mut self) {
        loop {
            while let Some(cost) = self.state_worker.expand_woken(self.layer) {
                self.search.team.stop_if_optimal(cost, self.layer);
            }
            if self.state_worker.pending() == 0 {
                break;
            }
            self.flush(Blocking::Wait);
        }
        if !self.current.1.is_empty() {
            let (g, chunk) = std::mem::take(&mut self.current);
            self.queue.push((g, NodeBlock::Chunk(chunk)));
        }
    }

    /// Evaluates a node of a checkpoint or of another search. Returns whether the node belongs to the current layer. A
    /// node of a later layer moves there; a node that cannot beat the incumbent is dropped.
    fn is_in_layer(&mut self, id: Id) -> bool {
        let Some((f, g)) = self.state_worker.reevaluate(id, self.layer) else { return false };
        if f > self.layer {
            self.frontier.push(f, g, id);
        }
        self.reevaluated += 1;
        if self.reevaluated.is_multiple_of(REPORT_INTERVAL) {
            self.do_housekeeping();
        }
        f <= self.layer
    }

    /// The next open node of this worker: first from its partly filled chunks, the highest g first, then from its
    /// queue.
    #[inline]
    fn next(&mut self) -> Option<Id> {
        while self.current.1.is_empty() {
            match self.frontier.pop_partial(self.layer) {
                Some(partial) => self.current = partial,
                None => self.queue.pop().map(|item| self.take(item))?,
            }
        }
        if let Some(ahead) = self.current.1.peek(PREFETCH_DISTANCE) {
            self.search.store.prefetch_record(ahead);
        }
        self.current.1.pop()
    }

    /// Makes an item the current chunk. If the item is a run on disk, its other chunks go to the queue.
    fn take(&mut self, (g, nodes): Item) {
        match nodes {
            NodeBlock::Chunk(chunk) => self.current = (g, chunk),
            NodeBlock::Spilled(run) => {
                let mut chunks = run.read();
                self.current = (g, chunks.pop().unwrap_or_default());
                chunks.into_iter().for_each(|chunk| self.queue.push((g, NodeBlock::Chunk(chunk))));
            }
        }
    }

    /// Spills open nodes to disk if this worker holds more than its share of the budget in memory.
    fn spill(&mut self) {
        let search = self.search;
        let Some(files) = search.store.files() else { return };
        let Some(budget) = files.open_nodes_budget().map(|bytes| bytes / search.team.workers() as u64) else { return };
        if self.frontier.bytes() <= budget {
            return;
        }
        if self.scratch.is_none() {
            self.scratch = files.create_block_file(self.number, RUN_BYTES);
        }
        if let Some(scratch) = &self.scratch {
            // Spill down to half the budget, so that spilling is rare.
            self.frontier.spill(self.layer, budget / 2, scratch);
        }
    }

    fn flush(&mut self, blocking: Blocking) {
        self.state_worker.flush(self.layer, blocking);
        self.open_admitted();
        if let Some(outgoing) = &self.search.outgoing {
            self.search.exchange_notices(outgoing.exchange);
        }
        if blocking == Blocking::Wait || self.state_worker.unreported() >= self.allowance.min(REPORT_INTERVAL) {
            self.do_housekeeping();
        }
    }

    fn open_admitted(&mut self) {
        for child in self.state_worker.admitted.drain(..) {
            if child.f > self.layer {
                self.frontier.push(child.f, child.g, child.id);
            } else if let Some(full) = self.frontier.push_or_take_full(child.f, child.g, child.id) {
                self.queue.push((child.g, NodeBlock::Chunk(full)));
            }
        }
    }

    /// Spills open nodes, updates the gauges, and checks the limits and whether a checkpoint is due.
    fn do_housekeeping(&mut self) {
        self.spill();
        self.report_gauges();
        self.search.team.monitor.check_limits();
        self.allowance = self.search.team.monitor.expansion_allowance(u64::MAX, self.search.team.workers());
        self.search.checkpointer.check(Some(&self.search.store));
    }

    fn report_gauges(&mut self) {
        let gauges = &self.search.team.monitor.gauges;
        self.state_worker.report(gauges);
        let frontier = self.frontier.bytes();
        let reported = std::mem::replace(&mut self.reported_bytes, frontier);
        let bytes_before = self.search.frontier_bytes.fetch_add(frontier.wrapping_sub(reported), Relaxed);
        gauges.set_bytes(self.search.store.bytes() + bytes_before.wrapping_sub(reported).wrapping_add(frontier));
        gauges.survey.update_store(|| self.search.store.survey());
        if let Some(gauge) = self.search.team.gauge(self.number) {
            gauge.update_open_nodes(|| self.open_by_f());
        }
        self.search.team.monitor.report_to_ranks();
    }

    /// Updates the gauge of open nodes before this worker waits. Otherwise the gauge would keep its last value until
    /// the worker works again.
    fn publish_open(&self) {
        if self.search.team.monitor.wants_progress()
            && let Some(gauge) = self.search.team.gauge(self.number)
        {
            gauge.set_open_nodes(self.open_by_f());
        }
    }

    /// The number of open nodes of this worker, by f. A run in the queue counts as one chunk.
    fn open_by_f(&self) -> Vec<(Cost, u64)> {
        let outside = (self.queue.len() * CHUNK + self.current.1.len()) as u64;
        let mut by_f = self.frontier.layer_lens();
        match by_f.binary_search_by_key(&self.layer, |&(f, _)| f) {
            Ok(at) => by_f[at].1 += outside,
            Err(at) if outside > 0 => by_f.insert(at, (self.layer, outside)),
            Err(_) => {}
        }
        by_f
    }
}
