//! The progress record: one row of `progress.jsonl`.

use gridhunt_hunt::rounded;
use gridhunt_puzzle::Objective;
use gridhunt_search::domain::Cost;
use gridhunt_search::runtime::{Layer, RankStatus, StopReason, WorkerProgress, WrittenCheckpoint};
use serde::{Deserialize, Serialize};

/// The minimum number of finished boards for an estimate of the time of the others.
const MIN_DONE_FOR_ESTIMATE: u64 = 3;

/// Why a row was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RowEvent {
    /// A session begins.
    Session,
    /// The search of a board begins.
    Begin,
    /// A layer ended.
    Layer,
    /// The proven lower bound rose, or a better solution was found.
    Range,
    /// Ten seconds have passed since the row before.
    #[default]
    Time,
    /// A board ended.
    Board,
    /// The session ended.
    End,
}

/// A stage of the work with a known number of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageProgress {
    /// The stage, in words.
    pub what: String,
    /// Steps done.
    pub done: u64,
    /// All steps.
    pub total: u64,
}

/// A checkpoint on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckpointProgress {
    /// The checkpoint's number, from 1.
    pub number: u64,
    /// Seconds since it was durable.
    pub age: f64,
    /// Seconds that it took to write.
    pub seconds: f64,
    /// The bytes of its files.
    pub bytes: u64,
}

impl CheckpointProgress {
    /// The checkpoint as it is at `now`, in seconds since 1970.
    pub(super) fn at(written: WrittenCheckpoint, now: f64) -> Self {
        let WrittenCheckpoint { number, time, seconds, bytes } = written;
        Self { number, age: rounded_milli((now - time).max(0.0)), seconds: rounded_milli(seconds), bytes }
    }
}

/// One row. Fields without a value are absent in the file.
///
/// In the rows of one board with one identity, `elapsed`, `lower_bound`, `expanded`, `generated`, `stored`,
/// `duplicates` and `reopened` never fall, and `incumbent` never rises. This holds across sessions, and after a resume
/// from an older checkpoint. Work that is lost by a kill and repeated is counted twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ProgressRow {
    /// The time, in seconds since 1970. The clock of the system may be changed, so this value may fall.
    pub time: f64,
    /// Seconds in all sessions of the run so far. Never falls in the rows of one board.
    pub elapsed: f64,
    /// The session, from 1.
    pub session: u64,
    /// Why the row was written.
    pub event: RowEvent,
    /// The number of the board in the run, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The name of the board; empty where the row is about no board.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub board: String,
    /// The identity of the search, as in `results.jsonl`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identity: String,
    /// All boards of the run, if their number is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boards: Option<u64>,
    /// Boards that are done.
    pub done: u64,
    /// Of these, boards that are proven: optimal or unsolvable.
    pub proven: u64,
    /// Boards that a limit stopped in this session. Not in files.
    #[serde(skip)]
    pub stopped: u64,
    /// Name and size of the board, and seconds of its search, if it has all threads. Not in files.
    #[serde(skip)]
    pub title: Option<(String, f64)>,
    /// What costs count: [`Objective::name`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub objective: String,
    /// The upper limit of the score: a cost is this limit minus the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<i64>,
    /// The engine under way.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// The stage under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageProgress>,
    /// The f of the layer under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Cost>,
    /// The layer that has just ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<Layer>,
    /// The proven lower bound.
    pub lower_bound: Cost,
    /// Whether the board is proven to have no solution.
    #[serde(skip_serializing_if = "is_false")]
    pub unsolvable: bool,
    /// The cost of the best solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<Cost>,
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// The maximum number of states stored at a time.
    pub stored: u64,
    /// Children that were dropped because their state was known.
    pub duplicates: u64,
    /// Closed states that were reopened.
    pub reopened: u64,
    /// States expanded in the layer under way.
    pub in_layer: u64,
    /// Open nodes, as pairs of f and number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<(Cost, u64)>,
    /// States expanded per second: of this board, in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The memory that the search accounts for, in bytes.
    pub bytes: u64,
    /// The resident memory of the process, in bytes.
    pub resident: u64,
    /// The limit of the resident memory, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u64>,
    /// Bytes on disk: records, journal, spilled open nodes and indexes.
    pub disk: u64,
    /// The limit of bytes on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_limit: Option<u64>,
    /// Stored states in memory.
    pub hot: u64,
    /// Stored states that are only on disk.
    pub cold: u64,
    /// The occupied share of the index in memory, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_load: Option<f64>,
    /// For each worker, if a search has reported them: seconds without work, and the number of steals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerProgress>,
    /// Each rank, if several search: its work in the search under way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankStatus>,
    /// The last checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointProgress>,
    /// The checkpoint that is being written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<StageProgress>,
    /// Seconds until the next checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_checkpoint: Option<f64>,
    /// How the board, or the session, ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Rounds to milliseconds, or to thousandths.
pub(super) fn rounded_milli(value: f64) -> f64 {
    rounded(value, 1e3)
}

impl ProgressRow {
    /// The meaning of the costs.
    #[must_use]
    pub fn objective(&self) -> Objective {
        Objective::find(&self.objective, self.ceiling).unwrap_or(Objective::MOVES)
    }

    /// The open nodes of a layer, if known.
    #[must_use]
    pub fn open_nodes_in(&self, f: Cost) -> Option<u64> {
        self.open.iter().find(|(layer, _)| *layer == f).map(|(_, nodes)| *nodes)
    }

    /// The percentage of the known nodes of the layer under way that are expanded, rounded down. The number of known
    /// nodes may grow. `None` with several ranks: then only the open nodes of the leader are known.
    #[must_use]
    pub fn layer_percent(&self) -> Option<u64> {
        let open = self.open_nodes_in(self.layer?).filter(|_| self.ranks.is_empty())?;
        let all = self.in_layer.saturating_add(open);
        (open > 0).then(|| (u128::from(self.in_layer) * 100 / u128::from(all)) as u64)
    }

    /// The percentage of generated children that were duplicates, rounded down; `None` below one percent. `None` with
    /// several ranks: then only the duplicates of the leader are known.
    #[must_use]
    pub fn duplicate_percent(&self) -> Option<u64> {
        let percent = u128::from(self.duplicates).saturating_mul(100).checked_div(self.generated.into())?;
        Some(percent.min(100) as u64).filter(|&percent| percent > 0 && self.ranks.is_empty())
    }

    /// The minimum of seconds that the layer under way still takes: its known open nodes at the rate of the session.
    /// More nodes may follow. `None` if unknown or below a second.
    #[must_use]
    pub fn layer_seconds_left(&self) -> Option<f64> {
        let (open, rate) = (self.open_nodes_in(self.layer?)?, self.rate.filter(|&rate| rate >= 1.0)?);
        Some(open as f64 / rate).filter(|&left| left >= 1.0)
    }

    /// The seconds for the remaining boards, if these are as hard as those done. `None` if a board was stopped, fewer
    /// than three are done, or less than a second is left.
    #[must_use]
    pub fn boards_seconds_left(&self) -> Option<f64> {
        let left = self.boards?.saturating_sub(self.done);
        let is_known = left > 0 && self.done >= MIN_DONE_FOR_ESTIMATE && self.stopped == 0;
        is_known.then(|| self.elapsed / self.done as f64 * left as f64).filter(|&left| left >= 1.0)
    }

    /// Resident memory, or else the memory that the search accounts for.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        if self.resident > 0 { self.resident } else { self.bytes }
    }

    /// Whether the board is done after this row. A stopped board may be searched again.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.event == RowEvent::Board
            && self.ended.as_deref().is_none_or(|ended| StopReason::from_name(ended).is_none())
    }
}
