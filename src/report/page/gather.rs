//! Collects the content of a report from files.

use super::super::result_table::ResultTable;
use super::document::Document;
use super::{BoardView, FilmView, RunView};
use crate::hunt::{PathKind, RunError, RunState};
use crate::report::film::{Film, USUAL_FRAMES};
use crate::report::text::plural;
use crate::report::watch::{RowSource, SourceError};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most events of a run.
const MOST_EVENTS: usize = 5_000;

/// Why a source cannot be reported on.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// Nothing is there.
    #[error(transparent)]
    Source(#[from] SourceError),
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
    /// A file has none of the known contents.
    #[error(
        "{}: found neither a result nor a row of progress, expected JSON of solve --json or solve --progress",
        .0.display()
    )]
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

    /// Adds what a path has: a run directory, rows of progress, or results. At most `films` solutions are in the
    /// whole document.
    ///
    /// # Errors
    /// When the path cannot be read, or has other contents.
    pub fn add(&mut self, path: &Path, films: usize) -> Result<(), GatherError> {
        if path.is_file() {
            // A file that cannot be read is told so, not called unknown.
            File::open(path).map_err(failed(path))?;
            match PathKind::of(path) {
                PathKind::ProgressRows => {}
                PathKind::Results => return self.add_results(path),
                _ => return Err(GatherError::Unknown(path.to_owned())),
            }
        }
        RowSource::all(path)?.into_iter().try_for_each(|source| self.add_run(source, films))
    }

    /// Adds a run, or a file of rows.
    fn add_run(&mut self, mut source: RowSource, films: usize) -> Result<(), GatherError> {
        let mut run = source.run();
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
        if let Some(folder) = source.folder() {
            let state = RunState::read(folder)?;
            self.notes.extend(state.notes.iter().cloned());
            let results = run.results.table();
            self.note_passed_over(&folder.join("results.jsonl"), results);
            numbers.extend(results.rows().filter(|row| row.value.is_some()).map(|row| row.number));
            view.results = Some(results.rows().cloned().collect());
            self.add_films(&state, index, &numbers, films);
        }
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

    fn note_passed_over(&mut self, path: &Path, table: &ResultTable) {
        if table.unread() > 0 {
            let lines = plural(table.unread() as u64, "line");
            self.notes.push(format!("{}: passed over, because damaged or no result: {lines}", path.display()));
        }
        if table.unnumbered() > 0 {
            let boards = plural(table.unnumbered() as u64, "board");
            self.notes.push(format!("{}: no row, because it could not be read: {boards}", path.display()));
        }
    }

    /// Adds a file of results.
    fn add_results(&mut self, path: &Path) -> Result<(), GatherError> {
        let mut results = ResultTable::default();
        results.take(&fs::read(path).map_err(failed(path))?, None);
        self.note_passed_over(path, &results);
        let rows: Vec<_> = results.rows().cloned().collect();
        let (done, proven) = results.done();
        self.runs.push(RunView {
            name: path.display().to_string(),
            state: "results".to_owned(),
            boards: Some(rows.len() as u64),
            done,
            proven,
            results: Some(rows),
            ..RunView::default()
        });
        Ok(())
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> GatherError {
    move |error| GatherError::File { path: path.to_owned(), error }
}
