//! The creation of a run directory.

use super::checksums::{ChecksumWriter, Checksums};
use super::files::{DirContent, IoResultExt, Paths, replace, sync_folder_of};
use super::lock::Lock;
use crate::{Config, RunError};
use gridhunt_boards::{BoardError, Entry, Format, write_entry};
use std::fs::{self, File};
use std::io::{self, BufWriter};

/// The number of tries while other processes create and remove the directory.
const MAX_TRIES: usize = 100;

/// Creates a run directory with these boards, also in a directory whose creation was interrupted. Returns its lock, and
/// whether this call created the directory. After an error, the call has undone its changes.
///
/// # Errors
/// When the directory is in use, holds anything else or cannot be written, or a board is invalid.
pub(super) fn create(
    paths: &Paths,
    config: &Config,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
) -> Result<(Lock, bool), RunError> {
    let (lock, is_created) = make_and_lock(paths)?;
    write_files(paths, config, boards).inspect_err(|_| undo_creation(paths, &lock, is_created))?;
    Ok((lock, is_created))
}

/// Removes the files of the creation. Errors are ignored. The lock is removed last: while it exists, no other process
/// uses the directory.
pub(super) fn undo_creation(paths: &Paths, lock: &Lock, is_created: bool) {
    let _ = fs::remove_file(paths.config());
    if paths.remove_leftovers().is_ok() {
        undo_make_and_lock(paths, lock, is_created);
    }
}

/// Makes and locks the directory, and removes the files of an interrupted creation. Returns the lock, and whether this
/// call created the directory.
fn make_and_lock(paths: &Paths) -> Result<(Lock, bool), RunError> {
    if let Some(parent) = paths.0.parent() {
        if let Some(file) = parent.ancestors().find(|folder| folder.is_file()) {
            let expected = "a folder for the run directory";
            return Err(RunError::Unexpected { path: file.to_owned(), found: "a file".to_owned(), expected });
        }
        fs::create_dir_all(parent).with_path("create", parent)?;
    }
    for _ in 0..MAX_TRIES {
        let is_created = match fs::create_dir(&paths.0) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => false,
            Err(e) => return Err(e).with_path("create", &paths.0),
        };
        // Check before locking: a directory with other files must not get a lock file.
        if !is_created && !is_free(paths)? {
            continue;
        }
        let lock = match Lock::acquire(paths) {
            Ok(Some(lock)) => lock,
            Ok(None) => continue,
            Err(error) => {
                if is_created {
                    // Fails if another process has created its lock there.
                    let _ = fs::remove_dir(&paths.0);
                }
                return Err(error);
            }
        };
        return match is_free(paths) {
            Ok(_) => paths.remove_leftovers().map(|()| (lock, is_created)),
            Err(error) => {
                undo_make_and_lock(paths, &lock, is_created);
                Err(error)
            }
        };
    }
    let reason = io::Error::other("other processes create and remove it all the time");
    Err(RunError::Io { action: "create", path: paths.0.clone(), reason })
}

/// Whether the directory exists and can hold a new run. Fails if it holds anything else.
fn is_free(paths: &Paths) -> Result<bool, RunError> {
    let path = paths.0.clone();
    match paths.inspect()? {
        DirContent::Nothing => Ok(false),
        DirContent::Incomplete => Ok(true),
        DirContent::Run => Err(match Lock::holder(paths) {
            Ok(Some(process)) if process != std::process::id().to_string() => RunError::Locked { path, process },
            _ => RunError::Exists(path),
        }),
        DirContent::File => {
            Err(RunError::Unexpected { path, found: "a file".to_owned(), expected: "a run directory, or none" })
        }
        DirContent::Other(found) => Err(RunError::Unexpected { path, found, expected: "an empty directory" }),
    }
}

/// Removes the lock file if this process has created the file. Then removes the directory if it is empty and this
/// process has created it.
fn undo_make_and_lock(paths: &Paths, lock: &Lock, is_created: bool) {
    if lock.is_new {
        let _ = fs::remove_file(paths.of(super::files::LOCK));
    }
    if is_created {
        let _ = fs::remove_dir(&paths.0);
    }
}

fn write_files(
    paths: &Paths,
    config: &Config,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
) -> Result<(), RunError> {
    let path = paths.boards();
    let file = File::create(&path).with_path("create", &path)?;
    let mut out = ChecksumWriter { inner: BufWriter::new(file), crc: crc32fast::Hasher::new() };
    for entry in boards {
        write_entry(&entry?, Format::Json, &mut out)?;
    }
    let ChecksumWriter { inner, crc } = out;
    let file = inner.into_inner().map_err(io::IntoInnerError::into_error).with_path("write", &path)?;
    file.sync_all().with_path("sync", &path)?;
    let text = config.to_toml();
    Checksums::of(crc32fast::hash(text.as_bytes()), crc.finalize()).write(paths)?;
    // `run.toml` is written last, so a directory with `run.toml` is complete.
    replace(&paths.config(), text.as_bytes())?;
    // Makes the name of the directory durable too. Fails without permission to read the parent folder.
    let _ = sync_folder_of(&paths.0);
    Ok(())
}
