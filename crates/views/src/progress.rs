//! Live progress: one or two lines that are redrawn on a terminal, rows of a log, or nothing.
//!
//! Workers enter their events into a view, which a thread draws. The thread does not hold the view while it writes, so
//! no worker waits for a slow terminal.

use super::log_table::LogTable;
use super::record::SessionFacts;
use super::view::View;
use gridhunt_hunt::{Audience, BoardRecord, BoardSearchInfo, RunError};
use gridhunt_search::engine::Status;
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io::{self, Write};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use terminal_size::{Height, Width, terminal_size_of};

/// The time between two redraws of the live line.
const REDRAW: Duration = Duration::from_millis(100);

/// The longest time between two redraws: the time of the search goes on.
const TICK: Duration = Duration::from_secs(1);

/// The rows of a terminal from which on there is room for a second line.
const ROOM: u16 = 12;

/// The longest time between two rows of the log.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The shortest time between two rows in a session of one board.
const LOG_GAP: Duration = Duration::from_millis(500);

/// The shortest time between two rows in a session of many boards. Easy boards would otherwise fill the log.
const LOG_GAP_OF_MANY: Duration = Duration::from_secs(5);

/// A screen that shares the terminal with what is written there.
pub trait TerminalShare: Send + Sync {
    /// Hides the screen, because something is to be written.
    fn hide(&self);

    /// Shows the screen again.
    fn show(&self);
}

/// The progress display of one run. Dropping the display clears the live line.
pub struct Progress {
    shared: Option<Arc<Shared>>,
    interval: Option<Duration>,
    bar: Option<ProgressBar>,
    thread: Option<JoinHandle<()>>,
    share: Option<Box<dyn TerminalShare>>,
}

/// What the observer shares with the thread that draws.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    begun: Instant,
}

struct State {
    view: View,
    /// What has happened since the thread looked last.
    news: News,
    is_over: bool,
}

/// What has happened, as far as the thread that draws is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Nothing,
    Minor,
    /// The proven range became smaller.
    Range,
    /// A board is finished.
    Finish,
}

impl Shared {
    /// Changes the view. `change` returns what has happened.
    fn change(&self, change: impl FnOnce(&mut View) -> News) {
        let mut state = self.state.lock();
        state.view.now = self.begun.elapsed().as_secs_f64();
        match (change(&mut state.view), state.news) {
            (News::Minor, News::Range | News::Finish) => {}
            (news, _) => state.news = news,
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Waits until the view changes, or the time is over. Returns what has happened, and the view; `None` at the end.
    fn wait(&self, most: Duration) -> Option<(News, MutexGuard<'_, State>)> {
        let idle = |state: &mut State| state.news == News::Nothing && !state.is_over;
        let mut state = self.state.lock();
        self.changed.wait_while_for(&mut state, idle, most);
        state.view.now = self.begun.elapsed().as_secs_f64();
        let news = std::mem::replace(&mut state.news, News::Nothing);
        (!state.is_over).then_some((news, state))
    }
}

impl Progress {
    /// A display that shows nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self { shared: None, interval: None, bar: None, thread: None, share: None }
    }

    /// A display that shows nothing, because a screen shows more, and what shows its line once the screen is closed.
    pub fn behind(
        share: Box<dyn TerminalShare>,
        total: Option<usize>,
        facts: SessionFacts,
    ) -> (Self, impl FnOnce(ProgressDrawTarget) + Send + 'static) {
        let mut progress = Self::live(ProgressDrawTarget::hidden(), total, facts);
        progress.share = Some(share);
        let bar = progress.bar.clone();
        let show = move |target| {
            if let Some(bar) = bar {
                bar.set_draw_target(target);
            }
        };
        (progress, show)
    }

    /// A log: `heading` and a row when the proven range becomes smaller, and at least every ten seconds. `total` is the
    /// number of boards, if it is known.
    #[must_use]
    pub fn log(out: impl Write + Send + 'static, heading: String, total: Option<usize>, facts: SessionFacts) -> Self {
        let gap = if total == Some(1) { LOG_GAP } else { LOG_GAP_OF_MANY };
        let view = View::new(total, facts);
        Self::drawn_by(view, Duration::from_millis(500), None, move |shared| {
            write_log(shared, out, heading, gap, Instant::now)
        })
    }

    /// A display that redraws one line on a terminal, or two where there is room.
    #[must_use]
    pub fn live(target: ProgressDrawTarget, total: Option<usize>, facts: SessionFacts) -> Self {
        let view = View::new(total, facts);
        let bar = ProgressBar::with_draw_target(total.map(|n| n as u64), target).with_style(style(total));
        let drawn = bar.clone();
        Self::drawn_by(view, REDRAW, Some(bar), move |shared| redraw(shared, &drawn))
    }

    fn drawn_by(
        view: View,
        interval: Duration,
        bar: Option<ProgressBar>,
        draw: impl FnOnce(&Shared) + Send + 'static,
    ) -> Self {
        let state = Mutex::new(State { view, news: News::Nothing, is_over: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new(), begun: Instant::now() });
        let drawn = Arc::clone(&shared);
        // If the thread cannot be started, no progress is shown, but the search continues.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || draw(&drawn)).ok();
        Self { shared: Some(shared), interval: Some(interval), bar, thread, share: None }
    }

    /// Hides the live line, or the screen, while `work` runs, for example while a result is written.
    pub fn suspend<R>(&self, work: impl FnOnce() -> R) -> R {
        self.share.iter().for_each(|share| share.hide());
        let result = match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        };
        self.share.iter().for_each(|share| share.show());
        result
    }

    fn change(&self, change: impl FnOnce(&mut View) -> News) {
        if let Some(shared) = &self.shared {
            shared.change(change);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.state.lock().is_over = true;
            shared.changed.notify_one();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Observer for Progress {
    fn observe(&self, event: &Event<'_>) {
        self.change(|view| if view.take(event) { News::Range } else { News::Minor });
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.interval
    }
}

impl Audience for Progress {
    fn begin(&self, board: &BoardSearchInfo<'_>) {
        self.change(|view| {
            view.begin(board);
            News::Minor
        });
    }

    fn finish(&self, record: &BoardRecord) -> Result<(), RunError> {
        self.change(|view| {
            view.finish(record.status == Status::Optimal);
            News::Finish
        });
        Ok(())
    }
}

/// The template of the live line: for one board, for a known number of boards, or for a stream. Only a known number
/// of boards allows an estimate of the time left.
fn style(total: Option<usize>) -> ProgressStyle {
    let template = match total {
        // The text has the width of the terminal already.
        Some(1) => "{spinner} {msg}",
        Some(_) => "{spinner} {elapsed} [{bar:12}] {pos}/{len} boards, {eta} left; {wide_msg}",
        None => "{spinner} {elapsed} boards: {pos}; {wide_msg}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// The columns and rows of the terminal on standard error, or 80 x 24 where there is none.
fn size() -> (usize, u16) {
    terminal_size_of(io::stderr()).map_or((80, 24), |(Width(columns), Height(rows))| (usize::from(columns), rows))
}

/// The text of the live display: of a single board two lines, if the terminal has room for them.
fn text(view: &View, (columns, rows): (usize, u16)) -> String {
    let [first, second] = view.lines_within(columns.saturating_sub(columns_before(view)));
    let has_second = view.total == Some(1) && rows >= ROOM && !second.is_empty();
    if has_second { format!("{first}\n{second}") } else { first }
}

/// The columns that the template needs before the text about the search, at most: see [`style`].
fn columns_before(view: &View) -> usize {
    const SPINNER: usize = 2;
    // Two times such as `12m`, the bar, and the words.
    const BAR: usize = "59m [############] / boards, 59m left; ".len();
    const COUNTER: usize = "59m boards: ; ".len();
    let digits = |number: usize| number.checked_ilog10().unwrap_or(0) as usize + 1;
    SPINNER
        + match view.total {
            Some(1) => 0,
            Some(total) => BAR + digits(view.done) + digits(total),
            None => COUNTER + digits(view.done),
        }
}

fn redraw(shared: &Shared, bar: &ProgressBar) {
    bar.enable_steady_tick(REDRAW);
    let mut drawn = Instant::now();
    // Whether the view has changed since the bar was drawn.
    let mut stale = false;
    loop {
        let wait = if stale { REDRAW } else { TICK }.saturating_sub(drawn.elapsed());
        let Some((news, state)) = shared.wait(wait) else { break };
        stale |= news != News::Nothing || drawn.elapsed() >= TICK;
        if stale && drawn.elapsed() >= REDRAW {
            let (done, text) = (state.view.done as u64, text(&state.view, size()));
            drop(state);
            bar.set_position(done);
            bar.set_message(text);
            (drawn, stale) = (Instant::now(), false);
        }
    }
    bar.finish_and_clear();
}

fn write_log(shared: &Shared, mut out: impl Write, heading: String, gap: Duration, now: impl Fn() -> Instant) {
    let mut table = LogTable::new(heading);
    let mut written = now();
    // The time of the next line. A smaller range moves this time forward.
    let mut due = written + LOG_INTERVAL;
    let mut first = true;
    while let Some((news, state)) = shared.wait(due.saturating_duration_since(now())) {
        match news {
            News::Range => due = due.min(if first { written } else { written + gap }),
            // The result replaces the line that was due.
            News::Finish => due = written + LOG_INTERVAL,
            News::Minor | News::Nothing => {}
        }
        if now() >= due {
            let lines = table.lines(&state.view);
            drop(state);
            // If stderr is closed, nobody reads the log.
            if !lines.is_empty() && out.write_all(lines.as_bytes()).and_then(|()| out.flush()).is_err() {
                return;
            }
            (written, first) = (now(), false);
            due = written + LOG_INTERVAL;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::optimal;
    use gridhunt_puzzle::Objective;

    fn named(name: &str) -> BoardSearchInfo<'_> {
        let (shape, identity) = ("2 x 2, 2 colours".to_owned(), String::new());
        BoardSearchInfo { number: 1, name, objective: Objective::MOVES, shape, identity }
    }

    fn board() -> BoardSearchInfo<'static> {
        named("b.txt")
    }

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone()).unwrap()
        }
    }

    impl Write for Page {
        fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(buf);
            Ok(buf.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn wait_for(page: &Page, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !page.text().contains(text) {
            assert!(Instant::now() < deadline, "waiting for {text:?}, found {:?}", page.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_log_tells_of_a_smaller_range_at_once() {
        let page = Page::default();
        let progress = Progress::log(page.clone(), String::new(), Some(1), SessionFacts::default());
        progress.begin(&board());
        progress.observe(&Event::EngineStarted { engine: "beam" });
        assert_eq!(page.text(), "", "a beginning is no news");
        progress.observe(&Event::Incumbent { cost: 9, moves: &[] });
        wait_for(&page, "0        9     9          -  beam\n");
        progress.observe(&Event::LowerBound(8));
        wait_for(&page, "8        9     1          -  beam\n");
        drop(progress);
        let text = page.text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines.len(), lines[1]), (5, "b.txt: 2 x 2, 2 colours"));
    }

    #[test]
    fn much_news_in_a_moment_is_few_lines() {
        // The clock stands still.
        let (page, moment) = (Page::default(), Instant::now());
        let (out, view) = (page.clone(), View::new(None, SessionFacts::default()));
        let progress = Progress::drawn_by(view, REDRAW, None, move |shared| {
            write_log(shared, out, String::new(), LOG_GAP_OF_MANY, || moment);
        });
        for _ in 0..50 {
            progress.begin(&board());
            for cost in 1..9 {
                progress.observe(&Event::LowerBound(cost));
            }
            progress.finish(&optimal()).unwrap();
        }
        drop(progress);
        // A row, with the heading and two lines around it.
        assert!(page.text().lines().count() <= 4, "{}", page.text());
    }

    #[test]
    fn a_terminal_that_hangs_holds_nobody_up() {
        struct Hangs(std::sync::mpsc::Receiver<()>);
        impl Write for Hangs {
            fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
                let _ = self.0.recv();
                Ok(buf.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (release, hang) = std::sync::mpsc::channel();
        let progress = Progress::log(Hangs(hang), String::new(), Some(1), SessionFacts::default());
        progress.begin(&board());
        for cost in 0..10_000 {
            progress.observe(&Event::LowerBound(cost));
        }
        drop(release);
    }

    #[test]
    fn a_second_line_needs_room_and_a_single_board() {
        let lines = |total, rows| {
            let mut view = View::new(total, SessionFacts::default());
            view.begin(&named("a.txt"));
            view.take(&Event::EngineStarted { engine: "beam" });
            text(&view, (80, rows))
        };
        assert_eq!(lines(Some(1), 24), "a.txt 0:00, 0 <= optimum\n  beam");
        assert_eq!([lines(Some(1), ROOM - 1), lines(Some(2), 24)], ["a.txt 0:00, 0 <= optimum"; 2]);
        for columns in [60, 80, 120] {
            let mut view = View::new(Some(1), SessionFacts::default());
            view.begin(&named(&"a".repeat(200)));
            assert!(text(&view, (columns, 24)).lines().all(|line| line.chars().count() + 2 <= columns), "{columns}");
        }
    }

    #[test]
    fn a_screen_is_hidden_while_something_is_written() {
        struct Share(Arc<Mutex<Vec<&'static str>>>);
        impl TerminalShare for Share {
            fn hide(&self) {
                self.0.lock().push("hide");
            }
            fn show(&self) {
                self.0.lock().push("show");
            }
        }
        let done = Arc::new(Mutex::new(Vec::new()));
        let (progress, show) = Progress::behind(Box::new(Share(Arc::clone(&done))), Some(1), SessionFacts::default());
        progress.suspend(|| done.lock().push("write"));
        show(ProgressDrawTarget::hidden());
        progress.suspend(|| done.lock().push("write"));
        assert_eq!(*done.lock(), ["hide", "write", "show"].repeat(2));
    }

    #[test]
    fn silence_wants_no_progress_events() {
        let silent = Progress::silent();
        silent.observe(&Event::LowerBound(1));
        assert_eq!(silent.progress_interval(), None);
        assert_eq!(
            Progress::log(Page::default(), String::new(), None, SessionFacts::default()).progress_interval(),
            Some(Duration::from_millis(500))
        );
    }
}
