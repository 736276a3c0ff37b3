//! Writes the progress of a session to files, and shows it to live views.

use super::file::ProgressFile;
use super::recorder::{Earlier, INTERVAL, Recorder, SessionFacts, system_clock};
use super::row::ProgressRow;
use crate::writer::Writer;
use crossbeam::channel::{Receiver, RecvTimeoutError};
use gridhunt_hunt::{BatchObserver, BoardRecord, BoardSearchInfo, RunDir, RunError};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Observer};
use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often the thread looks for rows that are due.
const LOOK: Duration = Duration::from_millis(250);

/// The interval at which a search that has all threads tells its progress.
const ALL_THREADS: Duration = LOOK;

/// The interval at which a search beside others tells its progress.
const BESIDE: Duration = Duration::from_secs(INTERVAL as u64);

/// A live view of the rows of this process.
pub trait Viewer: Send {
    /// Takes a row that is written too.
    fn row(&mut self, row: &ProgressRow);

    /// Takes the state of this moment, several times a second.
    fn now(&mut self, row: &ProgressRow);
}

/// Views that all show the same rows.
impl Viewer for Vec<Box<dyn Viewer>> {
    fn row(&mut self, row: &ProgressRow) {
        self.iter_mut().for_each(|viewer| viewer.row(row));
    }

    fn now(&mut self, row: &ProgressRow) {
        self.iter_mut().for_each(|viewer| viewer.now(row));
    }
}

/// Shows rows in a thread of its own, so that no file waits for a terminal: those that are written too, and states of
/// the moment.
fn show_apart(mut viewer: Box<dyn Viewer>) -> io::Result<Writer<(bool, ProgressRow)>> {
    Writer::start("progress-view", move |rows: Receiver<(bool, ProgressRow)>| {
        rows.iter().for_each(|(is_written, row)| if is_written { viewer.row(&row) } else { viewer.now(&row) });
    })
}

/// An observer that records rows of progress. A thread writes the rows at once, and shows them; the search does not
/// wait for it. Dropping the log records the last row, and returns when everything is written.
pub struct ProgressLog {
    /// What is known. Rows are handed over under its lock, in their order.
    recorder: Arc<Mutex<Recorder>>,
    writer: Writer<ProgressRow>,
}

/// Files that are written, and a live view.
struct Output {
    files: Vec<ProgressFile>,
    viewer: Option<Writer<(bool, ProgressRow)>>,
}

impl Output {
    fn write(&mut self, row: &ProgressRow) {
        // A failed write is ignored: the search does not need its progress on disk.
        self.files.iter_mut().for_each(|file| _ = file.append(row));
        self.viewer.iter().for_each(|viewer| viewer.hand_over((true, row.clone())));
    }

    /// Writes rows until the log is dropped: those that are handed over, and those that are due.
    fn run(mut self, rows: &Receiver<ProgressRow>, recorder: &Mutex<Recorder>) {
        let mut look = Instant::now() + LOOK;
        loop {
            match rows.recv_deadline(look) {
                Ok(row) => self.write(&row),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let mut recorder = recorder.lock();
                    // Under the lock no row is handed over, so rows before those that are due are here already.
                    let due: Vec<_> = rows.try_iter().chain(recorder.tick()).collect();
                    // A view that hangs needs no more moments.
                    let now = self.viewer.as_ref().filter(|viewer| viewer.is_idle()).map(|_| recorder.now());
                    drop(recorder);
                    due.iter().for_each(|row| self.write(row));
                    if let (Some(viewer), Some(now)) = (&self.viewer, now) {
                        viewer.hand_over((false, now));
                    }
                    look = Instant::now() + LOOK;
                }
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

impl ProgressLog {
    /// A log. A run directory whose file cannot be written, and a view whose thread cannot be started, are left out,
    /// because the search does not need them.
    ///
    /// # Errors
    /// When `sinks.file` cannot be created, or the thread that writes cannot be started.
    pub fn new(sinks: ProgressSinks<'_>, facts: SessionFacts) -> io::Result<Self> {
        let (mut files, mut earlier) = (Vec::new(), Earlier::default());
        if let Some((file, before)) = sinks.run.and_then(|run| ProgressFile::of_run(run.path()).ok()) {
            files.push(file);
            earlier = before;
        }
        if let Some(path) = sinks.file {
            files.push(ProgressFile::create(path)?);
        }
        let output = Output { files, viewer: sinks.viewer.and_then(|viewer| show_apart(viewer).ok()) };
        let recorder = Arc::new(Mutex::new(Recorder::new(system_clock(), facts, earlier)));
        let of_thread = Arc::clone(&recorder);
        let writer = Writer::start("progress-rows", move |rows| output.run(&rows, &of_thread))?;
        let log = Self { recorder, writer };
        log.record(|recorder| Some(recorder.session()));
        Ok(log)
    }

    /// Hands over the row that is to be written, if there is one.
    fn record(&self, row: impl FnOnce(&mut Recorder) -> Option<ProgressRow>) {
        let mut recorder = self.recorder.lock();
        if let Some(row) = row(&mut recorder) {
            self.writer.hand_over(row);
        }
    }
}

impl Drop for ProgressLog {
    fn drop(&mut self) {
        self.record(|recorder| Some(recorder.end()));
    }
}

impl Observer for ProgressLog {
    fn observe(&self, event: &Event<'_>) {
        self.record(|recorder| recorder.observe(None, event));
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(ALL_THREADS)
    }
}

impl BatchObserver for ProgressLog {
    fn begin_board(&self, board: &BoardSearchInfo<'_>) {
        self.recorder.lock().begin(board, false);
    }

    fn begin_parallel_board<'b>(&'b self, board: &'b BoardSearchInfo<'_>) -> Box<dyn Observer + 'b> {
        self.recorder.lock().begin(board, true);
        Box::new(Beside { log: self, number: board.number })
    }

    fn finish_board(&self, record: &BoardRecord) -> Result<(), RunError> {
        self.record(|recorder| recorder.finish(record));
        Ok(())
    }
}

/// The observer of a board that is searched beside others.
struct Beside<'b> {
    log: &'b ProgressLog,
    number: usize,
}

impl Observer for Beside<'_> {
    fn observe(&self, event: &Event<'_>) {
        self.log.record(|recorder| recorder.observe(Some(self.number), event));
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(BESIDE)
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        self.log.recorder.lock().leave(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read_progress;
    use crate::writer::tests::hanging;
    use gridhunt_puzzle::Objective;
    use std::sync::mpsc::channel;

    fn board() -> BoardSearchInfo<'static> {
        let (shape, identity) = (String::new(), String::new());
        BoardSearchInfo { number: 1, name: "a", objective: Objective::MOVES, shape, identity }
    }

    struct Hangs<W>(W);

    impl<W: FnMut() + Send> Viewer for Hangs<W> {
        fn row(&mut self, _: &ProgressRow) {
            self.0();
        }

        fn now(&mut self, _: &ProgressRow) {}
    }

    #[test]
    fn a_view_that_hangs_holds_nobody_up_and_no_row_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows");
        let (release, wait) = hanging();
        let sinks = ProgressSinks { file: Some(&file), viewer: Some(Box::new(Hangs(wait))), run: None };
        let log = ProgressLog::new(sinks, SessionFacts::default()).unwrap();
        log.begin_board(&board());
        log.observe(&Event::EngineStarted { engine: "ida" });
        (1..500).for_each(|cost| log.observe(&Event::LowerBound(cost)));
        while read_progress(&file).unwrap().len() < 501 {
            std::thread::yield_now();
        }
        release();
        drop(log);
        let rows = read_progress(&file).unwrap();
        assert!(rows.iter().map(|row| row.lower_bound).eq([0, 0].into_iter().chain(1..500).chain([0])));
    }

    /// A row that is due has its place among those that are handed over, and rows are due however many are handed over.
    #[test]
    fn rows_that_are_due_come_between_the_others() {
        let (send, rows) = channel();
        struct Shows(std::sync::mpsc::Sender<Option<f64>>);
        impl Viewer for Shows {
            fn row(&mut self, row: &ProgressRow) {
                let _ = self.0.send(Some(row.elapsed));
            }
            fn now(&mut self, _: &ProgressRow) {
                let _ = self.0.send(None);
            }
        }
        let sinks = ProgressSinks { viewer: Some(Box::new(Shows(send))), ..ProgressSinks::default() };
        let log = ProgressLog::new(sinks, SessionFacts::default()).unwrap();
        log.begin_board(&board());
        log.observe(&Event::EngineStarted { engine: "ida" });
        let mut looks = 0;
        let mut seen = Vec::new();
        for cost in 1.. {
            log.observe(&Event::LowerBound(cost));
            std::thread::sleep(Duration::from_millis(1));
            for row in rows.try_iter() {
                looks += usize::from(row.is_none());
                seen.extend(row);
            }
            if looks > 0 {
                break;
            }
        }
        drop(log);
        seen.extend(rows.iter().flatten());
        assert!(seen.is_sorted());
    }
}
