//! What the screens show: the rows of one or of many runs, and which panel is open.

use super::super::line::rough;
use super::super::record::{INTERVAL, ProgressNews, ProgressRow, RowEvent, thin};
use super::frames::Frames;
use crate::resume_command;
use gridhunt_hunt::{BoardRecord, Results};
use gridhunt_search::domain::Cost;
use std::path::PathBuf;

/// Rows of a run in memory. Of more, periodic rows thin out.
const MOST_ROWS: usize = 20_000;

/// Whether somebody searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProcessState {
    /// Nobody knows.
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
    /// The state of the moment, if a process shows its own search.
    now: Option<ProgressRow>,
    /// Whether a process searches.
    pub process_state: ProcessState,
    /// Why the progress cannot be read.
    pub error: Option<String>,
    /// The run directory, if there is one.
    pub folder: Option<PathBuf>,
    /// The board with the incumbent, step by step, or why it cannot be drawn.
    pub(super) frames: Option<Result<Frames, String>>,
    /// The board and the incumbent that were drawn.
    drawn: Option<(usize, Option<Cost>)>,
    /// The time of the last look at the run, in seconds since 1970; 0 if the age of rows does not matter.
    pub looked: f64,
    /// The results of its boards: of easy boards side by side, they alone tell.
    pub results: Results,
    /// Whether what is told of the run is read later, so that nothing is to come.
    pub is_told_later: bool,
    /// Rows beyond which rows thin out, if they are more than [`MOST_ROWS`]: many rows may have to stay.
    most_rows: usize,
}

impl WatchedRun {
    /// A run without rows.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Takes new rows of its file.
    pub fn take(&mut self, news: ProgressNews) {
        match news {
            ProgressNews::More(rows) => self.rows.extend(rows),
            ProgressNews::Anew(rows) => {
                (self.rows, self.most_rows, self.frames, self.drawn) = (rows, 0, None, None);
            }
        }
        let most = self.most_rows.max(MOST_ROWS);
        if self.rows.len() > most {
            self.thin_out(most);
        }
    }

    /// Keeps half of `most` rows, or more where rows have to stay.
    fn thin_out(&mut self, most: usize) {
        let mut kept = thin(self.rows.iter().map(|row| (1, row)).collect(), most as u64 / 2).into_iter().peekable();
        let mut at = 0;
        self.rows.retain(|_| {
            let is_kept = kept.next_if_eq(&at).is_some();
            at += 1;
            is_kept
        });
        // Rows that have to stay would otherwise be looked at again with each new row.
        self.most_rows = most.max(2 * self.rows.len());
    }

    /// Takes the state of the moment.
    pub fn set_now(&mut self, now: ProgressRow) {
        self.now = Some(now);
    }

    /// The board, with its incumbent, that is to be drawn because it is not drawn yet.
    fn undrawn(&self) -> Option<(usize, Option<Cost>)> {
        let row = self.last_of_board()?;
        Some((row.number?, row.incumbent)).filter(|&board| self.drawn != Some(board))
    }

    /// Takes the drawing of a board.
    fn set_frames(&mut self, board: (usize, Option<Cost>), frames: Result<Frames, String>) {
        (self.drawn, self.frames) = (Some(board), Some(frames));
    }

    /// The rows of the board that was searched last, or all if no row is about a board.
    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = &ProgressRow> {
        let number = self.last_of_board().and_then(|row| row.number);
        let identity = self.last_of_board().map_or("", |row| &row.identity);
        self.rows.iter().filter(move |row| row.number == number && row.identity == identity)
    }

    /// The time of the last row, in seconds since 1970; 0 without rows.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.time)
    }

    /// Forgets all rows but the last one, and the last one about a board.
    pub fn keep_last(&mut self) {
        let board = self.rows.iter().rposition(|row| row.number.is_some());
        let last = self.rows.len().saturating_sub(1);
        let mut at = 0..;
        self.rows.retain(|_| at.next().is_some_and(|at| at == last || Some(at) == board));
    }

    /// The run as if it had one board alone.
    #[must_use]
    pub fn of_board(&self, number: usize) -> Self {
        let rows = self.rows.iter().filter(|row| row.number == Some(number)).cloned().collect();
        let (name, process_state) = (self.name.clone(), self.process_state.clone());
        Self { name, rows, process_state, is_told_later: self.is_told_later, ..Self::default() }
    }

    pub(crate) fn all_rows(&self) -> &[ProgressRow] {
        &self.rows
    }

    fn last_of_board(&self) -> Option<&ProgressRow> {
        let now = self.now.as_ref().filter(|row| row.number.is_some());
        now.or_else(|| self.rows.iter().rfind(|row| row.number.is_some()))
    }

    /// The state of the board that was searched last.
    pub(crate) fn latest(&self) -> Option<&ProgressRow> {
        self.last_of_board().or(self.now.as_ref()).or(self.rows.last())
    }

    /// The last row of the file, also if it is about no board.
    pub(crate) fn last(&self) -> Option<&ProgressRow> {
        self.now.as_ref().or(self.rows.last())
    }

    /// Whether nobody searches, as far as that is known.
    pub(crate) fn is_over(&self) -> bool {
        self.process_state == ProcessState::Over || self.rows.last().is_some_and(|row| row.event == RowEvent::End)
    }

    /// How the run is, in a few words.
    pub(crate) fn state(&self) -> String {
        let ended = self.rows.last().filter(|row| row.event == RowEvent::End).and_then(|row| row.ended.clone());
        match (&self.process_state, ended) {
            (_, _) if self.error.is_some() => "unreadable".to_owned(),
            (ProcessState::Active(process), _) => format!("process {process}"),
            (_, Some(ended)) => ended,
            (_, None) if self.rows.is_empty() && self.now.is_none() => "no rows".to_owned(),
            (ProcessState::Over, None) => "killed".to_owned(),
            // A process that searches would have written another row since.
            (ProcessState::Unknown, None) => {
                let silence = self.age().filter(|age| *age > 2.0 * INTERVAL);
                silence.map_or_else(|| "under way".to_owned(), last_row)
            }
        }
    }

    /// The seconds since the last row, if they matter.
    fn age(&self) -> Option<f64> {
        let last = self.rows.last().filter(|_| self.looked > 0.0)?;
        Some((self.looked - last.time).max(0.0))
    }

    /// How old the last row is, while a process searches.
    pub(super) fn age_of_rows(&self) -> Option<String> {
        self.age().filter(|_| matches!(self.process_state, ProcessState::Active(_))).map(last_row)
    }

    /// Seconds in all sessions, of which those since the last row pass while a process searches.
    pub(super) fn elapsed(&self) -> Option<f64> {
        let is_active = matches!(self.process_state, ProcessState::Active(_)) && self.now.is_none();
        let since = self.age().filter(|_| is_active).unwrap_or(0.0);
        Some(self.last()?.elapsed + since)
    }

    /// The time until which a row of a board holds: the present, unless the board has ended or nobody searches.
    pub(super) fn known_until(&self, row: &ProgressRow) -> f64 {
        let is_under_way = row.event != RowEvent::Board && matches!(self.process_state, ProcessState::Active(_));
        self.elapsed().filter(|_| is_under_way).unwrap_or(row.elapsed)
    }

    /// Boards that are done, and of these those that are proven: as results tell, or rows.
    pub(crate) fn done(&self) -> (u64, u64) {
        let last = self.last().map_or((0, 0), |row| (row.done, row.proven));
        last.max(self.results.done_and_proven())
    }

    /// Boards that are done, and all boards, if there are several.
    pub(super) fn boards(&self) -> Option<(u64, u64)> {
        let all = self.last()?.boards.filter(|&boards| boards > 1)?;
        Some((self.done().0, all))
    }

    /// [`ProgressRow::boards_left`], unless the run is over or results say that boards were stopped.
    pub(crate) fn boards_left(&self) -> Option<f64> {
        let is_stopped = |board: &BoardRecord| !board.is_done();
        let last = self.last().filter(|_| !self.is_over() && !self.results.records().values().any(is_stopped))?;
        last.boards_left()
    }

    /// The command that goes on with a run that was ended early.
    pub(super) fn resume(&self) -> Option<String> {
        let row = self.last()?;
        let is_left = row.boards.is_none_or(|boards| self.done().0 < boards);
        let folder = self.folder.as_ref().filter(|_| is_left && self.process_state == ProcessState::Over)?;
        Some(resume_command(folder))
    }
}

fn last_row(age: f64) -> String {
    format!("last row {} ago", rough(age))
}

/// What a screen shows of a run.
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

/// A key, as far as the screens know it.
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

/// A board that is to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undrawn {
    run: usize,
    board: (usize, Option<Cost>),
    folder: Option<PathBuf>,
}

impl Undrawn {
    /// Draws the board. This may take long.
    ///
    /// # Errors
    /// As [`Frames::of`], and where there is no run directory.
    pub fn draw(&self, colour: bool) -> Result<Frames, String> {
        match &self.folder {
            Some(folder) => Frames::of(folder, self.board.0, colour),
            None => Err("found no run directory: only a run directory has the board".to_owned()),
        }
    }

    /// Shows what was drawn.
    pub fn show(self, watched: &mut Watched, frames: Result<Frames, String>) {
        if let Some(run) = watched.runs.get_mut(self.run) {
            run.set_frames(self.board, frames);
        }
    }
}

/// All runs, and what of them is shown.
#[derive(Debug, Default)]
pub struct Watched {
    /// The runs.
    pub runs: Vec<WatchedRun>,
    /// The run that is shown, or selected in the list.
    pub(super) selected: usize,
    /// Whether the list of runs is shown.
    pub(super) is_list: bool,
    pub(super) panel: Panel,
    /// Lines at the end that are scrolled out of sight.
    pub(super) scrolled: usize,
    /// Whether the keys are explained.
    pub(super) is_help: bool,
}

/// Lines of a page.
const PAGE: usize = 10;

impl Watched {
    /// These runs: the list if there are several.
    #[must_use]
    pub fn new(runs: Vec<WatchedRun>) -> Self {
        Self { is_list: runs.len() > 1, runs, ..Self::default() }
    }

    /// The run that is shown, if it is not the list.
    pub(super) fn shown(&self) -> Option<usize> {
        (!self.is_list && self.selected < self.runs.len()).then_some(self.selected)
    }

    /// Whether the board is shown.
    fn shows_board(&self) -> bool {
        !self.is_list && self.panel == Panel::Board
    }

    /// The run whose board is shown and not drawn yet, with its folder and the board.
    #[must_use]
    pub fn undrawn(&self) -> Option<Undrawn> {
        let run = self.shown().filter(|_| self.shows_board())?;
        let board = self.runs[run].undrawn()?;
        Some(Undrawn { run, board, folder: self.runs[run].folder.clone() })
    }

    /// Handles a key. Returns whether the key asks for the end of the view.
    pub fn press(&mut self, key: Key) -> bool {
        let opens = |letter| match letter {
            'b' => Some(Panel::Board),
            'l' => Some(Panel::Layers),
            'w' => Some(Panel::Workers),
            'e' => Some(Panel::Events),
            'p' => Some(Panel::Plot),
            _ => None,
        };
        // Any key ends the explanation of the keys, and does what it does otherwise.
        let was_help = std::mem::take(&mut self.is_help);
        match key {
            Key::Letter('q') => return true,
            Key::Letter('?') => self.is_help = !was_help,
            Key::Escape if was_help => {}
            Key::Letter(letter) if !self.is_list => {
                if let Some(panel) = opens(letter) {
                    self.panel = if self.panel == panel { Panel::Overview } else { panel };
                    self.scrolled = 0;
                }
            }
            Key::Up | Key::Down if self.is_list => {
                let last = self.runs.len().saturating_sub(1);
                let up = self.selected.saturating_sub(1);
                self.selected = if key == Key::Up { up } else { (self.selected + 1).min(last) };
            }
            Key::Enter if self.is_list && !self.runs.is_empty() => {
                (self.is_list, self.panel) = (false, Panel::Overview)
            }
            Key::Escape if !self.is_list => {
                match self.panel {
                    Panel::Overview => self.is_list = self.runs.len() > 1,
                    _ => self.panel = Panel::Overview,
                }
                self.scrolled = 0;
            }
            Key::Up => self.scrolled += 1,
            Key::Down => self.scrolled = self.scrolled.saturating_sub(1),
            Key::PageUp => self.scrolled += PAGE,
            Key::PageDown => self.scrolled = self.scrolled.saturating_sub(PAGE),
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
        let mut watched = Watched::new(vec![WatchedRun::new("a".to_owned()), WatchedRun::new("b".to_owned())]);
        assert_eq!(watched.shown(), None);
        for key in [Key::Down, Key::Down, Key::Letter('b'), Key::Enter, Key::Letter('l')] {
            assert!(!watched.press(key));
        }
        assert_eq!((watched.shown(), watched.panel), (Some(1), Panel::Layers));
        watched.press(Key::PageUp);
        watched.press(Key::Down);
        assert_eq!(watched.scrolled, PAGE - 1);
        watched.press(Key::Letter('l'));
        assert_eq!((watched.panel, watched.scrolled), (Panel::Overview, 0));
        watched.press(Key::Escape);
        assert_eq!((watched.shown(), watched.press(Key::Letter('q'))), (None, true));
    }

    #[test]
    fn the_state_of_a_run_is_told() {
        let row =
            |event, ended: Option<&str>| ProgressRow { event, ended: ended.map(str::to_owned), ..Default::default() };
        let state = |rows: Vec<ProgressRow>, process_state: ProcessState, error: Option<&str>| {
            let mut run = WatchedRun { process_state, error: error.map(str::to_owned), ..WatchedRun::default() };
            run.take(ProgressNews::Anew(rows));
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
        run.take(ProgressNews::Anew(vec![ProgressRow { time: 1_000.0, ..ProgressRow::default() }]));
        let mut state = |looked| {
            run.looked = looked;
            run.state()
        };
        assert_eq!([state(1_000.0), state(1_000.0 + 2.0 * INTERVAL)], ["under way", "under way"]);
        assert_eq!(state(1_000.0 + 3.0 * 3_600.0), "last row 3h 0m ago");
    }

    /// Ends of layers stay. They are thinned out once, not with each new row.
    #[test]
    fn rows_that_have_to_stay_raise_the_limit_of_rows() {
        let row = |at: usize| ProgressRow { event: RowEvent::Layer, elapsed: at as f64, ..ProgressRow::default() };
        let mut run = WatchedRun::new("runs/a".to_owned());
        run.take(ProgressNews::Anew((0..=MOST_ROWS).map(row).collect()));
        assert_eq!((run.rows.len(), run.most_rows), (MOST_ROWS + 1, 2 * (MOST_ROWS + 1)));
        run.take(ProgressNews::Anew(vec![row(0)]));
        assert_eq!((run.rows.len(), run.most_rows), (1, 0), "a new file begins anew");
    }
}
