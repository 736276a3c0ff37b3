//! The mark by which the ranks of a search know that they see the same run directory.

use super::dir::RunDir;
use super::files::{At, Paths, RANKS};
use crate::RunError;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

impl RunDir {
    /// Writes a new mark into the directory. The file stays: a network file system that has not found a file may report
    /// it as missing for a while, even after it was written.
    ///
    /// # Errors
    /// When the mark cannot be written.
    pub(crate) fn mark_for_ranks(&self) -> Result<String, RunError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (path, mark) =
            (Paths(self.path().to_owned()).of(RANKS), format!("{}-{}", std::process::id(), now.as_nanos()));
        fs::write(&path, &mark).at("write", &path)?;
        Ok(mark)
    }

    /// What a rank finds in the place of this mark, or why it cannot write beside it; `None` if it can do both.
    pub(crate) fn mark_mismatch(run: &Path, mark: &str, rank: usize) -> Option<String> {
        let paths = Paths(run.to_owned());
        let (path, own) = (paths.of(RANKS), paths.of(&format!("{RANKS}-{rank}")));
        let (path, error) = match fs::read_to_string(&path) {
            Ok(found) if found != mark => return Some(format!("another content of {}", path.display())),
            Ok(_) => (&own, fs::write(&own, "").and_then(|()| fs::remove_file(&own)).err()?),
            Err(error) => (&path, error),
        };
        Some(format!("{}: {error}", path.display()))
    }
}
