//! What a run directory tells of its hunt: results and events as they come, and how far it is.

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

/// How often the status is written.
const INTERVAL: Duration = Duration::from_secs(1);

/// Writes into a run directory what it hears, and passes it on.
#[derive(Debug)]
pub struct RunLog<'a, A> {
    run: &'a RunDir,
    next: &'a A,
    now: Mutex<Now>,
}

/// The moment, as `status.json` tells it.
#[derive(Debug)]
struct Now {
    board: String,
    engine: String,
    /// What is being done, and how much of it is.
    stage: Option<String>,
    /// Where the rate is counted from: time and states expanded.
    from: (Instant, u64),
    written: Option<Instant>,
    events: Option<File>,
}

/// `status.json`: how far the search of one board was a moment ago.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonStatus {
    /// When: seconds since 1970.
    pub time: f64,
    /// The board that has all threads.
    pub board: String,
    /// The engine under way.
    pub engine: String,
    /// The layer under way.
    pub layer: u32,
    /// What is being done in it and how much of it is, where that is known.
    #[serde(default)]
    pub stage: Option<String>,
    /// Proven.
    pub lower_bound: u32,
    /// Cost of the best solution.
    pub incumbent: Option<u32>,
    /// States expanded in this session.
    pub expanded: u64,
    /// Children generated in this session.
    pub generated: u64,
    /// States stored.
    pub stored: u64,
    /// Open nodes of the layer under way, as far as known.
    pub open_in_layer: u64,
    /// Bytes that the search accounts for in memory.
    pub bytes: u64,
    /// States expanded a second, since the last time.
    pub rate: f64,
    /// Seconds since this session's search began.
    pub seconds: f64,
}

impl<'a, A: Audience> RunLog<'a, A> {
    /// A run_log of a run, for `next` to hear after it.
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
        // Nothing rests on it: the next one may succeed.
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
            // Nothing rests on it; a search does not end because its run_log has a gap.
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
        // Every field has a form in JSON.
        let line = serde_json::to_string(&JsonReport::from(report)).unwrap_or_default();
        self.run.add_result(&line)?;
        let mut now = self.now();
        let what = json!({ "board": report.board, "status": report.status(), "cost": report.cost() });
        now.write("finish", &what);
        drop(now);
        self.next.finish(report)
    }
}

/// Seconds since 1970, in thousandths.
fn unix_time() -> f64 {
    let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64());
    (time * 1e3).round() / 1e3
}
