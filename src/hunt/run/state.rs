//! The state of a run directory, read without changing anything.

use super::checksums::{self, Checksums};
use super::files::{At, BOARDS, CONFIG, Content, Paths};
use super::history::History;
use super::lock::{Holder, Lock};
use super::results::{self, FinishedBoard, Results};
use crate::hunt::identity::described;
use crate::hunt::{BoardRecord, Config, Part, RunError, rules_identity};
use crate::puzzles::Request;
use gridhunt_boards::{Board, BoardReader, Entry, Format, ReadOptions};
use gridhunt_search::checkpoint::{CheckpointFiles, exists};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::sequel_files;
use gridhunt_search::store::{ReadOnly, StorageBackend, StorageConfig};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A number of files, and their bytes, whose checksums are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(not(target_family = "wasm"), derive(schemars::JsonSchema))]
pub struct Checked {
    /// The number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Checked {
    /// Adds files.
    pub fn add(&mut self, files: u64, bytes: u64) {
        self.files += files;
        self.bytes += bytes;
    }
}

/// The state of a run directory. The run may be active or ended.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The run directory.
    pub path: PathBuf,
    /// The configuration.
    pub config: Config,
    /// The names of the boards, in their order.
    pub names: Vec<String>,
    /// The results, by the number of the board.
    pub finished: BTreeMap<usize, FinishedBoard>,
    /// The process that runs the search now.
    pub process: Option<String>,
    /// The checkpoints of boards under way. If a board has two, a resume continues with the last one.
    pub under_way: BTreeMap<usize, Vec<CheckpointFiles>>,
    /// Boards whose first checkpoint was begun and never finished.
    pub unfinished: Vec<usize>,
    /// The files beside the checkpoints that were checked.
    pub checked: Checked,
    /// What the events of the sessions say.
    pub history: History,
    /// What was noticed besides, for people.
    pub notes: Vec<String>,
}

impl RunState {
    /// The name of a board, by its number.
    #[must_use]
    pub fn name(&self, number: usize) -> Option<&str> {
        self.names.get(self.part().place(number)?).map(String::as_str)
    }

    /// The part of a hunt that the directory holds.
    #[must_use]
    pub fn part(&self) -> Part {
        self.config.part.unwrap_or_default()
    }

    /// Reads a run directory without changing it.
    ///
    /// # Errors
    /// When `path` is not a run directory, or a file in it is damaged.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let paths = Paths(path.to_owned());
        check_content(&paths)?;
        let process = Lock::holder(&paths);
        let mut names = Vec::new();
        let Opened { config, checksums, mut checked, .. } = Opened::read(&paths, |name| names.push(name))?;
        let mut notes: Vec<_> = note_unchecked(&paths, checksums).into_iter().collect();
        let part = config.part.unwrap_or_default();
        let results = read_results(&paths, (part, names.len()), &mut checked)?;
        notes.extend(results.notes);
        let process = match process {
            Holder::Nobody => None,
            Holder::Process(process) => Some(process),
            Holder::Unknown(reason) => {
                notes.push(format!("{}: {reason}: perhaps a process searches", paths.of("lock").display()));
                None
            }
        };
        let (mut under_way, mut unfinished) = (BTreeMap::new(), Vec::new());
        for (number, files) in checkpoints(&paths, Arc::new(ReadOnly))? {
            match with_sequel(files) {
                found if found.is_empty() => unfinished.push(number),
                found => _ = under_way.insert(number, found),
            }
        }
        let (path, finished, history) = (path.to_owned(), results.finished, History::read(&paths.0));
        if let Some(reason) = &history.unreadable {
            let events = History::path(&paths.0);
            notes.push(format!("{}: {reason}: what the events say is left out", events.display()));
        }
        Ok(Self { path, config, names, finished, process, under_way, unfinished, checked, history, notes })
    }
}

impl RunState {
    /// The last record of each board, in the order of their numbers. What an earlier session has proven or found still
    /// holds.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn recorded(&self) -> Result<Vec<BoardRecord>, RunError> {
        let mut records = results::last_records(&Paths(self.path.clone()).results())?;
        for (number, record) in &mut records {
            if let Some(held) = self.finished.get(number).filter(|held| !held.is_done()) {
                record.set_range(held.lower_bound, held.cost);
                record.moves.clone_from(&held.moves);
            }
        }
        Ok(records.into_values().collect())
    }

    /// A board of the run.
    ///
    /// # Errors
    /// When the boards cannot be read, or the run has no board of this number.
    pub fn board(&self, number: usize) -> Result<Entry, RunError> {
        let place = self.part().place(number);
        let entry = place.map(|at| read_boards(&Paths(self.path.clone())).map(|mut all| all.nth(at)));
        match entry.transpose()?.flatten() {
            Some(entry) => entry.map_err(RunError::Boards),
            None => Err(RunError::Unexpected {
                path: Paths(self.path.clone()).boards(),
                found: format!("no board {number}"),
                expected: "all boards of the run",
            }),
        }
    }

    /// The recorded solution of a board, as JSON that every reader of solutions knows, and its cost.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn solution(&self, number: usize) -> Result<Option<(Cost, String)>, RunError> {
        /// The fields of a result that a solution needs.
        #[derive(serde::Deserialize)]
        struct Solved {
            number: usize,
            cost: Cost,
            moves: Vec<String>,
        }
        let path = Paths(self.path.clone()).results();
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.at("read", &path)?,
        };
        let solved = text.lines().rev().filter_map(|line| serde_json::from_str::<Solved>(line).ok());
        let mut solved = solved.filter(|solved| solved.number == number);
        let json = |moves| serde_json::json!({ "board": self.name(number), "moves": moves });
        Ok(solved.next().map(|Solved { cost, moves, .. }| (cost, json(moves).to_string())))
    }
}

/// The process that searches in a run directory; `None` if none does.
///
/// # Errors
/// When nobody can say: why.
pub fn searching_process(run: &Path) -> Result<Option<String>, String> {
    match Lock::holder(&Paths(run.to_owned())) {
        Holder::Nobody => Ok(None),
        Holder::Process(process) => Ok(Some(process)),
        Holder::Unknown(reason) => Err(reason),
    }
}

/// Refuses everything that is not a complete run directory.
pub(super) fn check_content(paths: &Paths) -> Result<(), RunError> {
    let path = paths.0.clone();
    let unexpected = |found: &str| {
        let expected = "a run directory; gridhunt solve BOARD --run DIR begins one";
        Err(RunError::Unexpected { path: path.clone(), found: found.to_owned(), expected })
    };
    match paths.look()? {
        Content::Run => Ok(()),
        Content::Nothing => unexpected("nothing"),
        Content::File => unexpected("a file"),
        Content::Other(_) => unexpected("no run.toml"),
        Content::Incomplete => Err(match Lock::holder(paths) {
            Holder::Process(process) => RunError::Unexpected {
                path,
                found: format!("a run that process {process} is creating"),
                expected: "a run directory",
            },
            _ => RunError::Incomplete { path },
        }),
    }
}

/// What of a run directory never changes.
pub(super) struct Opened {
    pub(super) config: Config,
    /// Number of boards.
    pub(super) boards: usize,
    /// The checksums that the directory names.
    pub(super) checksums: Checksums,
    /// The checksums of the files as they are.
    pub(super) found: Checksums,
    pub(super) checked: Checked,
}

impl Opened {
    /// Reads `run.toml` and `boards.json`, and calls `take` with the name of each board.
    ///
    /// # Errors
    /// When a file cannot be read or is damaged.
    pub(super) fn read(paths: &Paths, mut take: impl FnMut(String)) -> Result<Self, RunError> {
        let checksums = Checksums::read(paths)?;
        let mut checked = Checked::default();
        let (config, config_crc) = read_config(paths, &checksums, &mut checked)?;
        let (boards_crc, length) = checksums::of_file(&paths.boards())?;
        if checksums.check(paths, BOARDS, boards_crc)? {
            checked.add(1, length);
        }
        // Reading all boards also finds a damaged board before the search begins.
        let mut boards = 0;
        for entry in read_boards(paths)? {
            take(entry.map_err(RunError::Boards)?.board.name().to_owned());
            boards += 1;
        }
        let found = Checksums::of(config_crc, boards_crc);
        Ok(Self { config, boards, checksums, found, checked })
    }
}

/// The note about files without a checksum.
pub(super) fn note_unchecked(paths: &Paths, checksums: Checksums) -> Option<String> {
    let missing: Vec<_> = checksums.missing().collect();
    let note = || format!("{}: no checksum of {}: read without a check", paths.0.display(), missing.join(" and "));
    (!missing.is_empty()).then(note)
}

fn read_config(paths: &Paths, checksums: &Checksums, checked: &mut Checked) -> Result<(Config, u32), RunError> {
    let path = paths.config();
    let bytes = fs::read(&path).at("read", &path)?;
    let crc = crc32fast::hash(&bytes);
    if checksums.check(paths, CONFIG, crc)? {
        checked.add(1, bytes.len() as u64);
    }
    let damaged = |found: &str, expected: &str| RunError::Damaged {
        path: path.clone(),
        place: "whole file".to_owned(),
        found: found.to_owned(),
        expected: expected.to_owned(),
        remedy: "restore the file from a copy".to_owned(),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged("bytes that are no text", "text in UTF-8"))?;
    let config = Config::parse(&path.display().to_string(), &text).map_err(RunError::Settings)?;
    // Creation writes every parameter, with its default where nothing else was said. A file without them is a part of
    // what was written, and its defaults would be another search.
    if !text.lines().any(|line| line.trim() == "[parameters]") {
        return Err(damaged("no [parameters]", "the whole configuration of the run"));
    }
    Ok((config, crc))
}

/// The boards of a run directory, in their order.
pub(super) fn read_boards(paths: &Paths) -> Result<BoardReader<Box<dyn BufRead + Send>>, RunError> {
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    BoardReader::open(paths.boards(), options).map_err(RunError::Boards)
}

/// Reads the results as far as they are whole: another process may be writing the last line.
fn read_results(paths: &Paths, boards: (Part, usize), checked: &mut Checked) -> Result<Results, RunError> {
    let path = paths.results();
    let mut file = match File::open(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Results::default()),
        file => file.at("open", &path)?,
    };
    let results = results::read(&mut file, &path, boards)?;
    if results.sealed > 0 {
        checked.add(1, results.sealed);
    }
    Ok(results)
}

/// The folders of checkpoints on disk, by the numbers of their boards.
///
/// # Errors
/// When the folder of checkpoints exists and cannot be read.
pub(super) fn checkpoints(
    paths: &Paths,
    backend: Arc<dyn StorageBackend>,
) -> Result<BTreeMap<usize, CheckpointFiles>, RunError> {
    let folder = paths.of("boards");
    let entries = match fs::read_dir(&folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.at("read", &folder)?,
    };
    let mut found = BTreeMap::new();
    for entry in entries {
        let entry = entry.at("read", &folder)?;
        if let Ok(number) = entry.file_name().to_string_lossy().parse() {
            found.insert(number, files_in(entry.path(), &backend));
        }
    }
    Ok(found)
}

/// The identity of a board's checkpoints: puzzle, rules, board and lower bound. Each of them decides which states a
/// checkpoint holds.
pub(super) fn checkpoint_identity(board: &Board, request: &Request) -> String {
    let domain = request.domain;
    let (rules, bound) = (rules_identity(request), domain.bound_identity(request));
    format!("{domain}{rules}{} with the bound {bound}", described(board))
}

/// The checkpoints of any search in a folder.
fn files_in(folder: PathBuf, backend: &Arc<dyn StorageBackend>) -> CheckpointFiles {
    let storage = StorageConfig { backend: Arc::clone(backend), ..StorageConfig::unlimited(folder) };
    CheckpointFiles { storage, identity: String::new() }
}

/// The existing checkpoints of a board, for reading alone: of the search of `request`, and of its IDA* continuation.
pub(in crate::hunt) fn checkpoints_of(
    run: &Path,
    number: usize,
    board: &Board,
    request: &Request,
) -> Vec<CheckpointFiles> {
    let backend: Arc<dyn StorageBackend> = Arc::new(ReadOnly);
    let files = files_in(run.join("boards").join(number.to_string()), &backend);
    with_sequel(CheckpointFiles { identity: checkpoint_identity(board, request), ..files })
}

/// The existing checkpoints of a search and of its IDA* continuation.
fn with_sequel(files: CheckpointFiles) -> Vec<CheckpointFiles> {
    let sequel = sequel_files(&files);
    [files, sequel].into_iter().filter(exists).collect()
}
