//! Live progress: one line that is redrawn on a terminal, plain lines into a pipe, or nothing.
//!
//! Workers send their events to a thread that draws. The channel has a fixed capacity, and workers drop events that do
//! not fit, so no worker waits for a slow terminal.

use super::view::{Message, News, View};
use crate::driver::{Audience, Beginning, Report, RunError};
use crate::engine::Status;
use crate::runtime::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use terminal_size::{Width, terminal_size_of};

/// The capacity of the channel, in messages.
const QUEUE: usize = 1_024;

/// The time between two redraws of the live line.
const REDRAW: Duration = Duration::from_millis(100);

/// The longest time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// The shortest time between two plain lines in a run of one board.
const PLAIN_GAP: Duration = Duration::from_millis(500);

/// The shortest time between two plain lines in a run of many boards. Easy boards would otherwise fill the output.
const PLAIN_GAP_OF_MANY: Duration = Duration::from_secs(5);

/// The progress display of one run. Dropping the display draws the remaining messages and clears the live line.
#[derive(Debug)]
pub struct Progress {
    send: Option<SyncSender<Message>>,
    interval: Option<Duration>,
    bar: Option<ProgressBar>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// A display that shows nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self { send: None, interval: None, bar: None, thread: None }
    }

    /// A display that writes a line when the proven range becomes smaller, and at least every ten seconds. `total` is
    /// the number of boards, if it is known.
    #[must_use]
    pub fn plain(out: impl Write + Send + 'static, total: Option<usize>) -> Self {
        let view = View::new(total);
        let gap = if total == Some(1) { PLAIN_GAP } else { PLAIN_GAP_OF_MANY };
        Self::drawn_by(Some(Duration::from_millis(500)), None, move |receive| write_lines(&receive, view, out, gap))
    }

    /// A display that redraws one line on a terminal.
    #[must_use]
    pub fn live(target: ProgressDrawTarget, total: Option<usize>) -> Self {
        let view = View::new(total);
        let bar = ProgressBar::with_draw_target(total.map(|n| n as u64), target).with_style(style(total));
        let drawn = bar.clone();
        Self::drawn_by(Some(REDRAW), Some(bar), move |receive| redraw(&receive, view, &drawn))
    }

    fn drawn_by(
        interval: Option<Duration>,
        bar: Option<ProgressBar>,
        draw: impl FnOnce(Receiver<Message>) + Send + 'static,
    ) -> Self {
        let (send, receive) = sync_channel(QUEUE);
        // If the thread cannot be started, no progress is shown, but the search continues.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || draw(receive)).ok();
        Self { send: Some(send), interval, bar, thread }
    }

    /// Hides the live line while `work` runs, for example while a result is written.
    pub fn suspend<R>(&self, work: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    fn send(&self, message: Message) {
        if let Some(send) = &self.send {
            // A full queue means a slow terminal. The message may be dropped: the next progress event has newer values.
            let _ = send.try_send(message);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.send = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Observer for Progress {
    fn observe(&self, event: &Event<'_>) {
        if self.send.is_some()
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
        Some(1) => "{spinner} {wide_msg}",
        Some(_) => "{spinner} {elapsed} [{bar:12}] {pos}/{len} boards, {eta} left; {wide_msg}",
        None => "{spinner} {elapsed} boards: {pos}; {wide_msg}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// The columns of the terminal on standard error, or 80 where there is none.
fn width() -> usize {
    terminal_size_of(io::stderr()).map_or(80, |(Width(columns), _)| usize::from(columns))
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
    let mut drawn = Instant::now();
    // Whether the view has changed since the bar was drawn.
    let mut stale = false;
    loop {
        let wait = if stale { REDRAW.saturating_sub(drawn.elapsed()) } else { PLAIN_INTERVAL };
        match receive.recv_timeout(wait) {
            Ok(message) => {
                view.take(message);
                stale = true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if stale && drawn.elapsed() >= REDRAW {
            bar.set_position(view.done() as u64);
            bar.set_message(view.search_within(width().saturating_sub(columns_before(&view))));
            (drawn, stale) = (Instant::now(), false);
        }
    }
    bar.finish_and_clear();
}

fn write_lines(receive: &Receiver<Message>, mut view: View, mut out: impl Write, gap: Duration) {
    let mut written = Instant::now();
    // The time of the next line. A smaller range moves this time forward.
    let mut due = written + PLAIN_INTERVAL;
    let mut first = true;
    loop {
        match receive.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(message) => {
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
        let progress = Progress::plain(page.clone(), Some(1));
        progress.begin(&board());
        progress.observe(&Event::EngineStarted { engine: "beam" });
        assert_eq!(page.text(), "", "a beginning is no news");
        progress.observe(&Event::Incumbent { cost: 9, moves: &[] });
        wait_for(&page, "b.txt: beam, proven 0 <= optimum <= 9\n");
        progress.observe(&Event::LowerBound(8));
        wait_for(&page, "b.txt: beam, proven 8 <= optimum <= 9\n");
        drop(progress);
        assert_eq!(page.text().lines().count(), 2);
    }

    #[test]
    fn much_news_in_a_moment_is_few_lines() {
        let page = Page::default();
        let progress = Progress::plain(page.clone(), None);
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
        struct Hangs(Receiver<()>);
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
        let progress = Progress::plain(Hangs(hang), Some(1));
        progress.begin(&board());
        for cost in 0..10 * QUEUE as u32 {
            progress.observe(&Event::LowerBound(cost));
        }
        drop(release);
    }

    #[test]
    fn silence_wants_no_progress_events() {
        let silent = Progress::silent();
        silent.observe(&Event::LowerBound(1));
        assert_eq!(silent.progress_interval(), None);
        assert_eq!(Progress::plain(Page::default(), None).progress_interval(), Some(Duration::from_millis(500)));
    }

    #[test]
    fn the_live_line_has_a_template_for_every_case() {
        for total in [Some(1), Some(7), None] {
            let progress = Progress::live(ProgressDrawTarget::hidden(), total);
            progress.begin(&board());
            progress.observe(&Event::LowerBound(1));
            assert_eq!(progress.suspend(|| 5), 5);
            progress.finish(&optimal()).unwrap();
            assert_eq!(progress.progress_interval(), Some(REDRAW));
        }
    }
}
