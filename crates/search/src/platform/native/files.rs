//! Operations on files that the standard library does not offer on every system.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// Fills `bytes` from position `at`.
///
/// # Errors
/// The error of the system; `UnexpectedEof` when the file ends before.
pub fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Writes all of `bytes` at position `at`.
///
/// # Errors
/// The error of the system. Some of the bytes may have been written then.
pub fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Opens an open file a second time, for writes that bypass the page cache. `None` where the system does not offer
/// this.
#[must_use]
pub fn past_cache(file: &File) -> Option<File> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::fs::OpenOptions;
        use std::os::{fd::AsRawFd, unix::fs::OpenOptionsExt};
        let past_cache = rustix::fs::OFlags::DIRECT.bits().cast_signed();
        // The same file, even if its path names another file by now.
        let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
        OpenOptions::new().write(true).custom_flags(past_cache).open(itself).ok()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        let _ = file;
        None
    }
}

/// Bytes that may still be written below a folder.
///
/// # Errors
/// The error of the system.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    // Miri cannot ask the disk.
    if cfg!(miri) {
        return Ok(1 << 40);
    }
    let space = rustix::fs::statvfs(path)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// The numbers of device and file, which tell whether two names mean the same file.
#[must_use]
pub fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Whether the device has failed.
#[must_use]
pub fn is_device_failure(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

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
