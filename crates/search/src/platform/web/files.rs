//! A page has no files: every operation is refused.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    refused()
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn write_all_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    refused()
}

/// Returns `None`: there is no page cache.
#[must_use]
pub fn open_direct(_: &File) -> Option<File> {
    None
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn free_bytes(_: &Path) -> io::Result<u64> {
    refused()
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn identity(_: &File) -> io::Result<(u64, u64)> {
    refused()
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn sync_folder(_: &Path) -> io::Result<()> {
    refused()
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn try_lock(_: &File) -> Result<(), TryLockError> {
    refused().map_err(TryLockError::Error)
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn try_lock_shared(_: &File) -> Result<(), TryLockError> {
    refused().map_err(TryLockError::Error)
}

/// Returns false: there is no device that could fail.
#[must_use]
pub fn is_device_failure(_: &io::Error) -> bool {
    false
}

/// Refuses the operation.
///
/// # Errors
/// Always.
pub fn create_temporary(_: &Path) -> io::Result<File> {
    refused()
}
