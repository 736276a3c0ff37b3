//! A read-only file system, for files that this process may not or must not change.

use super::backend::{DiskFile, StorageBackend, StorageFile};
use std::fs::File;
use std::io;
use std::path::Path;

/// The file system of this machine, for reading only. Changes of folders fail here. Writes fail in the system, because
/// files are opened without permission to write.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOnly;

fn refuse<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "opened read-only"))
}

impl StorageBackend for ReadOnly {
    fn create(&self, _: &Path) -> io::Result<Box<dyn StorageFile>> {
        refuse()
    }

    fn create_temporary(&self, _: &Path) -> io::Result<Box<dyn StorageFile>> {
        refuse()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        File::open(path).map(DiskFile::boxed)
    }

    fn create_folder(&self, _: &Path) -> io::Result<()> {
        refuse()
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refuse()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refuse()
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        refuse()
    }

    fn free_bytes(&self, _: &Path) -> io::Result<u64> {
        Ok(0)
    }
}
