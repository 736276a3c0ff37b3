//! The state of a run and of its checkpoints.

use super::number_format::{bytes, count, seconds};
use super::run_log::JsonStatus;
use crate::board::Objective;
use crate::checkpoint::{CheckpointFiles, Inspection, glance, inspect};
use crate::driver::RunState;
use crate::engine::{EngineKind, Snapshot, Status};
use crate::runtime::Layer;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::time::SystemTime;

/// The output of `status` and `inspect`.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The run directory.
    pub run: String,
    /// The number of the process that runs the search now; null if the run is not active.
    pub process: Option<String>,
    /// The meaning of costs. `loss` is the difference between an upper limit of the score and the score. `optimum` is
    /// the cost itself.
    pub costs: &'static str,
    /// Number of boards.
    pub boards: usize,
    /// Boards that are done.
    pub done: usize,
    /// Boards whose optimum is proven.
    pub optimal: usize,
    /// Boards that are proven to have no solution.
    pub unsolvable: usize,
    /// The sum of the costs of the best solutions, over all boards with a result.
    pub total_cost: u64,
    /// The sum of the proven lower bounds, over all boards with a result.
    pub total_lower_bound: u64,
    /// The latest progress of the board that is searched on all threads.
    pub now: Option<JsonStatus>,
    /// For each board with a checkpoint, the checkpoint that a resume continues. `inspect` also lists the checkpoint of
    /// the search before an IDA* continuation.
    pub checkpoints: Vec<CheckpointReport>,
}

/// The checkpoint of one board.
#[derive(Clone, Debug, Serialize)]
pub struct CheckpointReport {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The engine that wrote the checkpoint.
    pub engine: Option<&'static str>,
    /// The reason why no checkpoint can be used; null if one can be used.
    pub error: Option<String>,
    /// Damaged parts that were left out.
    pub notes: Vec<String>,
    /// The checkpoint's number, from 1.
    pub sequence: u64,
    /// Seconds since the checkpoint was written.
    pub age: u64,
    /// The number of states in the checkpoint.
    pub states: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// The proven lower bound.
    pub lower_bound: Option<u32>,
    /// The cost of the best solution.
    pub incumbent: Option<u32>,
    /// States expanded, in all sessions.
    pub expanded: u64,
    /// Completed layers.
    pub layers: Vec<Layer>,
    /// The layer under way at the time of the checkpoint.
    pub current: Option<Layer>,
}

impl RunReport {
    /// A quick report that reads only the manifests of checkpoints. The run may be active.
    #[must_use]
    pub fn of(run: &Path, state: &RunState) -> Self {
        Self::with(run, state, 1, |settings| glance(settings).map_err(|e| e.to_string()))
    }

    /// A report that checks every checksum.
    #[must_use]
    pub fn inspected(run: &Path, state: &RunState) -> Self {
        Self::with(run, state, usize::MAX, |files| inspect(files).map_err(|e| e.to_string()))
    }

    /// A report with the last `most` checkpoints of each board.
    fn with(
        run: &Path,
        state: &RunState,
        most: usize,
        look: impl Fn(&CheckpointFiles) -> Result<Inspection, String>,
    ) -> Self {
        let done: Vec<_> = state.finished.values().filter(|board| board.is_done()).collect();
        let now = state.status.as_ref().and_then(|text| serde_json::from_str(text).ok());
        let of = |status: Status| done.iter().filter(|board| board.status == status).count();
        let left =
            state.under_way.iter().filter(|(number, _)| !state.finished.get(number).is_some_and(|b| b.is_done()));
        let checkpoints =
            left.flat_map(|(&number, all)| all[all.len().saturating_sub(most)..].iter().map(move |a| (number, a)));
        Self {
            run: run.display().to_string(),
            process: state.process.clone(),
            costs: if state.config.objective == Some(Objective::Score) { "loss" } else { "optimum" },
            boards: state.total,
            done: done.len(),
            optimal: of(Status::Optimal),
            unsolvable: of(Status::Unsolvable),
            total_cost: state.finished.values().filter_map(|board| board.cost).map(u64::from).sum(),
            total_lower_bound: state.finished.values().filter_map(|board| board.lower_bound).map(u64::from).sum(),
            now,
            checkpoints: checkpoints.map(|(number, files)| CheckpointReport::new(number, look(files))).collect(),
        }
    }

    /// Whether every checkpoint can be used.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.checkpoints.iter().all(|checkpoint| checkpoint.error.is_none())
    }

    /// The report as one line of JSON.
    ///
    /// # Errors
    /// None in practice: JSON can represent every field.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

impl CheckpointReport {
    fn new(number: usize, found: Result<Inspection, String>) -> Self {
        let nothing = Self {
            number,
            engine: None,
            error: None,
            notes: Vec::new(),
            sequence: 0,
            age: 0,
            states: 0,
            bytes: 0,
            lower_bound: None,
            incumbent: None,
            expanded: 0,
            layers: Vec::new(),
            current: None,
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => return Self { error: Some(error), ..nothing },
        };
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs());
        let known = Self {
            notes: found.notes,
            sequence: found.sequence,
            age: now.saturating_sub(found.time),
            states: found.records,
            bytes: found.bytes,
            ..nothing
        };
        match Snapshot::decode(&found.payload) {
            Err(error) => Self { error: Some(format!("found {error}")), ..known },
            Ok(snapshot) => Self {
                engine: Some(snapshot.engine().name()),
                lower_bound: Some(snapshot.lower_bound),
                incumbent: snapshot.incumbent.map(|solution| solution.cost),
                expanded: snapshot.work.expanded,
                layers: snapshot.layers,
                current: snapshot.current,
                ..known
            },
        }
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose =
            self.process.as_ref().map_or_else(|| "not running".to_owned(), |p| format!("running as process {p}"));
        writeln!(f, "{}: {whose}", self.run)?;
        write!(f, "{} of {} boards done", count(self.done as u64), count(self.boards as u64))?;
        write!(f, ", {} proven optimal", count(self.optimal as u64))?;
        if self.unsolvable > 0 {
            write!(f, ", {} proven unsolvable", count(self.unsolvable as u64))?;
        }
        writeln!(f, "; total cost {}, total lower bound {}", count(self.total_cost), count(self.total_lower_bound))?;
        if let Some(now) = self.now.as_ref().filter(|_| self.process.is_some()) {
            let upper = now.incumbent.map_or_else(|| "?".to_owned(), |cost| cost.to_string());
            let stage = now.stage.as_ref().map_or_else(String::new, |stage| format!(", {stage}"));
            writeln!(
                f,
                "{}: {}, proven {} <= {} <= {upper}, layer {}{stage}, {} expanded ({}/s), {} stored, {} in memory",
                now.board,
                now.engine,
                now.lower_bound,
                self.costs,
                now.layer,
                count(now.expanded),
                count(now.rate as u64),
                count(now.stored),
                bytes(now.bytes)
            )?;
        }
        self.checkpoints.iter().try_for_each(|checkpoint| checkpoint.write(f, self.costs))
    }
}

impl CheckpointReport {
    fn write(&self, f: &mut fmt::Formatter<'_>, costs: &str) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "board {}: left out: {note}", self.number)?;
        }
        if let Some(error) = &self.error {
            return writeln!(f, "board {}: {error}", self.number);
        }
        let upper = self.incumbent.map_or_else(|| "?".to_owned(), |cost| cost.to_string());
        let of = self.engine.filter(|&engine| engine == EngineKind::Ida.name());
        writeln!(
            f,
            "board {}{}: checkpoint {}, {} ago: proven {} <= {costs} <= {upper}, {} expanded, {} states, {} on disk",
            self.number,
            of.map_or_else(String::new, |engine| format!(", {engine}")),
            self.sequence,
            seconds(self.age as f64),
            self.lower_bound.unwrap_or(0),
            count(self.expanded),
            count(self.states),
            bytes(self.bytes)
        )?;
        let over = self.layers.iter().map(|layer| (layer, ""));
        for (layer, under_way) in over.chain(self.current.iter().map(|layer| (layer, ", under way"))) {
            writeln!(f, "  layer {}: {} expanded{under_way}", layer.f, count(layer.expanded))?;
        }
        Ok(())
    }
}
