//! `solve --watch`: the screens of `watch`, fed by the search of this process.

use super::output::colour_wanted;
use super::screen::{Asked, Screen, key, press, restore};
use gridhunt::report::watch::{Life, Watched, WatchedRun};
use gridhunt::report::{Curtain, ProgressNews, ProgressRow, Viewer};
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time between two drawings.
const REDRAW: Duration = Duration::from_millis(250);

/// The screen of a search, and the thread that draws it. Dropping it closes the screen.
pub struct Live {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    watched: Mutex<Watched>,
    stage: Mutex<Stage>,
}

/// The screen, while it is open.
struct Stage {
    screen: Option<Screen>,
    /// How many writers want the screen to be closed now.
    writers: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Opens the screen of a search, in its run directory if it has one.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn open(folder: Option<&Path>) -> io::Result<Self> {
        let name = folder.map_or_else(|| "gridhunt solve".to_owned(), |folder| folder.display().to_string());
        let mut run = WatchedRun::new(name);
        run.folder = folder.map(Path::to_owned);
        run.life = Life::Active(std::process::id().to_string());
        let watched = Mutex::new(Watched::new(vec![run]));
        let stage = Mutex::new(Stage { screen: Some(Screen::open()?), writers: 0 });
        let shared = Arc::new(Shared { watched, stage });
        let drawn = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || drawn.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Takes the rows of the search.
    pub fn viewer(&self) -> Box<dyn Viewer> {
        Box::new(Rows(Arc::clone(&self.shared)))
    }

    /// Closes the screen while something is written to the terminal.
    pub fn curtain(&self) -> Box<dyn Curtain> {
        Box::new(Rows(Arc::clone(&self.shared)))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        lock(&self.shared.stage).screen = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Draws and handles keys until the screen is closed.
    fn run(&self) {
        while let Some(asked) = self.step() {
            match asked {
                Asked::Nothing => {}
                Asked::Quit => lock(&self.stage).screen = None,
                Asked::Interrupt => {
                    // A second Ctrl-C ends the program at once, so the terminal is made clean before.
                    lock(&self.stage).screen = None;
                    // The handlers of the program stop the search with a checkpoint.
                    let _ = kill_process(getpid(), Signal::INT);
                }
            }
        }
    }

    /// Draws once, and waits for a key. `None` when the screen is closed, or the terminal is gone.
    fn step(&self) -> Option<Asked> {
        {
            let mut stage = lock(&self.stage);
            let is_hidden = stage.writers > 0;
            let screen = stage.screen.as_mut()?;
            if !is_hidden && screen.draw(&lock(&self.watched)).is_err() {
                stage.screen = None;
                return None;
            }
        }
        // The board is drawn without the lock, for which the search would have to wait.
        let undrawn = lock(&self.watched).undrawn();
        if let Some(undrawn) = undrawn {
            let frames = undrawn.draw(colour_wanted(true));
            undrawn.show(&mut lock(&self.watched), frames);
        }
        let key = key(REDRAW).ok()?;
        Some(key.map_or(Asked::Nothing, |key| press(&mut lock(&self.watched), key)))
    }
}

/// What the search knows of the screen.
struct Rows(Arc<Shared>);

impl Rows {
    fn with_run(&self, change: impl FnOnce(&mut WatchedRun)) {
        if let Some(run) = lock(&self.0.watched).runs.first_mut() {
            change(run);
        }
    }
}

impl Viewer for Rows {
    fn row(&mut self, row: &ProgressRow) {
        self.with_run(|run| run.take(ProgressNews::More(vec![row.clone()])));
    }

    fn now(&mut self, row: &ProgressRow) {
        self.with_run(|run| run.set_now(row.clone()));
    }
}

impl Curtain for Rows {
    fn open(&self) {
        let mut stage = lock(&self.0.stage);
        stage.writers += 1;
        if stage.screen.is_some() {
            restore();
        }
    }

    fn close(&self) {
        let mut stage = lock(&self.0.stage);
        stage.writers = stage.writers.saturating_sub(1);
        if stage.writers == 0
            && let Some(screen) = &mut stage.screen
            && screen.reopen().is_err()
        {
            stage.screen = None;
        }
    }
}
