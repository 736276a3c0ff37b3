//! A disk that fails after a number of calls.

use gridhunt_search::store::{Disk, StorageBackend, StorageFile};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

/// The real disk, which fails after a number of reads and writes. With `StorageFull` only writes count and fail; with
/// `UnexpectedEof` only reads do.
#[derive(Clone, Debug)]
pub(crate) struct Failing {
    left: Arc<AtomicI64>,
    /// The error that every call returns from then on.
    says: ErrorKind,
}

impl Failing {
    pub(crate) fn behind(calls: i64, says: ErrorKind) -> Self {
        Self { left: Arc::new(AtomicI64::new(calls)), says }
    }

    /// The number of calls left; negative once calls have failed.
    pub(crate) fn left(&self) -> i64 {
        self.left.load(SeqCst)
    }

    fn call<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.left.fetch_sub(1, SeqCst) > 0 { work() } else { Err(self.says.into()) }
    }

    fn file(&self, file: Box<dyn StorageFile>) -> Box<dyn StorageFile> {
        Box::new(FailingFile { file, disk: self.clone() })
    }
}

impl StorageBackend for Failing {
    fn create(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        Disk.create(path).map(|file| self.file(file))
    }

    fn create_temporary(&self, folder: &Path) -> io::Result<Box<dyn StorageFile>> {
        Disk.create_temporary(folder).map(|file| self.file(file))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        Disk.open(path).map(|file| self.file(file))
    }
}

#[derive(Debug)]
struct FailingFile {
    file: Box<dyn StorageFile>,
    disk: Failing,
}

impl StorageFile for FailingFile {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        match self.disk.says {
            ErrorKind::StorageFull => self.file.read(bytes, at),
            _ => self.disk.call(|| self.file.read(bytes, at)),
        }
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        match self.disk.says {
            ErrorKind::UnexpectedEof => self.file.write(bytes, at),
            _ => self.disk.call(|| self.file.write(bytes, at)),
        }
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.truncate(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
}
