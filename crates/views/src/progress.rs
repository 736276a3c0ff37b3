//! Live progress: one or two lines that are redrawn on a terminal, or nothing.

use super::progress_line::{detail_line, progress_line, time_left};
use super::record::{LiveView, ProgressRow, RowEvent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io;
use std::time::Duration;
use terminal_size::{Height, Width, terminal_size_of};

const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

/// A terminal with fewer rows has no second line.
const MIN_ROWS_FOR_DETAILS: u16 = 12;

/// A full screen on the terminal that the program also writes to.
pub trait HideableScreen: Send + Sync {
    /// Hides the screen before the program writes.
    fn hide(&self);

    /// Shows the screen again.
    fn show(&self);
}

/// The progress display on a terminal. Dropping it clears the live line.
pub struct ProgressDisplay {
    bar: Option<ProgressBar>,
    screen: Option<Box<dyn HideableScreen>>,
}

/// Draws the live line from rows.
pub struct LiveLine(ProgressBar);

impl ProgressDisplay {
    /// A display that shows nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self { bar: None, screen: None }
    }

    /// A display below a full screen. The returned function shows the live line after the screen is closed.
    pub fn with_screen(
        screen: Box<dyn HideableScreen>,
        boards: Option<u64>,
    ) -> (Self, LiveLine, impl FnOnce(ProgressDrawTarget) + Send + 'static) {
        let (mut progress, line) = Self::live(ProgressDrawTarget::hidden(), boards);
        progress.screen = Some(screen);
        let bar = line.0.clone();
        (progress, line, move |target| bar.set_draw_target(target))
    }

    /// A display that redraws one line on a terminal, or two where there is room. `boards` is the number of boards, if
    /// known.
    #[must_use]
    pub fn live(target: ProgressDrawTarget, boards: Option<u64>) -> (Self, LiveLine) {
        let bar = ProgressBar::with_draw_target(boards, target).with_style(bar_style(boards));
        bar.enable_steady_tick(SPINNER_INTERVAL);
        (Self { bar: Some(bar.clone()), screen: None }, LiveLine(bar))
    }

    /// Hides the live line, or the screen, while `work` runs: for example while it writes a result.
    pub fn suspend<R>(&self, work: impl FnOnce() -> R) -> R {
        self.screen.iter().for_each(|screen| screen.hide());
        let result = match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        };
        self.screen.iter().for_each(|screen| screen.show());
        result
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl LiveView for LiveLine {
    fn show_written(&mut self, row: &ProgressRow) {
        // Boards that are solved side by side are shown by their number only.
        if row.title.is_some() && row.event != RowEvent::Board {
            self.show_current(row);
        }
    }

    fn show_current(&mut self, row: &ProgressRow) {
        self.0.set_position(row.done + row.stopped);
        self.0.set_message(live_text(row, terminal_size_or_default()));
    }
}

fn bar_style(boards: Option<u64>) -> ProgressStyle {
    let template = match boards {
        // The message has the width of the terminal.
        Some(1) => "{spinner} {msg}",
        Some(_) => "{spinner} {elapsed} [{bar:12}] {pos}/{len} boards; {wide_msg}",
        None => "{spinner} {elapsed} boards: {pos}; {wide_msg}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Columns and rows of standard error, or 80 x 24 if it is no terminal.
fn terminal_size_or_default() -> (usize, u16) {
    terminal_size_of(io::stderr()).map_or((80, 24), |(Width(columns), Height(rows))| (usize::from(columns), rows))
}

/// The text of the live display. A single board has two lines, if the terminal has room for them. Several boards have
/// one line: the time that the remaining boards will take, and the board that has all threads.
fn live_text(row: &ProgressRow, (columns, rows): (usize, u16)) -> String {
    let time_left = time_left("about", row.boards_seconds_left());
    let Some((_, elapsed)) = row.title else { return time_left };
    let prefix = if time_left.is_empty() { time_left } else { time_left + "; " };
    let width = columns.saturating_sub(template_columns(row) + prefix.len());
    let first = progress_line(row, elapsed, width);
    let second = detail_line(row, &first, width);
    let has_second = row.boards == Some(1) && rows >= MIN_ROWS_FOR_DETAILS && !second.is_empty();
    if has_second { format!("{first}\n{second}") } else { prefix + &first }
}

/// The maximum number of columns before the message in [`bar_style`].
fn template_columns(row: &ProgressRow) -> usize {
    const SPINNER: usize = 2;
    // A time such as `12m`, the bar, and the words.
    const BAR: usize = "59m [############] / boards; ".len();
    const COUNTER: usize = "59m boards: ; ".len();
    let digits = |number: u64| number.checked_ilog10().unwrap_or(0) as usize + 1;
    let done = digits(row.done + row.stopped);
    SPINNER
        + match row.boards {
            Some(1) => 0,
            Some(boards) => BAR + done + digits(boards),
            None => COUNTER + done,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::{objective, scores};
    use gridhunt_puzzle::Objective;
    use parking_lot::Mutex;
    use std::sync::Arc;

    /// A row of a board that has all threads.
    fn row(objective: Objective) -> ProgressRow {
        ProgressRow {
            board: "a.txt".to_owned(),
            title: Some((String::new(), 61.2)),
            boards: Some(1),
            objective: objective.name.to_owned(),
            ceiling: objective.ceiling(),
            ..ProgressRow::default()
        }
    }

    fn shown(row: &ProgressRow) -> String {
        live_text(row, (200, 24))
    }

    #[test]
    fn a_second_line_needs_room_and_a_single_board() {
        let row = |boards| ProgressRow { boards, engine: "beam".to_owned(), ..row(Objective::MOVES) };
        let lines = |boards, rows| live_text(&row(boards), (80, rows));
        assert_eq!(lines(Some(1), 24), "a.txt 1:01, 0 <= optimum\n  beam");
        assert_eq!([lines(Some(1), MIN_ROWS_FOR_DETAILS - 1), lines(Some(2), 24)], ["a.txt 1:01, 0 <= optimum"; 2]);
        for (columns, boards) in [(60, 1), (80, 1), (120, 1), (80, 1_000)] {
            let long = ProgressRow { board: "a".repeat(200), done: 500, elapsed: 500.0, ..row(Some(boards)) };
            let before = template_columns(&long);
            let all = live_text(&long, (columns, 24));
            assert!(all.lines().all(|line| before + line.chars().count() <= columns), "{columns}: {all}");
        }
    }

    #[test]
    fn costs_are_told_as_what_they_stand_for() {
        let lines = |objective| {
            let row = row(objective);
            [shown(&row), shown(&ProgressRow { lower_bound: 5, incumbent: Some(900), ..row })]
        };
        let score = scores(5000);
        assert_eq!(lines(score), ["a.txt 1:01, optimum <= 5,000", "a.txt 1:01, 4,100 <= optimum <= 4,995"]);
        assert_eq!(lines(objective("clear")), ["a.txt 1:01, no clear so far", "a.txt 1:01, cleared"]);
        assert_eq!(lines(objective("left")), ["a.txt 1:01, 0 <= optimum", "a.txt 1:01, 5 <= optimum <= 900"]);
        let unsolvable = ProgressRow { unsolvable: true, ..row(objective("clear")) };
        assert_eq!(shown(&unsolvable), "a.txt 1:01, proven unsolvable");
    }

    #[test]
    fn the_time_of_the_boards_that_are_left_is_told_once_some_are_done() {
        let of = |done, stopped| {
            let row = ProgressRow { boards: Some(10), elapsed: 40.0, done, stopped, ..ProgressRow::default() };
            [live_text(&row, (80, 24)), live_text(&ProgressRow { title: Some((String::new(), 2.0)), ..row }, (80, 24))]
        };
        assert_eq!(of(4, 0), ["about 60 s more", "about 60 s more;  0:02, 0 <= optimum"]);
        let soon = ProgressRow { boards: Some(10), elapsed: 1.5, done: 8, ..ProgressRow::default() };
        assert_eq!(live_text(&soon, (80, 24)), "", "no second is left");
        for (done, stopped) in [(0, 0), (2, 0), (10, 0), (4, 1)] {
            assert_eq!(of(done, stopped), ["", " 0:02, 0 <= optimum"], "{done} done, {stopped} stopped");
        }
    }

    #[test]
    fn a_screen_is_hidden_while_something_is_written() {
        struct Share(Arc<Mutex<Vec<&'static str>>>);
        impl HideableScreen for Share {
            fn hide(&self) {
                self.0.lock().push("hide");
            }
            fn show(&self) {
                self.0.lock().push("show");
            }
        }
        let done = Arc::new(Mutex::new(Vec::new()));
        let (progress, _, show) = ProgressDisplay::with_screen(Box::new(Share(Arc::clone(&done))), Some(1));
        progress.suspend(|| done.lock().push("write"));
        show(ProgressDrawTarget::hidden());
        progress.suspend(|| done.lock().push("write"));
        assert_eq!(*done.lock(), ["hide", "write", "show"].repeat(2));
    }
}
