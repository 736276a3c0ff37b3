//! The files of a run directory.

use crate::RunError;
use gridhunt_search::platform::files;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Adds the operation and the path to an error of the system.
pub(super) trait IoResultExt<T> {
    fn with_path(self, action: &'static str, path: &Path) -> Result<T, RunError>;
}

impl<T> IoResultExt<T> for io::Result<T> {
    fn with_path(self, action: &'static str, path: &Path) -> Result<T, RunError> {
        self.map_err(|reason| {
            missing_file_error(action, path, &reason).unwrap_or(RunError::Io { action, path: path.to_owned(), reason })
        })
    }
}

/// Makes the error for a file that is missing, or a directory; `None` for other reasons.
fn missing_file_error(action: &str, path: &Path, reason: &io::Error) -> Option<RunError> {
    let (found, remedy) = match reason.kind() {
        _ if !["open", "read"].contains(&action) => return None,
        io::ErrorKind::NotFound => ("nothing", "restore the file from a copy"),
        // Windows reports a directory as `PermissionDenied`.
        kind if kind == io::ErrorKind::IsADirectory
            || cfg!(windows) && kind == io::ErrorKind::PermissionDenied && path.is_dir() =>
        {
            ("a directory", "move the directory away, and restore the file from a copy")
        }
        _ => return None,
    };
    let [found, place, expected, remedy] = [found, "whole file", "a file", remedy].map(str::to_owned);
    Some(RunError::Damaged { path: path.to_owned(), place, found, expected, remedy })
}

/// The configuration. It is written last, so a run directory with it is complete.
pub(super) const CONFIG: &str = "run.toml";

pub(super) const BOARDS: &str = "boards.json";

pub(super) const CHECKSUMS: &str = "checksums";

pub(super) const LOCK: &str = "lock";

/// The request to stop the search.
pub(super) const STOP: &str = "stop";

/// The mark of the directory, which shows ranks that they see the same directory.
pub(super) const RANKS: &str = "ranks";

/// The files that an interrupted creation, or a session without results, may leave beside its lock.
const LEFTOVERS: [&str; 5] = [BOARDS, CHECKSUMS, "checksums.new", "run.new", RANKS];

/// The paths of the files of a run directory.
#[derive(Clone, Debug)]
pub(super) struct Paths(pub(super) PathBuf);

/// The content of a path, inspected without the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DirContent {
    /// Nothing exists at the path.
    Nothing,
    /// A file, not a directory.
    File,
    /// A directory with `run.toml`.
    Run,
    /// An empty directory, or one with only [`LEFTOVERS`].
    Incomplete,
    /// A directory that is not of a run, with the name of one of its entries.
    Other(String),
}

impl Paths {
    pub(super) fn of(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn config(&self) -> PathBuf {
        self.of(CONFIG)
    }

    pub(super) fn boards(&self) -> PathBuf {
        self.of(BOARDS)
    }

    pub(super) fn results(&self) -> PathBuf {
        self.of("results.jsonl")
    }

    /// Finds the content of the path.
    pub(super) fn inspect(&self) -> Result<DirContent, RunError> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(DirContent::Nothing),
            Err(e) if e.kind() == io::ErrorKind::NotADirectory || self.0.is_file() => return Ok(DirContent::File),
            Err(e) => return Err(e).with_path("read", &self.0),
        };
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry.with_path("read", &self.0)?.file_name().to_string_lossy().into_owned());
        }
        if names.iter().any(|name| name == CONFIG) {
            return Ok(DirContent::Run);
        }
        // Creation makes the lock first, so files without a lock are not leftovers of a creation.
        let has_lock = names.iter().any(|name| name == LOCK);
        let is_leftover = |name: &String| has_lock && (name == LOCK || LEFTOVERS.contains(&name.as_str()));
        Ok(names.into_iter().find(|name| !is_leftover(name)).map_or(DirContent::Incomplete, DirContent::Other))
    }

    /// Removes [`LEFTOVERS`]. The caller holds the lock.
    pub(super) fn remove_leftovers(&self) -> Result<(), RunError> {
        for name in LEFTOVERS {
            let path = self.of(name);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e).with_path("remove", &path),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Creates or replaces a file atomically: after a crash, `path` is the complete old or the complete new file.
pub(super) fn replace(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    let new = path.with_extension("new");
    let mut file = File::create(&new).with_path("create", &new)?;
    file.write_all(contents).with_path("write", &new)?;
    file.sync_all().with_path("sync", &new)?;
    fs::rename(&new, path).with_path("rename", &new)?;
    sync_folder_of(path)
}

/// Makes the name of a file durable.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), RunError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::sync_folder(folder).with_path("sync", folder)
}
