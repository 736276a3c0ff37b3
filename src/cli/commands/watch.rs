//! `watch`: shows runs on the whole screen. It only reads their files.

use crate::cli::args::run::Watch;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::screen::{Screen, TerminalEvent, ViewRequest, press_key, wait_for_event};
use crate::cli::output::{Output, print_message, use_colour};
use crate::cli::process::signals::Signals;
use gridhunt::views::watch::{RowSource, WatchState, screen_text};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use terminal_size::{Height, Width, terminal_size};

/// The time between two reads of the files.
const READ_INTERVAL: Duration = Duration::from_secs(1);

/// The time-out of the wait for a key, after which signals are handled.
const KEY_TIMEOUT: Duration = Duration::from_millis(250);

pub fn run(args: &Watch) -> Result<Exit, Failure> {
    let mut sources: Vec<_> = args.runs.iter().flat_map(|path| RowSource::find(path)).collect();
    let mut state = WatchState::new(sources.iter().map(RowSource::new_run).collect());
    if args.once {
        Output::stdout().write(&one_screen(&mut state, &mut sources))?;
        // A list has no room for the errors.
        let errors: Vec<_> = state.runs.iter().filter_map(|run| run.error.as_ref()).collect();
        errors.iter().for_each(|error| print_message(&format!("gridhunt: {error}")));
        return Ok(if errors.is_empty() { Exit::Done } else { Exit::BadInput });
    }
    if !Screen::is_possible() {
        let found = "found no terminal on standard error, expected one";
        return Err(Failure::usage(format!(
            "{found}; --once draws one screen, and gridhunt status prints one line for each board"
        )));
    }
    let signals = Signals::install_for_view().map_err(Failure::internal)?;
    let request = show(&args.runs, &mut state, sources, &signals);
    signals.view_exit(request)
}

/// Shows the screen until a key or a signal ends the view. Adds runs that begin in the folders meanwhile.
fn show(
    paths: &[PathBuf],
    state: &mut WatchState,
    mut sources: Vec<RowSource>,
    signals: &Signals,
) -> io::Result<ViewRequest> {
    let mut screen = Screen::open()?;
    refresh(state, &mut sources, use_colour(true));
    let mut last_read = Instant::now();
    let mut is_stale = true;
    loop {
        if is_stale {
            let shown = &mut *state;
            screen.draw(move || shown)?;
        }
        let is_behind = is_behind(&sources);
        is_stale = match wait_for_event(if is_behind { Duration::ZERO } else { KEY_TIMEOUT })? {
            TerminalEvent::Key(key) => match press_key(state, key) {
                ViewRequest::Nothing => true,
                request => return Ok(request),
            },
            TerminalEvent::Resize => true,
            TerminalEvent::Nothing | TerminalEvent::Click(..) => false,
        };
        if signals.has_arrived() {
            return Ok(ViewRequest::Quit);
        }
        let is_due = last_read.elapsed() >= READ_INTERVAL;
        for path in paths.iter().filter(|_| is_due) {
            let new_sources = RowSource::find_new(path, &sources);
            state.runs.extend(new_sources.iter().map(RowSource::new_run));
            sources.extend(new_sources);
        }
        if is_behind || is_due || state.pending_drawing().is_some() {
            refresh(state, &mut sources, use_colour(true));
            (last_read, is_stale) = (Instant::now(), true);
        }
    }
}

/// Draws one screen as text, with the size of the terminal, or 80 x 24.
fn one_screen(state: &mut WatchState, sources: &mut [RowSource]) -> String {
    refresh(state, sources, false);
    while is_behind(sources) {
        refresh(state, sources, false);
    }
    let (columns, rows) = terminal_size().map_or((80, 24), |(Width(columns), Height(rows))| (columns, rows));
    screen_text(state, columns, rows)
}

/// Whether a file has rows that were not read yet.
fn is_behind(sources: &[RowSource]) -> bool {
    sources.iter().any(|source| source.has_more())
}

/// Reads new rows and draws new boards.
fn refresh(state: &mut WatchState, sources: &mut [RowSource], colour: bool) {
    for (run, source) in state.runs.iter_mut().zip(&mut *sources) {
        source.poll(run);
    }
    if let Some(drawing) = state.pending_drawing() {
        let frames = drawing.draw(colour);
        drawing.finish(state, frames);
    }
}
