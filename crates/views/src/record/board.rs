//! What is known about the search of one board. Nothing that is counted or proven here ever falls.

use super::row::{CheckpointProgress, ProgressRow, StageProgress, milli};
use gridhunt_puzzle::Objective;
use gridhunt_search::checkpoint::Written;
use gridhunt_search::domain::Cost;
use gridhunt_search::runtime::{Event, Progress, Stage, WorkerProgress};
use std::collections::BTreeMap;

/// The shortest interval for the measurement of a rate, in seconds.
const RATE_STRETCH: f64 = 1.0;

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
#[derive(Clone, Debug)]
pub(crate) struct BoardProgress {
    name: String,
    objective: Objective,
    engine: String,
    /// The highest finite lower bound.
    lower_bound: Cost,
    /// Whether there is proven to be no solution.
    unsolvable: bool,
    incumbent: Option<Cost>,
    layer: Option<Cost>,
    /// The stage under way, if its total is known: parts done, and parts in total.
    stage: Option<(Stage, u64, u64)>,
    total: Counts,
    stored: u64,
    /// The counts of the last searches, by their numbers.
    searches: BTreeMap<u64, Counts>,
    /// How many workers the last search has that told of them; `None` before the first progress of the session.
    workers: Option<usize>,
    /// The last progress.
    progress: Progress,
    rate: Option<f64>,
    /// The start of the interval for the next rate: the search, its seconds, and its expanded states.
    rate_from: (u64, f64, u64),
    checkpoint: Option<Written>,
}

impl BoardProgress {
    pub(crate) fn new(name: String, objective: Objective) -> Self {
        Self {
            name,
            objective,
            engine: String::new(),
            lower_bound: 0,
            unsolvable: false,
            incumbent: None,
            layer: None,
            stage: None,
            total: Counts::default(),
            stored: 0,
            searches: BTreeMap::new(),
            workers: None,
            progress: Progress::default(),
            rate: None,
            rate_from: (0, 0.0, 0),
            checkpoint: None,
        }
    }

    /// Continues the counts of the last row about the same board.
    pub(super) fn after(self, row: &ProgressRow) -> Self {
        let ProgressRow { expanded, generated, duplicates, reopened, ref workers, .. } = *row;
        let total = Counts { expanded, generated, duplicates, reopened, workers: workers.clone() };
        let checkpoint = row.checkpoint.map(|CheckpointProgress { number, age, seconds, bytes }| Written {
            number,
            time: row.time - age,
            seconds,
            bytes,
        });
        let &ProgressRow { stored, lower_bound, unsolvable, incumbent, layer, .. } = row;
        Self { total, stored, lower_bound, unsolvable, incumbent, layer, checkpoint, ..self }
    }

    /// Takes an event. Returns whether the proven range became smaller.
    pub(crate) fn take(&mut self, event: &Event<'_>) -> bool {
        let range = (self.lower_bound, self.unsolvable, self.incumbent);
        match event {
            Event::EngineStarted { engine } => {
                (*engine).clone_into(&mut self.engine);
                self.stage = None;
            }
            Event::LayerStarted { f, open } => {
                (self.layer, self.stage) = (Some(*f), None);
                // The workers have not told their open nodes of this layer yet.
                self.progress.in_layer = 0;
                set_open(&mut self.progress.open, *f, *open);
            }
            Event::LowerBound(cost) => self.raise_lower_bound(*cost),
            Event::Incumbent { cost, .. } => self.hold(*cost),
            Event::Stage { stage, done, total } => {
                self.stage = Some((*stage, *done, *total)).filter(|_| done < total);
            }
            Event::Progress(progress) => self.measure(progress),
            Event::LayerDone(_) | Event::Note(_) | Event::Beam { .. } => {}
        }
        (self.lower_bound, self.unsolvable, self.incumbent) != range
    }

    /// The final range of a record.
    pub(super) fn conclude(&mut self, lower_bound: Option<Cost>, incumbent: Option<Cost>) {
        self.raise_lower_bound(lower_bound.unwrap_or(Cost::MAX));
        incumbent.into_iter().for_each(|cost| self.hold(cost));
        (self.stage, self.rate) = (None, None);
    }

    fn raise_lower_bound(&mut self, cost: Cost) {
        // Events of several workers may arrive out of order, so keep the greatest lower bound.
        match cost {
            Cost::MAX => self.unsolvable = true,
            cost => self.lower_bound = self.lower_bound.max(cost),
        }
    }

    fn hold(&mut self, cost: Cost) {
        self.incumbent = Some(self.incumbent.map_or(cost, |held| held.min(cost)));
    }

    fn measure(&mut self, now: &Progress) {
        self.raise_lower_bound(now.lower_bound);
        now.incumbent.into_iter().for_each(|cost| self.hold(cost));
        if now.layer > 0 {
            self.layer = Some(now.layer);
        }
        let counts = Counts::of(now);
        let before = self.searches.entry(now.search).or_default();
        self.total.add_growth(&counts, before);
        before.raise(&counts);
        while self.searches.len() > MOST_SEARCHES {
            self.searches.pop_first();
        }
        self.workers = Some(now.workers.len()).filter(|&workers| workers > 0).or(self.workers);
        self.stored = self.stored.max(now.stored);
        self.checkpoint = now.checkpoint.or(self.checkpoint);
        let (search, from, expanded) = self.rate_from;
        if search != now.search || now.expanded < expanded || now.seconds < from {
            // Another engine has started and counts from zero.
            self.rate = (search != now.search && now.seconds > 0.0).then(|| now.expanded as f64 / now.seconds);
            self.rate_from = (now.search, now.seconds, now.expanded);
        } else if now.seconds - from >= RATE_STRETCH {
            self.rate = Some((now.expanded - expanded) as f64 / (now.seconds - from));
            self.rate_from = (now.search, now.seconds, now.expanded);
        } else if self.rate.is_none() && now.seconds > 0.0 {
            self.rate = Some(now.expanded as f64 / now.seconds);
        }
        self.progress = now.clone();
    }

    /// Fills in everything that is known, at the time `row.time`.
    pub(crate) fn fill(&self, row: ProgressRow) -> ProgressRow {
        let Self { progress, total, .. } = self;
        let (occupied, slots) = progress.store.index;
        let parts = |what: String, (done, total): (u64, u64)| StageProgress { what, done, total };
        let mut workers = total.workers.clone();
        workers.truncate(self.workers.unwrap_or(usize::MAX));
        workers.iter_mut().for_each(|worker| worker.idle_seconds = milli(worker.idle_seconds));
        let written = self.checkpoint.map(|written| CheckpointProgress::at(written, row.time));
        let writing = "writing the checkpoint".to_owned();
        ProgressRow {
            board: self.name.clone(),
            objective: self.objective.name.to_owned(),
            ceiling: self.objective.ceiling(),
            engine: self.engine.clone(),
            stage: self.stage.map(|(stage, done, total)| parts(stage.to_string(), (done, total))),
            layer: self.layer,
            lower_bound: self.lower_bound,
            unsolvable: self.unsolvable,
            incumbent: self.incumbent,
            expanded: total.expanded,
            generated: total.generated,
            stored: self.stored,
            duplicates: total.duplicates,
            reopened: total.reopened,
            in_layer: progress.in_layer,
            open: progress.open.clone(),
            rate: self.rate.map(f64::round),
            bytes: progress.bytes,
            resident: progress.resident.max(row.resident),
            disk: progress.store.disk,
            hot: progress.store.hot,
            cold: progress.store.cold,
            index_load: (slots > 0).then(|| milli(occupied as f64 / slots as f64)),
            workers,
            ranks: progress.ranks.clone(),
            checkpoint: written,
            writing: progress.writing.map(|share| parts(writing, share)),
            next_checkpoint: progress.until_checkpoint.map(milli),
            ..row
        }
    }
}

/// Sets the open nodes of the lowest layer with some.
fn set_open(open: &mut Vec<(Cost, u64)>, f: Cost, nodes: u64) {
    open.retain(|&(of, _)| of > f);
    open.insert(0, (f, nodes));
}
