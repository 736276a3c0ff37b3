//! `watch`: shows runs on the whole screen. Reads their files alone, and changes nothing.

use super::args::Watch;
use super::exit::{Exit, Failure};
use super::output::{Output, colour_wanted};
use super::screen::{Asked, Screen, key, press};
use gridhunt::driver::searching_process;
use gridhunt::report::watch::{Ink, Life, Watched, WatchedRun, draw};
use gridhunt::report::{PROGRESS, ProgressReader};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use terminal_size::{Height, Width, terminal_size};

/// The time between two looks at the files.
const LOOK: Duration = Duration::from_secs(1);

/// The longest time until a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(250);

pub fn run(args: &Watch) -> Result<Exit, Failure> {
    let mut sources = Vec::new();
    for path in &args.runs {
        sources.push(Source::new(path.clone())?);
    }
    let mut watched = Watched::new(sources.iter().map(Source::run).collect());
    look(&mut watched, &mut sources, false);
    if args.once {
        return Output::stdout().write(&once(&watched)).map(|()| Exit::Done);
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
    let mut looked = Instant::now();
    loop {
        screen.draw(watched)?;
        if let Some(key) = key(PATIENCE)? {
            let asked = press(watched, key);
            if asked != Asked::Nothing {
                return Ok(asked);
            }
        }
        if signal.load(Relaxed) != 0 {
            return Ok(Asked::Quit);
        }
        if looked.elapsed() >= LOOK || watched.undrawn().is_some() {
            look(watched, sources, colour_wanted(true));
            looked = Instant::now();
        }
    }
}

/// One screen as text: of the size of the terminal, or 80 x 24.
fn once(watched: &Watched) -> String {
    let (columns, rows) = terminal_size().map_or((80, 24), |(Width(columns), Height(rows))| (columns, rows));
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    draw(watched, Ink { colour: false }, area, &mut buffer);
    let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..rows).map(row).collect()
}

/// Where the rows of a run come from.
struct Source {
    path: PathBuf,
    reader: ProgressReader,
    is_run: bool,
}

impl Source {
    /// A run directory, or a file of rows.
    fn new(path: PathBuf) -> Result<Self, Failure> {
        let is_run = path.is_dir();
        if !is_run && !path.is_file() {
            let found = format!("{}: found nothing, expected a run directory or a file of progress", path.display());
            return Err(Failure::bad_input(found));
        }
        let rows = if is_run { path.join(PROGRESS) } else { path.clone() };
        Ok(Self { reader: ProgressReader::new(rows), path, is_run })
    }

    fn run(&self) -> WatchedRun {
        let mut run = WatchedRun::new(self.path.display().to_string());
        run.folder = self.is_run.then(|| self.path.clone());
        run
    }

    fn look(&mut self, run: &mut WatchedRun) {
        match self.reader.read() {
            Ok(news) => {
                run.take(news);
                run.error = None;
            }
            Err(error) => run.error = Some(format!("{}: {error}", self.path.display())),
        }
        if self.is_run {
            run.life = match searching_process(&self.path) {
                Ok(Some(process)) => Life::Active(process),
                Ok(None) => Life::Over,
                Err(_) => Life::Unknown,
            };
        }
    }
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
