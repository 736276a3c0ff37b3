//! The search of one position, and its events.

use super::PlayError;
use super::game::Game;
use super::knowledge::Knowledge;
use super::view::{key_of, play};
use crate::hunt::Request;
use crate::hunt::{BoardRecord, solve_board};
use crate::puzzles::Task;
use gridhunt_search::engine::{Solution, Status};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Layer, Limits, Observer, StopToken};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use std::time::Duration;

/// What a search may use, and what ends it.
#[derive(Clone, Copy, Debug)]
pub struct SearchResources<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Ends the search.
    pub stop: &'a StopToken,
}

/// A position to be searched.
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
    #[serde(default = "usual_memory")]
    pub memory: u64,
    /// Whether to send events about what the search does.
    #[serde(default)]
    pub watch: bool,
}

pub(super) fn usual_memory() -> u64 {
    1 << 30
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolveResult {
    /// The key of the position.
    pub key: String,
    /// What is known of the position now.
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

/// Something that happened in a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum SearchEvent {
    /// A better proven limit of the value.
    Bound { value: i64 },
    /// A better solution.
    Held { value: i64, moves: Vec<String> },
    /// An engine begins.
    Engine { name: String },
    /// A layer begins.
    Layer { f: u32, open: u64 },
    /// A layer is exhausted.
    LayerDone(LayerCount),
    /// What the search has done so far.
    Progress { layer: u32, in_layer: u64, expanded: u64, generated: u64, stored: u64, bytes: u64, seconds: f64 },
    /// The best state of a beam at one depth.
    Beam { depth: usize, width: usize, moves: Vec<String> },
    /// A stage with known work.
    Stage { text: String, done: u64, total: u64 },
    /// A message.
    Note { text: String },
}

/// The time between two events about the progress of a search.
const INTERVAL: Duration = Duration::from_millis(100);

/// Passes the events of a search on.
struct EventSender<'a> {
    task: &'a dyn Task,
    watch: bool,
    tell: Mutex<&'a mut (dyn FnMut(&str) + Send)>,
}

impl EventSender<'_> {
    fn value(&self, cost: u32) -> i64 {
        self.task.info().objective.value(cost)
    }

    /// Writes a solution as text; empty if the plain rules refuse it.
    fn solution(&self, cost: u32, moves: &[u16]) -> Vec<String> {
        let solution = Solution { cost, moves: moves.to_vec() };
        self.task.replay(&solution).unwrap_or_default()
    }

    /// Writes moves of a search as text; `None` if there are no such moves, or if programs solve the puzzle.
    fn names(&self, moves: &[u16]) -> Option<Vec<String>> {
        self.task.as_state_task()?.move_names(moves)
    }

    /// Turns an event of the search into one to send; `None` for events that are not sent. Limits and solutions are
    /// always sent, because they are results.
    fn told(&self, event: &Event<'_>) -> Option<SearchEvent> {
        match event {
            Event::LowerBound(bound) if *bound < u32::MAX => Some(SearchEvent::Bound { value: self.value(*bound) }),
            Event::Incumbent { cost, moves } => {
                Some(SearchEvent::Held { value: self.value(*cost), moves: self.solution(*cost, moves) })
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
                Some(SearchEvent::Beam { depth: *depth, width: *width, moves: self.names(moves)? })
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
        let Some(told) = self.told(event) else { return };
        // The conversion cannot fail: all keys are text.
        let text = serde_json::to_string(&told).unwrap_or_default();
        let mut tell = self.tell.lock();
        (*tell)(&text);
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.watch.then_some(INTERVAL)
    }

    fn watches_beams(&self) -> bool {
        self.watch
    }
}

impl SolveRequest {
    /// Makes the search of a position for at most `seconds` seconds. It sends only limits and solutions.
    #[must_use]
    pub fn of(game: Game, moves: Vec<String>, seconds: f64) -> Self {
        Self { game, moves, seconds, memory: usual_memory(), watch: false }
    }

    /// Searches the position. `tell` gets each event as one JSON object.
    ///
    /// # Errors
    /// When the game is not allowed, the rules refuse a move, or the search fails.
    pub fn run(
        &self,
        &SearchResources { threads, stop }: &SearchResources<'_>,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<SolveResult, PlayError> {
        let began = Instant::now();
        let opened = self.game.open()?;
        let board = match &self.moves[..] {
            [] => opened.board.clone(),
            moves => play(&*opened.task()?, moves)?.position().map_err(PlayError::new)?,
        };
        let request = within(opened.request, threads, (self.seconds, self.memory))?;
        let task = request.task(&board).map_err(PlayError::new)?;
        let teller = EventSender { task: &*task, watch: self.watch, tell: Mutex::new(tell) };
        let record = solve_board(&board, &request, &teller, stop).map_err(PlayError::new)?;
        Ok(SolveResult {
            key: key_of(board.cells()),
            known: known_of(&record, self.seconds),
            status: record.status,
            expanded: record.expanded,
            layers: record.layers.iter().map(LayerCount::from).collect(),
            seconds: began.elapsed().as_secs_f64(),
        })
    }
}

/// Gives a request limits of time, in seconds, and memory, in bytes.
///
/// # Errors
/// When `seconds` is not a possible time.
pub(super) fn within(request: Request, threads: usize, (seconds, memory): (f64, u64)) -> Result<Request, PlayError> {
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| PlayError::new(format!("found a time of {seconds} seconds, expected a positive number")))?;
    let limits = Limits { time: Some(time), memory: Some(memory), ..Limits::default() };
    Ok(Request { threads: threads.max(1), limits, ..request })
}

/// What a record proves about its board.
fn known_of(record: &BoardRecord, tried: f64) -> Knowledge {
    let never = record.status == Status::Unsolvable;
    Knowledge {
        bound: record.lower_bound.map(|bound| record.objective.value(bound)),
        held: record.cost.map(|cost| record.objective.value(cost)),
        moves: record.moves.clone(),
        never,
        tried,
    }
}
