//! A page has no files. Operations fail with [`io::ErrorKind::Unsupported`].

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

macro_rules! unsupported {
    ($($name:ident($($argument:ty),*) -> $value:ty;)*) => {$(
        /// Not supported.
        ///
        /// # Errors
        /// Always.
        pub fn $name($(_: $argument),*) -> io::Result<$value> {
            Err(io::ErrorKind::Unsupported.into())
        }
    )*};
}

unsupported! {
    read_exact_at(&File, &mut [u8], u64) -> ();
    write_all_at(&File, &[u8], u64) -> ();
    free_bytes(&Path) -> u64;
    file_id(&File) -> (u64, u64);
    sync_folder(&Path) -> ();
    create_temporary(&Path) -> File;
}

/// Returns `None`: there is no page cache.
#[must_use]
pub fn open_direct(_: &File) -> Option<File> {
    None
}

/// Not supported.
///
/// # Errors
/// Always.
pub fn try_lock(_: &File) -> Result<(), TryLockError> {
    Err(TryLockError::Error(io::ErrorKind::Unsupported.into()))
}

/// Not supported.
///
/// # Errors
/// Always.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    try_lock(file)
}

/// Returns false: there is no device that could fail.
#[must_use]
pub fn is_device_failure(_: &io::Error) -> bool {
    false
}
