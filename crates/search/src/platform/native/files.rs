//! Operations on files that the standard library does not offer on every system.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

pub use super::own::files::{
    free_bytes, identity, is_device_failure, past_cache, read_exact_at, sync_folder, try_lock, try_lock_shared,
    write_all_at,
};

/// Creates a file without a name on the disk of a folder. The file disappears with the process.
///
/// # Errors
/// The error of the system.
pub fn create_temporary(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

/// Creates a file with this content, all of it at once, unless the file exists. The content is durable before the name
/// is there; the name is durable once the folder is synchronised. Returns whether the file was created. `prefix` begins
/// the name of the file while it is written; a process that is killed leaves this file behind.
///
/// # Errors
/// The error of the system, with the operation that failed.
pub fn create_with(path: &Path, prefix: &str, content: &[u8]) -> Result<bool, (&'static str, io::Error)> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(prefix).tempfile_in(folder).map_err(|e| ("create", e))?;
    new.write_all(content).map_err(|e| ("write", e))?;
    new.as_file().sync_all().map_err(|e| ("sync", e))?;
    match new.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(("create", e.error)),
    }
}
