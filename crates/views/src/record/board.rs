//! The progress of the search of one board. Its counts never fall, and its range only narrows.

use super::row::{CheckpointProgress, ProgressRow, StageProgress, rounded_milli};
use gridhunt_hunt::BoardSearchInfo;
use gridhunt_search::domain::Cost;
use gridhunt_search::runtime::{Event, Progress, WorkerProgress, WrittenCheckpoint};
use std::collections::BTreeMap;
use std::mem::take;

/// The maximum number of searches of one board whose counts are kept. Each search counts from 0.
const MAX_SEARCHES: usize = 8;

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

    /// Adds the growth from `earlier` to `later`.
    fn add_growth(&mut self, later: &Self, earlier: &Self) {
        self.expanded += later.expanded.saturating_sub(earlier.expanded);
        self.generated += later.generated.saturating_sub(earlier.generated);
        self.duplicates += later.duplicates.saturating_sub(earlier.duplicates);
        self.reopened += later.reopened.saturating_sub(earlier.reopened);
        if self.workers.len() < later.workers.len() {
            self.workers.resize(later.workers.len(), WorkerProgress::default());
        }
        for (number, (total, later)) in self.workers.iter_mut().zip(&later.workers).enumerate() {
            let earlier = earlier.workers.get(number).copied().unwrap_or_default();
            total.idle_seconds += (later.idle_seconds - earlier.idle_seconds).max(0.0);
            total.steals += later.steals.saturating_sub(earlier.steals);
        }
    }

    /// Raises each count to that of `later`, if it is higher.
    fn raise_to(&mut self, later: &Self) {
        let earlier = self.clone();
        self.add_growth(later, &earlier);
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct BoardProgress {
    /// The fields of a row that are about a board. `lower_bound` is the highest finite lower bound.
    row: ProgressRow,
    total: Counts,
    searches: BTreeMap<u64, Counts>,
    /// The number of workers in the last progress that lists workers; `None` before it.
    worker_count: Option<usize>,
    /// The start of the rate: the last second of the session without an expansion, and the states expanded before the
    /// session.
    rate_start: (f64, u64),
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
        Self { row, rate_start: (now, 0), ..Self::default() }
    }

    /// Continues the counts, the range and the checkpoint of an earlier session from its last row.
    pub(super) fn continue_from(&mut self, last: &ProgressRow) {
        let ProgressRow { expanded, generated, duplicates, reopened, ref workers, .. } = *last;
        self.rate_start.1 = expanded;
        self.total = Counts { expanded, generated, duplicates, reopened, workers: workers.clone() };
        self.checkpoint = last.checkpoint.map(|CheckpointProgress { number, age, seconds, bytes }| WrittenCheckpoint {
            number,
            time: last.time - age,
            seconds,
            bytes,
        });
        let &ProgressRow { stored, lower_bound, unsolvable, incumbent, layer, .. } = last;
        self.row = ProgressRow { stored, lower_bound, unsolvable, incumbent, layer, ..take(&mut self.row) };
    }

    /// Marks the board as the one that has all threads, since the row time `elapsed`.
    pub(super) fn set_main(&mut self, shape: &str, elapsed: f64) {
        self.row.title = Some((format!("{}: {shape}", self.row.board), elapsed));
    }

    /// Applies an event at `now` seconds of the session. Returns whether the proven range has changed.
    pub(super) fn apply(&mut self, event: &Event<'_>, now: f64) -> bool {
        let range = |row: &ProgressRow| (row.lower_bound, row.unsolvable, row.incumbent);
        let old_range = range(&self.row);
        match event {
            Event::EngineStarted { engine } => {
                (*engine).clone_into(&mut self.row.engine);
                self.row.stage = None;
            }
            Event::LayerStarted { f, open } => {
                (self.row.layer, self.row.stage) = (Some(*f), None);
                // Progress has not counted this layer yet.
                self.row.in_layer = 0;
                // No layer up to `f` has other open nodes.
                self.row.open.retain(|&(layer, _)| layer > *f);
                self.row.open.insert(0, (*f, *open));
            }
            Event::LowerBound(cost) => self.raise_lower_bound(*cost),
            Event::Incumbent { cost, .. } => self.lower_incumbent(*cost),
            Event::Stage { stage, done, total } => {
                self.row.stage = (done < total).then(|| stage_progress(stage, (*done, *total)));
            }
            Event::Progress(progress) => self.apply_progress(progress, now),
            Event::LayerDone(_) | Event::Note(_) | Event::Beam { .. } => {}
        }
        range(&self.row) != old_range
    }

    pub(super) fn set_final_range(&mut self, lower_bound: Option<Cost>, incumbent: Option<Cost>) {
        self.raise_lower_bound(lower_bound.unwrap_or(Cost::MAX));
        incumbent.into_iter().for_each(|cost| self.lower_incumbent(cost));
        (self.row.stage, self.row.rate) = (None, None);
    }

    fn raise_lower_bound(&mut self, cost: Cost) {
        // Events of several workers may arrive out of order.
        match cost {
            Cost::MAX => self.row.unsolvable = true,
            cost => self.row.lower_bound = self.row.lower_bound.max(cost),
        }
    }

    fn lower_incumbent(&mut self, cost: Cost) {
        self.row.incumbent = Some(self.row.incumbent.map_or(cost, |incumbent| incumbent.min(cost)));
    }

    fn apply_progress(&mut self, progress: &Progress, now: f64) {
        self.raise_lower_bound(progress.lower_bound);
        progress.incumbent.into_iter().for_each(|cost| self.lower_incumbent(cost));
        let counts = Counts::of(progress);
        let earlier = self.searches.entry(progress.search).or_default();
        self.total.add_growth(&counts, earlier);
        earlier.raise_to(&counts);
        while self.searches.len() > MAX_SEARCHES {
            self.searches.pop_first();
        }
        self.worker_count = Some(progress.workers.len()).filter(|&count| count > 0).or(self.worker_count);
        self.checkpoint = progress.checkpoint.or(self.checkpoint);
        self.update_rate(now);
        let (occupied, slots) = progress.store.index_slots;
        self.row = ProgressRow {
            layer: Some(progress.layer).filter(|&layer| layer > 0).or(self.row.layer),
            stored: self.row.stored.max(progress.stored),
            in_layer: progress.in_layer,
            open: progress.open.clone(),
            bytes: progress.bytes,
            resident: progress.resident,
            disk: progress.store.disk,
            hot: progress.store.hot,
            cold: progress.store.cold,
            index_load: (slots > 0).then(|| rounded_milli(occupied as f64 / slots as f64)),
            ranks: progress.ranks.clone(),
            writing: progress.writing.map(|share| stage_progress("writing the checkpoint", share)),
            next_checkpoint: progress.until_checkpoint.map(rounded_milli),
            ..take(&mut self.row)
        };
    }

    /// The rate is the mean of the session: within one second, a search may do other work.
    fn update_rate(&mut self, now: f64) {
        let (started_at, expanded_before) = &mut self.rate_start;
        let expanded = self.total.expanded - *expanded_before;
        if expanded == 0 {
            *started_at = now;
        }
        self.row.rate =
            Some((expanded as f64 / (now - *started_at)).round()).filter(|rate| rate.is_finite() && *rate > 0.0);
    }

    /// The row of the board. The fields of the session and of the time are those of `base`.
    pub(super) fn row_with(&self, base: ProgressRow) -> ProgressRow {
        let mut row = self.row.clone();
        let Counts { expanded, generated, duplicates, reopened, mut workers } = self.total.clone();
        workers.truncate(self.worker_count.unwrap_or(usize::MAX));
        workers.iter_mut().for_each(|worker| worker.idle_seconds = rounded_milli(worker.idle_seconds));
        (row.expanded, row.generated, row.duplicates, row.reopened) = (expanded, generated, duplicates, reopened);
        (row.time, row.elapsed, row.session, row.event) = (base.time, base.elapsed, base.session, base.event);
        (row.boards, row.done, row.proven, row.stopped) = (base.boards, base.done, base.proven, base.stopped);
        (row.memory_limit, row.disk_limit) = (base.memory_limit, base.disk_limit);
        row.title = row.title.map(|(title, began_at)| (title, base.elapsed - began_at));
        row.checkpoint = self.checkpoint.map(|written| CheckpointProgress::at(written, base.time));
        ProgressRow { workers, ..row }
    }
}

fn stage_progress(what: impl ToString, (done, total): (u64, u64)) -> StageProgress {
    StageProgress { what: what.to_string(), done, total }
}
