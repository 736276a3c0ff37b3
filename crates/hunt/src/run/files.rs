//! The files of a run directory.

use crate::RunError;
use gridhunt_search::platform::files;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Adds the operation and the file to an error of the system.
pub(super) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, RunError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, RunError> {
        self.map_err(|reason| {
            missing(action, path, &reason).unwrap_or(RunError::Io { action, path: path.to_owned(), reason })
        })
    }
}

/// Makes the error for a file of a run directory that is missing, or that has a directory at its path; `None` for other
/// reasons.
fn missing(action: &str, path: &Path, reason: &io::Error) -> Option<RunError> {
    let (found, remedy) = match reason.kind() {
        _ if !["open", "read"].contains(&action) => return None,
        io::ErrorKind::NotFound => ("nothing", "restore the file from a copy"),
        // Windows says that it is not allowed.
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

/// The file that makes a run directory complete.
pub(super) const CONFIG: &str = "run.toml";

pub(super) const BOARDS: &str = "boards.json";

pub(super) const CHECKSUMS: &str = "checksums";

pub(super) const LOCK: &str = "lock";

/// The file that asks for an end of the search.
pub(super) const STOP: &str = "stop";

/// The file by which ranks know that they see the same directory.
pub(super) const RANKS: &str = "ranks";

/// The files that an interrupted creation, or a session that kept nothing, may leave beside its lock.
const LEFTOVERS: [&str; 5] = [BOARDS, CHECKSUMS, "checksums.new", "run.new", RANKS];

/// The paths of the files of a run directory.
#[derive(Clone, Debug)]
pub(super) struct Paths(pub(super) PathBuf);

/// What a path holds, seen without the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing exists at the path.
    Nothing,
    /// A file, not a directory.
    File,
    /// A directory with `run.toml`.
    Run,
    /// An empty directory, or one with what an interrupted creation leaves.
    Incomplete,
    /// A directory that holds this other entry.
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

    /// Looks at the directory.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub(super) fn look(&self) -> Result<Content, RunError> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Content::Nothing),
            Err(e) if e.kind() == io::ErrorKind::NotADirectory || self.0.is_file() => return Ok(Content::File),
            Err(e) => return Err(e).at("read", &self.0),
        };
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry.at("read", &self.0)?.file_name().to_string_lossy().into_owned());
        }
        if names.iter().any(|name| name == CONFIG) {
            return Ok(Content::Run);
        }
        // Without a lock beside them, files with these names are somebody else's: creation makes the lock first.
        let is_ours = names.iter().any(|name| name == LOCK);
        let is_leftover = |name: &String| is_ours && (name == LOCK || LEFTOVERS.contains(&name.as_str()));
        Ok(names.into_iter().find(|name| !is_leftover(name)).map_or(Content::Incomplete, Content::Other))
    }

    /// Removes what an interrupted creation has left beside its lock. The caller holds the lock.
    pub(super) fn clear(&self) -> Result<(), RunError> {
        for name in LEFTOVERS {
            let path = self.of(name);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e).at("remove", &path),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Creates or replaces a file atomically: after a crash, `path` is either the complete old or the complete new file.
pub(super) fn replace(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    let new = path.with_extension("new");
    let mut file = File::create(&new).at("create", &new)?;
    file.write_all(contents).at("write", &new)?;
    file.sync_all().at("sync", &new)?;
    fs::rename(&new, path).at("rename", &new)?;
    sync_folder_of(path)
}

/// Makes the name of a file durable.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), RunError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::sync_folder(folder).at("sync", folder)
}
