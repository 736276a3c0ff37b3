//! Collects the content of a report from files.

use super::document::Document;
use super::{BoardView, FilmView, ResultView, RunView};
use crate::MissingRecord;
use crate::film::{Film, USUAL_FRAMES};
use crate::text::plural;
use crate::watch::RowSource;
use gridhunt_hunt::line_checksum::{self, LineChecksum};
use gridhunt_hunt::{PathKind, RunError, RunState, json_object_in};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most events of a run.
const MOST_EVENTS: usize = 5_000;

/// Why a source cannot be reported on.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// A run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A file holds no results.
    #[error("{}: found no result, expected JSON of solve --json", .0.display())]
    Unknown(PathBuf),
}

impl Document {
    /// An empty document that is made now, by this version.
    #[must_use]
    pub fn new(title: String) -> Self {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let made =
            format!("gridhunt {}, {} UTC", env!("CARGO_PKG_VERSION"), now.trim_end_matches('Z').replace('T', " "));
        Self { title, made, ..Self::default() }
    }

    /// Adds what a path has: a run directory, a folder of them, or results. At most `films` solutions are in the
    /// whole document.
    ///
    /// # Errors
    /// When the path cannot be read, or has other contents.
    pub fn add(&mut self, path: &Path, films: usize) -> Result<(), GatherError> {
        if path.is_file() {
            // A file that cannot be read is told so, not called unknown.
            File::open(path).map_err(failed(path))?;
            return match PathKind::of(path) {
                PathKind::Results => self.add_results(path),
                _ => Err(GatherError::Unknown(path.to_owned())),
            };
        }
        RowSource::all(path).into_iter().try_for_each(|source| self.add_run(source, films))
    }

    /// Adds a run.
    fn add_run(&mut self, mut source: RowSource, films: usize) -> Result<(), GatherError> {
        let mut run = source.run();
        run.is_told_later = true;
        source.look(&mut run);
        while source.is_behind() {
            source.look(&mut run);
        }
        let index = self.runs.len();
        let mut view = RunView::of(&run, MOST_EVENTS);
        let mut numbers: BTreeSet<usize> = run.all_rows().iter().filter_map(|row| row.number).collect();
        for &number in &numbers {
            let board = BoardView::of(&run.of_board(number));
            self.boards.extend(board.map(|board| (format!("{index}/{number}"), board)));
        }
        let state = RunState::read(source.path())?;
        self.notes.extend(state.notes.iter().cloned());
        let records = state.results.records().values();
        numbers.extend(records.clone().filter(|record| record.cost.is_some()).map(|record| record.number));
        view.results = Some(ResultView::all(records));
        self.add_films(&state, index, &numbers, films);
        self.runs.push(view);
        Ok(())
    }

    /// Adds the solutions of boards, as far as there is room.
    fn add_films(&mut self, state: &RunState, index: usize, numbers: &BTreeSet<usize>, most: usize) {
        let room = most.saturating_sub(self.films.len());
        for &number in numbers.iter().take(room) {
            match Film::of_run(state, number, USUAL_FRAMES) {
                Ok(film) => _ = self.films.insert(format!("{index}/{number}"), FilmView::of(&film)),
                Err(why) => self.notes.push(format!("{}: board {number} cannot be drawn: {why}", state.path.display())),
            }
        }
        let missing = numbers.len().saturating_sub(room);
        if missing > 0 {
            let (run, boards) = (state.path.display(), plural(missing as u64, "board"));
            self.notes.push(format!("{run}: not drawn: {boards}; --films {} draws more", most + missing));
        }
    }

    /// Adds a file of results. The last line about a board counts; lines that are damaged or no results are passed
    /// over.
    fn add_results(&mut self, path: &Path) -> Result<(), GatherError> {
        let (mut last, mut unread, mut unnumbered) = (BTreeMap::new(), 0, 0);
        for line in fs::read(path).map_err(failed(path))?.split(|&byte| byte == b'\n').filter_map(json_object_in) {
            let whole = str::from_utf8(line)
                .ok()
                .filter(|line| !matches!(line_checksum::check(line), LineChecksum::Wrong { .. }));
            match whole.and_then(|line| serde_json::from_str(line).ok()) {
                Some(ResultView::Record(record)) => _ = last.insert(record.number, ResultView::of(&record)),
                Some(ResultView::Missing(MissingRecord { number: None, .. })) => unnumbered += 1,
                Some(ResultView::Missing(missing)) => {
                    last.extend(missing.number.map(|number| (number, ResultView::Missing(missing))));
                }
                None => unread += 1,
            }
        }
        for (count, what, why) in [
            (unread, "line", "passed over, because damaged or no result"),
            (unnumbered, "board", "no row, because it could not be read"),
        ] {
            if count > 0 {
                self.notes.push(format!("{}: {why}: {}", path.display(), plural(count, what)));
            }
        }
        let done = || {
            last.values().filter_map(|result| match result {
                ResultView::Record(record) if record.is_done() => Some(record),
                _ => None,
            })
        };
        self.runs.push(RunView {
            name: path.display().to_string(),
            state: "results".to_owned(),
            boards: Some(last.len() as u64),
            done: done().count() as u64,
            proven: done().filter(|record| record.status.is_proven()).count() as u64,
            results: Some(last.into_values().collect()),
            ..RunView::default()
        });
        Ok(())
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> GatherError {
    move |error| GatherError::File { path: path.to_owned(), error }
}
