//! What is known about the search of one board. Nothing that is counted or proven here ever falls.

use super::row::{CheckpointProgress, ProgressRow, StageProgress, milli};
use gridhunt_hunt::BoardSearchInfo;
use gridhunt_search::checkpoint::WrittenCheckpoint;
use gridhunt_search::domain::Cost;
use gridhunt_search::runtime::{Event, Progress, WorkerProgress};
use std::collections::BTreeMap;
use std::mem::take;

/// Searches of one board whose counts are remembered. One search after another counts from 0.
const MOST_SEARCHES: usize = 8;

/// Counts of a search, or of all searches of a board.
#[derive(Clone, Debug, Default)]
struct Counts {
    expanded: u64,
    generated: u64,
    duplicates: u64,
    reopened: u64,
    workers: Vec<WorkerProgress>,
}

impl Counts {
    fn of(progress: &Progress) -> Self {
        let Progress { expanded, generated, duplicates, reopened, ref workers, .. } = *progress;
        Self { expanded, generated, duplicates, reopened, workers: workers.clone() }
    }

    /// Adds by how much `now` exceeds `before`.
    fn add_growth(&mut self, now: &Self, before: &Self) {
        self.expanded += now.expanded.saturating_sub(before.expanded);
        self.generated += now.generated.saturating_sub(before.generated);
        self.duplicates += now.duplicates.saturating_sub(before.duplicates);
        self.reopened += now.reopened.saturating_sub(before.reopened);
        if self.workers.len() < now.workers.len() {
            self.workers.resize(now.workers.len(), WorkerProgress::default());
        }
        for (number, (all, now)) in self.workers.iter_mut().zip(&now.workers).enumerate() {
            let before = before.workers.get(number).copied().unwrap_or_default();
            all.idle_seconds += (now.idle_seconds - before.idle_seconds).max(0.0);
            all.steals += now.steals.saturating_sub(before.steals);
        }
    }

    /// The higher of each pair of counts.
    fn raise(&mut self, now: &Self) {
        let before = self.clone();
        self.add_growth(now, &before);
    }
}

/// The search of one board.
#[derive(Clone, Debug, Default)]
pub(super) struct BoardProgress {
    /// What is known, in the fields of a row that are about a board. `lower_bound` is the highest finite one.
    row: ProgressRow,
    total: Counts,
    /// The counts of the last searches, by their numbers.
    searches: BTreeMap<u64, Counts>,
    /// How many workers the last search has that told of them; `None` before the first progress of the session.
    workers: Option<usize>,
    /// Where the rate of this session begins: the last moment at which nothing was expanded, and the states expanded
    /// before.
    rate_from: (f64, u64),
    checkpoint: Option<WrittenCheckpoint>,
}

impl BoardProgress {
    /// A board whose search begins at `now` seconds of the session.
    pub(super) fn new(board: &BoardSearchInfo<'_>, now: f64) -> Self {
        let row = ProgressRow {
            number: Some(board.number),
            board: board.name.to_owned(),
            identity: board.identity.clone(),
            objective: board.objective.name.to_owned(),
            ceiling: board.objective.ceiling(),
            ..ProgressRow::default()
        };
        Self { row, rate_from: (now, 0), ..Self::default() }
    }

    /// Continues the counts of the last row about the same board.
    pub(super) fn continue_from(&mut self, before: &ProgressRow) {
        let ProgressRow { expanded, generated, duplicates, reopened, ref workers, .. } = *before;
        self.rate_from.1 = expanded;
        self.total = Counts { expanded, generated, duplicates, reopened, workers: workers.clone() };
        self.checkpoint = before.checkpoint.map(|CheckpointProgress { number, age, seconds, bytes }| {
            WrittenCheckpoint { number, time: before.time - age, seconds, bytes }
        });
        let &ProgressRow { stored, lower_bound, unsolvable, incumbent, layer, .. } = before;
        self.row = ProgressRow { stored, lower_bound, unsolvable, incumbent, layer, ..take(&mut self.row) };
    }

    /// The board has all threads, from a moment that rows would tell as `elapsed`.
    pub(super) fn has_all_threads(&mut self, shape: &str, elapsed: f64) {
        self.row.title = Some((format!("{}: {shape}", self.row.board), elapsed));
    }

    /// Takes an event, at `now` seconds of the session. Returns whether the proven range became smaller.
    pub(super) fn take(&mut self, event: &Event<'_>, now: f64) -> bool {
        let range = |row: &ProgressRow| (row.lower_bound, row.unsolvable, row.incumbent);
        let before = range(&self.row);
        match event {
            Event::EngineStarted { engine } => {
                (*engine).clone_into(&mut self.row.engine);
                self.row.stage = None;
            }
            Event::LayerStarted { f, open } => {
                (self.row.layer, self.row.stage) = (Some(*f), None);
                // The workers have not told their open nodes of this layer yet.
                self.row.in_layer = 0;
                set_open(&mut self.row.open, *f, *open);
            }
            Event::LowerBound(cost) => self.raise_lower_bound(*cost),
            Event::Incumbent { cost, .. } => self.hold(*cost),
            Event::Stage { stage, done, total } => {
                self.row.stage = (done < total).then(|| parts(stage, (*done, *total)));
            }
            Event::Progress(progress) => self.measure(progress, now),
            Event::LayerDone(_) | Event::Note(_) | Event::Beam { .. } => {}
        }
        range(&self.row) != before
    }

    /// The final range of a record.
    pub(super) fn conclude(&mut self, lower_bound: Option<Cost>, incumbent: Option<Cost>) {
        self.raise_lower_bound(lower_bound.unwrap_or(Cost::MAX));
        incumbent.into_iter().for_each(|cost| self.hold(cost));
        (self.row.stage, self.row.rate) = (None, None);
    }

    fn raise_lower_bound(&mut self, cost: Cost) {
        // Events of several workers may arrive out of order, so keep the greatest lower bound.
        match cost {
            Cost::MAX => self.row.unsolvable = true,
            cost => self.row.lower_bound = self.row.lower_bound.max(cost),
        }
    }

    fn hold(&mut self, cost: Cost) {
        self.row.incumbent = Some(self.row.incumbent.map_or(cost, |held| held.min(cost)));
    }

    fn measure(&mut self, now: &Progress, seconds: f64) {
        self.raise_lower_bound(now.lower_bound);
        now.incumbent.into_iter().for_each(|cost| self.hold(cost));
        let counts = Counts::of(now);
        let before = self.searches.entry(now.search).or_default();
        self.total.add_growth(&counts, before);
        before.raise(&counts);
        while self.searches.len() > MOST_SEARCHES {
            self.searches.pop_first();
        }
        self.workers = Some(now.workers.len()).filter(|&workers| workers > 0).or(self.workers);
        self.checkpoint = now.checkpoint.or(self.checkpoint);
        self.measure_rate(seconds);
        let (occupied, slots) = now.store.index;
        self.row = ProgressRow {
            layer: Some(now.layer).filter(|&layer| layer > 0).or(self.row.layer),
            stored: self.row.stored.max(now.stored),
            in_layer: now.in_layer,
            open: now.open.clone(),
            bytes: now.bytes,
            resident: now.resident,
            disk: now.store.disk,
            hot: now.store.hot,
            cold: now.store.cold,
            index_load: (slots > 0).then(|| milli(occupied as f64 / slots as f64)),
            ranks: now.ranks.clone(),
            writing: now.writing.map(|share| parts("writing the checkpoint", share)),
            next_checkpoint: now.until_checkpoint.map(milli),
            ..take(&mut self.row)
        };
    }

    /// The rate is that of the whole session: in the last second, a search may do other work.
    fn measure_rate(&mut self, now: f64) {
        let (from, before) = &mut self.rate_from;
        let expanded = self.total.expanded - *before;
        if expanded == 0 {
            *from = now;
        }
        self.row.rate = Some((expanded as f64 / (now - *from)).round()).filter(|rate| rate.is_finite() && *rate > 0.0);
    }

    /// The row of a session, with everything that is known of the board.
    pub(super) fn fill(&self, row: ProgressRow) -> ProgressRow {
        let ProgressRow { time, elapsed, session, event, boards, done, proven, stopped, .. } = row;
        let ProgressRow { memory_limit, disk_limit, .. } = row;
        let Counts { expanded, generated, duplicates, reopened, mut workers } = self.total.clone();
        workers.truncate(self.workers.unwrap_or(usize::MAX));
        workers.iter_mut().for_each(|worker| worker.idle_seconds = milli(worker.idle_seconds));
        ProgressRow {
            time,
            elapsed,
            session,
            event,
            boards,
            done,
            proven,
            stopped,
            title: self.row.title.clone().map(|(title, begun)| (title, elapsed - begun)),
            memory_limit,
            disk_limit,
            expanded,
            generated,
            duplicates,
            reopened,
            workers,
            checkpoint: self.checkpoint.map(|written| CheckpointProgress::at(written, time)),
            ..self.row.clone()
        }
    }
}

fn parts(what: impl ToString, (done, total): (u64, u64)) -> StageProgress {
    StageProgress { what: what.to_string(), done, total }
}

/// Sets the open nodes of the lowest layer with some.
fn set_open(open: &mut Vec<(Cost, u64)>, f: Cost, nodes: u64) {
    open.retain(|&(of, _)| of > f);
    open.insert(0, (f, nodes));
}
