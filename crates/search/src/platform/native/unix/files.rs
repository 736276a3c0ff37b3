//! File operations on Unix. Errors are those of the system.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// Fills `bytes` from byte `offset`. Returns `UnexpectedEof` if the file ends before `bytes` is full.
pub fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(bytes, offset)
}

/// Writes all of `bytes` at byte `offset` of the file. After an error, some of the bytes may have been written.
pub fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Opens an open file a second time for direct I/O, which bypasses the page cache. `None` if it is unsupported.
#[must_use]
pub fn open_direct(file: &File) -> Option<File> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::fs::OpenOptions;
        use std::os::{fd::AsRawFd, unix::fs::OpenOptionsExt};
        let direct_flag = rustix::fs::OFlags::DIRECT.bits().cast_signed();
        // This path names the open file, even if another file has taken its name.
        let same_file = format!("/proc/self/fd/{}", file.as_raw_fd());
        OpenOptions::new().write(true).custom_flags(direct_flag).open(same_file).ok()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        let _ = file;
        None
    }
}

/// The bytes that can still be written to the disk of a folder.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    // Miri has no `statvfs`.
    if cfg!(miri) {
        return Ok(1 << 40);
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let usage = rustix::fs::statvfs(path)?;
    Ok(usage.f_bavail.saturating_mul(usage.f_frsize))
}

/// The numbers of device and file, which are the same if two names mean the same file.
pub fn file_id(file: &File) -> io::Result<(u64, u64)> {
    file.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Makes the names in a folder durable.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Locks a file exclusively until it is closed. Other processes can still read the file. Returns `WouldBlock` if
/// another process holds a lock.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Locks a file until it is closed. Other processes can get a shared lock too. Returns `WouldBlock` if
/// another process holds an exclusive lock.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}

/// Whether an error says that the device failed.
#[must_use]
pub fn is_device_failure(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}
