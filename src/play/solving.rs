//! The search of one position, and its events.

use super::PlayError;
use super::game::Game;
use super::knowledge::Knowledge;
use super::view::{play, to_hex};
use crate::hunt::{BoardRecord, Request, solve_board};
use crate::puzzles::Task;
use gridhunt_search::engine::{Solution, Status};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Layer, Limits, Observer, StopReason, StopToken};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The threads of a search, and its stop token.
#[derive(Clone, Copy, Debug)]
pub struct SearchResources<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Ends the search.
    pub stop: &'a StopToken,
}

/// The question for the search of a position.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveRequest {
    /// The game.
    pub game: Game,
    /// The moves from the board to the position.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The time limit, in seconds.
    pub seconds: f64,
    /// The memory limit, in bytes.
    #[serde(default = "default_memory_bytes")]
    pub memory: u64,
    /// Whether to send all events, not only limits and solutions.
    #[serde(default)]
    pub watch: bool,
}

pub(super) fn default_memory_bytes() -> u64 {
    1 << 30
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolveResult {
    /// The key of the position.
    pub key: String,
    /// The knowledge of the position after the search.
    pub known: Knowledge,
    /// The status of the search.
    pub status: Status,
    /// The states that were expanded.
    pub expanded: u64,
    /// The layers of the proof, for puzzles whose searches have layers.
    pub layers: Vec<LayerCount>,
    /// Seconds that the search took.
    pub seconds: f64,
}

/// The states of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LayerCount {
    /// The f of the layer.
    pub f: u32,
    /// The states expanded in it.
    pub expanded: u64,
}

impl From<&Layer> for LayerCount {
    fn from(layer: &Layer) -> Self {
        Self { f: layer.f, expanded: layer.expanded }
    }
}

/// An event of a search, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum SearchEvent {
    /// A better proven limit of the value.
    Bound { value: i64 },
    /// A better solution.
    #[serde(rename = "held")]
    Solution { value: i64, moves: Vec<String> },
    /// An engine begins.
    Engine { name: String },
    /// A layer begins.
    Layer { f: u32, open: u64 },
    /// A layer is exhausted.
    LayerDone(LayerCount),
    /// The counts of the search so far.
    Progress { layer: u32, in_layer: u64, expanded: u64, generated: u64, stored: u64, bytes: u64, seconds: f64 },
    /// The best state of a beam at one depth.
    Beam { depth: usize, width: usize, moves: Vec<String> },
    /// A stage with known work.
    Stage { text: String, done: u64, total: u64 },
    /// A message.
    Note { text: String },
}

const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Sends the events of a search.
struct EventSender<'a> {
    task: &'a dyn Task,
    watch: bool,
    send: Mutex<&'a mut (dyn FnMut(&str) + Send)>,
}

impl EventSender<'_> {
    fn value(&self, cost: u32) -> i64 {
        self.task.info().objective.value(cost)
    }

    /// The event to send for an event of the search. Limits and solutions are always sent: they are results.
    fn event_to_send(&self, event: &Event<'_>) -> Option<SearchEvent> {
        match event {
            Event::LowerBound(bound) if *bound < u32::MAX => Some(SearchEvent::Bound { value: self.value(*bound) }),
            Event::Incumbent { cost, moves } => {
                let solution = Solution { cost: *cost, moves: moves.to_vec() };
                // If the plain rules refuse the solution, its list of moves is empty.
                let moves = self.task.replay(&solution).unwrap_or_default();
                Some(SearchEvent::Solution { value: self.value(*cost), moves })
            }
            _ if !self.watch => None,
            Event::EngineStarted { engine } => Some(SearchEvent::Engine { name: (*engine).to_owned() }),
            Event::LayerStarted { f, open } => Some(SearchEvent::Layer { f: *f, open: *open }),
            Event::LayerDone(layer) => Some(SearchEvent::LayerDone(layer.into())),
            Event::Stage { stage, done, total } => {
                Some(SearchEvent::Stage { text: stage.to_string(), done: *done, total: *total })
            }
            Event::Note(text) => Some(SearchEvent::Note { text: (*text).to_owned() }),
            Event::Beam { depth, width, moves } => {
                let moves = self.task.as_state_task()?.move_names(moves)?;
                Some(SearchEvent::Beam { depth: *depth, width: *width, moves })
            }
            Event::Progress(progress) => Some(SearchEvent::Progress {
                layer: progress.layer,
                in_layer: progress.in_layer,
                expanded: progress.expanded,
                generated: progress.generated,
                stored: progress.stored,
                bytes: progress.bytes,
                seconds: progress.seconds,
            }),
            Event::LowerBound(_) => None,
        }
    }
}

impl Observer for EventSender<'_> {
    fn observe(&self, event: &Event<'_>) {
        let Some(event) = self.event_to_send(event) else { return };
        // The conversion cannot fail: all keys are text.
        let text = serde_json::to_string(&event).unwrap_or_default();
        let mut send = self.send.lock();
        (*send)(&text);
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.watch.then_some(PROGRESS_INTERVAL)
    }

    fn watches_beams(&self) -> bool {
        self.watch
    }
}

impl SolveRequest {
    /// The search of a position for at most `seconds` seconds. It sends only limits and solutions.
    #[must_use]
    pub fn of(game: Game, moves: Vec<String>, seconds: f64) -> Self {
        Self { game, moves, seconds, memory: default_memory_bytes(), watch: false }
    }

    /// Searches the position. `send` gets each event as one JSON object.
    ///
    /// # Errors
    /// When the game is not allowed, the rules refuse a move, or the search fails.
    pub fn run(
        &self,
        &SearchResources { threads, stop }: &SearchResources<'_>,
        send: &mut (dyn FnMut(&str) + Send),
    ) -> Result<SolveResult, PlayError> {
        let began_at = Instant::now();
        let checked = self.game.check()?;
        let board = match &self.moves[..] {
            [] => checked.board.clone(),
            moves => play(&*checked.task()?, moves)?.position().map_err(PlayError::new)?,
        };
        let request = with_limits(checked.request, threads, (self.seconds, self.memory))?;
        let task = request.task(&board).map_err(PlayError::new)?;
        let sender = EventSender { task: &*task, watch: self.watch, send: Mutex::new(send) };
        let record = solve_board(&board, &request, &sender, stop).map_err(PlayError::new)?;
        let seconds = began_at.elapsed().as_secs_f64();
        let tried = if stop.reason() == Some(StopReason::Interrupted) { seconds } else { self.seconds };
        Ok(SolveResult {
            key: to_hex(board.cells()),
            known: knowledge_of(&record, tried),
            status: record.status,
            expanded: record.expanded,
            layers: record.layers.iter().map(LayerCount::from).collect(),
            seconds,
        })
    }
}

/// Sets the limits of time, in seconds, and memory, in bytes.
///
/// # Errors
/// When `seconds` is not a possible time.
pub(super) fn with_limits(
    request: Request,
    threads: usize,
    (seconds, memory): (f64, u64),
) -> Result<Request, PlayError> {
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| PlayError::new(format!("found a time of {seconds} seconds, expected 0 to 10^19")))?;
    let limits = Limits { time: Some(time), memory: Some(memory), ..Limits::default() };
    Ok(Request { threads: threads.max(1), limits, ..request })
}

/// The knowledge from the record of a search of `tried` seconds.
fn knowledge_of(record: &BoardRecord, tried: f64) -> Knowledge {
    Knowledge {
        bound: record.lower_bound.map(|bound| record.objective.value(bound)),
        held: record.cost.map(|cost| record.objective.value(cost)),
        moves: record.moves.clone(),
        is_unsolvable: record.status == Status::Unsolvable,
        tried,
    }
}
