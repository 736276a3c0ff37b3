//! `solve --watch`: the screens of `watch` for the search of this process.

use super::screen::{Screen, TerminalEvent, ViewRequest, press_key, restore, wait_for_event};
use super::use_colour;
use crate::cli::process::system::interrupt;
use gridhunt::views::watch::{ProcessState, WatchState, WatchedRun};
use gridhunt::views::{HideableScreen, LiveView, ProgressRow, ProgressUpdate};
use gridhunt_search::runtime::StopToken;
use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time-out of the wait for a key, after which new rows are drawn.
const KEY_TIMEOUT: Duration = Duration::from_millis(250);

/// The screen of a search, and the thread that draws it. Dropping it closes the screen.
pub struct LiveScreen {
    shared: Arc<ScreenState>,
    thread: Option<JoinHandle<()>>,
}

struct ScreenState {
    state: Mutex<WatchState>,
    /// Whether `state` has changed since the last drawing.
    is_stale: AtomicBool,
    open: Mutex<OpenScreen>,
    stop: Arc<StopToken>,
}

/// The screen, while it is open.
struct OpenScreen {
    screen: Option<Screen>,
    /// The number of writers that use the terminal now. They hide the screen.
    writer_count: usize,
    /// Called when the screen is closed and the search continues.
    on_close: Option<Box<dyn FnOnce() + Send>>,
}

impl LiveScreen {
    /// Opens the screen of a search; `folder` is its run directory, if it has one. The screen closes once `stop` is
    /// set, because a second signal ends the program at once, and the terminal must be restored before.
    pub fn open(folder: Option<&Path>, stop: &Arc<StopToken>) -> io::Result<Self> {
        let name = folder.map_or_else(|| "gridhunt solve".to_owned(), |folder| folder.display().to_string());
        let mut run = WatchedRun::new(name);
        run.folder = folder.map(Path::to_owned);
        run.process_state = ProcessState::Active(std::process::id().to_string());
        let shared = Arc::new(ScreenState {
            state: Mutex::new(WatchState::new(vec![run])),
            is_stale: AtomicBool::new(true),
            open: Mutex::new(OpenScreen { screen: Some(Screen::open()?), writer_count: 0, on_close: None }),
            stop: Arc::clone(stop),
        });
        let thread_shared = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || thread_shared.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// A handle that adds rows, and hides the screen while other code writes to the terminal.
    pub fn handle(&self) -> Box<ScreenHandle> {
        Box::new(ScreenHandle(Arc::clone(&self.shared)))
    }

    /// Sets the function to call when the screen is closed while the search continues.
    pub fn when_closed(&self, on_close: impl FnOnce() + Send + 'static) {
        let mut open = self.shared.open.lock();
        if open.screen.is_some() {
            open.on_close = Some(Box::new(on_close));
        } else {
            drop(open);
            on_close();
        }
    }
}

impl Drop for LiveScreen {
    fn drop(&mut self) {
        // The search is over.
        self.shared.open.lock().on_close = None;
        self.shared.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Closes the screen when the thread that handles its keys ends, also by an error or a panic. Without this thread, raw
/// mode would hide Ctrl-C from the program.
struct CloseOnDrop<'a>(&'a ScreenState);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl ScreenState {
    fn close(&self) {
        let mut open = self.open.lock();
        open.screen = None;
        let on_close = open.on_close.take();
        drop(open);
        if let Some(on_close) = on_close {
            on_close();
        }
    }

    /// Draws and handles keys until the screen is closed, or the search is asked to end.
    fn run(&self) {
        let close_guard = CloseOnDrop(self);
        while self.stop.reason().is_none() {
            match self.step() {
                Some(ViewRequest::Nothing) => {}
                Some(ViewRequest::Quit) | None => return,
                Some(ViewRequest::Interrupt) => {
                    drop(close_guard);
                    // The handlers of the program stop the search with a checkpoint.
                    interrupt();
                    return;
                }
            }
        }
    }

    /// Draws changes, and waits for a key. Returns `None` if the screen is closed, or the terminal fails.
    fn step(&self) -> Option<ViewRequest> {
        {
            let mut open = self.open.lock();
            let is_hidden = open.writer_count > 0;
            let screen = open.screen.as_mut()?;
            if !is_hidden && self.is_stale.swap(false, SeqCst) {
                screen.draw(|| self.state.lock()).ok()?;
            }
        }
        // The board is drawn without the lock, so that the search does not wait for the drawing.
        let drawing = self.state.lock().pending_drawing();
        if let Some(drawing) = drawing {
            let frames = drawing.draw(use_colour(true));
            self.change(|state| drawing.finish(state, frames));
        }
        Some(match wait_for_event(KEY_TIMEOUT).ok()? {
            TerminalEvent::Key(key) => self.change(|state| press_key(state, key)),
            TerminalEvent::Resize => self.change(|_| ViewRequest::Nothing),
            TerminalEvent::Nothing | TerminalEvent::Click(..) => ViewRequest::Nothing,
        })
    }

    /// Changes the state, and marks it as not drawn.
    fn change<R>(&self, change: impl FnOnce(&mut WatchState) -> R) -> R {
        let result = change(&mut self.state.lock());
        self.is_stale.store(true, SeqCst);
        result
    }
}

/// The handle through which a search uses the screen.
pub struct ScreenHandle(Arc<ScreenState>);

impl ScreenHandle {
    fn with_run(&self, change: impl FnOnce(&mut WatchedRun)) {
        self.0.change(|state| state.runs.first_mut().map(change));
    }
}

impl LiveView for ScreenHandle {
    fn show_written(&mut self, row: &ProgressRow) {
        self.with_run(|run| run.apply(ProgressUpdate::Appended(vec![row.clone()])));
    }

    fn show_current(&mut self, row: &ProgressRow) {
        self.with_run(|run| run.set_current(row.clone()));
    }
}

impl HideableScreen for ScreenHandle {
    fn hide(&self) {
        let mut open = self.0.open.lock();
        open.writer_count += 1;
        if open.screen.is_some() {
            restore();
        }
    }

    fn show(&self) {
        let mut open = self.0.open.lock();
        open.writer_count = open.writer_count.saturating_sub(1);
        if open.writer_count == 0
            && let Some(screen) = &mut open.screen
        {
            // Once `stop` is set, the screen stays closed.
            let is_reopened = self.0.stop.reason().is_none() && screen.reopen().is_ok();
            self.0.is_stale.store(true, SeqCst);
            if !is_reopened {
                open.screen = None;
            }
        }
    }
}
