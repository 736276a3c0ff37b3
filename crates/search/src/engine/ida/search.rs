//! The data that the workers of an IDA* search share, and their joint decisions.

use crate::domain::{Cost, MoveIndex};
use crate::engine::checkpoints::{Checkpointer, EnginePosition, IdaPosition, OpenBranch, OpenNode, Snapshot};
use crate::engine::layers::{Ledger, Team};
use crate::expand::StateSpace;
use crate::runtime::Gauges;
use crate::store::{MAX_G, TranspositionTable};
use crate::sync::lock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// The number of entries of the smallest table.
pub(super) const MIN_TABLE_ENTRIES: u64 = 1 << 16;

/// The data that the workers of a search share.
pub(super) struct IdaSearch<'a> {
    pub(super) space: &'a dyn StateSpace,
    pub(super) root_f: Cost,
    pub(super) team: Team<'a, OpenBranch>,
    pub(super) checkpointer: Checkpointer<'a>,
    /// The f of the current layer. [`Cost::MAX`] before the first layer and when the search is over.
    pub(super) threshold: AtomicU32,
    pub(super) table_size: TableSize,
    /// A worker sheds its oldest frames when their states take more than this number of bytes.
    pub(super) frame_bytes: usize,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) iteration: Mutex<IterationState>,
}

#[derive(Clone, Copy)]
pub(super) struct TableSize {
    /// Entries for each state visited in the previous layer; with 0 there is no table. A layer has about ten times as
    /// many states as the previous one.
    pub(super) entries_per_state: u64,
    pub(super) max_bytes: u64,
}

/// The state of the current layer (the current iteration), besides the ledger. Workers add to it at barriers.
#[derive(Default)]
pub(super) struct IterationState {
    /// The least f beyond the threshold in the layer, by all workers and in all sessions.
    pub(super) next_f: Cost,
    /// States visited in this layer and in the previous one.
    pub(super) visited: u64,
    pub(super) visited_before: u64,
    /// The change, since the last barrier, in the number of visited states that belong to this layer. A state belongs
    /// to the layer of the least f with which it was visited.
    pub(super) layer_state_change: i64,
    /// The open nodes of all workers, for a checkpoint.
    pub(super) open: Vec<OpenBranch>,
    /// The table of the current layer. `None` before the first layer, and in a search without a table.
    pub(super) table: Option<Arc<TranspositionTable>>,
    /// The size of the largest table so far.
    pub(super) peak_bytes: u64,
}

impl IterationState {
    /// Makes a table for the next layer, as large as the layer is expected to need and memory allows. `last_visited` is
    /// the number of states visited in the previous layer.
    pub(super) fn make_table(&mut self, last_visited: u64, key_len: usize, size: TableSize, gauges: &Gauges) {
        self.visited_before = std::mem::take(&mut self.visited);
        gauges.stored.store(0, Relaxed);
        if size.entries_per_state == 0 {
            return;
        }
        let entries = last_visited.saturating_mul(size.entries_per_state).max(MIN_TABLE_ENTRIES);
        let wanted_bytes = TranspositionTable::bytes_for(key_len, entries).min(size.max_bytes);
        // A table that is large enough is reused: entries of an earlier layer do not count. Otherwise it is freed
        // before the larger one is made.
        let reused = self.table.take().filter(|table| wanted_bytes / 2 <= table.bytes());
        let table = reused.unwrap_or_else(|| Arc::new(TranspositionTable::new(key_len, wanted_bytes)));
        gauges.set_bytes(table.bytes());
        self.peak_bytes = self.peak_bytes.max(table.bytes());
        self.table = Some(table);
    }
}

impl IdaSearch<'_> {
    /// Decides how to go on, at the end of a layer or within it. One worker calls this while all others wait.
    pub(super) fn decide_at_barrier(&self) {
        self.checkpointer.check(None);
        let mut ledger = lock(&self.ledger);
        {
            let mut iteration = lock(&self.iteration);
            // If no node is open any more, the f of the next layer is the least f that was cut off. By the contract of
            // domains, no solution that is looked for costs more than MAX_G.
            ledger.announce(if iteration.next_f > MAX_G { Cost::MAX } else { iteration.next_f }, 1);
            ledger.recount(std::mem::take(&mut iteration.layer_state_change));
        }
        let layer = ledger.decide(&self.team, |ledger| self.take_checkpoint(ledger), |_| self.begin_layer());
        lock(&self.iteration).open.clear();
        self.threshold.store(layer.unwrap_or(Cost::MAX), Relaxed);
    }

    fn begin_layer(&self) {
        let mut iteration = lock(&self.iteration);
        let last_visited = iteration.visited;
        iteration.make_table(last_visited, self.space.key_len(), self.table_size, &self.team.monitor.gauges);
        iteration.next_f = Cost::MAX;
        iteration.open = vec![OpenBranch { path: Vec::new(), nodes: vec![OpenNode::default()] }];
    }

    fn take_checkpoint(&self, ledger: &Ledger) {
        self.checkpointer.take_at_barrier(None, || {
            let mut iteration = lock(&self.iteration);
            let IterationState { next_f, visited, visited_before, .. } = *iteration;
            let open = std::mem::take(&mut iteration.open);
            let position = EnginePosition::Ida(IdaPosition { next_f, visited, visited_before, open });
            let snapshot = ledger.snapshot(self.team.incumbent.solution());
            Ok(Snapshot { position, revision: self.space.revision(), ..snapshot })
        });
    }

    pub(super) fn check_limits_and_checkpoint(&self) {
        self.team.monitor.check_limits();
        self.checkpointer.check(None);
    }

    /// Offers a solution to the incumbent. Ends the search if the solution costs no more than the current layer.
    pub(super) fn take_solution(&self, cost: Cost, moves: impl Fn() -> Vec<MoveIndex>) {
        self.team.incumbent.offer(cost, moves);
        self.team.stop_if_optimal(cost, self.threshold.load(Relaxed));
    }
}
