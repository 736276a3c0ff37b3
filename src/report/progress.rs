//! Live progress: one or two lines that are redrawn on a terminal, plain lines into a pipe, or nothing.
//!
//! Workers send their events to a thread that draws. The channel has a fixed capacity, and workers drop events that do
//! not fit, so no worker waits for a slow terminal.

use super::record::SessionFacts;
use super::view::{Message, News, View};
use super::writer::Writer;
use crate::driver::{Audience, Beginning, Report, RunError};
use crate::engine::Status;
use crate::platform::Instant;
use crate::runtime::{Event, Observer};
use crossbeam::channel::{Receiver, RecvTimeoutError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::time::Duration;
use terminal_size::{Height, Width, terminal_size_of};

/// The capacity of the channel, in messages.
const QUEUE: usize = 1_024;

/// The time between two redraws of the live line.
const REDRAW: Duration = Duration::from_millis(100);

/// The longest time between two redraws: the time of the search goes on.
const TICK: Duration = Duration::from_secs(1);

/// The rows of a terminal from which on there is room for a second line.
const ROOM: u16 = 12;

/// The longest time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// The shortest time between two plain lines in a run of one board.
const PLAIN_GAP: Duration = Duration::from_millis(500);

/// The shortest time between two plain lines in a run of many boards. Easy boards would otherwise fill the output.
const PLAIN_GAP_OF_MANY: Duration = Duration::from_secs(5);

/// A screen that shares the terminal with what is written there.
pub trait TerminalShare: Send + Sync {
    /// Hides the screen, because something is to be written.
    fn hide(&self);

    /// Shows the screen again.
    fn show(&self);
}

/// The progress display of one run. Dropping the display draws the remaining messages and clears the live line.
pub struct Progress {
    /// What is handed over to a slow terminal may be dropped: the next progress event has newer values.
    writer: Option<Writer<Message>>,
    interval: Option<Duration>,
    bar: Option<ProgressBar>,
    share: Option<Box<dyn TerminalShare>>,
}

impl Progress {
    /// A display that shows nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self { writer: None, interval: None, bar: None, share: None }
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

    /// A display that writes a line when the proven range becomes smaller, and at least every ten seconds. `total` is
    /// the number of boards, if it is known.
    #[must_use]
    pub fn plain(out: impl Write + Send + 'static, total: Option<usize>, facts: SessionFacts) -> Self {
        let view = View::new(total, facts);
        let gap = if total == Some(1) { PLAIN_GAP } else { PLAIN_GAP_OF_MANY };
        Self::drawn_by(Some(Duration::from_millis(500)), None, move |receive| write_lines(&receive, view, out, gap))
    }

    /// A display that redraws one line on a terminal, or two where there is room.
    #[must_use]
    pub fn live(target: ProgressDrawTarget, total: Option<usize>, facts: SessionFacts) -> Self {
        let view = View::new(total, facts);
        let bar = ProgressBar::with_draw_target(total.map(|n| n as u64), target).with_style(style(total));
        let drawn = bar.clone();
        Self::drawn_by(Some(REDRAW), Some(bar), move |receive| redraw(&receive, view, &drawn))
    }

    fn drawn_by(
        interval: Option<Duration>,
        bar: Option<ProgressBar>,
        draw: impl FnOnce(Receiver<Message>) + Send + 'static,
    ) -> Self {
        // If the thread cannot be started, no progress is shown, but the search continues.
        Self { writer: Writer::start("progress", Some(QUEUE), draw).ok(), interval, bar, share: None }
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

    fn send(&self, message: Message) {
        if let Some(writer) = &self.writer {
            writer.hand_over(message);
        }
    }
}

impl Observer for Progress {
    fn observe(&self, event: &Event<'_>) {
        if self.writer.is_some()
            && let Some(message) = Message::from_event(event)
        {
            self.send(message);
        }
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.interval
    }
}

impl Audience for Progress {
    fn begin(&self, board: &Beginning<'_>) {
        self.send(Message::Begin(board.name.to_owned(), board.objective));
    }

    fn finish(&self, report: &Report) -> Result<(), RunError> {
        self.send(Message::Finish(report.status() == Status::Optimal));
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
    let width = columns.saturating_sub(columns_before(view));
    let first = view.search_within(width);
    let second = if view.total() == Some(1) && rows >= ROOM { view.details_within(width) } else { String::new() };
    if second.is_empty() { first } else { format!("{first}\n{second}") }
}

/// The columns that the template needs before the text about the search, at most: see [`style`].
fn columns_before(view: &View) -> usize {
    const SPINNER: usize = 2;
    // Two times such as `12m`, the bar, and the words.
    const BAR: usize = "59m [############] / boards, 59m left; ".len();
    const COUNTER: usize = "59m boards: ; ".len();
    let digits = |number: usize| number.checked_ilog10().unwrap_or(0) as usize + 1;
    SPINNER
        + match view.total() {
            Some(1) => 0,
            Some(total) => BAR + digits(view.done()) + digits(total),
            None => COUNTER + digits(view.done()),
        }
}

fn redraw(receive: &Receiver<Message>, mut view: View, bar: &ProgressBar) {
    bar.enable_steady_tick(REDRAW);
    let begun = Instant::now();
    let mut drawn = begun;
    // Whether the view has changed since the bar was drawn.
    let mut stale = false;
    loop {
        let wait = if stale { REDRAW } else { TICK };
        let wait = wait.saturating_sub(drawn.elapsed());
        match receive.recv_timeout(wait) {
            Ok(message) => {
                view.at(begun.elapsed().as_secs_f64());
                view.take(message);
                stale = true;
            }
            Err(RecvTimeoutError::Timeout) => stale = true,
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if stale && drawn.elapsed() >= REDRAW {
            bar.set_position(view.done() as u64);
            view.at(begun.elapsed().as_secs_f64());
            bar.set_message(text(&view, size()));
            (drawn, stale) = (Instant::now(), false);
        }
    }
    bar.finish_and_clear();
}

fn write_lines(receive: &Receiver<Message>, mut view: View, mut out: impl Write, gap: Duration) {
    let begun = Instant::now();
    let mut written = begun;
    // The time of the next line. A smaller range moves this time forward.
    let mut due = written + PLAIN_INTERVAL;
    let mut first = true;
    loop {
        match receive.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(message) => {
                view.at(begun.elapsed().as_secs_f64());
                let finished = matches!(message, Message::Finish(_));
                if view.take(message) == News::Range {
                    due = due.min(if first { written } else { written + gap });
                } else if finished {
                    // The result replaces the line that was due.
                    due = written + PLAIN_INTERVAL;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if Instant::now() >= due {
            view.at(begun.elapsed().as_secs_f64());
            let line = plain_line(&view);
            // If stderr is closed, nobody reads the progress.
            if !line.is_empty() && writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                return;
            }
            (written, first) = (Instant::now(), false);
            due = written + PLAIN_INTERVAL;
        }
    }
}

fn plain_line(view: &View) -> String {
    match (view.boards(), view.search()) {
        (boards, search) if boards.is_empty() => search,
        (boards, _) if !view.is_searching() => boards,
        (boards, search) => format!("{boards}; {search}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::ObjectiveValue;
    use crate::report::text::tests::optimal;
    use crate::report::writer::tests::hanging;
    use std::sync::{Arc, Mutex};

    fn board() -> Beginning<'static> {
        Beginning { number: 1, name: "b.txt", objective: ObjectiveValue::Moves, identity: String::new() }
    }

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Page {
        fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(buf);
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
    fn plain_lines_tell_of_a_smaller_range_at_once() {
        let page = Page::default();
        let progress = Progress::plain(page.clone(), Some(1), SessionFacts::default());
        progress.begin(&board());
        progress.observe(&Event::EngineStarted { engine: "beam" });
        assert_eq!(page.text(), "", "a beginning is no news");
        progress.observe(&Event::Incumbent { cost: 9, moves: &[] });
        wait_for(&page, "b.txt 0:00, 0 <= optimum <= 9, beam\n");
        progress.observe(&Event::LowerBound(8));
        wait_for(&page, "b.txt 0:00, 8 <= optimum <= 9, beam\n");
        drop(progress);
        assert_eq!(page.text().lines().count(), 2);
    }

    #[test]
    fn much_news_in_a_moment_is_few_lines() {
        let page = Page::default();
        let progress = Progress::plain(page.clone(), None, SessionFacts::default());
        for _ in 0..50 {
            progress.begin(&board());
            for cost in 1..9 {
                progress.observe(&Event::LowerBound(cost));
            }
            progress.finish(&optimal()).unwrap();
        }
        drop(progress);
        assert!(page.text().lines().count() <= 1, "{}", page.text());
    }

    #[test]
    fn a_terminal_that_hangs_holds_nobody_up() {
        struct Hangs<W>(W);
        impl<W: FnMut()> Write for Hangs<W> {
            fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
                self.0();
                Ok(buf.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (release, wait) = hanging();
        let progress = Progress::plain(Hangs(wait), Some(1), SessionFacts::default());
        progress.begin(&board());
        for cost in 0..10 * QUEUE as u32 {
            progress.observe(&Event::LowerBound(cost));
        }
        release();
    }

    #[test]
    fn a_second_line_needs_room_and_a_single_board() {
        let lines = |total, rows| {
            let mut view = View::new(total, SessionFacts::default());
            view.take(Message::Begin("a.txt".to_owned(), ObjectiveValue::Moves));
            view.take(Message::Engine("beam".to_owned()));
            text(&view, (80, rows))
        };
        assert_eq!(lines(Some(1), 24), "a.txt 0:00, 0 <= optimum\n  beam");
        assert_eq!([lines(Some(1), ROOM - 1), lines(Some(2), 24)], ["a.txt 0:00, 0 <= optimum"; 2]);
        for columns in [60, 80, 120] {
            let mut view = View::new(Some(1), SessionFacts::default());
            view.take(Message::Begin("a".repeat(200), ObjectiveValue::Moves));
            assert!(text(&view, (columns, 24)).lines().all(|line| line.chars().count() + 2 <= columns), "{columns}");
        }
    }

    #[test]
    fn a_screen_is_hidden_while_something_is_written() {
        struct Share(Arc<Mutex<Vec<&'static str>>>);
        impl TerminalShare for Share {
            fn hide(&self) {
                self.0.lock().unwrap().push("hide");
            }
            fn show(&self) {
                self.0.lock().unwrap().push("show");
            }
        }
        let done = Arc::new(Mutex::new(Vec::new()));
        let (progress, show) = Progress::behind(Box::new(Share(Arc::clone(&done))), Some(1), SessionFacts::default());
        progress.suspend(|| done.lock().unwrap().push("write"));
        show(ProgressDrawTarget::hidden());
        progress.suspend(|| done.lock().unwrap().push("write"));
        assert_eq!(*done.lock().unwrap(), ["hide", "write", "show"].repeat(2));
    }

    #[test]
    fn silence_wants_no_progress_events() {
        let silent = Progress::silent();
        silent.observe(&Event::LowerBound(1));
        assert_eq!(silent.progress_interval(), None);
        assert_eq!(
            Progress::plain(Page::default(), None, SessionFacts::default()).progress_interval(),
            Some(Duration::from_millis(500))
        );
    }

    #[test]
    fn the_live_line_has_a_template_for_every_case() {
        for total in [Some(1), Some(7), None] {
            let progress = Progress::live(ProgressDrawTarget::hidden(), total, SessionFacts::default());
            progress.begin(&board());
            progress.observe(&Event::LowerBound(1));
            assert_eq!(progress.suspend(|| 5), 5);
            progress.finish(&optimal()).unwrap();
            assert_eq!(progress.progress_interval(), Some(REDRAW));
        }
    }
}
