//! Collects the content of a report from files.

use super::document::Document;
use super::{BoardView, FilmView, ResultView, RunView};
use crate::MissingRecord;
use crate::film::{DEFAULT_FRAME_COUNT, Film};
use crate::text::plural;
use crate::watch::RowSource;
use gridhunt_hunt::line_checksum::{self, LineChecksum};
use gridhunt_hunt::{PathKind, RunError, RunState, json_object_in};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MAX_EVENTS: usize = 5_000;

/// Why a run or a file cannot be added to a report.
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
    /// An empty document with the current time and version.
    #[must_use]
    pub fn new(title: String) -> Self {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace('T', " ");
        let made = format!("gridhunt {}, {} UTC", env!("CARGO_PKG_VERSION"), now.trim_end_matches('Z'));
        Self { title, made, ..Self::default() }
    }

    /// Adds a run directory, a folder of run directories, or a file of results. The whole document has at most
    /// `max_films` solutions.
    ///
    /// # Errors
    /// When the path cannot be read, or has other contents.
    pub fn add(&mut self, path: &Path, max_films: usize) -> Result<(), GatherError> {
        if path.is_file() {
            // Report an unreadable file as unreadable, not as a file without results.
            File::open(path).map_err(file_error(path))?;
            return match PathKind::of(path) {
                PathKind::Results => self.add_results(path),
                _ => Err(GatherError::Unknown(path.to_owned())),
            };
        }
        RowSource::find(path).into_iter().try_for_each(|source| self.add_run(source, max_films))
    }

    fn add_run(&mut self, mut source: RowSource, max_films: usize) -> Result<(), GatherError> {
        let mut run = source.new_run();
        run.is_report = true;
        source.poll_all(&mut run);
        let index = self.runs.len();
        let mut view = RunView::of(&run, MAX_EVENTS);
        let mut numbers: BTreeSet<usize> = run.all_rows().iter().filter_map(|row| row.number).collect();
        for &number in &numbers {
            let board = BoardView::of(&run.only_board(number));
            self.boards.extend(board.map(|board| (format!("{index}/{number}"), board)));
        }
        let state = RunState::read(source.path())?;
        self.notes.extend(state.notes.iter().cloned());
        let records = state.results.records().values();
        numbers.extend(records.clone().filter(|record| record.cost.is_some()).map(|record| record.number));
        view.results = Some(ResultView::all(records));
        self.add_films(&state, index, &numbers, max_films);
        self.runs.push(view);
        Ok(())
    }

    /// Adds the solutions of boards, up to `max_films` in the document.
    fn add_films(&mut self, state: &RunState, index: usize, numbers: &BTreeSet<usize>, max_films: usize) {
        let room = max_films.saturating_sub(self.films.len());
        for &number in numbers.iter().take(room) {
            match Film::of_run(state, number, DEFAULT_FRAME_COUNT) {
                Ok(film) => _ = self.films.insert(format!("{index}/{number}"), FilmView::of(&film)),
                Err(why) => self.notes.push(format!("{}: board {number} cannot be drawn: {why}", state.path.display())),
            }
        }
        let not_drawn = numbers.len().saturating_sub(room);
        if not_drawn > 0 {
            let (run, boards) = (state.path.display(), plural(not_drawn as u64, "board"));
            self.notes.push(format!("{run}: not drawn: {boards}; --films {} draws more", max_films + not_drawn));
        }
    }

    /// Adds a file of results. Only the last line about a board counts. Damaged and other lines are skipped.
    fn add_results(&mut self, path: &Path) -> Result<(), GatherError> {
        let (mut results, mut skipped, mut unnumbered) = (BTreeMap::new(), 0, 0);
        for line in fs::read(path).map_err(file_error(path))?.split(|&byte| byte == b'\n').filter_map(json_object_in) {
            let undamaged = str::from_utf8(line)
                .ok()
                .filter(|line| !matches!(line_checksum::check(line), LineChecksum::Wrong { .. }));
            match undamaged.and_then(|line| serde_json::from_str(line).ok()) {
                Some(ResultView::Record(record)) => _ = results.insert(record.number, ResultView::of(&record)),
                Some(ResultView::Missing(MissingRecord { number: None, .. })) => unnumbered += 1,
                Some(ResultView::Missing(missing)) => {
                    results.extend(missing.number.map(|number| (number, ResultView::Missing(missing))));
                }
                None => skipped += 1,
            }
        }
        for (count, what, why) in [
            (skipped, "line", "skipped: damaged, or not a result"),
            (unnumbered, "board", "no row: it could not be read"),
        ] {
            if count > 0 {
                self.notes.push(format!("{}: {why}: {}", path.display(), plural(count, what)));
            }
        }
        let done = || {
            results.values().filter_map(|result| match result {
                ResultView::Record(record) if record.is_done() => Some(record),
                _ => None,
            })
        };
        self.runs.push(RunView {
            name: path.display().to_string(),
            state: "results".to_owned(),
            boards: Some(results.len() as u64),
            done: done().count() as u64,
            proven: done().filter(|record| record.status.is_proven()).count() as u64,
            results: Some(results.into_values().collect()),
            ..RunView::default()
        });
        Ok(())
    }
}

fn file_error(path: &Path) -> impl Fn(io::Error) -> GatherError {
    move |error| GatherError::File { path: path.to_owned(), error }
}
