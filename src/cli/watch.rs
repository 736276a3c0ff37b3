//! `watch`: shows runs on the whole screen. Opens their files for reading alone, and changes nothing.

use super::args::Watch;
use super::exit::{Exit, Failure};
use super::output::{Output, colour_wanted};
use super::screen::{Asked, Input, Screen, press, wait_for_input};
use gridhunt::driver::{PartedRun, searching_process};
use gridhunt::report::watch::{Life, Watched, WatchedRun, text};
use gridhunt::report::{PROGRESS, ProgressReader};
use gridhunt::runtime::unix_seconds;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use terminal_size::{Height, Width, terminal_size};

/// The time between two looks at the files.
const LOOK: Duration = Duration::from_secs(1);

/// The longest wait for a key. A signal is noticed after the wait.
const KEY_WAIT: Duration = Duration::from_millis(250);

pub fn run(args: &Watch) -> Result<Exit, Failure> {
    let mut sources = Vec::new();
    for path in &args.runs {
        sources.extend(Source::all(path)?);
    }
    let mut watched = Watched::new(sources.iter().map(Source::run).collect());
    if args.once {
        return Output::stdout().write(&once(&mut watched, &mut sources)).map(|()| Exit::Done);
    }
    if !Screen::is_possible() {
        let found = "found no terminal on standard error, expected one";
        return Err(Failure::usage(format!(
            "{found}; --once draws one screen, and gridhunt status tells a line a board"
        )));
    }
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGHUP, SIGINT, SIGTERM] {
        flag::register_usize(number, Arc::clone(&signal), number as usize).map_err(Failure::internal)?;
    }
    let asked = show(&mut watched, &mut sources, &signal).map_err(Failure::output)?;
    Ok(match (signal.load(Relaxed) as i32, asked) {
        (SIGHUP, _) => Exit::HungUp,
        (SIGTERM, _) => Exit::Terminated,
        (SIGINT, _) | (_, Asked::Interrupt) => Exit::Interrupted,
        _ => Exit::Done,
    })
}

/// Shows the screen until a key or a signal ends the view.
fn show(watched: &mut Watched, sources: &mut [Source], signal: &AtomicUsize) -> io::Result<Asked> {
    let mut screen = Screen::open()?;
    look(watched, sources, colour_wanted(true));
    let mut looked = Instant::now();
    let mut is_stale = true;
    loop {
        if is_stale {
            let shown = &mut *watched;
            screen.draw(move || shown)?;
        }
        let is_behind = is_behind(sources);
        is_stale = match wait_for_input(if is_behind { Duration::ZERO } else { KEY_WAIT })? {
            Input::Key(key) => match press(watched, key) {
                Asked::Nothing => true,
                asked => return Ok(asked),
            },
            Input::Resize => true,
            Input::Nothing => false,
        };
        if signal.load(Relaxed) != 0 {
            return Ok(Asked::Quit);
        }
        if is_behind || looked.elapsed() >= LOOK || watched.undrawn().is_some() {
            look(watched, sources, colour_wanted(true));
            (looked, is_stale) = (Instant::now(), true);
        }
    }
}

/// One screen as text: of the size of the terminal, or 80 x 24.
fn once(watched: &mut Watched, sources: &mut [Source]) -> String {
    look(watched, sources, false);
    while is_behind(sources) {
        look(watched, sources, false);
    }
    let (columns, rows) = terminal_size().map_or((80, 24), |(Width(columns), Height(rows))| (columns, rows));
    text(watched, columns, rows)
}

/// Where the rows of a run come from.
struct Source {
    path: PathBuf,
    reader: ProgressReader,
    is_run: bool,
}

impl Source {
    /// A run directory, all parts of one, or a file of rows.
    fn all(path: &Path) -> Result<Vec<Self>, Failure> {
        if path.is_file() {
            return Ok(vec![Self {
                reader: ProgressReader::new(path.to_owned()),
                path: path.to_owned(),
                is_run: false,
            }]);
        }
        if !path.is_dir() {
            let found = format!("{}: found nothing, expected a run directory or a file of progress", path.display());
            return Err(Failure::bad_input(found));
        }
        let folders = match PartedRun::find(path)? {
            // Also those that have not begun: they may begin while they are watched.
            Some(run) => run.parts().map(|part| run.folder(part)).collect::<Result<_, _>>()?,
            None => vec![path.to_owned()],
        };
        let of = |path: PathBuf| Self { reader: ProgressReader::new(path.join(PROGRESS)), path, is_run: true };
        Ok(folders.into_iter().map(of).collect())
    }

    fn run(&self) -> WatchedRun {
        let mut run = WatchedRun::new(self.path.display().to_string());
        run.folder = self.is_run.then(|| self.path.clone());
        run
    }

    fn look(&mut self, run: &mut WatchedRun) {
        run.looked = unix_seconds();
        run.error = match self.reader.read() {
            Ok(news) => {
                run.take(news);
                None
            }
            // The run has not begun yet.
            Err(error) if self.is_run && error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(format!("{}: {error}", self.reader.path().display())),
        };
        if self.is_run {
            run.life = match searching_process(&self.path) {
                Ok(Some(process)) => Life::Active(process),
                Ok(None) => Life::Over,
                Err(_) => Life::Unknown,
            };
        }
    }
}

/// Whether a file has more than the last look has read.
fn is_behind(sources: &[Source]) -> bool {
    sources.iter().any(|source| source.reader.is_behind())
}

/// Reads what is new.
fn look(watched: &mut Watched, sources: &mut [Source], colour: bool) {
    for (run, source) in watched.runs.iter_mut().zip(&mut *sources) {
        source.look(run);
    }
    if let Some(undrawn) = watched.undrawn() {
        let frames = undrawn.draw(colour);
        undrawn.show(watched, frames);
    }
}
