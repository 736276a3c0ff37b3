//! IDA*: the layers of best-first search, searched depth-first with a table of bounded size.
//!
//! Each *layer* is a whole depth-first search from the root that stops at states with an f above its *threshold*. If
//! the search finds no solution, no solution costs the threshold or less, and the least f that was cut off is the next
//! threshold. The only memory of a state is an entry in a transposition table ([`TranspositionTable`]), which may
//! forget. A forgotten state is searched again. So a limit on memory costs time, not the proof.
//!
//! Each worker has a stack of its own. When other workers are idle, a worker gives away its oldest open node as the
//! moves that lead to it. The oldest node is likely to have the most work below it. The memory for children of the
//! states on a worker's path has a limit too: the children closest to the root are dropped, and generated again when
//! the search returns to them.
//!
//! **When to use it.** For proofs when memory, not time, is the limit. If few paths lead to most states, and an
//! expansion costs less than a look into the table, the search is faster without a table ([`Parameters::ida_entries`]),
//! as Korf described it.
//!
//! **Guarantees.** Optimal with every admissible bound, on any number of threads. As long as the table forgets nothing,
//! every state that best-first search expands up to a threshold is visited here. A state belongs to the layer of the
//! least f with which it was visited, and is counted there once. With a consistent bound and without partial-order
//! reduction, the counts of the layers equal those of best-first search. With the reduction they are slightly larger: a
//! detour may reach a state first, with a smaller sleep set than its shortest paths give, and some states are reached
//! in no other way.
//!
//! **Checkpoints.** A checkpoint has no records. It holds the finished layers, the least f that was cut off, and the
//! open nodes, as moves from the root. A resume accepts any number of threads and any size of the table. The table is
//! empty then, so states visited before the interruption may be visited and counted again in the same layer. The count
//! of an interrupted layer is too high; all other counts are exact.
//!
//! Reference: Korf (1985) for IDA*; Reinefeld and Marsland (1994) for transposition tables in it.

mod dfs_stack;
mod search;
mod worker;

use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::engine::checkpoints::{CheckpointConfig, Checkpointer, EnginePosition, IdaPosition, OpenBranch, Snapshot};
use crate::engine::context::Context;
use crate::engine::dispatch::{EngineInfo, StateEngine};
use crate::engine::layers::{Ledger, Team};
use crate::engine::outcome::{Outcome, Solution};
use crate::engine::work::Work;
use crate::expand::StateSpace;
use crate::runtime::{Gauges, Layer, Monitor};
use crate::store::{MAX_G, TranspositionTable};
use crossbeam::deque::Worker as Queue;
use dfs_stack::Replay;
use search::{IdaSearch, IterationState, MIN_TABLE_ENTRIES, TableSize};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, PoisonError};
use worker::IdaWorker;

/// The largest table, in bytes, when memory has no limit.
const DEFAULT_TABLE_BYTES: u64 = 1 << 30;

/// A worker sheds its oldest frames when their states take more than this number of bytes, or less if memory is
/// limited.
const FRAME_BYTES: u64 = 1 << 26;

/// Beside the frames that it keeps, a worker takes the memory of this many frames of the root's size (measured,
/// `docs/experiments/054`).
const EXTRA_FRAMES: u64 = 12;

/// Estimates how many bytes a frame with the children of the root takes. On many boards the root has the most children.
fn root_frame_bytes(space: &dyn StateSpace) -> u64 {
    let (mut expander, mut children, key) = (space.expander(), Vec::new(), space.root_key());
    expander.expand_key(&key, 0, None, &mut children);
    (children.len() * key.len()) as u64
}

const SUMMARY: &str = "IDA*: iterative deepening, with a transposition table of bounded size";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "ida", summary: SUMMARY, proves: true, has_checkpoints: true, uses_ranks: false },
    run: |space, parameters, known, context| {
        run(space, IdaInput { incumbent: known, ..IdaInput::default() }, parameters.ida_entries, context)
    },
};

/// The input of a search.
#[derive(Default)]
pub(super) struct IdaInput {
    /// A solution found before. Only cheaper ones are looked for.
    pub(super) incumbent: Option<Solution>,
    /// The lower bound that is proven already.
    pub(super) lower_bound: Cost,
    /// The finished layers below the lower bound.
    pub(super) layers: Vec<Layer>,
    /// The work of earlier searches.
    pub(super) work: Work,
    /// Whether the search continues after a search that memory or disk ended: see [`Checkpointer::of_sequel`].
    pub(super) is_sequel: bool,
}

/// Runs the search, from the known lower bound up to the cost of the known solution.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn run(
    space: &dyn StateSpace,
    input: IdaInput,
    entries_per_state: usize,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    // Another search may have freed memory that is not returned to the system yet.
    let context = &context.limited_to_free_memory();
    // The table is sized to the limit of memory, and nothing else grows.
    let monitor = Monitor::self_limiting(context.limits, context.observer, context.stop);
    // One eighth of the memory is for everything but the table, and half of that for frames. The frames that a worker
    // is generating count in addition, because large ones fragment the heap.
    let threads = context.threads.max(1) as u64;
    let worker_bytes = |memory: u64| (EXTRA_FRAMES * threads * root_frame_bytes(space)).min(memory / 2);
    let max_bytes = context.limits.memory.map_or(DEFAULT_TABLE_BYTES, |memory| memory / 8 * 7 - worker_bytes(memory));
    let frame_bytes = context.limits.memory.map_or(FRAME_BYTES, |memory| memory / 16 / threads);
    let frame_bytes = frame_bytes.min(FRAME_BYTES) as usize;
    // If the process has exceeded its limit already, a small table adds little.
    let min_table_bytes = TranspositionTable::bytes_for(space.key_len(), MIN_TABLE_ENTRIES);
    let min_bytes = context.limits.resident.map_or(0, |limit| min_table_bytes.min(limit / 16));
    let max_bytes = max_bytes.max(min_bytes);
    let checkpointer = Checkpointer::new(context.checkpoint_config(), &monitor);
    let checkpointer = if input.is_sequel { checkpointer.of_sequel() } else { checkpointer };
    let root_f = space.lower_bound();
    let table_size = TableSize { entries_per_state: entries_per_state as u64, max_bytes };
    monitor.run_with_progress(|| {
        let snapshot = initial_snapshot(input, context.checkpoint_config(), space, root_f, &checkpointer)?;
        let setup = IdaSetup::from_snapshot(snapshot, space, table_size, frame_bytes, &monitor.gauges);
        let IdaSetup { ledger, incumbent, iteration, open } = match (setup, context.checkpoint_config()) {
            (Ok(setup), _) => setup,
            (Err(found), Some(config)) => return Err(config.unusable(&found)),
            (Err(_), None) => return Ok(Outcome::unknown()),
        };
        let (team, queues) = Team::new(incumbent, &monitor, context, Queue::new_fifo);
        for (number, branch) in open.into_iter().enumerate() {
            queues[number % queues.len()].push(branch);
        }
        let threshold = AtomicU32::new(ledger.current().map_or(Cost::MAX, |layer| layer.f));
        let (ledger, iteration) = (Mutex::new(ledger), Mutex::new(iteration));
        let search =
            IdaSearch { space, root_f, team, checkpointer, threshold, table_size, frame_bytes, ledger, iteration };
        Ok(search.run(queues))
    })
}

/// Returns where the search begins: at the newest checkpoint, or before the first layer that is not known to be
/// finished.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
fn initial_snapshot(
    input: IdaInput,
    config: Option<&CheckpointConfig>,
    space: &dyn StateSpace,
    root_f: Cost,
    checkpointer: &Checkpointer<'_>,
) -> Result<Snapshot, CheckpointError> {
    let IdaInput { incumbent: known, lower_bound, layers, work, .. } = input;
    if let Some(config) = config.filter(|config| config.resume) {
        let (snapshot, _) = checkpointer.resume_payload(config, ENGINE.info.name)?;
        config.check_rules(space, &snapshot)?;
        return Ok(Snapshot { incumbent: Solution::cheaper(snapshot.incumbent, known), ..snapshot });
    }
    let lower_bound = lower_bound.max(root_f);
    let visited = layers.iter().map(|layer| layer.expanded).sum();
    let position = EnginePosition::Ida(IdaPosition { next_f: lower_bound, visited, ..IdaPosition::default() });
    Ok(Snapshot { lower_bound, layers, incumbent: known, work, position, ..Snapshot::default() })
}

/// The ledger, the incumbent, the iteration and the open nodes with which a search begins.
struct IdaSetup {
    ledger: Ledger,
    incumbent: Option<Solution>,
    iteration: IterationState,
    open: Vec<OpenBranch>,
}

impl IdaSetup {
    /// Begins at a position.
    ///
    /// # Errors
    /// When the position does not belong to this search. The text says what was found.
    fn from_snapshot(
        snapshot: Snapshot,
        space: &dyn StateSpace,
        table_size: TableSize,
        frame_bytes: usize,
        gauges: &Gauges,
    ) -> Result<Self, String> {
        let ledger = Ledger::restored(&snapshot);
        let Snapshot { current, incumbent, position, .. } = snapshot;
        let EnginePosition::Ida(IdaPosition { next_f, visited, visited_before, open }) = position else {
            return Err("no position of ida".to_owned());
        };
        let mut iteration = IterationState { next_f, visited, ..IterationState::default() };
        if let Some(Layer { f: threshold, .. }) = current {
            if threshold > MAX_G {
                return Err(format!("layer {threshold} under way, at most {MAX_G}"));
            }
            iteration.make_table(visited_before, space.key_len(), table_size, gauges);
            (iteration.visited, iteration.visited_before) = (visited, visited_before);
            let (mut expander, root_f) = (space.expander(), space.lower_bound());
            let mut replay = Replay { expander: &mut *expander, frame_bytes, root_f, threshold };
            // This first pass finds a damaged checkpoint before the search. Workers restore the branches again, in
            // their own expanders.
            for branch in &open {
                replay.restore(branch, |_, _| ())?;
            }
        }
        Ok(Self { ledger, incumbent, iteration, open })
    }
}

impl IdaSearch<'_> {
    fn run(self, queues: Vec<Queue<OpenBranch>>) -> Outcome {
        let crew = self.team.run(queues, |number, queue| IdaWorker::new(&self, number, queue).work());
        let failure = self.checkpointer.finish(None);
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let iteration = self.iteration.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut outcome = ledger.into_outcome(self.team.incumbent.into_solution());
        let entries = iteration.table.map_or(0, |table| table.entries());
        let statistics = &mut outcome.statistics;
        statistics.stored = iteration.visited.max(iteration.visited_before).min(entries);
        (statistics.peak_bytes, statistics.cpu_seconds) = (iteration.peak_bytes, crew.cpu_seconds);
        // In an unfinished layer it is unknown how many of the visited states belong to lower layers.
        statistics.layers.retain(|layer| layer.f < outcome.lower_bound);
        Outcome { failure, ..outcome }
    }
}
