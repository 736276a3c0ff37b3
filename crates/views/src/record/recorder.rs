//! Makes the rows of a session.

use super::super::session_end::SessionEnd;
use super::board::BoardProgress;
use super::row::{ProgressRow, RowEvent, rounded_milli};
use gridhunt_hunt::Request;
use gridhunt_hunt::{BoardRecord, BoardSearchInfo, RunDir};
use gridhunt_search::platform::{Instant, resident_bytes, unix_seconds};
use gridhunt_search::runtime::{Event, StopReason};
use std::collections::BTreeMap;

/// The interval between periodic rows.
pub(crate) const ROW_INTERVAL_SECONDS: f64 = 10.0;

pub(super) struct Moment {
    /// Seconds since the session began. Never falls.
    pub(super) elapsed: f64,
    /// The time of the system, in seconds since 1970.
    pub(super) time: f64,
}

/// The clock of a recorder, which tests replace.
type Clock = Box<dyn Fn() -> Moment + Send>;

/// The clock of the system, for a session that begins now.
pub(super) fn system_clock() -> Clock {
    let start = Instant::now();
    Box::new(move || Moment { elapsed: start.elapsed().as_secs_f64(), time: unix_seconds() })
}

/// The facts that every row of a session has.
#[derive(Clone, Debug, Default)]
pub struct SessionFacts {
    /// All boards of the run, if their number is known.
    pub boards: Option<u64>,
    /// Boards that are done: at first those of earlier sessions; the recorder adds those of this one.
    pub done: u64,
    /// Boards among them whose result is proven.
    pub proven: u64,
    /// The limit of the resident memory, in bytes.
    pub memory_limit: Option<u64>,
    /// The limit of bytes on disk.
    pub disk_limit: Option<u64>,
}

impl SessionFacts {
    /// The facts of a session that searches `boards` boards with this request.
    #[must_use]
    pub fn of(request: &Request, boards: Option<usize>, run: Option<&RunDir>) -> Self {
        let (done, proven) = run.map_or((0, 0), RunDir::done_and_proven);
        Self {
            boards: run.map(RunDir::board_count).or(boards).map(|boards| boards as u64),
            done,
            proven,
            memory_limit: request.limits.resident.or(request.limits.memory),
            disk_limit: request.storage.max_disk_bytes,
        }
    }
}

/// The last rows of earlier sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlierSessions {
    /// The number of the last session; 0 if there is none.
    pub(super) session: u64,
    /// Seconds in all these sessions.
    pub(super) elapsed: f64,
    /// The last row of each board under each identity.
    pub(super) boards: BTreeMap<(usize, String), ProgressRow>,
}

impl EarlierSessions {
    pub(super) fn of(rows: impl IntoIterator<Item = ProgressRow>) -> Self {
        let mut earlier = Self::default();
        for row in rows {
            earlier.session = earlier.session.max(row.session);
            earlier.elapsed = earlier.elapsed.max(row.elapsed);
            if let Some(number) = row.number {
                earlier.boards.insert((number, row.identity.clone()), row);
            }
        }
        earlier
    }
}

/// A board whose search is under way.
#[derive(Debug)]
struct ActiveBoard {
    progress: BoardProgress,
    /// The session time of the last row, or else of the start of the search.
    last_row_at: f64,
    /// The row about the start, while a board that shares the threads with others has no rows. Such a board has rows
    /// only if its search takes long: easy boards would otherwise fill the file.
    begin_row: Option<ProgressRow>,
    /// Whether the board has rows of this session.
    has_rows: bool,
}

pub(super) struct Recorder {
    clock: Clock,
    facts: SessionFacts,
    earlier: EarlierSessions,
    boards: BTreeMap<usize, ActiveBoard>,
    main_board: Option<usize>,
    /// The session time of the next row about no board.
    session_row_due_at: f64,
    stopped: u64,
    end: SessionEnd,
}

impl Recorder {
    pub(super) fn new(clock: Clock, facts: SessionFacts, earlier: EarlierSessions) -> Self {
        Self {
            clock,
            facts,
            earlier,
            boards: BTreeMap::new(),
            main_board: None,
            session_row_due_at: ROW_INTERVAL_SECONDS,
            stopped: 0,
            end: SessionEnd::default(),
        }
    }

    /// Seconds since the session began.
    fn session_seconds(&self) -> f64 {
        (self.clock)().elapsed
    }

    /// A row about no board.
    fn session_row(&self, event: RowEvent) -> ProgressRow {
        let SessionFacts { boards, done, proven, memory_limit, disk_limit } = self.facts;
        let EarlierSessions { session: last_session, elapsed, .. } = self.earlier;
        let now = (self.clock)();
        ProgressRow {
            time: rounded_milli(now.time),
            elapsed: rounded_milli(elapsed + now.elapsed),
            session: last_session + 1,
            event,
            boards,
            done,
            proven,
            stopped: self.stopped,
            memory_limit,
            disk_limit,
            ..ProgressRow::default()
        }
    }

    fn board_row(&mut self, number: usize, event: RowEvent) -> Option<ProgressRow> {
        let (now, session_row) = (self.session_seconds(), self.session_row(event));
        let board = self.boards.get_mut(&number)?;
        (board.last_row_at, board.has_rows) = (now, true);
        Some(board.progress.row_with(session_row))
    }

    pub(super) fn session_begin_row(&self) -> ProgressRow {
        self.session_row(RowEvent::Session)
    }

    /// Starts the search of a board, in parallel with others or with all threads.
    pub(super) fn begin(&mut self, board: &BoardSearchInfo<'_>, is_parallel: bool) {
        let (number, last_row_at) = (board.number, self.session_seconds());
        let mut progress = BoardProgress::new(board, last_row_at);
        if let Some(last_row) = self.earlier.boards.get(&(number, board.identity.clone())) {
            progress.continue_from(last_row);
        }
        if !is_parallel {
            progress.set_main(&board.shape, self.earlier.elapsed + last_row_at);
        }
        let begin_row = is_parallel.then(|| progress.row_with(self.session_row(RowEvent::Begin)));
        self.boards.insert(number, ActiveBoard { progress, last_row_at, begin_row, has_rows: false });
        // The search of the last board may have failed without a result.
        if !is_parallel && let Some(last) = self.main_board.replace(number).filter(|&last| last != number) {
            self.remove(last);
        }
    }

    /// Removes a board whose search has ended or failed.
    pub(super) fn remove(&mut self, number: usize) {
        self.boards.remove(&number);
        self.main_board = self.main_board.filter(|&main| main != number);
    }

    /// Applies an event of a board; `None` is the board that has all threads. Returns the row to write, if any.
    pub(super) fn observe(&mut self, number: Option<usize>, event: &Event<'_>) -> Option<ProgressRow> {
        let number = number.or(self.main_board)?;
        let now = self.session_seconds();
        let board = self.boards.get_mut(&number)?;
        let is_changed = board.progress.apply(event, now);
        if let Some(begin_row) = &mut board.begin_row {
            if let Event::EngineStarted { engine } = event
                && begin_row.engine.is_empty()
            {
                (*engine).clone_into(&mut begin_row.engine);
            }
            return None;
        }
        match event {
            Event::LayerDone(layer) => {
                self.board_row(number, RowEvent::Layer).map(|row| ProgressRow { finished: Some(*layer), ..row })
            }
            // A range event may repeat the range of an earlier session, so it makes no first row.
            _ if !self.boards[&number].has_rows && !matches!(event, Event::LowerBound(_) | Event::Incumbent { .. }) => {
                self.board_row(number, RowEvent::Begin)
            }
            _ if is_changed && self.boards[&number].has_rows => self.board_row(number, RowEvent::Range),
            _ => None,
        }
    }

    /// Applies the result of a board. Returns its last row, if it has rows.
    pub(super) fn finish(&mut self, record: &BoardRecord) -> Option<ProgressRow> {
        let number = record.number;
        self.end.add(record);
        if record.stopped.is_none() {
            self.facts.done += 1;
            self.facts.proven += u64::from(record.status.is_proven());
        } else {
            self.stopped += 1;
        }
        let board = self.boards.get_mut(&number)?;
        board.progress.set_final_range(record.lower_bound, record.cost);
        let row = if board.begin_row.is_none() { self.board_row(number, RowEvent::Board) } else { None };
        self.remove(number);
        let ended = record.stopped.map_or_else(|| record.status.name(), StopReason::name);
        row.map(|row| ProgressRow { ended: Some(ended.to_owned()), ..row })
    }

    /// The due rows: of the session if no board has all threads, and of each board. A board that shares the threads
    /// begins with two: of its start, with the time of the start, and of now.
    pub(super) fn due_rows(&mut self) -> Vec<ProgressRow> {
        let now = self.session_seconds();
        let is_due = |board: &ActiveBoard| now - board.last_row_at >= ROW_INTERVAL_SECONDS;
        let due: Vec<_> = self.boards.iter().filter(|(_, board)| is_due(board)).map(|(&number, _)| number).collect();
        let mut rows = Vec::new();
        if now >= self.session_row_due_at {
            self.session_row_due_at = now + ROW_INTERVAL_SECONDS;
            if self.main_board.is_none() {
                rows.push(ProgressRow { resident: resident_bytes(), ..self.session_row(RowEvent::Time) });
            }
        }
        for number in due {
            rows.extend(self.boards.get_mut(&number).and_then(|board| board.begin_row.take()));
            rows.extend(self.board_row(number, RowEvent::Time));
        }
        rows
    }

    /// A row about the current state, which is not written.
    pub(super) fn current_row(&self) -> ProgressRow {
        let session_row = self.session_row(RowEvent::Time);
        match self.main_board.and_then(|number| self.boards.get(&number)) {
            Some(board) => board.progress.row_with(session_row),
            None => session_row,
        }
    }

    pub(super) fn session_end_row(&self) -> ProgressRow {
        let ended = self.end.name(self.facts.boards == Some(self.facts.done));
        ProgressRow { ended: Some(ended.to_owned()), ..self.session_row(RowEvent::End) }
    }
}
