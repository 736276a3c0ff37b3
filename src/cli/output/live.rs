//! `solve --watch`: the screens of `watch`, fed by the search of this process.

use super::colour_wanted;
use super::screen::{Asked, Input, Screen, press, restore, wait_for_input};
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

/// The longest wait for a key. News of the search are drawn after the wait.
const KEY_WAIT: Duration = Duration::from_millis(250);

/// The screen of a search, and the thread that draws it. Dropping it closes the screen.
pub struct Live {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    watched: Mutex<WatchState>,
    /// Whether the drawing is older than what is shown.
    is_stale: AtomicBool,
    open: Mutex<OpenScreen>,
    stop: Arc<StopToken>,
}

/// The screen, while it is open.
struct OpenScreen {
    screen: Option<Screen>,
    /// How many writers want the screen to be hidden now.
    writers: usize,
    /// What is done once the screen is closed and the search goes on.
    then: Option<Box<dyn FnOnce() + Send>>,
}

impl Live {
    /// Opens the screen of a search, in its run directory if it has one. Once `stop` asks for an end, the screen is
    /// closed: a second signal ends the program at once, and must find the terminal as it was before.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn open(folder: Option<&Path>, stop: &Arc<StopToken>) -> io::Result<Self> {
        let name = folder.map_or_else(|| "gridhunt solve".to_owned(), |folder| folder.display().to_string());
        let mut run = WatchedRun::new(name);
        run.folder = folder.map(Path::to_owned);
        run.process_state = ProcessState::Active(std::process::id().to_string());
        let shared = Arc::new(Shared {
            watched: Mutex::new(WatchState::new(vec![run])),
            is_stale: AtomicBool::new(true),
            open: Mutex::new(OpenScreen { screen: Some(Screen::open()?), writers: 0, then: None }),
            stop: Arc::clone(stop),
        });
        let drawn = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || drawn.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// The screen for those who show rows of the search, or hide it while they write to the terminal.
    pub fn rows(&self) -> Box<Rows> {
        Box::new(Rows(Arc::clone(&self.shared)))
    }

    /// Calls `then` when the screen is closed while the search goes on.
    pub fn when_closed(&self, then: impl FnOnce() + Send + 'static) {
        let mut open = self.shared.open.lock();
        if open.screen.is_some() {
            open.then = Some(Box::new(then));
        } else {
            drop(open);
            then();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // The search is over.
        self.shared.open.lock().then = None;
        self.shared.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Closes the screen when the thread that handles its keys ends, also by an error of the terminal or a panic: without
/// this thread, raw mode would keep Ctrl-C from the program.
struct Close<'a>(&'a Shared);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Shared {
    fn close(&self) {
        let mut open = self.open.lock();
        open.screen = None;
        let then = open.then.take();
        drop(open);
        if let Some(then) = then {
            then();
        }
    }

    /// Draws and handles keys until the screen is closed, or the search is asked to end.
    fn run(&self) {
        let closes = Close(self);
        while self.stop.reason().is_none() {
            match self.step() {
                Some(Asked::Nothing) => {}
                Some(Asked::Quit) | None => return,
                Some(Asked::Interrupt) => {
                    drop(closes);
                    // The handlers of the program stop the search with a checkpoint.
                    interrupt();
                    return;
                }
            }
        }
    }

    /// Draws what is new, and waits for a key. `None` when the screen is closed, or the terminal is gone.
    fn step(&self) -> Option<Asked> {
        {
            let mut open = self.open.lock();
            let is_hidden = open.writers > 0;
            let screen = open.screen.as_mut()?;
            if !is_hidden && self.is_stale.swap(false, SeqCst) {
                screen.draw(|| self.watched.lock()).ok()?;
            }
        }
        // The board is drawn without the lock, for which the search would have to wait.
        let drawing = self.watched.lock().pending_drawing();
        if let Some(drawing) = drawing {
            let frames = drawing.draw(colour_wanted(true));
            self.change(|watched| drawing.finish(watched, frames));
        }
        Some(match wait_for_input(KEY_WAIT).ok()? {
            Input::Key(key) => self.change(|watched| press(watched, key)),
            Input::Resize => self.change(|_| Asked::Nothing),
            Input::Nothing | Input::Click(..) => Asked::Nothing,
        })
    }

    /// Changes what is shown.
    fn change<R>(&self, change: impl FnOnce(&mut WatchState) -> R) -> R {
        let result = change(&mut self.watched.lock());
        self.is_stale.store(true, SeqCst);
        result
    }
}

/// What the search knows of the screen.
pub struct Rows(Arc<Shared>);

impl Rows {
    fn with_run(&self, change: impl FnOnce(&mut WatchedRun)) {
        self.0.change(|watched| watched.runs.first_mut().map(change));
    }
}

impl LiveView for Rows {
    fn show_written(&mut self, row: &ProgressRow) {
        self.with_run(|run| run.apply(ProgressUpdate::Appended(vec![row.clone()])));
    }

    fn show_current(&mut self, row: &ProgressRow) {
        self.with_run(|run| run.set_current(row.clone()));
    }
}

impl HideableScreen for Rows {
    fn hide(&self) {
        let mut open = self.0.open.lock();
        open.writers += 1;
        if open.screen.is_some() {
            restore();
        }
    }

    fn show(&self) {
        let mut open = self.0.open.lock();
        open.writers = open.writers.saturating_sub(1);
        if open.writers == 0
            && let Some(screen) = &mut open.screen
        {
            // A search that was asked to end has no screen any more.
            let stays = self.0.stop.reason().is_none() && screen.reopen().is_ok();
            self.0.is_stale.store(true, SeqCst);
            if !stays {
                open.screen = None;
            }
        }
    }
}
