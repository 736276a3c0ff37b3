//! A run directory: everything that `resume` needs to continue a run, on any machine, however the run ended.
//!
//! ```text
//! run.toml       the request, as a configuration
//! boards.json    the boards, one JSON object each
//! results.jsonl  one line for each search that ended; the last line about a board is valid
//! delivered      the boards whose results were written to the output of a session, one number a line
//! events.jsonl   the log of events
//! status.json    the latest progress of the search, written every second
//! lock           locked by the process that runs the search
//! boards/N/      the checkpoints of board N while its search is under way (see `checkpoint`)
//! boards/N/ida/  the checkpoints of IDA*, if `auto` continues the search with IDA*
//! ```

use super::delivered::{self, Delivered};
use super::{Config, Request, RunError};
use crate::board::{Board, BoardError, BoardReader, Entry, Format, ReadOptions, write_entry};
use crate::checkpoint::{CheckpointError, CheckpointFiles, discard, exists};
use crate::domain::Cost;
use crate::engine::{CheckpointConfig, Status, sequel_files};
use crate::store::{Disk, StorageConfig, hash_key};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, RunError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, RunError> {
        self.map_err(|reason| RunError::Io { action, path: path.to_owned(), reason })
    }
}

/// The fields of a line of `results.jsonl` that a resume needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FinishedBoard {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// The status of the board.
    pub status: Status,
    /// The reason why the search ended early, if it did.
    pub stopped: Option<String>,
    /// The cost of the best solution.
    pub cost: Option<Cost>,
    /// The proven lower bound; `None` if the board is proven to have no solution.
    pub lower_bound: Option<Cost>,
}

impl FinishedBoard {
    /// Whether the board needs no further search.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.stopped.is_none()
    }
}

/// The files of a run directory.
#[derive(Clone, Debug)]
struct Paths(PathBuf);

impl Paths {
    fn of(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn config(&self) -> PathBuf {
        self.of("run.toml")
    }

    fn boards(&self) -> PathBuf {
        self.of("boards.json")
    }

    fn results(&self) -> PathBuf {
        self.of("results.jsonl")
    }
}

/// A run directory that this process has locked.
#[derive(Debug)]
pub struct RunDir {
    paths: Paths,
    /// The name of the run's folder inside each spill folder. Several runs may share a spill folder.
    name: String,
    boards: usize,
    finished: Mutex<BTreeMap<usize, FinishedBoard>>,
    results: Mutex<File>,
    delivered: Delivered,
    _lock: File,
}

impl RunDir {
    /// Creates a run directory with these boards. A directory that this call created is removed after an error.
    ///
    /// # Errors
    /// When the directory is in use or cannot be written, or a board is invalid.
    pub fn create(
        path: &Path,
        config: &Config,
        boards: impl Iterator<Item = Result<Entry, BoardError>>,
    ) -> Result<Self, RunError> {
        let paths = Paths(path.to_owned());
        let made = !path.exists();
        if !made {
            check_empty(&paths)?;
        }
        fs::create_dir_all(path).at("create", path)?;
        let result = Self::fill(&paths, config, boards);
        if result.is_err() && made {
            // The first error is returned; an error of the removal is ignored.
            let _ = fs::remove_dir_all(path);
        }
        result
    }

    fn fill(
        paths: &Paths,
        config: &Config,
        boards: impl Iterator<Item = Result<Entry, BoardError>>,
    ) -> Result<Self, RunError> {
        let lock = lock(paths)?;
        let file = File::create(paths.boards()).at("create", &paths.boards())?;
        let mut out = BufWriter::new(file);
        for entry in boards {
            write_entry(&entry?, Format::Json, &mut out)?;
        }
        let file = out.into_inner().map_err(io::IntoInnerError::into_error).at("write", &paths.boards())?;
        file.sync_all().at("sync", &paths.boards())?;
        // `run.toml` is written last, so a directory with `run.toml` is complete.
        replace(&paths.config(), config.to_text().as_bytes())?;
        Self::enter(paths.clone(), lock)
    }

    /// Opens and locks an existing run directory. Returns the directory and its configuration.
    ///
    /// # Errors
    /// When `path` is not a run directory, another process has locked the directory, or a file in it is damaged.
    pub fn open(path: &Path) -> Result<(Self, Config), RunError> {
        let paths = Paths(path.to_owned());
        let config = read_config(&paths)?;
        let lock = lock(&paths)?;
        Ok((Self::enter(paths, lock)?, config))
    }

    fn enter(paths: Paths, lock: File) -> Result<Self, RunError> {
        let absolute = std::path::absolute(&paths.0).at("find", &paths.0)?;
        let last = absolute.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = format!("{last}-{:08x}", hash_key(absolute.to_string_lossy().as_bytes()) as u32);
        let path = paths.results();
        let mut results = OpenOptions::new().read(true).append(true).create(true).open(&path).at("open", &path)?;
        let finished = read_results(&mut results, &path)?;
        let boards = count_boards(&paths)?;
        // Remove the checkpoints of finished boards: the last process may have ended before it removed them.
        for (number, files) in checkpoints(&paths) {
            if finished.get(&number).is_some_and(FinishedBoard::is_done) {
                discard_all(&files)?;
            }
        }
        let delivered = Delivered::open(&paths.0, finished.keys().copied()).at("open", &paths.of(delivered::NAME))?;
        let (finished, results) = (Mutex::new(finished), Mutex::new(results));
        Ok(Self { name, boards, finished, results, delivered, _lock: lock, paths })
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.paths.0
    }

    /// Number of boards.
    #[must_use]
    pub fn total(&self) -> usize {
        self.boards
    }

    /// The boards, in their order.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn boards(&self) -> Result<BoardReader<Box<dyn BufRead + Send>>, RunError> {
        read_boards(&self.paths)
    }

    /// Whether a board needs no further search.
    #[must_use]
    pub fn is_done(&self, number: usize) -> bool {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.get(&number).is_some_and(FinishedBoard::is_done)
    }

    /// Appends a line to the results and syncs the file.
    ///
    /// # Errors
    /// When the line cannot be written, or is not a result.
    pub fn add_result(&self, line: &str) -> Result<(), RunError> {
        let path = self.paths.results();
        let result = parse_result(line, &path, 0)?;
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let length = results.metadata().at("read", &path)?.len();
        if let Err(error) = results.write_all(format!("{line}\n").as_bytes()) {
            // A part of the line must not stand before the next line.
            let _ = results.set_len(length);
            return Err(error).at("write", &path);
        }
        results.sync_data().at("sync", &path)?;
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).insert(result.number, result);
        Ok(())
    }

    /// The recorded lines of the boards that need no further search and whose results were never delivered, by their
    /// numbers.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn undelivered(&self) -> Result<BTreeMap<usize, String>, RunError> {
        let path = self.paths.results();
        let text = fs::read_to_string(&path).at("read", &path)?;
        let mut lines = BTreeMap::new();
        for (at, line) in (1..).zip(text.lines()) {
            let result = parse_result(line, &path, at)?;
            if self.is_done(result.number) && !self.delivered.contains(result.number) {
                lines.insert(result.number, line.to_owned());
            }
        }
        Ok(lines)
    }

    /// Notes that the result of a board was delivered.
    pub fn mark_delivered(&self, number: usize) {
        self.delivered.mark(number);
    }

    /// The checkpoint configuration of a board. `whole` is the request of the run; `request` is the board's share.
    #[must_use]
    pub fn keep(&self, number: usize, board: &Board, whole: &Request, request: &Request) -> CheckpointConfig {
        let storage = &request.storage;
        let files = StorageConfig {
            run: self.paths.0.join("boards").join(number.to_string()),
            spill: storage.spill.iter().map(|folder| folder.join(&self.name).join(number.to_string())).collect(),
            disk: storage.disk,
            keep_free: KEEP_FREE,
            resident: whole.limits.memory,
            share: request.limits.memory,
            backend: Arc::new(Disk),
        };
        let files = CheckpointFiles { storage: files, identity: identity(board, request) };
        let resume = exists(&files) || exists(&sequel_files(&files));
        CheckpointConfig { files, every: storage.checkpoint, resume }
    }

    /// Removes the checkpoints of a finished board.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn forget(&self, keep: &CheckpointConfig) -> Result<(), RunError> {
        Ok(discard_all(&keep.files)?)
    }
}

/// The free space that a search leaves on each disk, in bytes.
const KEEP_FREE: u64 = 1 << 30;

/// The identity of a board's checkpoints: puzzle, rules, board and lower bound. Each of them decides which states a
/// checkpoint holds.
fn identity(board: &Board, request: &Request) -> String {
    let mut cells = board.cells().to_vec();
    cells.extend(board.symbols().iter().flat_map(|symbol| symbol.bytes()));
    let domain = request.domain;
    let (rules, bound) = (domain.rules_identity(request), domain.bound_identity(request));
    format!(
        "{domain}{rules} on the board {} ({} x {}, {} colours, start {}, checksum {:016x}) with the bound {bound}",
        board.name(),
        board.rows(),
        board.cols(),
        board.colours(),
        board.start(),
        hash_key(&cells),
    )
}

/// Refuses a directory with files other than those of an incomplete run.
fn check_empty(paths: &Paths) -> Result<(), RunError> {
    if paths.config().exists() {
        return Err(RunError::Exists { path: paths.0.clone() });
    }
    for entry in fs::read_dir(&paths.0).at("read", &paths.0)? {
        let name = entry.at("read", &paths.0)?.file_name();
        if name != "lock" && name != "boards.json" {
            let found = name.to_string_lossy().into_owned();
            return Err(RunError::Unexpected { path: paths.0.clone(), found, expected: "an empty directory" });
        }
    }
    Ok(())
}

fn lock(paths: &Paths) -> Result<File, RunError> {
    let path = paths.of("lock");
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).at("open", &path)?;
    // `status` and `inspect` hold the lock for a moment, so try several times.
    let mut tries = 0..5;
    let tried = loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if tries.next().is_some() => std::thread::sleep(Duration::from_millis(20)),
            tried => break tried,
        }
    };
    match tried {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            let _ = file.read_to_string(&mut process);
            return Err(RunError::Locked { path: paths.0.clone(), process: process.trim().to_owned() });
        }
        Err(TryLockError::Error(reason)) => return Err(RunError::Io { action: "lock", path, reason }),
    }
    // The process number is only information for the user. The lock on the file decides.
    let write = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    write.at("write", &path)?;
    Ok(file)
}

/// Creates or replaces a file atomically: after a crash, `path` is either the complete old or the complete new file.
fn replace(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    let new = path.with_extension("new");
    let mut file = File::create(&new).at("create", &new)?;
    file.write_all(contents).at("write", &new)?;
    file.sync_all().at("sync", &new)?;
    fs::rename(&new, path).at("rename", &new)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).at("sync", folder)
}

fn read_config(paths: &Paths) -> Result<Config, RunError> {
    let path = paths.config();
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Config::parse(&path.display().to_string(), &text)?),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let found = if paths.0.exists() { "no run.toml" } else { "nothing" }.to_owned();
            Err(RunError::Unexpected { path: paths.0.clone(), found, expected: "a run directory" })
        }
        Err(e) => Err(e).at("read", &path),
    }
}

fn read_boards(paths: &Paths) -> Result<BoardReader<Box<dyn BufRead + Send>>, RunError> {
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    Ok(BoardReader::open(paths.boards(), options)?)
}

/// Counts the boards. Reading all boards also finds a damaged board before the search begins.
fn count_boards(paths: &Paths) -> Result<usize, RunError> {
    Ok(read_boards(paths)?.map(|entry| entry.map(|_| 1)).sum::<Result<usize, _>>()?)
}

fn parse_result(line: &str, path: &Path, number: usize) -> Result<FinishedBoard, RunError> {
    serde_json::from_str(line).map_err(|e| RunError::Unexpected {
        path: path.to_owned(),
        found: format!("line {number}: {e}"),
        expected: "one result a line",
    })
}

/// Reads the results. A last line without a newline is incomplete, because the process ended while it wrote the line.
/// Such a line is removed from the file.
fn read_results(file: &mut File, path: &Path) -> Result<BTreeMap<usize, FinishedBoard>, RunError> {
    let mut finished = BTreeMap::new();
    let mut reader = BufReader::new(&mut *file);
    let (mut at, mut line, mut number) = (0, String::new(), 0);
    loop {
        line.clear();
        let read = reader.read_line(&mut line).at("read", path)?;
        if read == 0 || !line.ends_with('\n') {
            break;
        }
        number += 1;
        let result = parse_result(&line, path, number)?;
        finished.insert(result.number, result);
        at += read as u64;
    }
    file.set_len(at).at("cut", path)?;
    file.seek(SeekFrom::End(0)).at("use", path)?;
    Ok(finished)
}

/// The state of a run directory, read without the lock. The run may be active or ended.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The configuration.
    pub config: Config,
    /// Number of boards.
    pub total: usize,
    /// The results, by the number of the board.
    pub finished: BTreeMap<usize, FinishedBoard>,
    /// The process that runs the search now.
    pub process: Option<String>,
    /// The text of `status.json`, if the file exists.
    pub status: Option<String>,
    /// The checkpoints of boards under way. If a board has two, a resume continues with the last one.
    pub under_way: BTreeMap<usize, Vec<CheckpointFiles>>,
}

impl RunState {
    /// Reads a run directory without changing it.
    ///
    /// # Errors
    /// When `path` is not a run directory, or a file in it is damaged.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let paths = Paths(path.to_owned());
        let config = read_config(&paths)?;
        let mut finished = BTreeMap::new();
        for line in fs::read_to_string(paths.results()).unwrap_or_default().lines() {
            // Another process may be writing the last line.
            if let Ok(result) = serde_json::from_str::<FinishedBoard>(line) {
                finished.insert(result.number, result);
            }
        }
        let under_way = checkpoints(&paths).into_iter().map(|(number, files)| (number, with_sequel(files))).collect();
        let status = fs::read_to_string(paths.of("status.json")).ok();
        Ok(Self { total: count_boards(&paths)?, config, finished, process: holder(&paths), status, under_way })
    }
}

/// The checkpoints on disk, by the numbers of their boards.
fn checkpoints(paths: &Paths) -> BTreeMap<usize, CheckpointFiles> {
    let entries = fs::read_dir(paths.of("boards")).into_iter().flatten().flatten();
    let numbered = entries.map(|entry| (entry.file_name().to_string_lossy().parse(), entry.path()));
    numbered.filter_map(|(number, path)| Some((number.ok()?, looked_at(path)))).collect()
}

/// The existing checkpoints of a search and of its IDA* continuation. If none exist, the result is those of the
/// search.
fn with_sequel(files: CheckpointFiles) -> Vec<CheckpointFiles> {
    let sequel = sequel_files(&files);
    match (exists(&files), exists(&sequel)) {
        (_, false) => vec![files],
        (false, true) => vec![sequel],
        (true, true) => vec![files, sequel],
    }
}

/// Removes the checkpoints of a search and of its IDA* continuation.
fn discard_all(files: &CheckpointFiles) -> Result<(), CheckpointError> {
    // The folder of the IDA* continuation lies inside the folder of the search, which is removed only when empty.
    discard(&sequel_files(files))?;
    discard(files)
}

/// Checkpoint settings for reading only.
fn looked_at(run: PathBuf) -> CheckpointFiles {
    CheckpointFiles::unlimited(run, "")
}

/// The number of the process that holds the lock; `None` if the lock is free.
fn holder(paths: &Paths) -> Option<String> {
    let mut file = File::open(paths.of("lock")).ok()?;
    match file.try_lock_shared() {
        Ok(()) => None,
        Err(_) => {
            let mut process = String::new();
            file.read_to_string(&mut process).ok()?;
            Some(process.trim().to_owned())
        }
    }
}
