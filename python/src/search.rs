//! Searches. Each runs on its own threads, and queues messages for Python.

use crate::board::Board;
use crate::errors::{GridhuntError, Raise, system_error};
use crate::interruptible::POLL;
use crate::options;
use gridhunt::hunt::{
    Batch, BatchError, BatchObserver, BatchObservers, BoardResult, BoardSearchInfo, Config, HuntError, RunDir,
    StopListener,
};
use gridhunt::puzzles::StartPosition;
use gridhunt::views::{LiveView, ProgressLog, ProgressRow, ProgressSinks, RunLog, SessionFacts, result_to_json};
use gridhunt_boards::Entry;
use gridhunt_search::runtime::{Event, Observer, StopReason, StopToken};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The most rows of progress in the queue. A further row replaces the oldest one.
const MOST_ROWS: usize = 4_096;

/// A message from a search to Python.
enum Message {
    /// A row of progress.
    Row(String),
    /// A note for people.
    Note(String),
    /// The result of a board.
    Record(String),
    /// Why the search has no result, or why its result is not saved.
    Failed(PyErr),
}

/// What the threads of a search and of Python share.
#[derive(Default)]
struct Shared {
    stop: Arc<StopToken>,
    queue: Mutex<MessageQueue>,
    has_message: Condvar,
}

/// Messages that Python has not taken yet.
#[derive(Default)]
struct MessageQueue {
    messages: VecDeque<Message>,
    row_count: usize,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, MessageQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message. Never waits, so a search does not depend on whether Python takes messages.
    fn push(&self, message: Message) {
        let mut queue = self.lock();
        if matches!(message, Message::Row(_)) {
            if queue.row_count == MOST_ROWS {
                let oldest = queue.messages.iter().position(|message| matches!(message, Message::Row(_)));
                oldest.and_then(|at| queue.messages.remove(at));
            } else {
                queue.row_count += 1;
            }
        }
        queue.messages.push_back(message);
        self.has_message.notify_one();
    }

    fn push_result(&self, result: &BoardResult) {
        // JSON can represent every field.
        self.push(Message::Record(result_to_json(result).unwrap_or_default()));
    }

    /// Waits for the next message. Returns `Some(None)` at the end, and `None` if no message comes within `time`.
    fn take(&self, time: Duration) -> Option<Option<Message>> {
        let waits = |queue: &mut MessageQueue| queue.messages.is_empty() && !queue.is_over;
        let (mut queue, _) =
            self.has_message.wait_timeout_while(self.lock(), time, waits).unwrap_or_else(PoisonError::into_inner);
        let message = queue.messages.pop_front();
        queue.row_count -= usize::from(matches!(message, Some(Message::Row(_))));
        if message.is_none() && !queue.is_over { None } else { Some(message) }
    }
}

/// Sends rows of progress to Python.
struct RowSender(Arc<Shared>);

impl LiveView for RowSender {
    fn show_written(&mut self, row: &ProgressRow) {
        // JSON can represent every field.
        self.0.push(Message::Row(serde_json::to_string(row).unwrap_or_default()));
    }

    fn show_current(&mut self, row: &ProgressRow) {
        self.show_written(row);
    }
}

/// Sends notes to Python.
struct NoteSender<'a>(&'a Shared);

impl Observer for NoteSender<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            self.0.push(Message::Note((*note).to_owned()));
        }
    }
}

impl BatchObserver for NoteSender<'_> {
    fn begin_parallel_board<'a>(&'a self, _: &'a BoardSearchInfo<'_>) -> Box<dyn Observer + 'a> {
        Box::new(NoteSender(self.0))
    }
}

/// The boards and options of a search, and its run directory.
struct Session {
    boards: Vec<Entry>,
    config: Config,
    run: Option<RunDir>,
    /// Whether the creation of the run is undone in the end: the run is new, and the search has not succeeded.
    is_undone: bool,
    /// Whether Python takes rows of progress.
    wants_rows: bool,
}

impl Session {
    fn search(&self, shared: &Arc<Shared>) -> PyResult<()> {
        let run = self.run.as_ref();
        let total = run.map_or(self.boards.len(), RunDir::board_count);
        let remaining = run.map_or(total, |run| run.board_numbers().filter(|&number| !run.is_done(number)).count());
        let (mut request, parallel) = self.config.session(Some(remaining), total > 1, None);
        let _ = request.clamp_threads();
        let listener = run.map(|run| StopListener::begin(run, &shared.stop)).transpose();
        let _listener = listener.map_err(system_error)?;
        if let Some(run) = run {
            for record in run.final_results(false) {
                shared.push_result(&BoardResult::Record { record: Box::new(record), record_error: None });
            }
        }
        let mut observers: BatchObservers<'_> = vec![Box::new(NoteSender(shared))];
        if let Some(run) = run {
            observers.push(Box::new(RunLog::new(run).map_err(system_error)?));
        }
        let view = self.wants_rows.then(|| Box::new(RowSender(Arc::clone(shared))) as _);
        let sinks = ProgressSinks { run, view, file: None };
        if run.is_some() || self.wants_rows {
            let facts = SessionFacts::of(&request, Some(total), run);
            observers.push(Box::new(ProgressLog::new(sinks, facts).map_err(system_error)?));
        }
        let boards: Box<dyn Iterator<Item = Result<StartPosition, HuntError>>> = match run {
            Some(run) => {
                let boards = run.boards().map_err(Raise::raise)?;
                Box::new(boards.map(|entry| Ok(entry?.into())))
            }
            None => Box::new(self.boards.iter().map(|entry| Ok(entry.clone().into()))),
        };
        let batch = Batch {
            request: &request,
            parallel,
            observer: &observers,
            stop: &shared.stop,
            run,
            is_strict: total == 1,
            reports_not_begun: true,
            certificates: None,
            ranks: None,
        };
        let deliver = |result| {
            shared.push_result(&result);
            if let BoardResult::Record { record_error: Some(error), .. } = result {
                shared.push(Message::Failed(error.raise()));
            }
            Ok::<(), Infallible>(())
        };
        match batch.run(boards, deliver) {
            Ok(()) => Ok(()),
            Err(BatchError::Hunt(error)) => Err(error.raise()),
            Err(BatchError::Deliver(never)) => match never {},
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A run that has results stays.
        self.run.take().filter(|_| self.is_undone).into_iter().for_each(RunDir::undo_if_unused);
    }
}

/// A search under way.
#[pyclass(frozen, module = "gridhunt._native")]
pub struct Search {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Search {
    fn begin(mut session: Session) -> PyResult<Self> {
        let shared = Arc::new(Shared::default());
        let thread_shared = Arc::clone(&shared);
        let work = move || {
            let searched = catch_unwind(AssertUnwindSafe(|| session.search(&thread_shared)));
            let failed = match searched {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error),
                Err(_) => Some(GridhuntError::new_err("the search panicked: a fault of gridhunt")),
            };
            session.is_undone &= failed.is_some();
            drop(session);
            failed.into_iter().for_each(|error| thread_shared.push(Message::Failed(error)));
            thread_shared.lock().is_over = true;
            thread_shared.has_message.notify_all();
        };
        let thread = std::thread::Builder::new().name("hunt".to_owned()).spawn(work);
        Ok(Self { shared, thread: Mutex::new(Some(thread.map_err(system_error)?)) })
    }
}

#[pymethods]
impl Search {
    #[new]
    fn new(boards: Vec<PyRef<'_, Board>>, json: &str, run: Option<PathBuf>, wants_rows: bool) -> PyResult<Self> {
        let config = options::config(json, boards.iter().map(|board| &board.settings))?;
        let mut boards: Vec<_> = boards.iter().map(|board| board.entry.clone()).collect();
        let run = run.map(|path| RunDir::create(&path, &config, boards.drain(..).map(Ok)));
        Self::begin(Session {
            run: run.transpose().map_err(Raise::raise)?,
            boards,
            config,
            is_undone: true,
            wants_rows,
        })
    }

    #[staticmethod]
    fn resume(run: PathBuf, json: &str, wants_rows: bool) -> PyResult<Self> {
        let call_options = options::of_call(json)?;
        let (run, run_config) = RunDir::open(&run).map_err(Raise::raise)?;
        let config = options::of_resume(call_options, run_config)?;
        Self::begin(Session { boards: Vec::new(), config, run: Some(run), is_undone: false, wants_rows })
    }

    /// The next message: its kind and its text; `None` at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<(&'static str, String)>> {
        loop {
            py.check_signals()?;
            match py.detach(|| self.shared.take(POLL)) {
                None => {}
                Some(None) => return Ok(None),
                Some(Some(Message::Row(json))) => return Ok(Some(("row", json))),
                Some(Some(Message::Note(text))) => return Ok(Some(("note", text))),
                Some(Some(Message::Record(json))) => return Ok(Some(("record", json))),
                Some(Some(Message::Failed(error))) => return Err(error),
            }
        }
    }

    /// Asks the search to end, with a checkpoint if it has a run directory.
    fn stop(&self) {
        self.shared.stop.stop(StopReason::Interrupted);
    }

    /// Waits until the search has ended and its run directory is free.
    fn join(&self, py: Python<'_>) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| thread.map(JoinHandle::join));
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
        Python::attach(|py| self.join(py));
    }
}
