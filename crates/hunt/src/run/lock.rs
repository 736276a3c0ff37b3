//! The lock of a run directory.
//!
//! The lock is on the open file `lock`, and ends with the process. A creation that fails removes its `lock`, so a
//! process may lock a file that was removed. After locking, a process therefore checks that the locked file is still
//! the one at its path.

use super::files::{IoResultExt, LOCK, Paths, STOP};
use crate::RunError;
use gridhunt_search::platform::files;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

/// The number of tries while another process holds the lock, and the time between them: `status` holds the lock
/// briefly.
const MAX_TRIES: usize = 5;
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The lock of a run directory, held by this process.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
    /// Whether this process has created the file.
    pub(super) is_new: bool,
}

impl Lock {
    /// Locks a directory. Returns `None` if the directory, or the locked file, was removed meanwhile.
    ///
    /// # Errors
    /// When another process holds the lock, or the file cannot be opened.
    pub(super) fn acquire(paths: &Paths) -> Result<Option<Self>, RunError> {
        let path = paths.of(LOCK);
        let Some((mut file, is_new)) = open(&path)? else { return Ok(None) };
        let mut tries = 1..MAX_TRIES;
        let result = loop {
            match files::try_lock(&file) {
                Err(TryLockError::WouldBlock) if tries.next().is_some() => std::thread::sleep(RETRY_INTERVAL),
                result => break result,
            }
        };
        match result {
            Ok(()) if !is_same_file(&file, &path).with_path("look at", &path)? => return Ok(None),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RunError::Locked { path: paths.0.clone(), process: read_process_id(&mut file) });
            }
            Err(TryLockError::Error(reason)) => return Err(RunError::Io { action: "lock", path, reason }),
        }
        // An existing request to stop was for an earlier process.
        let _ = fs::remove_file(paths.of(STOP));
        // The process number is for messages only.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Some(Self { _file: file, is_new }))
    }

    /// The number of the process that holds the lock of a directory; `None` if none does. Changes nothing.
    pub(super) fn holder(paths: &Paths) -> io::Result<Option<String>> {
        let mut file = match File::open(paths.of(LOCK)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        match files::try_lock_shared(&file) {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(read_process_id(&mut file))),
            Err(TryLockError::Error(reason)) => Err(reason),
        }
    }
}

/// Opens or creates the lock file. Returns whether it is new; `None` if the directory was removed, or other processes
/// create and remove the file all the time.
fn open(path: &Path) -> Result<Option<(File, bool)>, RunError> {
    for _ in 0..MAX_TRIES {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        match options.clone().create_new(true).open(path) {
            Ok(file) => return Ok(Some((file, true))),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e).with_path("create", path),
        }
        match options.open(path) {
            Ok(file) => return Ok(Some((file, false))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e).with_path("open", path),
        }
    }
    Ok(None)
}

/// Whether an open file is still the file at a path.
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    match File::open(path).and_then(|file| files::file_id(&file)) {
        Ok(id_at_path) => Ok(files::file_id(file)? == id_at_path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn read_process_id(file: &mut File) -> String {
    let mut process = String::new();
    let _ = file.read_to_string(&mut process);
    match process.trim() {
        // The holder has not written its number yet.
        "" => "of unknown number".to_owned(),
        number => number.to_owned(),
    }
}
