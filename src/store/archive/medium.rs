//! The one door between the store and a disk. Tests put a faulty twin behind it.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What the store asks of a file system.
pub trait Medium: Send + Sync + Debug {
    /// Makes an empty file for reading and writing, in place of the one that was there.
    ///
    /// # Errors
    /// Those of the system, here and in every method.
    fn create(&self, path: &Path) -> io::Result<Box<dyn MediumFile>>;

    /// Opens a file that is there, for reading and writing.
    ///
    /// # Errors
    /// Those of the system; `NotFound` when there is none.
    fn open(&self, path: &Path) -> io::Result<Box<dyn MediumFile>>;

    /// Makes a folder and those above it, where they are missing.
    ///
    /// # Errors
    /// Those of the system.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Gives a file another name, in place of the file that had it.
    ///
    /// # Errors
    /// Those of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// Those of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// Those of the system.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Bytes that may still be written below a folder.
    ///
    /// # Errors
    /// Those of the system.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;
}

/// What the store asks of a file.
pub trait MediumFile: Send + Sync + Debug {
    /// Its length.
    ///
    /// # Errors
    /// Those of the system, here and in every method.
    fn length(&self) -> io::Result<u64>;

    /// Fills `bytes` from position `at`.
    ///
    /// # Errors
    /// Those of the system; `UnexpectedEof` when the file ends before.
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Writes all of `bytes` at position `at`.
    ///
    /// # Errors
    /// Those of the system; then some of the bytes may have been written.
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Cuts the file to a length.
    ///
    /// # Errors
    /// Those of the system.
    fn cut(&self, length: u64) -> io::Result<()>;

    /// Makes the contents durable.
    ///
    /// # Errors
    /// Those of the system.
    fn sync(&self) -> io::Result<()>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Medium for Disk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn MediumFile>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn MediumFile>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).open(path)?))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let space = rustix::fs::statvfs(path)?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }
}

impl MediumFile for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(bytes, at)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}
