//! A run that is shown.

use super::answer::Answer;
use super::events::PublishedState;
use crate::hunt::RunState;
use crate::views::film::{DEFAULT_FRAME_COUNT, Film};
use crate::views::page::{BoardView, FilmView, ResultView, RunView};
use crate::views::watch::{RowSource, WatchedRun};
use gridhunt_search::platform::unix_seconds;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::watch::{Receiver, Sender};

/// The most events that a page gets.
const MOST_EVENTS: usize = 300;

/// The longest time that unused rows stay in memory.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

/// A state of a run that is sent to clients.
#[derive(Debug)]
pub(super) struct PublishedRun {
    id: String,
    view: RunView,
    /// The change count of the results, and the results.
    results: (u64, Vec<ResultView>),
    /// The view as JSON without and with results.
    json: [OnceLock<String>; 2],
}

impl PublishedState for PublishedRun {
    const EVENT: &'static str = "run";

    fn id(&self) -> &str {
        &self.id
    }

    fn json(&self, previous: Option<&Self>) -> String {
        let has_results = previous.is_none_or(|previous| previous.results.0 != self.results.0);
        let json = || {
            let results = has_results.then(|| self.results.1.clone());
            Answer::Run(RunView { results, ..self.view.clone() }).json()
        };
        self.json[usize::from(has_results)].get_or_init(json).clone()
    }
}

/// A run that is shown.
#[derive(Debug)]
pub(super) struct ServedRun {
    /// The name in addresses.
    pub(super) id: String,
    /// The run directory.
    pub(super) path: PathBuf,
    loaded: Mutex<Option<LoadedRows>>,
    sender: Sender<Option<Arc<PublishedRun>>>,
}

/// The progress rows and the results of a run, in memory.
#[derive(Debug)]
struct LoadedRows {
    source: RowSource,
    run: WatchedRun,
    used_at: Instant,
    /// The prefix of the ids of states. It differs each time the rows are loaded.
    load_id: String,
    /// The number of the last state.
    state_number: u64,
}

impl LoadedRows {
    fn new(source: RowSource) -> Self {
        let (run, load_id) = (source.new_run(), format!("{:.3}", unix_seconds()));
        Self { source, run, used_at: Instant::now(), load_id, state_number: 0 }
    }

    fn next_state(&mut self) -> PublishedRun {
        self.state_number += 1;
        PublishedRun {
            id: format!("{}.{}", self.load_id, self.state_number),
            view: RunView::of(&self.run, MOST_EVENTS),
            results: (self.run.results.revision(), ResultView::all(self.run.results.records().values())),
            json: Default::default(),
        }
    }
}

impl ServedRun {
    pub(super) fn new(id: String, path: PathBuf) -> Self {
        Self { id, path, loaded: Mutex::default(), sender: Sender::new(None) }
    }

    /// Calls `use_rows` with the rows, which are loaded if they are not in memory.
    fn with_rows<T>(&self, use_rows: impl FnOnce(&mut LoadedRows) -> T) -> T {
        let mut loaded = self.loaded.lock();
        let rows = loaded.get_or_insert_with(|| {
            let mut loaded = LoadedRows::new(RowSource::of_run(self.path.clone()));
            loaded.source.poll_all(&mut loaded.run);
            loaded
        });
        rows.used_at = Instant::now();
        use_rows(rows)
    }

    /// Reads new rows and results, and sends them to current and later clients.
    fn poll_and_publish(&self, rows: &mut LoadedRows) {
        if rows.source.poll_all(&mut rows.run) || self.sender.borrow().is_none() {
            self.sender.send_replace(Some(Arc::new(rows.next_state())));
        }
    }

    /// Subscribes to the states of the run.
    pub(super) fn subscribe(&self) -> Receiver<Option<Arc<PublishedRun>>> {
        let receiver = self.sender.subscribe();
        self.with_rows(|rows| self.poll_and_publish(rows));
        receiver
    }

    /// Sends new rows and results to clients. Without clients, drops rows that were not used for [`IDLE_LIMIT`].
    pub(super) fn poll(&self) {
        if self.sender.receiver_count() > 0 {
            return self.with_rows(|rows| self.poll_and_publish(rows));
        }
        let mut loaded = self.loaded.lock();
        if loaded.as_ref().is_some_and(|rows| rows.used_at.elapsed() > IDLE_LIMIT) {
            *loaded = None;
            self.sender.send_replace(None);
        }
    }

    /// A board with its curves, if there are rows about it; otherwise its result.
    pub(super) fn board(&self, number: usize) -> Option<BoardView> {
        self.with_rows(|rows| {
            self.poll_and_publish(rows);
            let result = || rows.run.results.records().get(&number).map(BoardView::of_result);
            BoardView::of(&rows.run.only_board(number)).or_else(result)
        })
    }

    /// The best solution of a board, step by step.
    pub(super) fn film(&self, number: usize) -> Result<FilmView, String> {
        let state = RunState::read(&self.path).map_err(|error| error.to_string())?;
        Ok(FilmView::of(&Film::of_run(&state, number, DEFAULT_FRAME_COUNT)?))
    }
}
