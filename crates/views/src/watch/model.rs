//! The state of the screens: the rows of one or more runs, and the open panel.

use super::super::progress_line::short_duration;
use super::super::record::{ProgressRow, ProgressUpdate, ROW_INTERVAL_SECONDS, RowEvent, select_rows};
use super::frames::Frames;
use crate::resume_command;
use gridhunt_hunt::{BoardRecord, Results};
use gridhunt_search::domain::Cost;
use std::path::PathBuf;

/// The maximum number of rows of a run in memory. Above it, periodic rows thin out.
const MAX_ROWS: usize = 20_000;

/// Whether a process searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProcessState {
    /// Not known.
    #[default]
    Unknown,
    /// A process searches.
    Active(String),
    /// No process searches.
    Over,
}

/// One run.
#[derive(Debug, Default)]
pub struct WatchedRun {
    /// The name of the run.
    pub name: String,
    rows: Vec<ProgressRow>,
    /// The current state, if this process searches.
    current: Option<ProgressRow>,
    /// Whether a process searches.
    pub process_state: ProcessState,
    /// Why the progress cannot be read.
    pub error: Option<String>,
    /// The run directory, if there is one.
    pub folder: Option<PathBuf>,
    /// The board with its best solution, or why it cannot be drawn.
    pub(super) frames: Option<Result<Frames, String>>,
    /// The board and the cost of the solution in `frames`.
    drawn_board: Option<(usize, Option<Cost>)>,
    /// The time of the last poll, in seconds since 1970; 0 if the age of rows does not matter.
    pub polled_at: f64,
    /// The results of the boards. Easy boards that are searched side by side have no rows.
    pub results: Results,
    /// Whether the run is shown in a report. A report is read later, so it shows no time until an event.
    pub is_report: bool,
    /// The limit of rows, if it is higher than [`MAX_ROWS`] because many rows must stay.
    max_rows: usize,
}

impl WatchedRun {
    /// A run without rows.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Applies the new rows of its file.
    pub fn apply(&mut self, update: ProgressUpdate) {
        match update {
            ProgressUpdate::Appended(rows) => self.rows.extend(rows),
            ProgressUpdate::Replaced(rows) => {
                (self.rows, self.max_rows, self.frames, self.drawn_board) = (rows, 0, None, None);
            }
        }
        let max_rows = self.max_rows.max(MAX_ROWS);
        if self.rows.len() > max_rows {
            self.thin_out(max_rows);
        }
    }

    /// Keeps `max_rows / 2` rows, or more if more rows must stay.
    fn thin_out(&mut self, max_rows: usize) {
        let selected = select_rows(self.rows.iter().map(|row| (1, row)).collect(), max_rows as u64 / 2);
        let (mut selected, mut indexes) = (selected.into_iter().peekable(), 0..);
        self.rows.retain(|_| indexes.next().is_some_and(|index| selected.next_if_eq(&index).is_some()));
        // A higher limit avoids a selection with each new row.
        self.max_rows = max_rows.max(2 * self.rows.len());
    }

    /// Sets the current state.
    pub fn set_current(&mut self, current: ProgressRow) {
        self.current = Some(current);
    }

    /// The board and cost of the solution to draw; `None` if both are drawn.
    fn pending_drawing(&self) -> Option<(usize, Option<Cost>)> {
        let row = self.last_board_row()?;
        Some((row.number?, row.incumbent)).filter(|&board| self.drawn_board != Some(board))
    }

    /// The rows of the latest board. Without rows about a board, the rows of the sessions.
    pub(crate) fn board_rows(&self) -> impl DoubleEndedIterator<Item = &ProgressRow> {
        let (number, identity) = self.last_board_row().map_or((None, ""), |row| (row.number, &row.identity));
        self.rows.iter().filter(move |row| row.number == number && row.identity == identity)
    }

    /// The time of the last row, in seconds since 1970; 0 without rows.
    #[must_use]
    pub fn last_row_time(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.time)
    }

    /// Keeps only the last row, and the last row about a board.
    pub fn keep_last_rows(&mut self) {
        let board = self.rows.iter().rposition(|row| row.number.is_some());
        let last = self.rows.len().saturating_sub(1);
        let mut indexes = 0..;
        self.rows.retain(|_| indexes.next().is_some_and(|index| index == last || Some(index) == board));
    }

    /// The run with the rows of one board only.
    #[must_use]
    pub fn only_board(&self, number: usize) -> Self {
        let rows = self.rows.iter().filter(|row| row.number == Some(number)).cloned().collect();
        let (name, process_state) = (self.name.clone(), self.process_state.clone());
        Self { name, rows, process_state, is_report: self.is_report, ..Self::default() }
    }

    pub(crate) fn all_rows(&self) -> &[ProgressRow] {
        &self.rows
    }

    fn last_board_row(&self) -> Option<&ProgressRow> {
        let current = self.current.as_ref().filter(|row| row.number.is_some());
        current.or_else(|| self.rows.iter().rfind(|row| row.number.is_some()))
    }

    /// The latest row about a board, or else the last row.
    pub(crate) fn last_board_or_session_row(&self) -> Option<&ProgressRow> {
        self.last_board_row().or(self.current.as_ref()).or(self.rows.last())
    }

    /// The last row, about a board or not.
    pub(crate) fn last_row(&self) -> Option<&ProgressRow> {
        self.current.as_ref().or(self.rows.last())
    }

    /// Whether the search is known to have ended.
    pub(crate) fn is_over(&self) -> bool {
        self.process_state == ProcessState::Over || self.rows.last().is_some_and(|row| row.event == RowEvent::End)
    }

    /// The state of the run, in a few words.
    pub(crate) fn state(&self) -> String {
        let ended = self.rows.last().filter(|row| row.event == RowEvent::End).and_then(|row| row.ended.clone());
        match (&self.process_state, ended) {
            (_, _) if self.error.is_some() => "unreadable".to_owned(),
            (ProcessState::Active(process), _) => format!("process {process}"),
            (_, Some(ended)) => ended,
            (_, None) if self.rows.is_empty() && self.current.is_none() => "no rows".to_owned(),
            (ProcessState::Over, None) => "killed".to_owned(),
            // A process that searches would have written a newer row.
            (ProcessState::Unknown, None) => {
                let age = self.age().filter(|age| *age > 2.0 * ROW_INTERVAL_SECONDS);
                age.map_or_else(|| "under way".to_owned(), age_text)
            }
        }
    }

    /// Seconds since the last row, if its age matters.
    fn age(&self) -> Option<f64> {
        let last = self.rows.last().filter(|_| self.polled_at > 0.0)?;
        Some((self.polled_at - last.time).max(0.0))
    }

    /// The age of the last row, while a process searches.
    pub(super) fn last_row_age(&self) -> Option<String> {
        self.age().filter(|_| matches!(self.process_state, ProcessState::Active(_))).map(age_text)
    }

    /// Seconds in all sessions, up to now while a process searches.
    pub(super) fn elapsed(&self) -> Option<f64> {
        let is_active = matches!(self.process_state, ProcessState::Active(_)) && self.current.is_none();
        let age = self.age().filter(|_| is_active).unwrap_or(0.0);
        Some(self.last_row()?.elapsed + age)
    }

    /// The time up to which a row of a board is current: now while the board is searched.
    pub(super) fn known_until(&self, row: &ProgressRow) -> f64 {
        let is_under_way = row.event != RowEvent::Board && matches!(self.process_state, ProcessState::Active(_));
        self.elapsed().filter(|_| is_under_way).unwrap_or(row.elapsed)
    }

    /// The numbers of boards done and proven, from results or rows.
    pub(crate) fn done_and_proven(&self) -> (u64, u64) {
        let last = self.last_row().map_or((0, 0), |row| (row.done, row.proven));
        last.max(self.results.done_and_proven())
    }

    /// The numbers of boards done and of all boards, if there are several.
    pub(super) fn done_and_all(&self) -> Option<(u64, u64)> {
        let all = self.last_row()?.boards.filter(|&boards| boards > 1)?;
        Some((self.done_and_proven().0, all))
    }

    /// [`ProgressRow::boards_seconds_left`], unless the run is over or a result says that a board was stopped.
    pub(crate) fn boards_seconds_left(&self) -> Option<f64> {
        let is_stopped = |board: &BoardRecord| !board.is_done();
        let last = self.last_row().filter(|_| !self.is_over() && !self.results.records().values().any(is_stopped))?;
        last.boards_seconds_left()
    }

    /// The command that resumes a run that ended early.
    pub(super) fn resume_command(&self) -> Option<String> {
        let row = self.last_row()?;
        let is_incomplete = row.boards.is_none_or(|boards| self.done_and_proven().0 < boards);
        let folder = self.folder.as_ref().filter(|_| is_incomplete && self.process_state == ProcessState::Over)?;
        Some(resume_command(folder))
    }
}

fn age_text(seconds: f64) -> String {
    format!("last row {} ago", short_duration(seconds))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Panel {
    /// Chart, layers, estimates, resources.
    #[default]
    Overview,
    /// The board with the incumbent.
    Board,
    /// All layers.
    Layers,
    /// All workers.
    Workers,
    /// What happened.
    Events,
    /// The chart alone.
    Plot,
}

/// A key of the screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter.
    Letter(char),
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Opens what is selected.
    Enter,
    /// Goes back.
    Escape,
}

/// A board to draw without a lock on the screens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingDrawing {
    run: usize,
    board: (usize, Option<Cost>),
    folder: Option<PathBuf>,
}

impl PendingDrawing {
    /// Draws the board. This may take long.
    ///
    /// # Errors
    /// The errors of [`Frames::of`]. Also when there is no run directory.
    pub fn draw(&self, has_colour: bool) -> Result<Frames, String> {
        match &self.folder {
            Some(folder) => Frames::of(folder, self.board.0, has_colour),
            None => Err("found no run directory: only a run directory has the board".to_owned()),
        }
    }

    /// Shows the drawing.
    pub fn finish(self, state: &mut WatchState, frames: Result<Frames, String>) {
        if let Some(run) = state.runs.get_mut(self.run) {
            (run.drawn_board, run.frames) = (Some(self.board), Some(frames));
        }
    }
}

/// All runs, and the screen that is shown.
#[derive(Debug, Default)]
pub struct WatchState {
    /// The runs.
    pub runs: Vec<WatchedRun>,
    pub(super) selected: usize,
    pub(super) shows_list: bool,
    pub(super) panel: Panel,
    /// The number of lines below the visible lines.
    pub(super) scrolled_lines: usize,
    pub(super) shows_help: bool,
}

/// The lines that a page key scrolls.
const PAGE_LINES: usize = 10;

impl WatchState {
    /// The screens of these runs. They start with the list if there are several.
    #[must_use]
    pub fn new(runs: Vec<WatchedRun>) -> Self {
        Self { shows_list: runs.len() > 1, runs, ..Self::default() }
    }

    /// The index of the run that is shown; `None` for the list.
    pub(super) fn shown_run(&self) -> Option<usize> {
        (!self.shows_list && self.selected < self.runs.len()).then_some(self.selected)
    }

    fn shows_board(&self) -> bool {
        !self.shows_list && self.panel == Panel::Board
    }

    /// The board to draw, if the shown board is not drawn yet.
    #[must_use]
    pub fn pending_drawing(&self) -> Option<PendingDrawing> {
        let run = self.shown_run().filter(|_| self.shows_board())?;
        let board = self.runs[run].pending_drawing()?;
        Some(PendingDrawing { run, board, folder: self.runs[run].folder.clone() })
    }

    /// Handles a key. Returns whether it ends the view.
    pub fn press(&mut self, key: Key) -> bool {
        let panel_of = |letter| match letter {
            'b' => Some(Panel::Board),
            'l' => Some(Panel::Layers),
            'w' => Some(Panel::Workers),
            'e' => Some(Panel::Events),
            'p' => Some(Panel::Plot),
            _ => None,
        };
        // Any key closes the help. Keys other than `?` and Escape also have their usual effect.
        let was_help = std::mem::take(&mut self.shows_help);
        let key = match key {
            Key::Letter(letter) => Key::Letter(letter.to_ascii_lowercase()),
            key => key,
        };
        match key {
            Key::Letter('q') => return true,
            Key::Letter('?') => self.shows_help = !was_help,
            Key::Escape if was_help => {}
            Key::Letter(letter) if !self.shows_list => {
                if let Some(panel) = panel_of(letter) {
                    self.panel = if self.panel == panel { Panel::Overview } else { panel };
                    self.scrolled_lines = 0;
                }
            }
            Key::Up if self.shows_list => self.selected = self.selected.saturating_sub(1),
            Key::Down if self.shows_list => self.selected = (self.selected + 1).min(self.runs.len().saturating_sub(1)),
            Key::Enter if self.shows_list && !self.runs.is_empty() => {
                (self.shows_list, self.panel) = (false, Panel::Overview)
            }
            Key::Escape if !self.shows_list => {
                match self.panel {
                    Panel::Overview => self.shows_list = self.runs.len() > 1,
                    _ => self.panel = Panel::Overview,
                }
                self.scrolled_lines = 0;
            }
            Key::Up => self.scrolled_lines += 1,
            Key::Down => self.scrolled_lines = self.scrolled_lines.saturating_sub(1),
            Key::PageUp => self.scrolled_lines += PAGE_LINES,
            Key::PageDown => self.scrolled_lines = self.scrolled_lines.saturating_sub(PAGE_LINES),
            Key::Left | Key::Right if self.shows_board() => {
                if let Some(Ok(frames)) = self.runs.get_mut(self.selected).and_then(|run| run.frames.as_mut()) {
                    frames.step(key == Key::Right);
                }
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_open_and_close_panels_and_go_back_to_the_list() {
        let mut state = WatchState::new(vec![WatchedRun::new("a".to_owned()), WatchedRun::new("b".to_owned())]);
        assert_eq!(state.shown_run(), None);
        for key in [Key::Down, Key::Down, Key::Letter('b'), Key::Enter, Key::Letter('l')] {
            assert!(!state.press(key));
        }
        assert_eq!((state.shown_run(), state.panel), (Some(1), Panel::Layers));
        state.press(Key::PageUp);
        state.press(Key::Down);
        assert_eq!(state.scrolled_lines, PAGE_LINES - 1);
        state.press(Key::Letter('l'));
        assert_eq!((state.panel, state.scrolled_lines), (Panel::Overview, 0));
        state.press(Key::Escape);
        assert_eq!((state.shown_run(), state.press(Key::Letter('q'))), (None, true));
    }

    #[test]
    fn the_state_of_a_run_is_told() {
        let row =
            |event, ended: Option<&str>| ProgressRow { event, ended: ended.map(str::to_owned), ..Default::default() };
        let state = |rows: Vec<ProgressRow>, process_state: ProcessState, error: Option<&str>| {
            let mut run = WatchedRun { process_state, error: error.map(str::to_owned), ..WatchedRun::default() };
            run.apply(ProgressUpdate::Replaced(rows));
            run.state()
        };
        let time = || vec![row(RowEvent::Time, None)];
        let end = vec![row(RowEvent::End, Some("interrupted"))];
        assert_eq!(state(time(), ProcessState::Active("7".to_owned()), None), "process 7");
        assert_eq!(
            [state(end, ProcessState::Over, None), state(time(), ProcessState::Over, None)],
            ["interrupted", "killed"]
        );
        assert_eq!(state(vec![], ProcessState::Over, None), "no rows");
        assert_eq!(
            [state(time(), ProcessState::Unknown, None), state(time(), ProcessState::Over, Some("x"))],
            ["under way", "unreadable"]
        );
    }

    /// Of a row file nobody knows whether a process still writes it.
    #[test]
    fn the_age_of_the_last_row_shows_once_another_is_missing() {
        let mut run = WatchedRun::new("rows.jsonl".to_owned());
        run.apply(ProgressUpdate::Replaced(vec![ProgressRow { time: 1_000.0, ..ProgressRow::default() }]));
        let mut state = |looked| {
            run.polled_at = looked;
            run.state()
        };
        assert_eq!([state(1_000.0), state(1_000.0 + 2.0 * ROW_INTERVAL_SECONDS)], ["under way", "under way"]);
        assert_eq!(state(1_000.0 + 3.0 * 3_600.0), "last row 3h 0m ago");
    }

    /// Ends of layers stay. They are thinned out once, not with each new row.
    #[test]
    fn rows_that_have_to_stay_raise_the_limit_of_rows() {
        let row = |at: usize| ProgressRow { event: RowEvent::Layer, elapsed: at as f64, ..ProgressRow::default() };
        let mut run = WatchedRun::new("runs/a".to_owned());
        run.apply(ProgressUpdate::Replaced((0..=MAX_ROWS).map(row).collect()));
        assert_eq!((run.rows.len(), run.max_rows), (MAX_ROWS + 1, 2 * (MAX_ROWS + 1)));
        run.apply(ProgressUpdate::Replaced(vec![row(0)]));
        assert_eq!((run.rows.len(), run.max_rows), (1, 0), "a new file begins anew");
    }
}
