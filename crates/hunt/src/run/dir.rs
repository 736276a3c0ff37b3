//! A run directory that this process has locked.

use super::create::{create, undo_creation};
use super::files::{DirContent, IoResultExt, Paths};
use super::history::History;
use super::identities::Identities;
use super::line_checksum;
use super::lock::Lock;
use super::results::Results;
use super::state::{RunInputs, check_content, checkpoint_identity, find_checkpoints, read_boards, unchecked_note};
use crate::delivery_log::{self, DeliveryLog};
use crate::identity::identity;
use crate::{BoardRecord, Config, KnownRange, Request, RunError};
use gridhunt_boards::{Board, BoardError, BoardReader, Entry};
use gridhunt_puzzle::Solutions;
use gridhunt_search::checkpoint::{CheckpointError, CheckpointFiles, discard, exists, read_manifest};
use gridhunt_search::engine::{CheckpointConfig, SessionClock, Solution, sequel_files};
use gridhunt_search::store::{Disk, StorageConfig, hash_key};
use parking_lot::Mutex;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Cursor, Write};
use std::path::Path;
use std::sync::Arc;

/// A run directory that this process has locked.
#[derive(Debug)]
pub struct RunDir {
    paths: Paths,
    /// The prefix of the names of this run's folders in spill folders, which several runs may share.
    spill_prefix: String,
    /// The identities of the boards.
    identities: Identities,
    results: Mutex<Results>,
    /// The file of the results.
    file: Mutex<File>,
    deliveries: DeliveryLog,
    /// The events of earlier sessions.
    history: History,
    notes: Vec<String>,
    lock: Lock,
    /// Whether this process has created the directory.
    is_created: bool,
}

impl RunDir {
    /// Creates a run directory with these boards, also in a directory whose creation was interrupted. If several
    /// processes create one directory at once, one succeeds. An error of a board undoes all changes.
    ///
    /// # Errors
    /// When the directory is in use, holds anything else or cannot be written, or a board is invalid.
    pub fn create(
        path: &Path,
        config: &Config,
        boards: impl Iterator<Item = Result<Entry, BoardError>>,
    ) -> Result<Self, RunError> {
        let paths = Paths(path.to_owned());
        let (lock, is_created) = create(&paths, config, boards)?;
        let inputs = RunInputs::read(&paths)?;
        Self::open_locked(paths, lock, inputs).map(|(run, _)| Self { is_created, ..run })
    }

    /// Opens and locks an existing run directory. Returns the directory and its configuration.
    ///
    /// A file without a checksum is read without a check, and gets a checksum; [`RunDir::notes`] reports this.
    ///
    /// # Errors
    /// When `path` is not a run directory, another process has locked the directory, or a file in it is damaged.
    pub fn open(path: &Path) -> Result<(Self, Config), RunError> {
        let paths = Paths(path.to_owned());
        check_content(&paths)?;
        let removed = || RunError::Unexpected {
            path: path.to_owned(),
            found: "nothing".to_owned(),
            expected: "a run directory that nobody removes",
        };
        let lock = Lock::acquire(&paths)?.ok_or_else(removed)?;
        // The directory may have changed since it was checked.
        if paths.inspect()? != DirContent::Run {
            return Err(RunError::Incomplete(paths.0));
        }
        let inputs = RunInputs::read(&paths)?;
        Self::open_locked(paths, lock, inputs)
    }

    fn open_locked(paths: Paths, lock: Lock, inputs: RunInputs) -> Result<(Self, Config), RunError> {
        let absolute = std::path::absolute(&paths.0).with_path("find", &paths.0)?;
        let folder_name = absolute.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let spill_prefix = format!("{folder_name}-{:08x}", hash_key(absolute.to_string_lossy().as_bytes()) as u32);
        let RunInputs { config, identities, checksums, actual_checksums, .. } = inputs;
        let path = paths.results();
        let mut file = OpenOptions::new().append(true).create(true).open(&path).with_path("open", &path)?;
        let mut results = Results::default();
        results.refresh(&paths.0, &identities)?;
        results.repair_end(&mut file, &path)?;
        let mut notes: Vec<_> = unchecked_note(&paths, checksums).into_iter().collect();
        if !notes.is_empty() {
            actual_checksums.write(&paths)?;
        }
        notes.extend(results.notes(&path));
        let history = History::read(&paths.0, &identities);
        notes.extend(history.notes(&paths.0));
        // The last process may have ended before it removed the checkpoints of finished boards.
        for (number, files) in find_checkpoints(&paths, &identities, Arc::new(Disk), &mut notes)? {
            if results.final_record(number).is_some() {
                discard_all(&files)?;
            }
        }
        let deliveries = DeliveryLog::open(&paths.0).with_path("open", &paths.of(delivery_log::FILE_NAME))?;
        let (results, file, is_created) = (Mutex::new(results), Mutex::new(file), false);
        let run = Self { spill_prefix, identities, results, file, deliveries, history, notes, lock, is_created, paths };
        Ok((run, config))
    }

    /// Undoes the creation of the directory, unless it contains a result or a checkpoint. Errors are ignored.
    pub fn undo_if_unused(self) {
        let has_results = self.file.lock().metadata().is_ok_and(|file| file.len() > 0);
        if has_results || self.paths.of("boards").exists() {
            return;
        }
        for name in SESSION_FILES {
            let _ = std::fs::remove_file(self.paths.of(name));
        }
        undo_creation(&self.paths, &self.lock, self.is_created);
    }

    /// Notes for the user from the opening of the directory.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.paths.0
    }

    /// The number of boards.
    #[must_use]
    pub fn board_count(&self) -> usize {
        self.identities.board_count()
    }

    /// The numbers of the boards, in their order.
    pub fn board_numbers(&self) -> impl Iterator<Item = usize> {
        1..=self.board_count()
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
        self.results.lock().final_record(number).is_some()
    }

    /// Whether no board needs further search.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.board_numbers().all(|number| self.is_done(number))
    }

    /// The number of boards that are done, and the number of these that are proven optimal or unsolvable.
    #[must_use]
    pub fn done_and_proven(&self) -> (u64, u64) {
        self.results.lock().done_and_proven()
    }

    /// The recorded result of a board.
    fn result(&self, number: usize) -> Option<BoardRecord> {
        self.results.lock().records().get(&number).cloned()
    }

    /// The range of a board from the results and the events of earlier sessions; empty if their identity differs.
    #[must_use]
    pub fn known_range(&self, number: usize, entry: &Entry, request: &Request) -> KnownRange {
        if !self.identities.matches(number, &identity(&entry.board, request)) {
            return KnownRange::default();
        }
        let (result, from_events) = (self.result(number), self.history.open_boards.get(&number));
        let recorded_bound = result.as_ref().and_then(|result| result.lower_bound);
        let lower_bound = recorded_bound.max(from_events.map(|board| board.lower_bound)).unwrap_or(0);
        let recorded = result.and_then(|result| self.replayed_solution(&result, &entry.board, request));
        let replays = |solution: &Solution| request.task(&entry.board).is_ok_and(|task| task.replay(solution).is_ok());
        let incumbent = from_events.and_then(|board| board.solution.clone()).filter(replays);
        let solution = recorded.into_iter().chain(incumbent).min_by_key(|solution| solution.cost);
        KnownRange { lower_bound, solution }
    }

    /// The solution of a recorded result, parsed and replayed like a solution of a user.
    fn replayed_solution(&self, result: &BoardRecord, board: &Board, request: &Request) -> Option<Solution> {
        let json = Some(result.solution_of(&result.moves).to_json()).filter(|_| !result.moves.is_empty())?;
        let input: Box<dyn BufRead + Send> = Box::new(Cursor::new(json));
        let mut solutions = Solutions::new(self.paths.results().display().to_string(), input).ok()?;
        let task = request.task(board).ok()?;
        task.read_solution(&mut solutions).ok()??.start_after(0).ok()?.solution
    }

    /// Appends a record to the results, with a checksum, and syncs the file.
    ///
    /// # Errors
    /// When the record cannot be written. Then the file is unchanged.
    pub fn add_result(&self, record: &BoardRecord) -> Result<(), RunError> {
        let path = self.paths.results();
        // The conversion cannot fail: JSON can represent every field.
        let line = line_checksum::append(&serde_json::to_string(record).unwrap_or_default()) + "\n";
        let mut file = self.file.lock();
        let old_length = file.metadata().with_path("measure", &path)?.len();
        if let Err(error) = file.write_all(line.as_bytes()) {
            // Remove the incomplete line: inside the file it would count as damage. An error of this step is ignored.
            let _ = file.set_len(old_length);
            return Err(error).with_path("write", &path);
        }
        file.sync_data().with_path("sync", &path)?;
        if self.identities.matches(record.number, &record.identity) {
            let recorded = BoardRecord { solution: None, failure: None, ..record.clone() };
            let contradicts = |contradiction| RunError::Contradiction { board: record.board.clone(), contradiction };
            self.results.lock().add(recorded).map_err(contradicts)?;
        }
        Ok(())
    }

    /// The records of the boards that need no further search, by number. `only_undelivered` leaves out the delivered
    /// records.
    #[must_use]
    pub fn final_results(&self, only_undelivered: bool) -> Vec<BoardRecord> {
        let results = self.results.lock();
        let done = results.records().values().filter(|record| record.is_done());
        done.filter(|record| !(only_undelivered && self.deliveries.contains(record.number))).cloned().collect()
    }

    /// Records that the result of a board was delivered.
    pub fn mark_delivered(&self, number: usize) {
        self.deliveries.mark(number);
    }

    /// The checkpoint configuration of a board. `request` is the board's share of `run_request`.
    #[must_use]
    pub fn checkpoint_config_of(
        &self,
        number: usize,
        board: &Board,
        run_request: &Request,
        request: &Request,
    ) -> CheckpointConfig {
        let storage = &request.storage;
        let spill_name = format!("{}-{number}", self.spill_prefix);
        let storage_config = StorageConfig {
            run: self.paths.0.join("boards").join(number.to_string()),
            spill_folders: storage.spill_folders.iter().map(|folder| folder.join(&spill_name)).collect(),
            max_disk_bytes: storage.max_disk_bytes,
            min_free_bytes: if storage.max_disk_bytes.is_some() { MIN_FREE_BYTES_WITHIN_LIMIT } else { MIN_FREE_BYTES },
            max_resident_bytes: run_request.limits.memory,
            max_store_bytes: request.limits.memory,
            backend: Arc::new(Disk),
        };
        let files = CheckpointFiles { storage: storage_config, identity: checkpoint_identity(board, request) };
        let resume = exists(&files) || exists(&sequel_files(&files));
        let recorded = self.result(number).map(|result| result.times()).unwrap_or_default();
        let clock = SessionClock::after(recorded, request.threads);
        let mut config = CheckpointConfig { files, every: storage.checkpoint_interval, resume, clock };
        // Only the checkpoint has the times of killed sessions.
        config.clock.earlier = recorded.longer(config.earlier_progress().1);
        config
    }
}

/// The files that a session adds to a run, even if it searches nothing.
const SESSION_FILES: [&str; 4] = ["results.jsonl", delivery_log::FILE_NAME, "events.jsonl", "progress.jsonl"];

/// The free space that a search leaves on each disk, in bytes, without and with a disk limit set by the user.
const MIN_FREE_BYTES: u64 = 1 << 30;
const MIN_FREE_BYTES_WITHIN_LIMIT: u64 = 64 << 20;

/// Removes the checkpoints of a search and of its IDA* continuation, but not those of another search.
pub(crate) fn discard_all(files: &CheckpointFiles) -> Result<(), RunError> {
    // The folder of the IDA* continuation lies inside the folder of the search, which is removed only when empty.
    for files in [&sequel_files(files), files] {
        if !matches!(read_manifest(files, None), Err(CheckpointError::OtherSearch { .. })) {
            discard(files)?;
        }
    }
    Ok(())
}
