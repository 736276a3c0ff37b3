//! The state of a run directory, read without changes.

use super::checksums::{self, Checksums};
use super::files::{BOARDS, CONFIG, DirContent, IoResultExt, Paths};
use super::history::History;
use super::identities::{Identities, stamp_of};
use super::lock::Lock;
use super::results::Results;
use crate::identity::{board_identity, identity};
use crate::{Config, Request, RunError};
use gridhunt_boards::{Board, BoardReader, Entry, Format, ReadOptions};
use gridhunt_search::checkpoint::{CheckpointFiles, exists};
use gridhunt_search::engine::sequel_files;
use gridhunt_search::store::{ReadOnly, StorageBackend, StorageConfig};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number and the size of files whose checksums are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Checked"))]
pub struct CheckedFiles {
    /// The number of files.
    pub files: u64,
    /// The size of all these files, in bytes.
    pub bytes: u64,
}

impl CheckedFiles {
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
    /// The identities of the boards. The fields below ignore entries with other identities.
    pub identities: Identities,
    /// The results.
    pub results: Results,
    /// The number of the process that searches now.
    pub process: Option<String>,
    /// The checkpoints of unfinished boards. If a board has two, a resume continues with the last one.
    pub checkpoints: BTreeMap<usize, Vec<CheckpointFiles>>,
    /// The boards whose first checkpoint is incomplete.
    pub incomplete: Vec<usize>,
    /// The files, besides checkpoints, whose checksums are right.
    pub checked: CheckedFiles,
    /// The events of the sessions.
    pub history: History,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl RunState {
    /// The name of a board, by its number.
    #[must_use]
    pub fn board_name(&self, number: usize) -> Option<&str> {
        self.identities.of(number).map(|[name, ..]| name.as_str())
    }

    /// Reads a run directory without changing it.
    ///
    /// # Errors
    /// When `path` is not a run directory, or its inputs or results are damaged.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let paths = Paths(path.to_owned());
        check_content(&paths)?;
        let process = Lock::holder(&paths);
        let RunInputs { config, identities, checksums, mut checked, .. } = RunInputs::read(&paths)?;
        let mut notes: Vec<_> = unchecked_note(&paths, checksums).into_iter().collect();
        let mut results = Results::default();
        results.refresh(path, &identities)?;
        if results.checked_bytes > 0 {
            checked.add(1, results.checked_bytes);
        }
        notes.extend(results.notes(&paths.results()));
        let process = process.unwrap_or_else(|reason| {
            notes.push(format!("{}: {reason}: a process may be searching", paths.of("lock").display()));
            None
        });
        let (mut checkpoints, mut incomplete) = (BTreeMap::new(), Vec::new());
        for (number, files) in find_checkpoints(&paths, &identities, Arc::new(ReadOnly), &mut notes)? {
            let sequel = sequel_files(&files);
            let existing: Vec<_> = [files, sequel].into_iter().filter(exists).collect();
            match existing.is_empty() {
                true => incomplete.push(number),
                false => _ = checkpoints.insert(number, existing),
            }
        }
        let (path, history) = (path.to_owned(), History::read(&paths.0, &identities));
        notes.extend(history.notes(&paths.0));
        Ok(Self { path, config, identities, results, process, checkpoints, incomplete, checked, history, notes })
    }

    /// Reads a board of the run.
    ///
    /// # Errors
    /// When the boards cannot be read, or the run has no board of this number.
    pub fn board(&self, number: usize) -> Result<Entry, RunError> {
        let index = number.checked_sub(1);
        let entry = index.map(|index| read_boards(&Paths(self.path.clone())).map(|mut boards| boards.nth(index)));
        match entry.transpose()?.flatten() {
            Some(entry) => entry.map_err(RunError::StoredBoard),
            None => Err(RunError::Unexpected {
                path: Paths(self.path.clone()).boards(),
                found: format!("no board {number}"),
                expected: "all boards of the run",
            }),
        }
    }
}

/// The number of the process that searches in a run directory; `None` if none does.
///
/// # Errors
/// When the lock cannot be examined.
pub fn searching_process(run: &Path) -> io::Result<Option<String>> {
    Lock::holder(&Paths(run.to_owned()))
}

/// Checks that a path is a complete run directory.
pub(super) fn check_content(paths: &Paths) -> Result<(), RunError> {
    let path = paths.0.clone();
    let unexpected = |found: &str| {
        let expected = "a run directory; gridhunt solve BOARD --run DIR makes one";
        Err(RunError::Unexpected { path: path.clone(), found: found.to_owned(), expected })
    };
    match paths.inspect()? {
        DirContent::Run => Ok(()),
        DirContent::Nothing => unexpected("nothing"),
        DirContent::File => unexpected("a file"),
        DirContent::Other(_) => unexpected("no run.toml"),
        DirContent::Incomplete => Err(match Lock::holder(paths) {
            Ok(Some(process)) => RunError::Unexpected {
                path,
                found: format!("a run that process {process} is creating"),
                expected: "a run directory",
            },
            _ => RunError::Incomplete(path),
        }),
    }
}

/// The files of a run directory that never change: configuration and boards.
pub(super) struct RunInputs {
    pub(super) config: Config,
    pub(super) identities: Identities,
    /// The recorded checksums.
    pub(super) checksums: Checksums,
    /// The checksums of the present files.
    pub(super) actual_checksums: Checksums,
    pub(super) checked: CheckedFiles,
}

impl RunInputs {
    /// Reads `run.toml` and `boards.json`.
    pub(super) fn read(paths: &Paths) -> Result<Self, RunError> {
        let checksums = Checksums::read(paths)?;
        let files = [paths.config(), paths.boards()].map(|path| (path.clone(), stamp_of(&path)));
        let mut checked = CheckedFiles::default();
        let (config, config_crc) = read_config(paths, &checksums, &mut checked)?;
        let (boards_crc, length) = checksums::checksum_and_length(&paths.boards())?;
        if checksums.check(paths, BOARDS, boards_crc)? {
            checked.add(1, length);
        }
        // Reading all boards also finds a damaged board before the search begins.
        let (request, mut boards) = (config.request(), Vec::new());
        for entry in read_boards(paths)? {
            let board = entry.map_err(RunError::StoredBoard)?.board;
            boards.push([board.name().into(), identity(&board, &request), checkpoint_identity(&board, &request)]);
        }
        let actual_checksums = Checksums::of(config_crc, boards_crc);
        let identities = Identities { boards, files };
        Ok(Self { config, identities, checksums, actual_checksums, checked })
    }
}

impl Identities {
    /// Finds the identities of a run directory; `None` if it contains no run.
    ///
    /// # Errors
    /// When configuration or boards are damaged.
    pub fn find(run: &Path) -> Result<Option<Self>, RunError> {
        let paths = Paths(run.to_owned());
        paths.config().exists().then(|| Ok(RunInputs::read(&paths)?.identities)).transpose()
    }
}

/// The note about files without a checksum.
pub(super) fn unchecked_note(paths: &Paths, checksums: Checksums) -> Option<String> {
    let unchecked: Vec<_> = checksums.unchecked_files().collect();
    let note = || format!("{}: no checksum of {}: read without a check", paths.0.display(), unchecked.join(" and "));
    (!unchecked.is_empty()).then(note)
}

fn read_config(paths: &Paths, checksums: &Checksums, checked: &mut CheckedFiles) -> Result<(Config, u32), RunError> {
    let path = paths.config();
    let bytes = fs::read(&path).with_path("read", &path)?;
    let crc = crc32fast::hash(&bytes);
    let is_checked = checksums.check(paths, CONFIG, crc)?;
    if is_checked {
        checked.add(1, bytes.len() as u64);
    }
    let damaged = |found: &str, expected: &str| RunError::Damaged {
        path: path.clone(),
        place: "whole file".to_owned(),
        found: found.to_owned(),
        expected: expected.to_owned(),
        remedy: "restore the file from a copy".to_owned(),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged("bytes that are not text", "text in UTF-8"))?;
    let config = Config::parse(&path.display().to_string(), &text).map_err(|error| match is_checked {
        true => RunError::OtherVersion(error.to_string()),
        false => RunError::StoredConfig(error),
    })?;
    // Creation writes every parameter, so a file without them is incomplete. Defaults in their place would change the
    // search.
    if !text.lines().any(|line| line.trim() == "[parameters]") {
        return Err(damaged("no [parameters]", "the whole configuration of the run"));
    }
    Ok((config, crc))
}

/// The boards of a run directory, in their order.
pub(super) fn read_boards(paths: &Paths) -> Result<BoardReader<Box<dyn BufRead + Send>>, RunError> {
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    BoardReader::open(paths.boards(), options).map_err(RunError::StoredBoard)
}

/// Finds the folders of checkpoints, by board number. A checkpoint of another identity is refused later, when it is
/// read. A note names each folder of a board that the run does not have.
pub(super) fn find_checkpoints(
    paths: &Paths,
    identities: &Identities,
    backend: Arc<dyn StorageBackend>,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<usize, CheckpointFiles>, RunError> {
    let folder = paths.of("boards");
    let entries = match fs::read_dir(&folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.with_path("read", &folder)?,
    };
    let mut checkpoints = BTreeMap::new();
    for entry in entries {
        let entry = entry.with_path("read", &folder)?;
        let Ok(number) = entry.file_name().to_string_lossy().parse() else { continue };
        match identities.of(number) {
            Some([.., identity]) => {
                let backend = Arc::clone(&backend);
                let storage = StorageConfig { backend, ..StorageConfig::unlimited(entry.path()) };
                checkpoints.insert(number, CheckpointFiles { storage, identity: identity.clone() });
            }
            None => notes.push(format!("{}: ignored: of no board of the run", entry.path().display())),
        }
    }
    Ok(checkpoints)
}

/// The identity of a board's checkpoints: puzzle, rules, board and lower bound, which decide the states of a
/// checkpoint.
pub(super) fn checkpoint_identity(board: &Board, request: &Request) -> String {
    let domain = request.domain;
    let (rules, bound) = (request.rules_suffix(), request.bound_identity());
    format!("{domain}{rules}{} with the bound {bound}", board_identity(board))
}
