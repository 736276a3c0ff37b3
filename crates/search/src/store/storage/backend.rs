//! The storage backend: the only access to a file system. Tests use a backend that fails.

use crate::platform::files;
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// A file system. By default, each method uses the file system of this machine. Errors are those of the system.
pub trait StorageBackend: Send + Sync + Debug {
    /// Creates an empty file for reading and writing. Replaces an existing file.
    fn create(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path).map(DiskFile::boxed)
    }

    /// Creates an empty file without a name for reading and writing, on the disk of a folder. The file disappears with
    /// the process, however the process ends. If the file system has no such files, the file has a name for a moment.
    fn create_temporary(&self, folder: &Path) -> io::Result<Box<dyn StorageFile>> {
        files::create_temporary(folder).map(DiskFile::boxed)
    }

    /// Opens an existing file for reading and writing. Returns `NotFound` if there is none.
    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        OpenOptions::new().read(true).write(true).open(path).map(DiskFile::boxed)
    }

    /// Creates a folder and all missing folders above it.
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    /// Renames a file. Replaces the file that has the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    /// Removes a file if it exists.
    fn remove(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// Makes the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        files::sync_folder(path)
    }

    /// The bytes that can still be written to the disk of a folder.
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        files::free_bytes(path)
    }
}

/// An open file. Errors are those of the system.
pub trait StorageFile: Send + Sync + Debug {
    /// The length in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Fills `bytes` from byte `offset`. Returns `UnexpectedEof` if the file ends before `bytes` is full.
    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `bytes` at byte `offset` of the file. After an error, some of the bytes may have been written.
    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// [`StorageFile::write`] with direct I/O if alignment and system allow it, for bytes that are not read soon. The
    /// page cache takes several times as much processor time.
    fn write_direct(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write(bytes, offset)
    }

    /// Truncates the file to a length.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Makes the contents durable.
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
    /// The same file opened for direct I/O when first needed; `None` if the system has no direct I/O.
    direct: OnceLock<Option<File>>,
}

/// Direct I/O needs offset, length and address to be multiples of this number.
const DIRECT_IO_ALIGNMENT: u64 = 4_096;

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

    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        files::read_exact_at(&self.file, bytes, offset)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        files::write_all_at(&self.file, bytes, offset)
    }

    fn write_direct(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let is_aligned = (offset | bytes.len() as u64 | bytes.as_ptr() as u64).is_multiple_of(DIRECT_IO_ALIGNMENT);
        match self.direct().filter(|_| is_aligned) {
            // A file system may refuse direct I/O.
            Some(direct) => files::write_all_at(direct, bytes, offset).or_else(|_| self.write(bytes, offset)),
            None => self.write(bytes, offset),
        }
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_goes_past_the_cache_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = Disk.create(&folder.path().join("file")).unwrap();
        let bytes: Vec<u8> = (0..4 * DIRECT_IO_ALIGNMENT).map(|n| (n / 7) as u8).collect();
        let aligned = bytes.as_ptr().align_offset(DIRECT_IO_ALIGNMENT as usize);
        let page = &bytes[aligned..][..DIRECT_IO_ALIGNMENT as usize];
        // Through the cache and past it, over one another, aligned and not.
        file.write(&bytes[..300], DIRECT_IO_ALIGNMENT - 100).unwrap();
        file.write_direct(page, DIRECT_IO_ALIGNMENT).unwrap();
        file.write_direct(&bytes[1..DIRECT_IO_ALIGNMENT as usize], 2 * DIRECT_IO_ALIGNMENT + 5).unwrap();
        file.write(&[9], DIRECT_IO_ALIGNMENT + 3).unwrap();
        let mut expected = vec![0; 3 * DIRECT_IO_ALIGNMENT as usize + 4];
        expected[DIRECT_IO_ALIGNMENT as usize - 100..][..300].copy_from_slice(&bytes[..300]);
        expected[DIRECT_IO_ALIGNMENT as usize..][..page.len()].copy_from_slice(page);
        expected[2 * DIRECT_IO_ALIGNMENT as usize + 5..].copy_from_slice(&bytes[1..DIRECT_IO_ALIGNMENT as usize]);
        expected[DIRECT_IO_ALIGNMENT as usize + 3] = 9;
        let mut found = vec![0; file.length().unwrap() as usize];
        file.read(&mut found, 0).unwrap();
        assert!(found == expected);
    }
}
