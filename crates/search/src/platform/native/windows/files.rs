//! File operations on Windows. Errors are those of the system.

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

/// Fills `bytes` from byte `offset`. Returns `UnexpectedEof` if the file ends before `bytes` is full.
pub fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => (bytes, offset) = (&mut bytes[read..], offset + read as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of `bytes` at byte `offset` of the file. After an error, some of the bytes may have been written.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => (bytes, offset) = (&bytes[written..], offset + written as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns `None`: direct I/O is not implemented on Windows.
#[must_use]
pub fn open_direct(_: &File) -> Option<File> {
    None
}

/// The bytes that can still be written to the disk of a folder.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let name: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with zero, and the call fills `free`; the other pointers may be null.
    let succeeded = unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &raw mut free, null_mut(), null_mut()) };
    if succeeded == 0 { Err(io::Error::last_os_error()) } else { Ok(free) }
}

/// The numbers of volume and file, which are the same if two names mean the same file.
pub fn file_id(file: &File) -> io::Result<(u64, u64)> {
    let mut information = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the structure is filled.
    let succeeded = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut information) };
    if succeeded == 0 {
        return Err(io::Error::last_os_error());
    }
    let number = u64::from(information.nFileIndexHigh) << 32 | u64::from(information.nFileIndexLow);
    Ok((information.dwVolumeSerialNumber.into(), number))
}

/// Makes the names in a folder durable, if the file system supports this. Otherwise its journal keeps names in order,
/// and a power cut may undo the last changes. Fails only if the folder does not exist or the device fails.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = OpenOptions::new().write(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path);
    match folder.and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_device_failure(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Locks a file exclusively until it is closed. Other processes can still read the file. Returns `WouldBlock` if
/// another process holds a lock.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    lock(file, LOCKFILE_EXCLUSIVE_LOCK)
}

/// Locks a file until it is closed. Other processes can get a shared lock too. Returns `WouldBlock` if
/// another process holds an exclusive lock.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    lock(file, 0)
}

/// The upper half of the offset of the locked byte. Other processes cannot read a locked byte, so it lies beyond the
/// end of every file. The standard library would lock the whole file.
const LOCKED_OFFSET_HIGH: u32 = 1 << 30;

fn lock(file: &File, flags: u32) -> Result<(), TryLockError> {
    let offset = OVERLAPPED_0 { Anonymous: OVERLAPPED_0_0 { Offset: 0, OffsetHigh: LOCKED_OFFSET_HIGH } };
    let mut overlapped = OVERLAPPED { Anonymous: offset, ..OVERLAPPED::default() };
    // SAFETY: the handle is open. It is not opened for overlapped operations, so only the call itself reads the
    // structure.
    let succeeded =
        unsafe { LockFileEx(file.as_raw_handle(), flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &raw mut overlapped) };
    if succeeded != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let is_locked =
        [ERROR_LOCK_VIOLATION, ERROR_IO_PENDING].map(|code| Some(code.cast_signed())).contains(&error.raw_os_error());
    Err(if is_locked { TryLockError::WouldBlock } else { TryLockError::Error(error) })
}

/// Whether an error says that the device failed.
#[must_use]
pub fn is_device_failure(error: &io::Error) -> bool {
    [ERROR_CRC, ERROR_IO_DEVICE].map(|code| Some(code.cast_signed())).contains(&error.raw_os_error())
}
