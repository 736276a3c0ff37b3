//! The creation of a run directory.

use super::checksums::{Checksums, Summing};
use super::files::{At, Content, Paths, replace, sync_folder_of};
use super::lock::Lock;
use crate::{Config, RunError};
use gridhunt_boards::{BoardError, Entry, Format, write_entry};
use std::fs::{self, File};
use std::io::{self, BufWriter};

/// How often to try while other processes create and remove the directory. Each of these processes tells its own user
/// why it failed.
const TRIES: usize = 100;

/// Creates a run directory with these boards. Returns its lock, and whether this call made the directory. Begins anew
/// in a directory whose creation was interrupted.
///
/// After an error, nothing that this call made is left, and nothing else was removed.
///
/// # Errors
/// When the directory is in use, holds anything else or cannot be written, or a board is invalid.
pub(super) fn create(
    paths: &Paths,
    config: &Config,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
) -> Result<(Lock, bool), RunError> {
    let (lock, made) = begin(paths)?;
    let filled = fill(paths, config, boards);
    if let Err(error) = filled {
        undo(paths, &lock, made);
        return Err(error);
    }
    Ok((lock, made))
}

/// Removes what creation made. Errors are ignored. The lock is removed last: while it exists, no other process takes
/// the other files for its own.
pub(super) fn undo(paths: &Paths, lock: &Lock, made: bool) {
    let _ = fs::remove_file(paths.config());
    if paths.clear().is_ok() {
        abandon(paths, lock, made);
    }
}

/// Makes and locks the directory, and clears what an interrupted creation has left in it. Returns the lock, and whether
/// this call made the directory.
fn begin(paths: &Paths) -> Result<(Lock, bool), RunError> {
    if let Some(parent) = paths.0.parent() {
        if let Some(file) = parent.ancestors().find(|folder| folder.is_file()) {
            let expected = "a folder for the run directory";
            return Err(RunError::Unexpected { path: file.to_owned(), found: "a file".to_owned(), expected });
        }
        fs::create_dir_all(parent).at("create", parent)?;
    }
    for _ in 0..TRIES {
        let made = match fs::create_dir(&paths.0) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => false,
            Err(e) => return Err(e).at("create", &paths.0),
        };
        // Looks without the lock, because no lock must be left in a directory that belongs to somebody else.
        if !made && !is_free(paths)? {
            continue;
        }
        let lock = match Lock::take(paths) {
            Ok(Some(lock)) => lock,
            Ok(None) => continue,
            Err(error) => {
                if made {
                    // Fails when another process has put its lock there.
                    let _ = fs::remove_dir(&paths.0);
                }
                return Err(error);
            }
        };
        return match is_free(paths) {
            Ok(_) => paths.clear().map(|()| (lock, made)),
            Err(error) => {
                abandon(paths, &lock, made);
                Err(error)
            }
        };
    }
    let reason = io::Error::other("other processes create and remove it all the time");
    Err(RunError::Io { action: "create", path: paths.0.clone(), reason })
}

/// Whether the directory may be used; false if it is gone.
///
/// # Errors
/// When the directory holds a run or anything else.
fn is_free(paths: &Paths) -> Result<bool, RunError> {
    let path = paths.0.clone();
    match paths.look()? {
        Content::Nothing => Ok(false),
        Content::Incomplete => Ok(true),
        Content::Run => Err(match Lock::holder(paths) {
            Ok(Some(process)) if process != std::process::id().to_string() => RunError::Locked { path, process },
            _ => RunError::Exists { path },
        }),
        Content::File => {
            Err(RunError::Unexpected { path, found: "a file".to_owned(), expected: "a run directory, or none" })
        }
        Content::Other(found) => Err(RunError::Unexpected { path, found, expected: "an empty directory" }),
    }
}

/// Removes the lock if this process made it, and the directory if this process made it and nothing else is in it.
fn abandon(paths: &Paths, lock: &Lock, made: bool) {
    if lock.is_new {
        let _ = fs::remove_file(paths.of(super::files::LOCK));
    }
    if made {
        let _ = fs::remove_dir(&paths.0);
    }
}

fn fill(
    paths: &Paths,
    config: &Config,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
) -> Result<(), RunError> {
    let path = paths.boards();
    let file = File::create(&path).at("create", &path)?;
    let mut out = Summing { to: BufWriter::new(file), crc: crc32fast::Hasher::new() };
    for entry in boards {
        write_entry(&entry?, Format::Json, &mut out)?;
    }
    let Summing { to, crc } = out;
    let file = to.into_inner().map_err(io::IntoInnerError::into_error).at("write", &path)?;
    file.sync_all().at("sync", &path)?;
    let text = config.to_toml();
    Checksums::of(crc32fast::hash(text.as_bytes()), crc.finalize()).write(paths)?;
    // `run.toml` is written last, so a directory with `run.toml` is complete.
    replace(&paths.config(), text.as_bytes())?;
    // Makes the name of the directory durable too. This fails if the process may not read the folder above.
    let _ = sync_folder_of(&paths.0);
    Ok(())
}
