//! Writes results, events and the current progress of a run into its run directory.

use super::json::JsonReport;
use super::number_format::share;
use super::text::finite;
use crate::driver::{Audience, ObjectiveValue, Report, RunDir, RunError};
use crate::runtime::{Event, Observer, Progress};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The time between two updates of `status.json`.
const INTERVAL: Duration = Duration::from_secs(1);

/// An observer that writes all events into a run directory and forwards them to another observer.
#[derive(Debug)]
pub struct RunLog<'a, A> {
    run: &'a RunDir,
    next: &'a A,
    now: Mutex<Now>,
}

/// The state behind `status.json`.
#[derive(Debug)]
struct Now {
    board: String,
    engine: String,
    /// The stage under way and its progress.
    stage: Option<String>,
    /// The start of the interval for the rate: the time, and the states expanded until then.
    from: (Instant, u64),
    written: Option<Instant>,
    events: Option<File>,
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
        let events = OpenOptions::new().append(true).create(true).open(run.path().join("events.jsonl")).ok();
        let from = (Instant::now(), 0);
        let now = Now { board: String::new(), engine: String::new(), stage: None, from, written: None, events };
        Self { run, next, now: Mutex::new(now) }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, event: &Event<'_>) {
        let mut now = self.now();
        let (name, what) = match event {
            Event::EngineStarted { engine } => {
                (*engine).clone_into(&mut now.engine);
                now.stage = None;
                ("engine", json!(engine))
            }
            Event::LayerStarted { f, open } => {
                now.stage = None;
                ("layer-started", json!({ "f": f, "open": open }))
            }
            Event::LayerDone(layer) => ("layer-done", json!(layer)),
            Event::LowerBound(cost) => ("lower-bound", json!(finite(*cost))),
            Event::Incumbent { cost, .. } => ("incumbent", json!(cost)),
            Event::Stage { stage, done, total } => {
                now.stage = Some(share(*stage, *done, *total)).filter(|_| done < total);
                return;
            }
            Event::Note(text) => ("note", json!(text)),
            Event::Progress(progress) => return self.show(&mut now, progress),
        };
        now.write(name, &what);
    }

    fn show(&self, now: &mut Now, progress: &Progress) {
        if now.written.is_some_and(|written| written.elapsed() < INTERVAL) {
            return;
        }
        let (since, before) = now.from;
        let rate = progress.expanded.saturating_sub(before) as f64 / since.elapsed().as_secs_f64().max(1e-3);
        now.from = (Instant::now(), progress.expanded);
        now.written = Some(Instant::now());
        let status = JsonStatus {
            time: unix_time(),
            board: now.board.clone(),
            engine: now.engine.clone(),
            layer: progress.layer,
            stage: now.stage.clone(),
            lower_bound: progress.lower_bound,
            incumbent: progress.incumbent,
            expanded: progress.expanded,
            generated: progress.generated,
            stored: progress.stored,
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
    fn write(&mut self, event: &str, what: &Value) {
        let line = json!({ "time": unix_time(), "board": self.board, "event": event, "value": what });
        if let Some(events) = &mut self.events {
            // A failed write is ignored: the search does not need the log of events.
            let _ = events.write_all(format!("{line}\n").as_bytes());
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
    fn begin(&self, name: &str, objective: ObjectiveValue) {
        let mut now = self.now();
        name.clone_into(&mut now.board);
        (now.from, now.written) = ((Instant::now(), 0), None);
        now.write("begin", &Value::Null);
        drop(now);
        self.next.begin(name, objective);
    }

    fn finish(&self, report: &Report) -> Result<(), RunError> {
        // The conversion cannot fail: JSON can represent every field.
        let line = serde_json::to_string(&JsonReport::from(report)).unwrap_or_default();
        self.run.add_result(&line)?;
        let mut now = self.now();
        let what = json!({ "board": report.board, "status": report.status(), "cost": report.cost() });
        now.write("finish", &what);
        drop(now);
        self.next.finish(report)
    }
}

/// Seconds since 1970, rounded to milliseconds.
fn unix_time() -> f64 {
    let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64());
    (time * 1e3).round() / 1e3
}
