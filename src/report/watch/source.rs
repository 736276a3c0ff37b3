//! Where the rows of runs come from.

use super::model::{ProcessState, WatchedRun};
use crate::hunt::{PartedRun, RunError, is_run, runs_in, searching_process};
use crate::report::{PROGRESS, ProgressNews, ProgressReader};
use gridhunt_search::platform::unix_seconds;
use std::io;
use std::path::{Path, PathBuf};

/// Why there is nothing to be watched.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing is there.
    #[error("{}: found nothing, expected a run directory or a file of progress", .0.display())]
    Nothing(PathBuf),
    /// A run in parts cannot be read.
    #[error(transparent)]
    Parts(#[from] RunError),
}

/// The source of the rows of a run. Its files are opened for reading alone.
#[derive(Debug)]
pub struct RowSource {
    path: PathBuf,
    reader: ProgressReader,
    is_run: bool,
    /// Whether results are read too.
    has_results: bool,
}

impl RowSource {
    /// The source of a run directory, of all parts of one, of all run directories in a folder, or of a file of rows.
    ///
    /// # Errors
    /// When nothing is there, or the parts of a run cannot be read.
    pub fn all(path: &Path) -> Result<Vec<Self>, SourceError> {
        if path.is_file() {
            return Ok(vec![Self::of_file(path.to_owned())]);
        }
        if !path.is_dir() {
            return Err(SourceError::Nothing(path.to_owned()));
        }
        let runs = if is_run(path) { Vec::new() } else { runs_in(path) };
        if !runs.is_empty() {
            // A run in parts whose plan is damaged is shown by its name; the others are shown all the same.
            let of_run = |run: PathBuf| Self::all(&run).unwrap_or_else(|_| vec![Self::of_run(run)]);
            return Ok(runs.into_iter().flat_map(of_run).collect());
        }
        let folders = match PartedRun::find(path)? {
            // Also those that have not begun: they may begin while they are watched.
            Some(run) => run.parts().map(|part| run.folder(part)).collect::<Result<_, _>>()?,
            None => vec![path.to_owned()],
        };
        Ok(folders.into_iter().map(Self::of_run).collect())
    }

    /// The source of a file of rows.
    #[must_use]
    pub fn of_file(path: PathBuf) -> Self {
        Self { reader: ProgressReader::new(path.clone()), path, is_run: false, has_results: false }
    }

    /// The same source, of which only the last rows are read.
    #[must_use]
    pub fn from_end(self) -> Self {
        Self { reader: self.reader.from_end(), has_results: false, ..self }
    }

    /// The source of a run directory.
    #[must_use]
    pub fn of_run(path: PathBuf) -> Self {
        Self { reader: ProgressReader::new(path.join(PROGRESS)), path, is_run: true, has_results: true }
    }

    /// The run directory, or the file of rows.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run directory; `None` for a file of rows.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.is_run.then_some(&self.path)
    }

    /// The run, of which nothing is read yet.
    #[must_use]
    pub fn run(&self) -> WatchedRun {
        let mut run = WatchedRun::new(self.path.display().to_string());
        run.folder = self.folder().map(Path::to_owned);
        run
    }

    /// Whether the file has more than the last look has read.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.reader.is_behind()
    }

    /// Reads what is new, at most one piece of the file. Returns whether something is.
    pub fn look(&mut self, run: &mut WatchedRun) -> bool {
        let before = (run.process_state.clone(), run.error.clone());
        run.looked = unix_seconds();
        let mut is_new = false;
        run.error = match self.reader.read() {
            Ok(news) => {
                is_new = !matches!(&news, ProgressNews::More(rows) if rows.is_empty());
                run.take(news);
                None
            }
            // The run has not begun yet.
            Err(error) if self.is_run && error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(format!("{}: {error}", self.reader.path().display())),
        };
        if self.has_results {
            is_new |= run.results.look(&self.path);
        }
        self.look_at_process(run);
        is_new || before != (run.process_state.clone(), run.error.clone())
    }

    /// Looks whether a process searches.
    pub fn look_at_process(&self, run: &mut WatchedRun) {
        if self.is_run {
            run.process_state = match searching_process(&self.path) {
                Ok(Some(process)) => ProcessState::Active(process),
                Ok(None) => ProcessState::Over,
                Err(_) => ProcessState::Unknown,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_folder_of_runs_is_all_of_them_and_results_count_beside_rows() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", "a"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("run.toml"), "").unwrap();
        }
        let mut sources = RowSource::all(folder.path()).unwrap();
        let names: Vec<_> = sources.iter().map(|source| source.path().file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["a", "b"]);
        let results = sources[0].path().join("results.jsonl");
        let mut run = sources[0].run();
        for done in 1..=2_u64 {
            let line =
                |number| format!("{{\"number\":{number},\"board\":\"x\",\"status\":\"error\",\"error\":\"\"}}\n");
            fs::write(&results, (1..=done).map(line).collect::<String>()).unwrap();
            assert!(sources[0].look(&mut run));
            assert_eq!(run.done(), (done, 0));
        }
    }
}
