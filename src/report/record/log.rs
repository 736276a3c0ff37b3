//! Writes the progress of a session to files, and shows it to live views.

use super::clock::{Clock, SystemClock};
use super::file::ProgressFile;
use super::recorder::{Earlier, INTERVAL, Recorder, SessionFacts};
use super::row::ProgressRow;
use crate::driver::{Audience, Beginning, Report, RunDir, RunError};
use crate::runtime::{Event, Observer};
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the thread looks for rows that are due.
const LOOK: Duration = Duration::from_secs(1);

/// The interval at which a search that has all threads tells its progress.
const ALL_THREADS: Duration = Duration::from_secs(1);

/// The interval at which a search beside others tells its progress.
const BESIDE: Duration = Duration::from_secs(INTERVAL as u64);

/// A live view of the rows of this process.
pub trait Viewer: Send {
    /// Takes a row that is written too.
    fn row(&mut self, row: &ProgressRow);

    /// Takes the state of this moment, about once a second.
    fn now(&mut self, row: &ProgressRow);
}

/// An observer that writes rows of progress, and forwards all events to another observer. Dropping the log writes the
/// last row.
pub struct ProgressLog<'a> {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    next: &'a dyn Audience,
}

/// What the observer shares with the thread that writes rows which are due.
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    recorder: Recorder,
    files: Vec<ProgressFile>,
    viewer: Option<Box<dyn Viewer>>,
    is_over: bool,
}

/// Files that are written, and a live view.
type Sinks = (Vec<ProgressFile>, Option<Box<dyn Viewer>>);

impl State {
    fn write(&mut self, row: &ProgressRow) {
        // A failed write is ignored: the search does not need its progress on disk.
        self.files.iter_mut().for_each(|file| _ = file.append(row));
        if let Some(viewer) = &mut self.viewer {
            viewer.row(row);
        }
    }

    fn tick(&mut self) {
        for row in self.recorder.tick() {
            self.write(&row);
        }
        if let Some(viewer) = &mut self.viewer {
            viewer.now(&self.recorder.now());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes rows that are due, until the log is dropped.
    fn run(&self) {
        let mut state = self.lock();
        while !state.is_over {
            state = self.ended.wait_timeout(state, LOOK).map_or_else(|e| e.into_inner().0, |(state, _)| state);
            if !state.is_over {
                state.tick();
            }
        }
    }
}

/// Where rows go.
#[derive(Default)]
pub struct ProgressSinks<'a> {
    /// The run directory, if the session has one.
    pub run: Option<&'a RunDir>,
    /// Another file.
    pub file: Option<&'a Path>,
    /// A live view.
    pub viewer: Option<Box<dyn Viewer>>,
}

impl ProgressSinks<'_> {
    /// Whether rows go nowhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.run.is_none() && self.file.is_none() && self.viewer.is_none()
    }
}

impl<'a> ProgressLog<'a> {
    /// A log that forwards each event to `next`. A run directory whose file cannot be written is left out, because the
    /// search does not need it.
    ///
    /// # Errors
    /// When `sinks.file` cannot be created.
    pub fn new(sinks: ProgressSinks<'_>, facts: SessionFacts, next: &'a dyn Audience) -> io::Result<Self> {
        let (mut files, mut earlier) = (Vec::new(), Earlier::default());
        if let Some((file, before)) = sinks.run.and_then(|run| ProgressFile::of_run(run.path()).ok()) {
            files.push(file);
            earlier = before;
        }
        if let Some(path) = sinks.file {
            files.push(ProgressFile::create(path)?);
        }
        let mut log = Self::with(Box::new(SystemClock::default()), (facts, earlier), (files, sinks.viewer), next);
        let shared = Arc::clone(&log.shared);
        // If the thread cannot be started, only rows that are due are missing.
        log.thread = std::thread::Builder::new().name("progress-rows".to_owned()).spawn(move || shared.run()).ok();
        Ok(log)
    }

    /// A log without a thread.
    fn with(
        clock: Box<dyn Clock>,
        (facts, earlier): (SessionFacts, Earlier),
        (files, viewer): Sinks,
        next: &'a dyn Audience,
    ) -> Self {
        let mut state = State { recorder: Recorder::new(clock, facts, earlier), files, viewer, is_over: false };
        let row = state.recorder.session();
        state.write(&row);
        Self { shared: Arc::new(Shared { state: Mutex::new(state), ended: Condvar::new() }), thread: None, next }
    }

    fn take(&self, number: Option<usize>, event: &Event<'_>) {
        let mut state = self.shared.lock();
        if let Some(row) = state.recorder.observe(number, event) {
            state.write(&row);
        }
    }
}

impl Drop for ProgressLog<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        let row = state.recorder.end();
        state.write(&row);
        drop(state);
        self.shared.ended.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Observer for ProgressLog<'_> {
    fn observe(&self, event: &Event<'_>) {
        self.take(None, event);
        self.next.observe(event);
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(self.next.progress_interval().map_or(ALL_THREADS, |interval| interval.min(ALL_THREADS)))
    }
}

impl Audience for ProgressLog<'_> {
    fn begin(&self, board: &Beginning<'_>) {
        self.shared.lock().recorder.begin(board, false);
        self.next.begin(board);
    }

    fn begin_beside<'b>(&'b self, board: &'b Beginning<'_>) -> Box<dyn Observer + 'b> {
        self.shared.lock().recorder.begin(board, true);
        Box::new(Beside { log: self, number: board.number, next: self.next.begin_beside(board) })
    }

    fn finish(&self, report: &Report) -> Result<(), RunError> {
        let mut state = self.shared.lock();
        if let Some(row) = state.recorder.finish(report) {
            state.write(&row);
        }
        drop(state);
        self.next.finish(report)
    }
}

/// The observer of a board that is searched beside others.
struct Beside<'b> {
    log: &'b ProgressLog<'b>,
    number: usize,
    next: Box<dyn Observer + 'b>,
}

impl Observer for Beside<'_> {
    fn observe(&self, event: &Event<'_>) {
        self.log.take(Some(self.number), event);
        self.next.observe(event);
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(self.next.progress_interval().map_or(BESIDE, |interval| interval.min(BESIDE)))
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        self.log.shared.lock().recorder.leave(self.number);
    }
}
