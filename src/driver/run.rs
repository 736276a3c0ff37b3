//! A run directory: everything that `resume` needs to continue a run, on any machine, however the run ended.
//!
//! ```text
//! run.toml       the request, as a configuration
//! boards.json    the boards, one JSON object each
//! results.jsonl  a line for each board that is done with, as they come; of several lines about one board the last counts
//! events.jsonl   what happened
//! status.json    how far it was a moment ago
//! lock           held by the process that hunts
//! boards/N/      the checkpoints of board N while it is under way (see `checkpoint`)
//! boards/N/ida/  that of IDA*, where `auto` has gone on with it
//! ```

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

/// What a line of `results.jsonl` says, as far as going on needs it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FinishedBoard {
    /// Its number in the run, from 1.
    pub number: usize,
    /// Its name.
    pub board: String,
    /// What is known of it.
    pub status: Status,
    /// Why its search ended early, if it did.
    pub stopped: Option<String>,
    /// Cost of the best solution.
    pub cost: Option<Cost>,
    /// Proven; nothing when there is no solution.
    pub lower_bound: Option<Cost>,
}

impl FinishedBoard {
    /// Whether nothing is left to be done for it.
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
    /// Names the run in folders that it shares with others.
    name: String,
    boards: usize,
    finished: Mutex<BTreeMap<usize, FinishedBoard>>,
    results: Mutex<File>,
    _lock: File,
}

impl RunDir {
    /// A new run directory with these boards. Nothing is left of it when it fails.
    ///
    /// # Errors
    /// When the directory is used already, or cannot be written, or a board is wrong.
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
            // It was empty before; what was wrong is told already.
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
        // This file is written last: a directory with it is complete.
        replace(&paths.config(), config.to_text().as_bytes())?;
        Self::enter(paths.clone(), lock)
    }

    /// A run directory that was made before, and what was wanted of it.
    ///
    /// # Errors
    /// When it is no run directory, another process has locked it, or a file in it is damaged.
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
        // Of a board that was done with when the process ended, something may be left.
        for (number, files) in checkpoints(&paths) {
            if finished.get(&number).is_some_and(FinishedBoard::is_done) {
                discard_all(&files)?;
            }
        }
        Ok(Self { name, boards, finished: Mutex::new(finished), results: Mutex::new(results), _lock: lock, paths })
    }

    /// Where it is.
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

    /// Whether nothing is left to be done for a board.
    #[must_use]
    pub fn is_done(&self, number: usize) -> bool {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.get(&number).is_some_and(FinishedBoard::is_done)
    }

    /// Adds a line to the results, durably.
    ///
    /// # Errors
    /// When it cannot be written, or is no result.
    pub fn add_result(&self, line: &str) -> Result<(), RunError> {
        let path = self.paths.results();
        let result = parse_result(line, &path, 0)?;
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.write_all(format!("{line}\n").as_bytes()).at("write", &path)?;
        results.sync_data().at("sync", &path)?;
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).insert(result.number, result);
        Ok(())
    }

    /// How a board is kept. `whole` is what the run may use, `request` what this board may.
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

    /// Removes what is on disk of a board that is done with.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn forget(&self, keep: &CheckpointConfig) -> Result<(), RunError> {
        Ok(discard_all(&keep.files)?)
    }
}

/// Bytes that are left free on each disk.
const KEEP_FREE: u64 = 1 << 30;

/// What a checkpoint of a board belongs to: puzzle and rules, board and lower bound, because all of them decide which states are in it.
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

/// Refuses a directory that holds anything but the beginnings of a run.
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
    // Somebody who only looks holds it for a moment.
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
    // For people; the lock itself is what counts.
    let write = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    write.at("write", &path)?;
    Ok(file)
}

/// Puts a file in the place of another, or of none, so that always one of them is whole.
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

/// Reads through all boards, so that none of them is found to be damaged later.
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

/// Reads the results. A last line without end was being written when the process ended: it is cut off.
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

/// What can be seen of a run from outside, while it goes on and after it ended.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The configuration.
    pub config: Config,
    /// Number of boards.
    pub total: usize,
    /// What was found out, by number.
    pub finished: BTreeMap<usize, FinishedBoard>,
    /// The process that runs the search now.
    pub process: Option<String>,
    /// The text of `status.json`, if it is there.
    pub status: Option<String>,
    /// The checkpoints of boards under way. Of two, a resume continues with the last.
    pub under_way: BTreeMap<usize, Vec<CheckpointFiles>>,
}

impl RunState {
    /// Looks at a run directory without changing it.
    ///
    /// # Errors
    /// When it is no run directory, or a file in it is damaged.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let paths = Paths(path.to_owned());
        let config = read_config(&paths)?;
        let mut finished = BTreeMap::new();
        for line in fs::read_to_string(paths.results()).unwrap_or_default().lines() {
            // The last line may be under way.
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

/// The checkpoints of a search and of its sequel, as far as they exist; those of the search when neither exist.
fn with_sequel(files: CheckpointFiles) -> Vec<CheckpointFiles> {
    let sequel = sequel_files(&files);
    match (exists(&files), exists(&sequel)) {
        (_, false) => vec![files],
        (false, true) => vec![sequel],
        (true, true) => vec![files, sequel],
    }
}

/// Removes the checkpoints of a search and of its sequel.
fn discard_all(files: &CheckpointFiles) -> Result<(), CheckpointError> {
    // Those of the sequel lie in the folder of the search, which is removed when it is empty.
    discard(&sequel_files(files))?;
    discard(files)
}

/// Settings for looking only.
fn looked_at(run: PathBuf) -> CheckpointFiles {
    CheckpointFiles::unlimited(run, "")
}

/// Who holds the lock.
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
