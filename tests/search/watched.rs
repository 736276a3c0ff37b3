//! A disk that tells what becomes of it, and that can be made to fail.

use gridhunt_search::store::{Disk, StorageBackend, StorageFile};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A change of a disk.
#[derive(Clone, Debug)]
pub enum Change {
    Make(PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    Cut(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncFolder,
    /// Nothing changes: something is opened or read.
    Nothing,
}

/// Hears of each change before it happens, and may do something else instead.
type Watcher = dyn Fn(Change) -> io::Result<()> + Send + Sync;

/// Knows how many bytes may still be written below a folder.
type Room = dyn Fn(&Path) -> io::Result<u64> + Send + Sync;

/// The disk of this machine, watched.
#[derive(Clone)]
pub struct Watched {
    watcher: Arc<Watcher>,
    room: Arc<Room>,
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

impl Watched {
    pub fn by(watcher: impl Fn(Change) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self { watcher: Arc::new(watcher), room: Arc::new(|folder| Disk.free_bytes(folder)) }
    }

    /// A disk that holds so many bytes, all of them in files of one folder. It takes more, but says that there is no
    /// room.
    pub fn of_size(bytes: u64, folder: PathBuf) -> Self {
        let room = move |_: &Path| Ok(bytes.saturating_sub(bytes_in(&folder)));
        Self { watcher: Arc::new(|_| Ok(())), room: Arc::new(room) }
    }

    /// Calls `ambush` with the number of each change, from 1.
    pub fn counted(ambush: impl Fn(u64) -> io::Result<()> + Send + Sync + 'static) -> (Arc<AtomicU64>, Self) {
        let calls = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&calls);
        (calls, Self::by(move |_| ambush(counter.fetch_add(1, SeqCst) + 1)))
    }

    fn watch(&self, file: Box<dyn StorageFile>, path: Option<&Path>) -> Box<dyn StorageFile> {
        Box::new(WatchedFile { file, path: path.map(Path::to_owned), by: self.clone() })
    }
}

/// Bytes in the files of a folder.
pub fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

#[derive(Debug)]
struct WatchedFile {
    file: Box<dyn StorageFile>,
    /// None of one that goes with the process.
    path: Option<PathBuf>,
    by: Watched,
}

impl WatchedFile {
    fn tell(&self, change: impl FnOnce(PathBuf) -> Change) -> io::Result<()> {
        (self.by.watcher)(self.path.clone().map_or(Change::Nothing, change))
    }
}

impl StorageBackend for Watched {
    fn create(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        (self.watcher)(Change::Make(path.to_owned()))?;
        Ok(self.watch(Disk.create(path)?, Some(path)))
    }

    fn create_temporary(&self, folder: &Path) -> io::Result<Box<dyn StorageFile>> {
        (self.watcher)(Change::Nothing)?;
        Ok(self.watch(Disk.create_temporary(folder)?, None))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        (self.watcher)(Change::Nothing)?;
        Ok(self.watch(Disk.open(path)?, Some(path)))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        (self.watcher)(Change::Nothing)?;
        Disk.create_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.watcher)(Change::Rename(from.to_owned(), to.to_owned()))?;
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        (self.watcher)(Change::Remove(path.to_owned()))?;
        Disk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        (self.watcher)(Change::SyncFolder)?;
        Disk.sync_folder(path)
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        (self.room)(path)
    }
}

impl StorageFile for WatchedFile {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        (self.by.watcher)(Change::Nothing)?;
        self.file.read(bytes, at)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        // Half of it is there when the process or the disk ends in the midst.
        let half = bytes.len() / 2;
        self.file.write(&bytes[..half], at)?;
        self.tell(|path| Change::Write(path, at, bytes.to_vec()))?;
        self.file.write(&bytes[half..], at + half as u64)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.tell(|path| Change::Cut(path, length))?;
        self.file.truncate(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.tell(Change::Sync)?;
        self.file.sync()
    }
}
