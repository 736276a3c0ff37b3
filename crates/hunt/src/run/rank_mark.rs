//! The mark of a run directory, which shows ranks that they see the same directory.

use super::dir::RunDir;
use super::files::{IoResultExt, Paths, RANKS};
use crate::RunError;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

impl RunDir {
    /// Writes a new mark into the directory. The file is never removed: a network file system may report a file as
    /// missing for a while after it was written.
    pub(crate) fn mark_for_ranks(&self) -> Result<String, RunError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = Paths(self.path().to_owned()).of(RANKS);
        let mark = format!("{}-{}", std::process::id(), now.as_nanos());
        fs::write(&path, &mark).with_path("write", &path)?;
        Ok(mark)
    }

    /// What this rank finds instead of the mark, or why it cannot write into the directory; `None` if both succeed.
    pub(crate) fn mark_mismatch(run: &Path, mark: &str, rank: usize) -> Option<String> {
        let paths = Paths(run.to_owned());
        let (path, test_path) = (paths.of(RANKS), paths.of(&format!("{RANKS}-{rank}")));
        let (path, error) = match fs::read_to_string(&path) {
            Ok(found) if found != mark => return Some(format!("another content of {}", path.display())),
            Ok(_) => (&test_path, fs::write(&test_path, "").and_then(|()| fs::remove_file(&test_path)).err()?),
            Err(error) => (&path, error),
        };
        Some(format!("{}: {error}", path.display()))
    }
}
