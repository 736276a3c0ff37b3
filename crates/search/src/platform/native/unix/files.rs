//! Operations on files, by the calls of Unix.

use std::fs::{File, TryLockError};
use std::io;
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
pub fn open_direct(file: &File) -> Option<File> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::fs::OpenOptions;
        use std::os::{fd::AsRawFd, unix::fs::OpenOptionsExt};
        let open_direct = rustix::fs::OFlags::DIRECT.bits().cast_signed();
        // The same file, even if its path names another file by now.
        let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
        OpenOptions::new().write(true).custom_flags(open_direct).open(itself).ok()
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
///
/// # Errors
/// The error of the system.
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    file.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Makes the names in a folder durable.
///
/// # Errors
/// The error of the system.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Locks a file for this process alone, until the file is closed. What the file holds can still be read.
///
/// # Errors
/// `WouldBlock` when another process holds a lock; the error of the system.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Locks a file for this process, together with others that ask for a shared lock.
///
/// # Errors
/// As for [`try_lock`].
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}

/// Whether the device has failed.
#[must_use]
pub fn is_device_failure(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}
