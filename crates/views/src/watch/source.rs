//! The sources of the rows of runs.

use super::model::{ProcessState, WatchedRun};
use crate::record::retain_admitted;
use crate::{PROGRESS_FILE, ProgressReader, ProgressUpdate};
use gridhunt_hunt::{Identities, is_run, run_dirs_in, searching_process};
use gridhunt_search::platform::unix_seconds;
use std::io;
use std::path::{Path, PathBuf};

/// The source of the rows and results of a run. Only reads files.
#[derive(Debug)]
pub struct RowSource {
    path: PathBuf,
    reader: ProgressReader,
    /// The identities of the searches, once they are read.
    identities: Option<Identities>,
}

impl RowSource {
    /// The source of a run directory, or the sources of all run directories in a folder.
    #[must_use]
    pub fn find(path: &Path) -> Vec<Self> {
        let runs = if is_run(path) { Vec::new() } else { run_dirs_in(path) };
        let runs = if runs.is_empty() { vec![path.to_owned()] } else { runs };
        runs.into_iter().map(Self::of_run).collect()
    }

    /// The sources of a path that are not among `known`: runs that have begun since.
    #[must_use]
    pub fn find_new(path: &Path, known: &[Self]) -> Vec<Self> {
        let mut found = Self::find(path);
        found.retain(|source| known.iter().all(|known| known.path != source.path));
        found
    }

    /// The same source, limited to the last rows and those that follow.
    #[must_use]
    pub fn tail_only(self) -> Self {
        Self { reader: self.reader.tail_only(), ..self }
    }

    /// The source of a run directory.
    #[must_use]
    pub fn of_run(path: PathBuf) -> Self {
        Self { reader: ProgressReader::new(path.join(PROGRESS_FILE)), path, identities: None }
    }

    /// The run directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run, before the first poll.
    #[must_use]
    pub fn new_run(&self) -> WatchedRun {
        let mut run = WatchedRun::new(self.path.display().to_string());
        run.folder = Some(self.path.clone());
        run
    }

    /// Whether the file may have more rows than the last poll has read.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.reader.has_more()
    }

    /// Reads new rows, at most 16 MiB of the file, and new results. Returns whether the run has changed.
    pub fn poll(&mut self, run: &mut WatchedRun) -> bool {
        let before = (run.process_state.clone(), run.error.clone());
        run.polled_at = unix_seconds();
        // Asked first: the rows of a process that has ended are complete.
        run.process_state = match searching_process(&self.path) {
            Ok(Some(process)) => ProcessState::Active(process),
            Ok(None) => ProcessState::Over,
            Err(_) => ProcessState::Unknown,
        };
        let mut is_new = false;
        run.error = self.read(run, &mut is_new).err();
        is_new || before != (run.process_state.clone(), run.error.clone())
    }

    /// Polls until nothing is left to read. Returns whether anything has changed.
    pub fn poll_all(&mut self, run: &mut WatchedRun) -> bool {
        let mut is_new = self.poll(run);
        while self.has_more() {
            is_new |= self.poll(run);
        }
        is_new
    }

    /// Reads new rows and results. If the boards, puzzle or rules of the run were edited, it reads all rows again.
    fn read(&mut self, run: &mut WatchedRun, is_new: &mut bool) -> Result<(), String> {
        if !self.identities.as_ref().is_some_and(Identities::are_current) {
            if self.identities.take().is_some() {
                self.reader = ProgressReader::new(self.path.join(PROGRESS_FILE));
                run.results.clear();
                run.apply(ProgressUpdate::Replaced(Vec::new()));
                *is_new = true;
            }
            self.identities = Identities::find(&self.path).map_err(|error| error.to_string())?;
        }
        let Some(identities) = &self.identities else { return Ok(()) };
        *is_new |= run.results.refresh(&self.path, identities).map_err(|error| error.to_string())?;
        let mut update = match self.reader.read() {
            Ok(update) => update,
            // No search has begun.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(format!("{}: {error}", self.reader.path.display())),
        };
        let (ProgressUpdate::Appended(rows) | ProgressUpdate::Replaced(rows)) = &mut update;
        retain_admitted(rows, identities, run.results.done_and_proven());
        *is_new |= !matches!(&update, ProgressUpdate::Appended(rows) if rows.is_empty());
        run.apply(update);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgressRow;
    use gridhunt_boards::{Board, Cell, Entry, usual_symbols};
    use gridhunt_hunt::{BoardRecord, BoardSearchInfo, Config, RunDir, line_checksum, solve_board};
    use gridhunt_search::runtime::{Silent, StopToken};
    use std::fs;

    /// A run of two boards, which are `rows` times 3 cells.
    fn run(folder: &Path, name: &str, rows: usize) -> RunDir {
        let board = |name| Board::new(name, rows, 3, [0, 1, 0].repeat(rows), usual_symbols(2), Cell::default());
        let boards = ["x", "y"].map(|name| board(name).map(|board| Entry { board, published_optimum: None }));
        RunDir::create(&folder.join(name), &Config::default(), boards.into_iter()).unwrap()
    }

    /// Adds the result of a board.
    fn finish(run: &RunDir, number: usize) {
        let board = run.boards().unwrap().nth(number - 1).unwrap().unwrap().board;
        let record = solve_board(&board, &Config::default().request(), &Silent, &StopToken::new()).unwrap();
        run.add_result(&BoardRecord { number, ..record }).unwrap();
    }

    #[test]
    fn a_folder_of_runs_is_all_of_them_and_results_count_beside_rows() {
        let folder = tempfile::tempdir().unwrap();
        let [_, first] = ["b", "a"].map(|name| run(folder.path(), name, 1));
        let mut sources = RowSource::find(folder.path());
        let names: Vec<_> = sources.iter().map(|source| source.path().file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["a", "b"]);
        fs::create_dir(folder.path().join("aa")).unwrap();
        assert!(RowSource::find_new(folder.path(), &sources).is_empty(), "no run yet");
        fs::write(folder.path().join("aa/run.toml"), "").unwrap();
        let later = RowSource::find_new(folder.path(), &sources);
        assert!(later.len() == 1 && later[0].path().ends_with("aa"));
        let mut watched = sources[0].new_run();
        for number in 1..=2 {
            finish(&first, number);
            assert!(sources[0].poll(&mut watched));
            assert_eq!(watched.done_and_proven(), (number as u64, number as u64));
        }
    }

    /// While somebody looks, a run is edited, and gets the files of another run.
    #[test]
    fn what_is_about_another_search_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let [own, other] = [("own", 1), ("other", 2)].map(|(name, rows)| run(folder.path(), name, rows));
        let identity = |run: &RunDir| {
            let board = run.boards().unwrap().next().unwrap().unwrap().board;
            BoardSearchInfo::new(1, &board, &Config::default().request()).identity
        };
        for run in [&own, &other] {
            finish(run, 1);
            let base = ProgressRow { done: 2, proven: 2, ..ProgressRow::default() };
            let row = |number, lower_bound, identity| ProgressRow { number, lower_bound, identity, ..base.clone() };
            let rows = [row(None, 0, String::new()), row(Some(1), 9, identity(run))];
            let line = |row| line_checksum::append(&serde_json::to_string(row).unwrap()) + "\n";
            let text: String = rows.iter().map(line).collect();
            fs::write(run.path().join(PROGRESS_FILE), text).unwrap();
        }
        let opened = || {
            let source = RowSource::of_run(own.path().to_owned());
            (source.new_run(), source)
        };
        let shown = |(watched, source): &mut (WatchedRun, RowSource)| {
            source.poll(watched);
            assert_eq!(watched.error, None);
            let bounds: Vec<_> = watched.all_rows().iter().map(|row| (row.done, row.lower_bound)).collect();
            (watched.done_and_proven(), bounds)
        };
        assert_eq!(shown(&mut opened()), ((1, 1), vec![(1, 0), (1, 9)]), "rows count no more boards than results");
        for name in ["results.jsonl", PROGRESS_FILE] {
            fs::copy(other.path().join(name), own.path().join(name)).unwrap();
        }
        let mut watched = opened();
        assert_eq!(shown(&mut watched), ((0, 0), vec![(0, 0)]));
        for name in ["boards.json", "checksums"] {
            fs::copy(other.path().join(name), own.path().join(name)).unwrap();
        }
        assert_eq!(shown(&mut watched), ((1, 1), vec![(1, 0), (1, 9)]), "the other run now");
    }
}
