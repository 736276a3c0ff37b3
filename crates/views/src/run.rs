//! The state of a run and of its checkpoints.

use super::number_format::progress_text;
use super::record::{PROGRESS_FILE, ProgressRow, ProgressUpdate, ROW_INTERVAL_SECONDS, RowEvent, RunRows};
use super::totals::Totals;
use super::watch::estimate::finished_layers;
use super::watch::panels::estimate_texts;
use super::watch::{ProcessState, WatchedRun};
use gridhunt_hunt::{CheckedFiles, History, RunError, RunState, ignored_lines_note, rounded, shell_quoted};
use gridhunt_search::checkpoint::{CheckpointError, Inspection, inspect, read_manifest};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{EnginePosition, Snapshot};
use gridhunt_search::platform::unix_seconds;
use gridhunt_search::runtime::{Layer, RankStatus};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The output of `status`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// The run directory.
    pub run: String,
    /// The number of the process that runs the search now; null if the run is not active.
    pub process: Option<String>,
    /// How the last session ended; null while a process runs the search. `killed` if the session recorded no
    /// end, `unknown` if the events cannot be read.
    pub ended: Option<String>,
    /// The meaning of costs. `loss` is the difference between an upper limit of the score and the score. `optimum` is
    /// the cost itself.
    pub costs: &'static str,
    /// The totals of all boards.
    #[serde(flatten)]
    pub totals: Totals,
    /// The latest progress of a board under way; null if no row has one, or the run is not active.
    pub now: Option<NowReport>,
    /// Rate and estimates as screens and pages show them, while a process runs the search. Not in JSON.
    #[serde(skip)]
    pub estimates: Vec<String>,
    /// For each board with a checkpoint, the checkpoint that a resume continues. `--check` also lists the checkpoint of
    /// the search before an IDA* continuation.
    pub checkpoints: Vec<CheckpointReport>,
    /// Boards that were begun and have neither a checkpoint nor a final result. A resume keeps their ranges.
    pub begun: Vec<BegunReport>,
    /// Seconds of work that the kill of a run has lost, at most, on one board; null if nothing was lost.
    pub lost: Option<f64>,
    /// The command that continues the run; null if nothing is left to do, a process runs the search, or the checkpoint
    /// of every unfinished board is damaged.
    pub resume: Option<String>,
    /// The files whose checksums are right; null without `--check`.
    pub checked: Option<CheckedFiles>,
    /// Notes about the files of the run.
    pub notes: Vec<String>,
    /// Whether `--check` found a log that is damaged or unreadable, which a note names. Not in JSON.
    #[serde(skip)]
    pub has_damaged_logs: bool,
}

/// The last row of `progress.jsonl` about a board that has not ended.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NowReport {
    /// The time of the row, in seconds since 1970.
    pub time: f64,
    /// The board.
    pub board: String,
    /// The engine under way.
    pub engine: String,
    /// The layer under way.
    pub layer: u32,
    /// The stage under way and its progress, if they are known.
    pub stage: Option<String>,
    /// The proven lower bound.
    pub lower_bound: u32,
    /// The cost of the best solution.
    pub incumbent: Option<u32>,
    /// States expanded, in all sessions.
    pub expanded: u64,
    /// Children generated, in all sessions.
    pub generated: u64,
    /// The maximum number of states stored at a time.
    pub stored: u64,
    /// The open nodes of the layer under way that are known so far.
    pub open_in_layer: u64,
    /// The memory that the search accounts for, in bytes.
    pub bytes: u64,
    /// Each rank, if several search: its work in the search under way.
    pub ranks: Vec<RankStatus>,
    /// States of the board expanded per second, in this session.
    pub rate: f64,
    /// Seconds of this session at `time`.
    pub seconds: f64,
}

impl NowReport {
    /// The last row of the last session about a board that has not ended.
    fn of(rows: &[ProgressRow]) -> Option<Self> {
        let session = rows.last()?.session;
        let of_session = || rows.iter().filter(|row| row.session == session);
        let mut ended = BTreeSet::new();
        let row = of_session().rev().filter(|row| row.number.is_some()).find(|row| {
            if row.event == RowEvent::Board {
                ended.insert(row.number);
            }
            !ended.contains(&row.number)
        })?;
        let began_at = of_session().map(|row| row.elapsed).next().unwrap_or(0.0);
        let layer = row.layer.unwrap_or(0);
        Some(Self {
            time: row.time,
            board: row.board.clone(),
            engine: row.engine.clone(),
            layer,
            stage: row.stage.as_ref().map(|stage| progress_text(&stage.what, stage.done, stage.total)),
            lower_bound: row.lower_bound,
            incumbent: row.incumbent,
            expanded: row.expanded,
            generated: row.generated,
            stored: row.stored,
            open_in_layer: row.open_nodes_in(layer).unwrap_or(0),
            bytes: row.bytes,
            ranks: row.ranks.clone(),
            rate: row.rate.unwrap_or(0.0),
            seconds: rounded(row.elapsed - began_at, 1e3),
        })
    }
}

/// A board that was begun and has neither a checkpoint nor a final result.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BegunReport {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// The lower bound that was proven.
    pub lower_bound: u32,
    /// The cost of the best solution that was found.
    pub incumbent: Option<u32>,
    /// The completed layers that rows of progress name.
    pub layers: Vec<Layer>,
}

/// The checkpoint of one board.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckpointReport {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The engine that wrote the checkpoint.
    pub engine: Option<&'static str>,
    /// The reason why no checkpoint can be used; null if one can be used.
    pub error: Option<String>,
    /// Damaged checkpoints that were left out.
    pub notes: Vec<String>,
    /// The checkpoint's number, from 1.
    pub sequence: u64,
    /// The time of the checkpoint, in seconds since 1970.
    pub time: u64,
    /// Seconds since the checkpoint was written.
    pub age: u64,
    /// The number of records in the checkpoint; with `learning`, of no-goods.
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

/// The maximum number of reads of an active run. If a board finishes meanwhile, its checkpoints disappear.
const MAX_READS: usize = 3;

impl RunReport {
    /// Reads a run directory. The run may be active. With `check`, checkpoints are read whole; without it, only their
    /// manifests are.
    ///
    /// # Errors
    /// When `run` is not a run directory, or its inputs or results are damaged.
    pub fn read(run: &Path, check: bool) -> Result<Self, RunError> {
        let mut report = Self::of(&RunState::read(run)?, check);
        for _ in 1..MAX_READS {
            if report.are_checkpoints_usable() || report.process.is_none() {
                break;
            }
            report = Self::of(&RunState::read(run)?, check);
        }
        Ok(report)
    }

    /// Makes the report of a directory that was read.
    #[must_use]
    pub fn of(state: &RunState, check: bool) -> Self {
        let (mut checkpoints, mut checked) = (Vec::new(), state.checked);
        for (&number, all) in state.checkpoints.iter().filter(|(number, _)| is_unfinished(state, **number)) {
            let first = if check { 0 } else { all.len().saturating_sub(1) };
            for files in &all[first..] {
                let inspection = if check { inspect(files) } else { read_manifest(files, None) };
                inspection.iter().for_each(|found| checked.add(found.checked_files, found.checked_bytes));
                checkpoints.push(CheckpointReport::new(number, inspection));
            }
        }
        let ranges = BoardRanges::of(state, &checkpoints);
        let totals = ranges.totals(state);
        let [events, progress] = [History::path(&state.path), state.path.join(PROGRESS_FILE)];
        let (RunRows { rows, ignored, damaged }, unreadable) = match RunRows::read(state) {
            Ok(rows) => (rows, None),
            Err(error) => (RunRows::default(), Some(format!("{}: {error}", progress.display()))),
        };
        let damaged_rows = unreadable.or_else(|| damaged.note(&progress));
        let has_damaged_events = state.history.unreadable.is_some() || state.history.damaged.note(&events).is_some();
        let logs = [(&events, has_damaged_events), (&progress, damaged_rows.is_some())];
        for (path, _) in logs.iter().filter(|(_, is_damaged)| !is_damaged) {
            let length = fs::metadata(path).map_or(0, |metadata| metadata.len());
            checked.add(u64::from(length > 0), length);
        }
        let is_idle = state.process.is_none();
        let is_complete = totals.done == state.identities.board_count();
        let ended = is_idle.then(|| session_end(&state.history, is_complete));
        // A resume continues the last of these checkpoints of a board. If it has an error, the board fails.
        let usable_by_board: BTreeMap<_, _> =
            checkpoints.iter().map(|checkpoint| (checkpoint.number, checkpoint.error.is_none())).collect();
        let failing = usable_by_board.values().filter(|is_usable| !**is_usable).count();
        let all_fail = totals.done + failing == state.identities.board_count();
        let row_time = rows.last().map_or(0.0, |row| row.time);
        let was_killed = ended.as_deref() == Some("killed");
        let lost = was_killed.then(|| lost_seconds(&state.history, (row_time, unix_seconds()), &checkpoints)).flatten();
        Self {
            run: state.path.display().to_string(),
            process: state.process.clone(),
            estimates: state.process.iter().flat_map(|process| estimates(state, process, rows.clone())).collect(),
            costs: if state.config.request().objective().ceiling().is_some() { "loss" } else { "optimum" },
            totals,
            begun: ranges.begun_reports(state, &rows),
            now: NowReport::of(&rows).filter(|_| !is_idle),
            resume: (is_idle && !is_complete && !all_fail).then(|| resume_command(&state.path)),
            checkpoints,
            lost,
            checked: check.then_some(checked),
            has_damaged_logs: check && logs.iter().any(|(_, is_damaged)| *is_damaged),
            notes: state
                .notes
                .iter()
                .cloned()
                .chain(ignored_lines_note(&progress, ignored))
                .chain(damaged_rows)
                .collect(),
            ended,
        }
    }

    /// Whether every checkpoint can be used, and `--check` found no damaged log.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        !self.has_damaged_logs && self.are_checkpoints_usable()
    }

    fn are_checkpoints_usable(&self) -> bool {
        self.checkpoints.iter().all(|checkpoint| checkpoint.error.is_none())
    }
}

/// The estimates of screens and pages.
fn estimates(state: &RunState, process: &str, rows: Vec<ProgressRow>) -> Vec<String> {
    let mut run = WatchedRun::new(String::new());
    (run.process_state, run.results) = (ProcessState::Active(process.to_owned()), state.results.clone());
    run.apply(ProgressUpdate::Replaced(rows));
    estimate_texts(&run)
}

/// The command that continues a run.
#[must_use]
pub fn resume_command(run: &Path) -> String {
    format!("gridhunt resume {}", shell_quoted(run))
}

/// Whether a board needs a further search.
fn is_unfinished(state: &RunState, number: usize) -> bool {
    state.results.final_record(number).is_none()
}

/// The proven range of each unfinished board that was begun, by number: the best that results, checkpoints and events
/// record.
#[derive(Default)]
struct BoardRanges(BTreeMap<usize, (Cost, Option<Cost>)>);

impl BoardRanges {
    fn of(state: &RunState, checkpoints: &[CheckpointReport]) -> Self {
        let mut ranges = Self::default();
        for (&number, board) in &state.history.open_boards {
            ranges.narrow(number, board.lower_bound, board.solution.as_ref().map(|solution| solution.cost));
        }
        for (&number, board) in state.results.records() {
            ranges.narrow(number, board.lower_bound.unwrap_or(0), board.cost);
        }
        for &CheckpointReport { number, lower_bound, incumbent, .. } in checkpoints {
            ranges.narrow(number, lower_bound.unwrap_or(0), incumbent);
        }
        state.incomplete.iter().for_each(|&number| ranges.narrow(number, 0, None));
        ranges.0.retain(|&number, _| is_unfinished(state, number));
        ranges
    }

    fn narrow(&mut self, number: usize, lower_bound: Cost, incumbent: Option<Cost>) {
        let (best_bound, best_cost) = self.0.entry(number).or_default();
        *best_bound = lower_bound.max(*best_bound);
        *best_cost = incumbent.into_iter().chain(*best_cost).min();
    }

    fn totals(&self, state: &RunState) -> Totals {
        let mut totals = Totals::not_begun(state.identities.board_count());
        for board in state.results.records().values().filter(|board| board.is_done()) {
            totals.add_done(board.status, board.cost, board.lower_bound.unwrap_or(0));
        }
        self.0.values().for_each(|&(lower_bound, cost)| totals.add_begun(cost, lower_bound));
        totals
    }

    /// The boards without a checkpoint.
    fn begun_reports(&self, state: &RunState, rows: &[ProgressRow]) -> Vec<BegunReport> {
        let boards = self.0.iter().filter(|(number, _)| !state.checkpoints.contains_key(number));
        let report = |(&number, &(lower_bound, incumbent)): (&usize, &(Cost, Option<Cost>))| {
            let board = state.board_name(number)?.to_owned();
            let of_board = |row: &&ProgressRow| row.number == Some(number);
            let layers = finished_layers(rows.iter().filter(of_board)).into_iter().map(|grown| grown.layer).collect();
            Some(BegunReport { number, board, lower_bound, incumbent, layers })
        };
        boards.filter_map(report).collect()
    }
}

fn session_end(history: &History, is_complete: bool) -> String {
    match history.session_end.as_deref() {
        _ if is_complete => "finished",
        Some(ended) => ended,
        None if !history.has_session && history.unreadable.is_some() => "unknown",
        None => "killed",
    }
    .to_owned()
}

/// The most seconds of work lost on a board that was searched when the process ended: from the last checkpoint of the
/// board, or the beginning of its search. A live process writes a row of progress within [`ROW_INTERVAL_SECONDS`], and
/// a dead process has ended before `now`.
fn lost_seconds(history: &History, (last_row_time, now): (f64, f64), checkpoints: &[CheckpointReport]) -> Option<f64> {
    let progress_end = if last_row_time > 0.0 { (last_row_time + ROW_INTERVAL_SECONDS).min(now) } else { 0.0 };
    let end = history.last_event_time.max(progress_end);
    let saved = |(number, &began): (&usize, &f64)| {
        let of_board = checkpoints.iter().filter(|checkpoint| checkpoint.number == *number);
        of_board.map(|checkpoint| checkpoint.time as f64).fold(began, f64::max)
    };
    let saved = history.searched_since.iter().map(saved).min_by(f64::total_cmp)?;
    Some(rounded((end - saved).max(0.0), 10.0)).filter(|lost| *lost > 0.0)
}

impl CheckpointReport {
    fn new(number: usize, inspection: Result<Inspection, CheckpointError>) -> Self {
        let empty = Self { number, ..Self::default() };
        let found = match inspection {
            Ok(found) => found,
            Err(error) => return Self { error: Some(error.to_string()), ..empty },
        };
        let now = unix_seconds() as u64;
        let report = Self {
            notes: found.notes,
            sequence: found.sequence,
            time: found.time,
            age: now.saturating_sub(found.time),
            states: found.records,
            bytes: found.bytes,
            ..empty
        };
        match Snapshot::decode(&found.payload) {
            Err(error) => Self { error: Some(format!("found {error}")), ..report },
            Ok(snapshot) => Self {
                engine: Some(snapshot.engine()),
                lower_bound: Some(snapshot.lower_bound),
                incumbent: snapshot.incumbent.map(|solution| solution.cost),
                expanded: snapshot.work.expanded,
                layers: snapshot.layers,
                current: snapshot.current,
                states: match &snapshot.position {
                    EnginePosition::Learning(no_goods) => *no_goods,
                    _ => report.states,
                },
                ..report
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The board that is shown, after rows of these numbers and events in one session.
    fn shown(rows: &[(usize, RowEvent)]) -> Option<String> {
        let row = |&(number, event)| ProgressRow {
            number: Some(number),
            board: format!("board {number}"),
            event,
            ..ProgressRow::default()
        };
        NowReport::of(&rows.iter().map(row).collect::<Vec<_>>()).map(|status| status.board)
    }

    /// A process that was seen dead four seconds after it began has lost at most four seconds.
    #[test]
    fn no_more_is_lost_than_time_has_passed() {
        let of = |boards: &[(usize, f64)]| History {
            last_event_time: 1_000.5,
            searched_since: boards.iter().copied().collect(),
            ..History::default()
        };
        let history = of(&[(1, 1_000.0)]);
        assert_eq!(lost_seconds(&history, (1_002.5, 1_004.0), &[]), Some(4.0));
        assert_eq!(lost_seconds(&history, (1_002.5, 9_000.0), &[]), Some(2.5 + ROW_INTERVAL_SECONDS));
        assert_eq!(lost_seconds(&history, (0.0, 9_000.0), &[]), Some(0.5), "no row was written");
        assert_eq!(lost_seconds(&of(&[]), (1_002.5, 9_000.0), &[]), None, "no board was searched");
        // Of boards side by side, one has no checkpoint.
        let checkpoint = CheckpointReport { number: 2, time: 1_001, ..CheckpointReport::default() };
        let both = of(&[(1, 990.0), (2, 980.0)]);
        assert_eq!(lost_seconds(&both, (0.0, 9_000.0), std::slice::from_ref(&checkpoint)), Some(10.5));
    }

    #[test]
    fn a_board_that_ended_is_not_the_present() {
        use RowEvent::{Begin, Board, Range, Time};
        assert_eq!(shown(&[(1, Begin), (2, Begin), (1, Board)]).as_deref(), Some("board 2"));
        assert_eq!(shown(&[(1, Begin), (1, Range), (1, Board)]), None, "the only board has ended");
        assert_eq!(shown(&[(1, Board), (1, Time)]).as_deref(), Some("board 1"), "searched again");
        assert_eq!(shown(&[]), None);
    }
}
