//! The storage backend: the only access to a file system. Tests use a backend that fails.

use crate::platform::files;
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// A file system. By default, each method uses the file system of this machine.
pub trait StorageBackend: Send + Sync + Debug {
    /// Creates an empty file for reading and writing. Replaces an existing file.
    ///
    /// # Errors
    /// The error of the system, here and in every method.
    fn create(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path).map(DiskFile::boxed)
    }

    /// Creates an empty file without a name for reading and writing, on the disk of a folder. The file disappears with
    /// the process, however the process ends. If the file system has no such files, the file has a name for a moment.
    ///
    /// # Errors
    /// The error of the system.
    fn create_temporary(&self, folder: &Path) -> io::Result<Box<dyn StorageFile>> {
        files::create_temporary(folder).map(DiskFile::boxed)
    }

    /// Opens an existing file for reading and writing.
    ///
    /// # Errors
    /// The error of the system; `NotFound` when the file does not exist.
    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        OpenOptions::new().read(true).write(true).open(path).map(DiskFile::boxed)
    }

    /// Creates a folder and all missing folders above it.
    ///
    /// # Errors
    /// The error of the system.
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    /// Renames a file. Replaces the file that has the new name.
    ///
    /// # Errors
    /// The error of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// The error of the system.
    fn remove(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// The error of the system.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        files::sync_folder(path)
    }

    /// Bytes that may still be written below a folder.
    ///
    /// # Errors
    /// The error of the system.
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        files::free_bytes(path)
    }
}

/// An open file.
pub trait StorageFile: Send + Sync + Debug {
    /// The length in bytes.
    ///
    /// # Errors
    /// The error of the system, here and in every method.
    fn length(&self) -> io::Result<u64>;

    /// Fills `bytes` from position `at`.
    ///
    /// # Errors
    /// The error of the system; `UnexpectedEof` when the file ends before.
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Writes all of `bytes` at position `at`.
    ///
    /// # Errors
    /// The error of the system. Some of the bytes may have been written then.
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// [`StorageFile::write`] for bytes that will hardly be read soon. If bytes, position and system allow it, the
    /// bytes bypass the page cache, which takes several times as much processor time as the disk does.
    ///
    /// # Errors
    /// As for [`StorageFile::write`].
    fn write_direct(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write(bytes, at)
    }

    /// Cuts the file to a length.
    ///
    /// # Errors
    /// The error of the system.
    fn cut(&self, length: u64) -> io::Result<()>;

    /// Makes the contents durable.
    ///
    /// # Errors
    /// The error of the system.
    fn sync(&self) -> io::Result<()>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl StorageBackend for Disk {}

/// A file of this machine.
#[derive(Debug)]
pub(super) struct DiskFile {
    file: File,
    /// The same file opened to bypass the page cache, once needed; `None` where the system does not offer this.
    direct: OnceLock<Option<File>>,
}

/// Position, length and address must be multiples of this number of bytes to bypass the page cache.
const ALIGNED: u64 = 4_096;

impl DiskFile {
    pub(super) fn boxed(file: File) -> Box<dyn StorageFile> {
        Box::new(Self { file, direct: OnceLock::new() })
    }

    fn direct(&self) -> Option<&File> {
        self.direct.get_or_init(|| files::open_direct(&self.file)).as_ref()
    }
}

impl StorageFile for DiskFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        files::read_exact_at(&self.file, bytes, at)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        files::write_all_at(&self.file, bytes, at)
    }

    fn write_direct(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let aligned = (at | bytes.len() as u64 | bytes.as_ptr() as u64).is_multiple_of(ALIGNED);
        match self.direct().filter(|_| aligned) {
            // What the direct way refuses, the usual way may accept.
            Some(direct) => files::write_all_at(direct, bytes, at).or_else(|_| self.write(bytes, at)),
            None => self.write(bytes, at),
        }
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_past_the_cache_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = Disk.create(&folder.path().join("file")).unwrap();
        let bytes: Vec<u8> = (0..4 * ALIGNED).map(|n| (n / 7) as u8).collect();
        let aligned = bytes.as_ptr().align_offset(ALIGNED as usize);
        let page = &bytes[aligned..][..ALIGNED as usize];
        // Through the cache and past it, over one another, aligned and not.
        file.write(&bytes[..300], ALIGNED - 100).unwrap();
        file.write_direct(page, ALIGNED).unwrap();
        file.write_direct(&bytes[1..ALIGNED as usize], 2 * ALIGNED + 5).unwrap();
        file.write(&[9], ALIGNED + 3).unwrap();
        let mut expected = vec![0; 3 * ALIGNED as usize + 4];
        expected[ALIGNED as usize - 100..][..300].copy_from_slice(&bytes[..300]);
        expected[ALIGNED as usize..][..page.len()].copy_from_slice(page);
        expected[2 * ALIGNED as usize + 5..].copy_from_slice(&bytes[1..ALIGNED as usize]);
        expected[ALIGNED as usize + 3] = 9;
        let mut found = vec![0; file.length().unwrap() as usize];
        file.read(&mut found, 0).unwrap();
        assert!(found == expected);
    }
}
