//! Operations on files, by the calls of Windows.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::ptr::null_mut;
use windows_sys::Win32::Foundation::{ERROR_CRC, ERROR_IO_DEVICE, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, GetDiskFreeSpaceExW, GetFileInformationByHandle,
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};

/// Fills `bytes` from position `at`.
///
/// # Errors
/// The error of the system; `UnexpectedEof` when the file ends before.
pub fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => (bytes, at) = (&mut bytes[read..], at + read as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of `bytes` at position `at`.
///
/// # Errors
/// The error of the system. Some of the bytes may have been written then.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => (bytes, at) = (&bytes[written..], at + written as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes that bypass the page cache are not offered here.
#[must_use]
pub fn open_direct(_: &File) -> Option<File> {
    None
}

/// Bytes that may still be written below a folder.
///
/// # Errors
/// The error of the system.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let name: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with zero, and the number is filled; the others are not asked for.
    let done = unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &raw mut free, null_mut(), null_mut()) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(free) }
}

/// The numbers of volume and file, which tell whether two names mean the same file.
///
/// # Errors
/// The error of the system.
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the structure is filled.
    let done = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let number = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), number))
}

/// Asks the system to make the names in a folder durable. Not every file system of Windows can be asked; its journal
/// then keeps names in order, and a power cut may take back the last ones.
///
/// # Errors
/// When the folder does not exist, or the device fails.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = OpenOptions::new().write(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path);
    match folder.and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_device_failure(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Locks a file for this process alone, until the file is closed. What the file holds can still be read.
///
/// # Errors
/// `WouldBlock` when another process holds a lock; the error of the system.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    lock(file, LOCKFILE_EXCLUSIVE_LOCK)
}

/// Locks a file for this process, together with others that ask for a shared lock.
///
/// # Errors
/// As for [`try_lock`].
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    lock(file, 0)
}

/// The upper half of the position of the byte that is locked. Nobody else can read a locked byte, so it lies where no
/// file has a byte. The standard library would lock the whole file.
const LOCKED: u32 = 1 << 30;

fn lock(file: &File, how: u32) -> Result<(), TryLockError> {
    let place = OVERLAPPED_0 { Anonymous: OVERLAPPED_0_0 { Offset: 0, OffsetHigh: LOCKED } };
    let mut at = OVERLAPPED { Anonymous: place, ..OVERLAPPED::default() };
    // SAFETY: the handle is open. It is not opened for overlapped operations, so the structure is read during the call
    // alone.
    let done = unsafe { LockFileEx(file.as_raw_handle(), how | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &raw mut at) };
    if done != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let is_held =
        [ERROR_LOCK_VIOLATION, ERROR_IO_PENDING].map(|code| Some(code.cast_signed())).contains(&error.raw_os_error());
    Err(if is_held { TryLockError::WouldBlock } else { TryLockError::Error(error) })
}

/// Whether the device has failed.
#[must_use]
pub fn is_device_failure(error: &io::Error) -> bool {
    [ERROR_CRC, ERROR_IO_DEVICE].map(|code| Some(code.cast_signed())).contains(&error.raw_os_error())
}
