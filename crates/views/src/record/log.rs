//! Writes the progress of a session to files, and shows it to live views.

use super::file::ProgressFile;
use super::recorder::{EarlierSessions, ROW_INTERVAL_SECONDS, Recorder, SessionFacts, system_clock};
use super::row::ProgressRow;
use crate::writer::WriterThread;
use crossbeam::channel::{Receiver, RecvTimeoutError};
use gridhunt_hunt::{BatchObserver, BoardRecord, BoardSearchInfo, RunDir, RunError};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Observer};
use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The interval at which the thread writes due rows.
const TICK: Duration = Duration::from_millis(250);

/// The progress interval of the search that has all threads.
const MAIN_PROGRESS_INTERVAL: Duration = TICK;

/// The progress interval of searches side by side.
const PARALLEL_PROGRESS_INTERVAL: Duration = Duration::from_secs(ROW_INTERVAL_SECONDS as u64);

/// A live view of the progress of this process.
pub trait LiveView: Send {
    /// Shows a row that is also written to the files.
    fn show_written(&mut self, row: &ProgressRow);

    /// Shows the current state, several times per second.
    fn show_current(&mut self, row: &ProgressRow);
}

impl LiveView for Vec<Box<dyn LiveView>> {
    fn show_written(&mut self, row: &ProgressRow) {
        self.iter_mut().for_each(|view| view.show_written(row));
    }

    fn show_current(&mut self, row: &ProgressRow) {
        self.iter_mut().for_each(|view| view.show_current(row));
    }
}

/// Shows rows in a thread of its own, so that no file waits for a terminal. The flag says whether a row is written too.
fn view_in_thread(mut view: Box<dyn LiveView>) -> io::Result<WriterThread<(bool, ProgressRow)>> {
    WriterThread::start("progress-view", move |rows: Receiver<(bool, ProgressRow)>| {
        rows.iter()
            .for_each(|(is_written, row)| if is_written { view.show_written(&row) } else { view.show_current(&row) });
    })
}

/// An observer that records rows of progress. A thread writes and shows the rows; the search does not wait for it.
/// Dropping the log records the last row, and waits until everything is written.
pub struct ProgressLog {
    /// Rows are made and sent under its lock, so they are sent in their order.
    recorder: Arc<Mutex<Recorder>>,
    writer: WriterThread<ProgressRow>,
}

struct Output {
    files: Vec<ProgressFile>,
    view: Option<WriterThread<(bool, ProgressRow)>>,
}

impl Output {
    fn write(&mut self, row: &ProgressRow) {
        // A failed write is ignored: the search does not need its progress on disk.
        self.files.iter_mut().for_each(|file| _ = file.append(row));
        self.view.iter().for_each(|view| view.send((true, row.clone())));
    }

    /// Writes sent and due rows until the log is dropped.
    fn run(mut self, rows: &Receiver<ProgressRow>, recorder: &Mutex<Recorder>) {
        let mut next_tick = Instant::now() + TICK;
        loop {
            match rows.recv_deadline(next_tick) {
                Ok(row) => self.write(&row),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let mut recorder = recorder.lock();
                    // Rows are sent under this lock, so the channel has all rows that precede the due rows.
                    let due: Vec<_> = rows.try_iter().chain(recorder.due_rows()).collect();
                    // A view that is behind gets no current state.
                    let current = self.view.as_ref().filter(|view| view.is_empty()).map(|_| recorder.current_row());
                    drop(recorder);
                    due.iter().for_each(|row| self.write(row));
                    if let (Some(view), Some(current)) = (&self.view, current) {
                        view.send((false, current));
                    }
                    next_tick = Instant::now() + TICK;
                }
            }
        }
    }
}

/// The destinations of rows.
#[derive(Default)]
pub struct ProgressSinks<'a> {
    /// The run directory, if the session has one.
    pub run: Option<&'a RunDir>,
    /// A further file.
    pub file: Option<&'a Path>,
    /// A live view.
    pub view: Option<Box<dyn LiveView>>,
}

impl ProgressLog {
    /// Makes a log. The log leaves out a run directory whose file cannot be written, and a view whose thread cannot be
    /// started: the search does not need them.
    ///
    /// # Errors
    /// When the first row cannot be written to `sinks.file`, or the thread that writes cannot be started.
    pub fn new(sinks: ProgressSinks<'_>, facts: SessionFacts) -> io::Result<Self> {
        let (mut files, mut earlier) = (Vec::new(), EarlierSessions::default());
        if let Some((file, sessions)) = sinks.run.and_then(|run| ProgressFile::open_in_run(run.path()).ok()) {
            files.push(file);
            earlier = sessions;
        }
        let recorder = Recorder::new(system_clock(), facts, earlier);
        let first = recorder.session_begin_row();
        let mut output = Output { files, view: sinks.view.and_then(|view| view_in_thread(view).ok()) };
        output.write(&first);
        if let Some(path) = sinks.file {
            let mut file = ProgressFile::create(path)?;
            file.append(&first)?;
            output.files.push(file);
        }
        let recorder = Arc::new(Mutex::new(recorder));
        let thread_recorder = Arc::clone(&recorder);
        let writer = WriterThread::start("progress-rows", move |rows| output.run(&rows, &thread_recorder))?;
        Ok(Self { recorder, writer })
    }

    /// Sends the row that `make_row` makes, if there is one.
    fn record(&self, make_row: impl FnOnce(&mut Recorder) -> Option<ProgressRow>) {
        let mut recorder = self.recorder.lock();
        if let Some(row) = make_row(&mut recorder) {
            self.writer.send(row);
        }
    }
}

impl Drop for ProgressLog {
    fn drop(&mut self) {
        self.record(|recorder| Some(recorder.session_end_row()));
    }
}

impl Observer for ProgressLog {
    fn observe(&self, event: &Event<'_>) {
        self.record(|recorder| recorder.observe(None, event));
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(MAIN_PROGRESS_INTERVAL)
    }
}

impl BatchObserver for ProgressLog {
    fn begin_board(&self, board: &BoardSearchInfo<'_>) {
        self.recorder.lock().begin(board, false);
    }

    fn begin_parallel_board<'b>(&'b self, board: &'b BoardSearchInfo<'_>) -> Box<dyn Observer + 'b> {
        self.recorder.lock().begin(board, true);
        Box::new(ParallelBoard { log: self, number: board.number })
    }

    fn finish_board(&self, record: &BoardRecord) -> Result<(), RunError> {
        self.record(|recorder| recorder.finish(record));
        Ok(())
    }
}

/// The observer of one of several boards side by side.
struct ParallelBoard<'b> {
    log: &'b ProgressLog,
    number: usize,
}

impl Observer for ParallelBoard<'_> {
    fn observe(&self, event: &Event<'_>) {
        self.log.record(|recorder| recorder.observe(Some(self.number), event));
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(PARALLEL_PROGRESS_INTERVAL)
    }
}

impl Drop for ParallelBoard<'_> {
    fn drop(&mut self) {
        self.log.recorder.lock().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read_rows;
    use crate::writer::tests::hanging;
    use gridhunt_puzzle::Objective;
    use std::sync::mpsc::channel;

    fn board() -> BoardSearchInfo<'static> {
        let (shape, identity) = (String::new(), String::new());
        BoardSearchInfo { number: 1, name: "a", objective: Objective::MOVES, shape, identity }
    }

    struct Hangs<W>(W);

    impl<W: FnMut() + Send> LiveView for Hangs<W> {
        fn show_written(&mut self, _: &ProgressRow) {
            self.0();
        }

        fn show_current(&mut self, _: &ProgressRow) {}
    }

    #[test]
    fn a_view_that_hangs_holds_nobody_up_and_no_row_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows");
        let (release, wait) = hanging();
        let sinks = ProgressSinks { file: Some(&file), view: Some(Box::new(Hangs(wait))), run: None };
        let log = ProgressLog::new(sinks, SessionFacts::default()).unwrap();
        log.begin_board(&board());
        log.observe(&Event::EngineStarted { engine: "ida" });
        (1..500).for_each(|cost| log.observe(&Event::LowerBound(cost)));
        while read_rows(&file).unwrap().len() < 501 {
            std::thread::yield_now();
        }
        release();
        drop(log);
        let rows = read_rows(&file).unwrap();
        assert!(rows.iter().map(|row| row.lower_bound).eq([0, 0].into_iter().chain(1..500).chain([0])));
    }

    /// A row that is due has its place among those that are handed over, and rows are due however many are handed over.
    #[test]
    fn rows_that_are_due_come_between_the_others() {
        let (send, rows) = channel();
        struct Shows(std::sync::mpsc::Sender<Option<f64>>);
        impl LiveView for Shows {
            fn show_written(&mut self, row: &ProgressRow) {
                let _ = self.0.send(Some(row.elapsed));
            }
            fn show_current(&mut self, _: &ProgressRow) {
                let _ = self.0.send(None);
            }
        }
        let sinks = ProgressSinks { view: Some(Box::new(Shows(send))), ..ProgressSinks::default() };
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
