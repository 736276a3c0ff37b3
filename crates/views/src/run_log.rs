//! Writes results and events of a run into its run directory.

use super::session_end::SessionEnd;
use super::writer::WriterThread;
use crossbeam::channel::Receiver;
use gridhunt_hunt::{BatchObserver, BoardRecord, BoardSearchInfo, History, RunDir, RunError, line_checksum, rounded};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::Status;
use gridhunt_search::platform::unix_seconds;
use gridhunt_search::runtime::{Event, Layer, Observer, StopReason};
use parking_lot::Mutex;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// An observer that writes all events into a run directory. A thread writes the events; the search does not wait for
/// it. Dropping the log records how the session ended, and waits until everything is written.
#[derive(Debug)]
pub struct RunLog<'a> {
    run: &'a RunDir,
    session: Mutex<SessionState>,
    /// Writes the lines; `None` if the log of events cannot be opened.
    writer: Option<WriterThread<String>>,
}

#[derive(Debug)]
struct SessionState {
    /// Number and name of the board that has all threads.
    board: Option<(usize, String)>,
    end: SessionEnd,
}

/// A line of `events.jsonl`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Event"))]
pub struct EventLine<'a> {
    /// Seconds since 1970-01-01 UTC.
    time: f64,
    /// The number of the board in the run, from 1; null where the event is about no board.
    number: Option<usize>,
    /// The name of the board; empty where the event is about no board.
    board: &'a str,
    #[serde(flatten)]
    body: Body<'a>,
}

/// The event and its value.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Body<'a> {
    /// A process begins to search.
    Session { value: SessionBegun },
    /// The session ended. The value is that of `ended` in `status --json`.
    End { value: &'a str },
    /// The search of a board begins.
    Begin { value: SearchBegun<'a> },
    /// An engine of this name begins.
    Engine { value: &'a str },
    /// A layer begins.
    LayerStarted { value: LayerBegun },
    /// A layer is exhausted.
    LayerDone { value: &'a Layer },
    /// The new proven lower bound; null when the board is proven unsolvable.
    LowerBound { value: Option<Cost> },
    /// The cost of the new best solution, and its moves, as the engine numbers them.
    Incumbent { value: Cost, moves: &'a [MoveIndex] },
    /// A message for people.
    Note { value: &'a str },
    /// The search of a board ended with this result.
    Finish { value: SearchEnded<'a> },
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SessionBegun {
    /// The id of the process.
    process: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SearchBegun<'a> {
    /// The identity of the search, as in `results.jsonl`.
    identity: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LayerBegun {
    /// The f of its nodes.
    f: Cost,
    /// The number of its open nodes so far.
    open: u64,
}

/// The fields have the meaning of those in `results.jsonl`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SearchEnded<'a> {
    board: &'a str,
    status: Status,
    stopped: Option<StopReason>,
    cost: Option<Cost>,
}

impl<'a> RunLog<'a> {
    /// A log for `run`.
    ///
    /// # Errors
    /// When the thread that writes cannot be started.
    pub fn new(run: &'a RunDir) -> io::Result<Self> {
        Self::with(run, open_event_log(&History::path(run.path())).ok())
    }

    fn with(run: &'a RunDir, events: Option<impl Write + Send + 'static>) -> io::Result<Self> {
        let start = |mut events| {
            WriterThread::start("events", move |lines: Receiver<String>| {
                // A failed write is ignored: the search does not need the events. A line end before the next line
                // completes a partial line, and shows readers that a line is missing.
                let mut line_end = "";
                for line in lines {
                    let is_written = Write::write_all(&mut events, (line_end.to_owned() + &line).as_bytes()).is_ok();
                    line_end = if is_written { "" } else { "\n" };
                }
            })
        };
        let writer = events.map(start).transpose()?;
        let log = Self { run, session: Mutex::new(SessionState { board: None, end: SessionEnd::default() }), writer };
        log.write(Body::Session { value: SessionBegun { process: std::process::id() } });
        Ok(log)
    }

    /// Writes an event of the board that has all threads.
    fn write(&self, body: Body<'_>) {
        let session = self.session.lock();
        self.write_about(session.board.as_ref().map(|(number, name)| (*number, name.as_str())), body);
    }

    fn write_about(&self, board: Option<(usize, &str)>, body: Body<'_>) {
        let Some(writer) = &self.writer else { return };
        let (number, name) = board.map_or((None, ""), |(number, name)| (Some(number), name));
        let line = EventLine { time: rounded(unix_seconds(), 1e3), number, board: name, body };
        let line = serde_json::to_string(&line).unwrap_or_default();
        writer.send(line_checksum::append(&line) + "\n");
    }
}

impl Observer for RunLog<'_> {
    fn observe(&self, event: &Event<'_>) {
        let body = match event {
            Event::EngineStarted { engine } => Some(Body::Engine { value: engine }),
            Event::LayerStarted { f, open } => Some(Body::LayerStarted { value: LayerBegun { f: *f, open: *open } }),
            Event::LayerDone(layer) => Some(Body::LayerDone { value: layer }),
            event => range_event(event),
        };
        body.into_iter().for_each(|body| self.write(body));
    }
}

impl BatchObserver for RunLog<'_> {
    fn begin_board(&self, board: &BoardSearchInfo<'_>) {
        self.session.lock().board = Some((board.number, board.name.to_owned()));
        self.write(Body::Begin { value: SearchBegun { identity: &board.identity } });
    }

    fn begin_parallel_board<'b>(&'b self, board: &'b BoardSearchInfo<'_>) -> Box<dyn Observer + 'b> {
        let body = Body::Begin { value: SearchBegun { identity: &board.identity } };
        self.write_about(Some((board.number, board.name)), body);
        Box::new(ParallelBoard { log: self, board })
    }

    fn finish_board(&self, record: &BoardRecord) -> Result<(), RunError> {
        self.run.add_result(record)?;
        self.session.lock().end.add(record);
        let BoardRecord { number, board, status, stopped, cost, .. } = record;
        let value = SearchEnded { board, status: *status, stopped: *stopped, cost: *cost };
        self.write_about(Some((*number, board)), Body::Finish { value });
        Ok(())
    }
}

/// The observer of one of several boards side by side: writes only the events that reports need.
struct ParallelBoard<'b> {
    log: &'b RunLog<'b>,
    board: &'b BoardSearchInfo<'b>,
}

impl Observer for ParallelBoard<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Some(body) = range_event(event) {
            self.log.write_about(Some((self.board.number, self.board.name)), body);
        }
    }
}

/// The line of an event that changes the range of a board, or of a note.
fn range_event<'a>(event: &Event<'a>) -> Option<Body<'a>> {
    match event {
        Event::LowerBound(cost) => Some(Body::LowerBound { value: Some(*cost).filter(|cost| *cost != Cost::MAX) }),
        // The moves preserve a solution if the process is killed before the next checkpoint.
        Event::Incumbent { cost, moves } => Some(Body::Incumbent { value: *cost, moves }),
        Event::Note(text) => Some(Body::Note { value: text }),
        _ => None,
    }
}

impl Drop for RunLog<'_> {
    fn drop(&mut self) {
        let ended = self.session.lock().end.name(self.run.is_complete());
        self.write_about(None, Body::End { value: ended });
    }
}

/// Opens the log of events. Ends the partial line of a killed process.
fn open_event_log(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunReport;
    use gridhunt_boards::{Board, Cell, Entry, usual_symbols};
    use gridhunt_hunt::Request;
    use gridhunt_hunt::{Config, KnownRange, RunState};
    use gridhunt_search::engine::Solution;
    use std::fs;
    use std::mem::ManuallyDrop;
    use std::path::PathBuf;

    fn entry() -> Entry {
        let board = Board::new("a", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        Entry { board, published_optimum: None }
    }

    fn run_in(folder: &Path) -> (RunDir, PathBuf) {
        let path = folder.join("run");
        (RunDir::create(&path, &Config::default(), std::iter::once(Ok(entry()))).unwrap(), path)
    }

    /// Ends a log as if its process were killed, once everything was written that was handed over.
    fn kill(log: RunLog<'_>) {
        ManuallyDrop::new(log).writer.as_mut().unwrap().close();
    }

    /// Without the beginning of its search, a bound would count for the search before.
    #[test]
    fn a_line_that_cannot_be_written_leaves_a_gap() {
        struct Full(fs::File, usize);
        impl Write for Full {
            fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
                self.1 += 1;
                if self.1 == 4 { Err(io::ErrorKind::StorageFull.into()) } else { self.0.write(buf) }
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        let (entry, request) = (entry(), Config::default().request());
        let other = Request { domain: "clickomania".parse().unwrap(), ..request.clone() };
        let log = RunLog::with(&run, open_event_log(&History::path(&path)).ok().map(|file| Full(file, 0))).unwrap();
        log.begin_board(&BoardSearchInfo::new(1, &entry.board, &request));
        log.observe(&Event::LowerBound(2));
        log.begin_board(&BoardSearchInfo::new(1, &entry.board, &other));
        log.observe(&Event::LowerBound(9));
        drop(log);
        let history = RunState::read(&path).unwrap().history;
        assert_eq!((history.open_boards[&1].lower_bound, history.session_end.as_deref()), (2, Some("stopped")));
    }

    #[test]
    fn nothing_that_was_proven_falls() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        let (entry, request) = (entry(), Config::default().request());
        let beginning = BoardSearchInfo::new(1, &entry.board, &request);
        let log = RunLog::new(&run).unwrap();
        log.begin_board(&beginning);
        log.observe(&Event::LowerBound(35));
        log.observe(&Event::Incumbent { cost: 4, moves: &[1, 0, 1, 2] });
        log.observe(&Event::Incumbent { cost: 2, moves: &[1, 1] });
        drop(log);
        drop(run);
        // A search of something else holds nothing of this, and no solution is believed that the rules refuse.
        let (run, _) = RunDir::open(&path).unwrap();
        let held = KnownRange { lower_bound: 35, solution: None };
        assert_eq!(run.known_range(1, &entry, &request), held);
        let other = Request { domain: "clickomania".parse().unwrap(), ..request.clone() };
        assert_eq!(run.known_range(1, &entry, &other), KnownRange::default());
        let log = RunLog::new(&run).unwrap();
        log.begin_board(&beginning);
        log.observe(&Event::LowerBound(30));
        // The process is killed here: neither a checkpoint nor a result is there.
        kill(log);
        drop(run);
        let record = RunReport::of(&RunState::read(&path).unwrap(), false);
        let begun = [record.totals.begun_solved, record.totals.begun_unsolved];
        let lower_bound: u64 = begun.iter().map(|sums| sums.total_lower_bound).sum();
        assert_eq!((lower_bound, record.ended.as_deref(), record.process), (35, Some("killed"), None));
        assert!(record.now.is_none(), "nobody searches now");
        let begun: Vec<_> = record.begun.iter().map(|board| (board.number, board.lower_bound)).collect();
        assert_eq!(begun, [(1, 35)]);
    }

    /// Boards side by side leave events, and their solutions survive a kill.
    #[test]
    fn what_boards_side_by_side_found_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        let (entry, request) = (entry(), Config::default().request());
        let beginning = BoardSearchInfo::new(1, &entry.board, &request);
        let log = RunLog::new(&run).unwrap();
        let beside = log.begin_parallel_board(&beginning);
        beside.observe(&Event::LowerBound(2));
        beside.observe(&Event::Incumbent { cost: 3, moves: &[1, 0, 2] });
        drop(beside);
        kill(log);
        drop(run);
        let solution = Some(Solution { cost: 3, moves: vec![1, 0, 2] });
        let held = RunDir::open(&path).unwrap().0.known_range(1, &entry, &request);
        assert_eq!(held, KnownRange { lower_bound: 2, solution });
    }

    #[test]
    fn nothing_is_said_about_the_end_where_the_events_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        drop(run);
        let record = || RunReport::of(&RunState::read(&path).unwrap(), false);
        assert_eq!(record().ended.as_deref(), Some("killed"), "no session has written an event");
        fs::create_dir(History::path(&path)).unwrap();
        let record = record();
        assert_eq!((record.ended.as_deref(), record.notes.len()), (Some("unknown"), 1), "{:?}", record.notes);
        assert!(record.notes[0].contains("events.jsonl: ") && record.notes[0].contains("its events are ignored"));
    }

    #[test]
    fn a_line_that_was_never_finished_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        fs::write(History::path(&path), "{\"time\":1.0,\"boa").unwrap();
        drop(RunLog::new(&run).unwrap());
        let ended = RunState::read(&path).unwrap().history.session_end;
        assert_eq!(ended.as_deref(), Some("stopped"));
        assert!(RunReport::read(&path, true).unwrap().is_sound());
    }

    #[test]
    fn a_check_finds_damaged_lines_of_events_and_progress() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        drop(RunLog::new(&run).unwrap());
        drop(run);
        let events = History::path(&path);
        fs::copy(&events, path.join("progress.jsonl")).unwrap();
        let report = RunReport::read(&path, true).unwrap();
        assert!(report.is_sound() && report.checked.unwrap().files == 4, "{report}");
        let whole = fs::read(&events).unwrap();
        let line = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let place = |text: &[u8]| line + whole[line..].windows(text.len()).position(|bytes| bytes == text).unwrap();
        for file in ["events.jsonl", "progress.jsonl"] {
            for (at, byte) in [(place(b"stopped"), b'S'), (place(b"stopped"), 255), (place(b"checksum"), b'C')] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                fs::write(path.join(file), damaged).unwrap();
                let report = RunReport::read(&path, true).unwrap();
                let note = format!("note: {}: line 2: left out: found ", path.join(file).display());
                assert!(!report.is_sound() && report.to_string().matches(&note).count() == 1, "{report}");
                assert!(report.checked.unwrap().files == 3 && report.resume.is_some(), "{report}");
                let report = RunReport::read(&path, false).unwrap();
                assert!(report.is_sound() && report.to_string().matches(&note).count() == 1, "{report}");
            }
            fs::write(path.join(file), &whole).unwrap();
        }
    }

    /// Other boards are searched all the same.
    #[test]
    fn no_resume_is_advised_that_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for boards in [1, 2] {
            let path = folder.path().join(boards.to_string());
            let entries = std::iter::repeat_with(|| Ok(entry())).take(boards);
            drop(RunDir::create(&path, &Config::default(), entries).unwrap());
            fs::create_dir_all(path.join("boards/1")).unwrap();
            fs::write(path.join("boards/1/manifest-a"), "damaged").unwrap();
            let report = RunReport::read(&path, false).unwrap();
            let text = report.to_string();
            assert_eq!((report.resume.is_some(), text.contains("gridhunt resume")), (boards > 1, boards > 1), "{text}");
            assert!(!report.is_sound() && text.contains("manifest-a: found") && text.contains("or remove"), "{text}");
        }
    }
}
