//! Runs as pages show them, in JSON. Texts and estimates are made here, and are equal to those of the screens.

use super::super::json::MissingRecord;
use super::super::progress_line::rate_text;
use super::super::record::{ProgressRow, RowEvent};
use super::super::text::record_range;
use super::super::watch::estimate::finished_layers;
use super::super::watch::panels::{
    ResourceField, estimate_texts, idle_shares, range_with_gap, resource_fields, run_events,
};
use super::super::watch::plot::{Curve, Curves};
use super::super::watch::{ProcessState, WatchedRun};
use gridhunt_hunt::{BoardRecord, rounded};
use gridhunt_search::runtime::{RankStatus, StopReason};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAX_CURVE_POINTS: usize = 500;

/// A run.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunView {
    /// The name of the run.
    pub name: String,
    /// The state of the run, in a few words.
    pub state: String,
    /// Whether a process searches.
    pub active: bool,
    /// Seconds in all sessions.
    pub elapsed: f64,
    /// The session, from 1; 0 without rows.
    pub session: u64,
    /// All boards of the run, if their number is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boards: Option<u64>,
    /// Boards that are done.
    pub done: u64,
    /// Of these, boards that are proven.
    pub proven: u64,
    /// The board that was searched last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardView>,
    /// The results of boards; absent in a stream of views if they did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<ResultView>>,
    /// Boards with a search that has not ended.
    pub begun: Vec<BegunView>,
    /// What happened: seconds of the run, and a text. The last events, the oldest first.
    pub events: Vec<(f64, String)>,
    /// Why the progress cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl RunView {
    /// The view of a run, with at most `max_events` events.
    #[must_use]
    pub fn of(run: &WatchedRun, max_events: usize) -> Self {
        let mut events = run_events(run.all_rows());
        events.drain(..events.len().saturating_sub(max_events));
        let last = run.last_row();
        Self {
            name: run.name.clone(),
            state: state_text(run),
            active: matches!(run.process_state, ProcessState::Active(_)),
            elapsed: last.map_or(0.0, |row| row.elapsed),
            session: last.map_or(0, |row| row.session),
            boards: last.and_then(|row| row.boards),
            done: run.done_and_proven().0,
            proven: run.done_and_proven().1,
            board: BoardView::of(run),
            results: None,
            begun: begun_boards(run.all_rows()),
            events,
            error: run.error.clone(),
        }
    }
}

/// The result of a board as in `solve --json`, without its moves and layers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ResultView {
    /// A board with a record.
    Record(Box<BoardRecord>),
    /// A board without a record.
    Missing(MissingRecord),
}

impl ResultView {
    /// The results of a run as pages show them.
    pub fn all<'r>(records: impl IntoIterator<Item = &'r BoardRecord>) -> Vec<Self> {
        records.into_iter().map(Self::of).collect()
    }

    pub(super) fn of(record: &BoardRecord) -> Self {
        Self::Record(Box::new(BoardRecord { moves: Vec::new(), layers: Vec::new(), ..record.clone() }))
    }
}

/// A run in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunLine {
    /// The name of the run.
    pub name: String,
    /// The state of the run, in a few words.
    pub state: String,
    /// Whether a process searches.
    pub active: bool,
    /// Seconds in all sessions.
    pub elapsed: f64,
    /// The board that was searched last.
    pub board: String,
    /// What is proven and found of this board.
    pub range: String,
    /// All boards of the run, if their number is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boards: Option<u64>,
    /// Boards that are done.
    pub done: u64,
    /// Of these, boards that are proven.
    pub proven: u64,
    /// States expanded per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// Why the progress cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl RunLine {
    /// The line of a run.
    #[must_use]
    pub fn of(run: &WatchedRun) -> Self {
        let (last, latest) = (run.last_row(), run.last_board_or_session_row());
        let board = latest.filter(|row| row.number.is_some());
        Self {
            name: run.name.clone(),
            state: state_text(run),
            active: matches!(run.process_state, ProcessState::Active(_)),
            elapsed: last.map_or(0.0, |row| row.elapsed),
            board: board.map_or_else(String::new, |row| row.board.clone()),
            range: board.map_or_else(String::new, range_with_gap),
            boards: last.and_then(|row| row.boards),
            done: run.done_and_proven().0,
            proven: run.done_and_proven().1,
            rate: latest.filter(|_| !run.is_over()).and_then(rate_text),
            error: run.error.clone(),
        }
    }
}

/// A board with a search that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BegunView {
    /// The number of the board, from 1.
    pub number: usize,
    /// The name of the board.
    pub name: String,
    /// What is proven and found.
    pub range: String,
}

/// The boards that are not done after their last rows.
fn begun_boards(rows: &[ProgressRow]) -> Vec<BegunView> {
    let last: BTreeMap<usize, &ProgressRow> = rows.iter().filter_map(|row| Some((row.number?, row))).collect();
    let begun = last.into_iter().filter(|(_, row)| !row.is_final());
    begun.map(|(number, row)| BegunView { number, name: row.board.clone(), range: range_with_gap(row) }).collect()
}

/// A finished layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerView {
    /// The f of its nodes.
    pub f: u32,
    /// States expanded in it.
    pub expanded: u64,
    /// How many times larger it is than the previous layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
}

/// The layer under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NowView {
    /// The f of its nodes.
    pub f: u32,
    /// States expanded in it.
    pub expanded: u64,
    /// Its open nodes, as far as they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<u64>,
    /// The percentage of its known nodes that are expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<u64>,
}

/// A board of a run, from its last row and its curves.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardView {
    /// The number of the board, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The name of the board.
    pub name: String,
    /// The engine under way.
    pub engine: String,
    /// The proven range and its gap.
    pub range: String,
    /// How the search ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Rate and estimates, as lines of text.
    pub notes: Vec<String>,
    /// Memory, disk, checkpoints: a few words each.
    pub resources: Vec<String>,
    /// Resources with a limit: the share that is used, from 0 to 1.
    pub bars: Vec<(String, f64)>,
    /// Finished layers, with rising f.
    pub layers: Vec<LayerView>,
    /// The layer under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<NowView>,
    /// For each worker: its idle share over the last rows, from 0 to 1, and its number of steals.
    pub workers: Vec<(f64, u64)>,
    /// Each rank, if several search.
    pub ranks: Vec<RankStatus>,
    /// The proven values: seconds since the board began, and a value that holds from then on.
    pub proven: Curve,
    /// The values of the best solutions, in the same form.
    pub best: Curve,
    /// Where the curves end, in seconds since the board began.
    pub end: f64,
    /// The unit of the values.
    pub word: String,
    /// States expanded per second, at some moments.
    pub rate: Curve,
    /// Memory in use, in bytes, at some moments.
    pub memory: Curve,
}

impl BoardView {
    /// A board without rows of progress: it was searched briefly, side by side with others.
    #[must_use]
    pub fn of_result(result: &BoardRecord) -> Self {
        Self {
            number: Some(result.number),
            name: result.board.clone(),
            engine: result.engine.name().to_owned(),
            range: record_range(result),
            word: unit_text(result.objective.name),
            ended: Some(result.stopped.map_or(result.status.name(), StopReason::name).to_owned()),
            ..Self::default()
        }
    }

    /// The board that was searched last; `None` before the first row.
    #[must_use]
    pub fn of(run: &WatchedRun) -> Option<Self> {
        let row = run.last_board_or_session_row()?;
        let (layers, curves) = (finished_layers(run.board_rows()), Curves::of(run.board_rows()));
        let resources = resource_fields(row, run.is_over() || run.is_report);
        let bar = |ResourceField { text, share }: &ResourceField| {
            let name = text.split(' ').next().unwrap_or_default();
            share.map(|share| (name.to_owned(), rounded(share, 1e3)))
        };
        Some(Self {
            number: row.number,
            name: row.board.clone(),
            engine: row.engine.clone(),
            range: range_with_gap(row),
            ended: row.ended.clone(),
            notes: estimate_texts(run),
            bars: resources.iter().flatten().filter_map(bar).collect(),
            resources: resources.into_iter().flatten().map(|field| field.text).collect(),
            now: layer_under_way(row, layers.last().map(|last| last.layer.f)),
            layers: layers
                .into_iter()
                .map(|grown| LayerView {
                    f: grown.layer.f,
                    expanded: grown.layer.expanded,
                    growth: grown.factor.map(|factor| rounded(factor, 1e2)),
                })
                .collect(),
            workers: idle_shares(run)
                .into_iter()
                .zip(&row.workers)
                .map(|(idle, worker)| (rounded(idle, 1e3), worker.steals))
                .collect(),
            ranks: row.ranks.clone(),
            word: unit_text(row.objective().name),
            rate: rate_curve(run.board_rows()),
            memory: sampled(run.board_rows(), |row| Some(row.memory_bytes() as f64).filter(|&bytes| bytes > 0.0)),
            proven: curves.proven,
            best: curves.best,
            end: rounded(curves.end, 1e3),
        })
    }
}

/// The state of a run. The number of a process is of no use on a page.
fn state_text(run: &WatchedRun) -> String {
    let is_active = matches!(run.process_state, ProcessState::Active(_)) && run.error.is_none();
    if is_active { "running".to_owned() } else { run.state() }
}

/// The layer under way; `None` if it is finished or the search has ended.
fn layer_under_way(row: &ProgressRow, finished: Option<u32>) -> Option<NowView> {
    let f = row.layer.filter(|&f| finished.is_none_or(|last| last < f) && row.event != RowEvent::Board)?;
    Some(NowView { f, expanded: row.in_layer, open: row.open_nodes_in(f), share: row.layer_percent() })
}

fn unit_text(objective: &str) -> String {
    if objective == "left" { "cells left".to_owned() } else { objective.to_owned() }
}

/// States expanded per second, between rows of one session.
fn rate_curve<'r>(rows: impl Iterator<Item = &'r ProgressRow>) -> Curve {
    let mut last = (0, 0.0, 0);
    sampled(rows, |row| {
        let (session, elapsed, expanded) = last;
        let (seconds, expanded) = (row.elapsed - elapsed, row.expanded.saturating_sub(expanded));
        if session == row.session && seconds < 1.0 {
            return None;
        }
        last = (row.session, row.elapsed, row.expanded);
        (session == row.session).then(|| expanded as f64 / seconds)
    })
}

/// The values of rows over time: of all rows, or of every n-th row if there are many.
fn sampled<'r>(
    rows: impl Iterator<Item = &'r ProgressRow>,
    mut value: impl FnMut(&ProgressRow) -> Option<f64>,
) -> Curve {
    let mut began_at = None;
    let points: Vec<(f64, f64)> = rows
        .filter_map(|row| {
            let at = row.elapsed - *began_at.get_or_insert(row.elapsed);
            Some((rounded(at, 1e3), value(row)?.round()))
        })
        .collect();
    let stride = points.len().div_ceil(MAX_CURVE_POINTS).max(1);
    // Count from the end, so that the last value is included.
    let mut sample: Curve = points.into_iter().rev().step_by(stride).collect();
    sample.reverse();
    sample
}
