//! Writes results, events and the current progress of a run into its run directory.

use super::json::RecordedReport;
use super::number_format::share;
use super::text::finite;
use crate::domain::Cost;
use crate::driver::{Audience, Beginning, History, Report, RunDir, RunError, sealed};
use crate::runtime::{Event, Observer, Progress, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The time between two updates of `status.json`.
const INTERVAL: Duration = Duration::from_secs(1);

/// An observer that writes all events into a run directory and forwards them to another observer. Dropping the log
/// notes how the session ended.
#[derive(Debug)]
pub struct RunLog<'a, A> {
    run: &'a RunDir,
    next: &'a A,
    now: Mutex<Now>,
}

/// The state behind `status.json`.
#[derive(Debug)]
struct Now {
    /// The board that has all threads: its number and its name.
    board: Option<(usize, String)>,
    engine: String,
    /// The highest values that the searches of the board have reported. A search that begins, or a part of one, counts
    /// from 0 again.
    best: Best,
    /// Why searches of this session ended early: the last reason, or `interrupted`.
    stopped: Option<StopReason>,
    /// The stage under way and its progress.
    stage: Option<String>,
    /// The start of the interval for the rate: the time, and the states expanded until then.
    from: (Instant, u64),
    written: Option<Instant>,
    events: Option<File>,
}

/// Values that never fall while a board is searched.
#[derive(Clone, Copy, Debug, Default)]
struct Best {
    layer: Cost,
    lower_bound: Cost,
    incumbent: Option<Cost>,
    expanded: u64,
    generated: u64,
    stored: u64,
}

impl Best {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::LowerBound(cost) => self.lower_bound = self.lower_bound.max(finite(*cost).unwrap_or(0)),
            Event::Incumbent { cost, .. } => self.incumbent = self.incumbent.into_iter().chain([*cost]).min(),
            _ => {}
        }
    }

    fn take(&mut self, progress: &Progress) {
        if progress.layer > 0 {
            self.layer = progress.layer;
        }
        self.lower_bound = self.lower_bound.max(finite(progress.lower_bound).unwrap_or(0));
        self.incumbent = self.incumbent.into_iter().chain(progress.incumbent).min();
        self.expanded = self.expanded.max(progress.expanded);
        self.generated = self.generated.max(progress.generated);
        self.stored = self.stored.max(progress.stored);
    }
}

/// A line of `events.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    time: f64,
    number: Option<usize>,
    board: &'a str,
    #[serde(flatten)]
    what: Value,
}

/// The content of `status.json`: the latest progress of the search of one board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonStatus {
    /// The time of the update, in seconds since 1970.
    pub time: f64,
    /// The board that is searched on all threads.
    pub board: String,
    /// The engine under way.
    pub engine: String,
    /// The layer under way.
    pub layer: u32,
    /// The stage under way and its progress, if they are known.
    #[serde(default)]
    pub stage: Option<String>,
    /// The proven lower bound.
    pub lower_bound: u32,
    /// The cost of the best solution.
    pub incumbent: Option<u32>,
    /// States expanded in this session.
    pub expanded: u64,
    /// Children generated in this session.
    pub generated: u64,
    /// States stored.
    pub stored: u64,
    /// The open nodes of the layer under way that are known so far.
    pub open_in_layer: u64,
    /// The memory that the search accounts for, in bytes.
    pub bytes: u64,
    /// States expanded per second since the last update.
    pub rate: f64,
    /// Seconds since this session's search began.
    pub seconds: f64,
}

impl<'a, A: Audience> RunLog<'a, A> {
    /// A log for `run` that forwards each event to `next`.
    pub fn new(run: &'a RunDir, next: &'a A) -> Self {
        let mut now = Now {
            board: None,
            engine: String::new(),
            best: Best::default(),
            stopped: None,
            stage: None,
            from: (Instant::now(), 0),
            written: None,
            events: open_events(&History::path(run.path())).ok(),
        };
        now.write(json!({ "event": "session", "value": { "process": std::process::id() } }));
        Self { run, next, now: Mutex::new(now) }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, event: &Event<'_>) {
        let mut now = self.now();
        let what = match event {
            Event::EngineStarted { engine } => {
                (*engine).clone_into(&mut now.engine);
                now.stage = None;
                json!({ "event": "engine", "value": engine })
            }
            Event::LayerStarted { f, open } => {
                now.stage = None;
                json!({ "event": "layer-started", "value": { "f": f, "open": open } })
            }
            Event::LayerDone(layer) => json!({ "event": "layer-done", "value": layer }),
            Event::LowerBound(_) | Event::Incumbent { .. } | Event::Note(_) => {
                now.best.hear(event);
                let Some(what) = range_event(event) else { return };
                what
            }
            Event::Stage { stage, done, total } => {
                now.stage = Some(share(*stage, *done, *total)).filter(|_| done < total);
                return;
            }
            Event::Progress(progress) => return self.show(&mut now, progress),
        };
        now.write(what);
    }

    fn show(&self, now: &mut Now, progress: &Progress) {
        now.best.take(progress);
        if now.written.is_some_and(|written| written.elapsed() < INTERVAL) {
            return;
        }
        let (since, before) = now.from;
        let rate = progress.expanded.saturating_sub(before) as f64 / since.elapsed().as_secs_f64().max(1e-3);
        now.from = (Instant::now(), progress.expanded);
        now.written = Some(Instant::now());
        let status = JsonStatus {
            time: unix_time(),
            board: now.board.as_ref().map_or_else(String::new, |(_, name)| name.clone()),
            engine: now.engine.clone(),
            layer: now.best.layer,
            stage: now.stage.clone(),
            lower_bound: now.best.lower_bound,
            incumbent: now.best.incumbent,
            expanded: now.best.expanded,
            generated: now.best.generated,
            stored: now.best.stored,
            open_in_layer: progress.open_in_layer,
            bytes: progress.bytes,
            rate: rate.round(),
            seconds: progress.seconds,
        };
        let (path, new) = (self.status_path(), self.run.path().join("status.new"));
        // A failed update of `status.json` does no harm; the next update may succeed.
        let text = serde_json::to_string(&status).unwrap_or_default();
        let _ = fs::write(&new, text + "\n").and_then(|()| fs::rename(&new, &path));
    }

    fn status_path(&self) -> PathBuf {
        self.run.path().join("status.json")
    }
}

impl Now {
    /// Writes an event of the board that has all threads. `what` is an object with the fields of the event.
    fn write(&mut self, what: Value) {
        let board = self.board.take();
        self.write_about(board.as_ref().map(|(number, name)| (*number, name.as_str())), what);
        self.board = board;
    }

    fn write_about(&mut self, board: Option<(usize, &str)>, what: Value) {
        let (number, name) = board.map_or((None, ""), |(number, name)| (Some(number), name));
        let line = Line { time: unix_time(), number, board: name, what };
        let line = serde_json::to_string(&line).unwrap_or_default();
        if let Some(events) = &mut self.events {
            // A failed write is ignored: the search does not need the log of events.
            let _ = events.write_all((sealed::seal(&line) + "\n").as_bytes());
        }
    }
}

impl<A: Audience> Observer for RunLog<'_, A> {
    fn observe(&self, event: &Event<'_>) {
        self.note(event);
        self.next.observe(event);
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(self.next.progress_interval().map_or(INTERVAL, |interval| interval.min(INTERVAL)))
    }
}

impl<A: Audience> Audience for RunLog<'_, A> {
    fn begin(&self, board: &Beginning<'_>) {
        let mut now = self.now();
        now.board = Some((board.number, board.name.to_owned()));
        now.best = Best::default();
        (now.from, now.written) = ((Instant::now(), 0), None);
        now.write(json!({ "event": "begin", "value": { "identity": board.identity } }));
        drop(now);
        self.next.begin(board);
    }

    fn begin_beside<'b>(&'b self, board: &'b Beginning<'_>) -> Box<dyn Observer + 'b> {
        let what = json!({ "event": "begin", "value": { "identity": board.identity } });
        self.now().write_about(Some((board.number, board.name)), what);
        Box::new(Beside { log: self, board, next: self.next.begin_beside(board) })
    }

    fn finish(&self, report: &Report) -> Result<(), RunError> {
        // The conversion cannot fail: JSON can represent every field.
        let line = serde_json::to_string(&RecordedReport::from(report)).unwrap_or_default();
        self.run.add_result(&line)?;
        let mut now = self.now();
        let stopped = report.outcome.stopped;
        if now.stopped != Some(StopReason::Interrupted) {
            now.stopped = stopped.or(now.stopped);
        }
        let what =
            json!({ "board": report.board, "status": report.status(), "stopped": stopped, "cost": report.cost() });
        now.write_about(Some((report.number, &report.board)), json!({ "event": "finish", "value": what }));
        drop(now);
        self.next.finish(report)
    }
}

/// The observer of a board that is searched beside others: writes what a report on the run needs.
struct Beside<'b, A> {
    log: &'b RunLog<'b, A>,
    board: &'b Beginning<'b>,
    next: Box<dyn Observer + 'b>,
}

impl<A: Audience> Observer for Beside<'_, A> {
    fn observe(&self, event: &Event<'_>) {
        if let Some(what) = range_event(event) {
            self.log.now().write_about(Some((self.board.number, self.board.name)), what);
        }
        self.next.observe(event);
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.next.progress_interval()
    }
}

/// The fields of an event that changes the range of a board, and of a note.
fn range_event(event: &Event<'_>) -> Option<Value> {
    match event {
        Event::LowerBound(cost) => Some(json!({ "event": "lower-bound", "value": finite(*cost) })),
        // With the moves, a solution that no checkpoint holds is not lost when the process is killed.
        Event::Incumbent { cost, moves } => Some(json!({ "event": "incumbent", "value": cost, "moves": moves })),
        Event::Note(text) => Some(json!({ "event": "note", "value": text })),
        _ => None,
    }
}

impl<A> Drop for RunLog<'_, A> {
    fn drop(&mut self) {
        let is_complete = self.run.numbers().all(|number| self.run.is_done(number));
        let now = self.now.get_mut().unwrap_or_else(PoisonError::into_inner);
        let how = match now.stopped {
            _ if is_complete => json!("finished"),
            Some(reason) => json!(reason),
            None => json!("stopped"),
        };
        now.board = None;
        now.write(json!({ "event": "end", "value": how }));
    }
}

/// Opens the log of events. The line of a process that was killed may lack its end; the next line must not be joined to
/// it.
fn open_events(path: &Path) -> io::Result<File> {
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

/// Seconds since 1970, rounded to milliseconds.
fn unix_time() -> f64 {
    let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64());
    (time * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Cell, Entry, usual_symbols};
    use crate::driver::{Config, Held, Request, RunState};
    use crate::engine::Solution;
    use crate::report::RunReport;
    use crate::runtime::Silent;
    use std::path::PathBuf;

    fn entry() -> Entry {
        let board = Board::new("a", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        Entry { board, published: None }
    }

    fn run_in(folder: &Path) -> (RunDir, PathBuf) {
        let path = folder.join("run");
        (RunDir::create(&path, &Config::default(), std::iter::once(Ok(entry()))).unwrap(), path)
    }

    fn status(path: &Path) -> JsonStatus {
        serde_json::from_str(&fs::read_to_string(path.join("status.json")).unwrap()).unwrap()
    }

    /// A search counts from 0 again while tables are made, and in the next session.
    #[test]
    fn nothing_that_was_proven_or_counted_falls() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        let (entry, request) = (entry(), Config::default().request());
        let beginning = Beginning::of(1, &entry.board, &request);
        let much = Progress { layer: 34, lower_bound: 34, expanded: 100, incumbent: Some(40), ..Progress::default() };
        let log = RunLog::new(&run, &Silent);
        log.begin(&beginning);
        log.now().best.take(&much);
        log.observe(&Event::LowerBound(35));
        log.observe(&Event::Progress(Progress::default()));
        let first = status(&path);
        assert_eq!((first.layer, first.lower_bound, first.incumbent, first.expanded), (34, 35, Some(40), 100));
        log.observe(&Event::Incumbent { cost: 4, moves: &[1, 0, 1, 2] });
        log.observe(&Event::Incumbent { cost: 2, moves: &[1, 1] });
        drop(log);
        drop(run);
        // A search of something else holds nothing of this, and no solution is believed that the rules refuse.
        let (run, _) = RunDir::open(&path).unwrap();
        let held = Held { lower_bound: 35, solution: None };
        assert_eq!(run.held(1, &entry, &request), held);
        let other = Request { domain: "clickomania".parse().unwrap(), ..request.clone() };
        assert_eq!(run.held(1, &entry, &other), Held::default());
        let log = RunLog::new(&run, &Silent);
        log.begin(&beginning);
        log.observe(&Event::LowerBound(30));
        // The process is killed here: neither a checkpoint nor a result is there.
        std::mem::forget(log);
        drop(run);
        let report = RunReport::of(&RunState::read(&path).unwrap());
        assert_eq!((report.total_lower_bound, report.ended.as_deref(), report.process), (35, Some("killed"), None));
        assert!(report.now.is_none(), "nobody searches now");
        let begun: Vec<_> = report.begun.iter().map(|board| (board.number, board.lower_bound)).collect();
        assert_eq!(begun, [(1, 35)]);
    }

    /// Boards side by side leave events, and their solutions survive a kill.
    #[test]
    fn what_boards_side_by_side_found_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        let (entry, request) = (entry(), Config::default().request());
        let beginning = Beginning::of(1, &entry.board, &request);
        let log = RunLog::new(&run, &Silent);
        let beside = log.begin_beside(&beginning);
        beside.observe(&Event::LowerBound(2));
        beside.observe(&Event::Incumbent { cost: 3, moves: &[1, 0, 2] });
        drop(beside);
        std::mem::forget(log);
        drop(run);
        let solution = Some(Solution { cost: 3, moves: vec![1, 0, 2] });
        let held = RunDir::open(&path).unwrap().0.held(1, &entry, &request);
        assert_eq!(held, Held { lower_bound: 2, solution });
    }

    #[test]
    fn nothing_is_said_about_the_end_where_the_events_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        drop(run);
        let report = || RunReport::of(&RunState::read(&path).unwrap());
        assert_eq!(report().ended.as_deref(), Some("killed"), "no session has written an event");
        fs::create_dir(History::path(&path)).unwrap();
        let report = report();
        assert_eq!((report.ended.as_deref(), report.notes.len()), (Some("unknown"), 1), "{:?}", report.notes);
        assert!(report.notes[0].contains("events.jsonl: ") && report.notes[0].contains("is left out"));
    }

    #[test]
    fn a_line_that_was_never_finished_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = run_in(folder.path());
        fs::write(History::path(&path), "{\"time\":1.0,\"boa").unwrap();
        drop(RunLog::new(&run, &Silent));
        let ended = History::read(&path).session.and_then(|session| session.ended);
        assert_eq!(ended.as_deref(), Some("stopped"));
    }
}
