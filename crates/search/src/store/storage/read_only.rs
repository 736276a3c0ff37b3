//! A file system that is only read: of other users, or without permission to write.

use super::backend::{StorageBackend, StorageFile};
use crate::platform::files;
use std::fs::File;
use std::io;
use std::path::Path;

/// The file system of this machine, for reading alone. Files are opened without permission to write, and every change
/// is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOnly;

fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "opened for reading alone"))
}

impl StorageBackend for ReadOnly {
    fn create(&self, _: &Path) -> io::Result<Box<dyn StorageFile>> {
        refused()
    }

    fn create_temporary(&self, _: &Path) -> io::Result<Box<dyn StorageFile>> {
        refused()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        File::open(path).map(|file| Box::new(ReadFile(file)) as Box<dyn StorageFile>)
    }

    fn create_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn free_bytes(&self, _: &Path) -> io::Result<u64> {
        Ok(0)
    }
}

#[derive(Debug)]
struct ReadFile(File);

impl StorageFile for ReadFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        files::read_exact_at(&self.0, bytes, at)
    }

    fn write(&self, _: &[u8], _: u64) -> io::Result<()> {
        refused()
    }

    fn cut(&self, _: u64) -> io::Result<()> {
        refused()
    }

    fn sync(&self) -> io::Result<()> {
        refused()
    }
}
