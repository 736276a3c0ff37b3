//! Boards that several ranks search together.
//!
//! The leader reads boards and records results. Before each search it sends an order to the other ranks: the
//! configuration, the board and a known solution. They make the same search space from the order, and take part in the
//! search ([`follow_leader`]). So only the leader needs the files of the user. All ranks must see the run directory,
//! which is checked before the first search; spill folders may be on the disk of each rank.

use super::board_search::{BoardSearch, SearchOutput, panic_message};
use super::solve::{checked_task, search_board};
use super::{BoardRecord, ByteCount, Config, HuntError, KnownRange, RunDir, RunError, ThreadCount, rounded};
use crate::Request;
use gridhunt_boards::{Board, BoardReader, Entry, Format, ReadOptions, write_board};
use gridhunt_search::checkpoint::{CheckpointFiles, discard_spill};
use gridhunt_search::engine::{CheckpointConfig, SessionClock, Solution, Times};
use gridhunt_search::platform::process_cpu_seconds;
use gridhunt_search::runtime::{Exchange, Silent, StopReason, StopToken};
use gridhunt_search::store::{Disk, StorageConfig};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What the leader needs to send orders to the other ranks.
#[derive(Clone, Copy, Debug)]
pub struct Ranks<'a> {
    /// The exchange.
    pub exchange: &'a Exchange,
    /// The configuration of the batch, as [`Config::to_toml`] writes it.
    pub config: &'a str,
    /// The command that resumes the batch, if there is a run directory.
    pub resume_command: Option<&'a str>,
}

/// The options of a rank that override those of the leader's configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankOptions {
    /// The number of worker threads of this rank.
    pub threads: Option<ThreadCount>,
    /// The memory limit of this rank.
    pub memory: Option<ByteCount>,
}

/// An order of the leader to the other ranks.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Check that the run directory has this mark and can be written.
    CheckRunDir { run: String, mark: String },
    /// Take part in the search of a board.
    Search {
        /// The configuration, as text.
        config: String,
        /// The board, in the format `json`.
        board: Vec<u8>,
        /// A solution from which the search starts.
        known: Option<Solution>,
        checkpoints: Option<SharedCheckpointConfig>,
        /// The command that resumes the search.
        resume: Option<String>,
    },
    /// Remove the files of a finished search from the spill folders.
    DiscardSpill(SharedCheckpointConfig),
    /// Return from [`follow_leader`].
    End,
}

/// The checkpoint configuration of a search, without the memory limits, which each rank sets itself.
#[derive(Debug, Serialize, Deserialize)]
struct SharedCheckpointConfig {
    /// The absolute path of the folder for the checkpoints; the paths in `spill` are absolute too.
    run: String,
    spill: Vec<String>,
    max_disk_bytes: Option<u64>,
    min_free_bytes: u64,
    identity: String,
    every: Duration,
    resume: bool,
}

impl SharedCheckpointConfig {
    /// The configuration with absolute paths, because the working directory of a rank may differ.
    fn of(checkpoints: &CheckpointConfig) -> Result<Self, HuntError> {
        let CheckpointConfig { files: CheckpointFiles { storage, identity }, every, resume, .. } = checkpoints;
        let spill = storage.spill_folders.iter().map(|folder| absolute(folder)).collect::<Result<_, _>>()?;
        let &StorageConfig { max_disk_bytes, min_free_bytes, .. } = storage;
        let (run, identity) = (absolute(&storage.run)?, identity.clone());
        Ok(Self { run, spill, max_disk_bytes, min_free_bytes, identity, every: *every, resume: *resume })
    }

    /// The configuration of a rank with this request. The memory limit of the request decides when records are spilled.
    fn config(self, request: &Request) -> CheckpointConfig {
        let Self { run, spill, max_disk_bytes, min_free_bytes, identity, every, resume } = self;
        let storage = StorageConfig {
            run: run.into(),
            spill_folders: spill.into_iter().map(PathBuf::from).collect(),
            max_disk_bytes,
            min_free_bytes,
            max_resident_bytes: request.limits.memory,
            max_store_bytes: request.limits.memory,
            backend: Arc::new(Disk),
        };
        let clock = SessionClock::after(Times::default(), 1);
        CheckpointConfig { files: CheckpointFiles { storage, identity }, every, resume, clock }
    }
}

/// Makes a path absolute. Fails if it is not UTF-8.
fn absolute(path: &Path) -> Result<String, HuntError> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let not_text = |path: OsString| format!("found the path {}, expected one in UTF-8", path.display());
    absolute.into_os_string().into_string().map_err(|path| HuntError::Ranks(not_text(path)))
}

impl Ranks<'_> {
    /// Checks that all ranks see the run directory and can write there.
    ///
    /// # Errors
    /// When a rank does not see it, or cannot write there.
    pub(super) fn check_shared(&self, run: &RunDir) -> Result<(), HuntError> {
        let mark = run.mark_for_ranks()?;
        self.send_order(Order::CheckRunDir { run: absolute(run.path())?, mark }).map_or(Ok(()), |(rank, found)| {
            Err(RunError::NotShared { path: run.path().to_owned(), rank, found }.into())
        })
    }

    /// Sends an order to the other ranks, and waits for their answers. Returns the first rank that failed, and why.
    fn send_order(&self, order: Order) -> Option<(String, String)> {
        self.exchange.all_gather(&Some(order));
        let failures = self.exchange.all_gather(&None::<String>);
        failures.into_iter().enumerate().find_map(|(rank, reason)| Some((self.exchange.rank_label(rank), reason?)))
    }

    /// Orders the other ranks to remove the files of a finished search from their spill folders.
    pub(super) fn discard_spill_of(&self, checkpoints: &CheckpointConfig) -> Result<(), HuntError> {
        if checkpoints.files.storage.spill_folders.is_empty() {
            return Ok(());
        }
        match self.send_order(Order::DiscardSpill(SharedCheckpointConfig::of(checkpoints)?)) {
            Some((rank, reason)) => Err(HuntError::Ranks(format!("{rank} cannot remove its files: {reason}"))),
            None => Ok(()),
        }
    }

    /// Searches a board on all ranks.
    pub(super) fn solve(&self, search: &BoardSearch<'_>) -> Result<SearchOutput, HuntError> {
        // Refuse the search before it is sent.
        checked_task(search)?;
        let board = encode_board(search.board)?;
        let (config, known) = (self.config.to_owned(), search.known_solution.cloned());
        let checkpoints = search.checkpoints.map(SharedCheckpointConfig::of).transpose()?;
        let resume = self.resume_command.map(str::to_owned);
        self.exchange.set_resume_command(resume.clone());
        self.exchange.all_gather(&Some(Order::Search { config, board, known, checkpoints, resume }));
        let (record, refuted) = solve_or_abort(search, self.exchange)?;
        if record.stopped == Some(StopReason::Interrupted) {
            // The signal may have reached another rank.
            search.stop.stop(StopReason::Interrupted);
        }
        Ok((record, refuted))
    }
}

/// Orders the other ranks to end. The leader calls this exactly once, even after an error.
pub fn end_other_ranks(exchange: &Exchange) {
    exchange.all_gather(&Some(Order::End));
}

/// Executes the orders of the leader until it calls [`end_other_ranks`]. `stop` stops the search of a board on all
/// ranks. `rank_options` are the options of this rank.
///
/// # Errors
/// When an order cannot be executed. The other ranks then wait for this one, so the caller must end all ranks.
pub fn follow_leader(exchange: &Exchange, rank_options: RankOptions, stop: &StopToken) -> Result<(), HuntError> {
    loop {
        let orders = exchange.all_gather(&None::<Order>);
        let (config, board, known, checkpoints) = match orders.into_iter().next().flatten() {
            Some(Order::Search { config, board, known, checkpoints, resume }) => {
                exchange.set_resume_command(resume);
                (config, board, known, checkpoints)
            }
            Some(Order::CheckRunDir { run, mark }) => {
                exchange.all_gather(&RunDir::mark_mismatch(Path::new(&run), &mark, exchange.rank()));
                continue;
            }
            Some(Order::DiscardSpill(checkpoints)) => {
                let discarded = discard_spill(&checkpoints.config(&Request::default()).files);
                exchange.all_gather(&discarded.err().map(|error| error.to_string()));
                continue;
            }
            Some(Order::End) | None => return Ok(()),
        };
        let mut config = Config::parse("order", &config).map_err(|error| HuntError::Ranks(error.to_string()))?;
        config.threads = rank_options.threads.or(config.threads);
        config.memory = rank_options.memory.or(config.memory);
        let mut request = config.request_per_process(exchange.ranks_on_host());
        let _ = request.clamp_threads();
        let (entry, checkpoints) = (decode_board(&board)?, checkpoints.map(|checkpoints| checkpoints.config(&request)));
        let (board, request, known_range, observer) = (&entry.board, &request, &KnownRange::default(), &Silent);
        let (known_solution, checkpoints) = (known.as_ref(), checkpoints.as_ref());
        let search = BoardSearch { board, request, known_solution, known_range, observer, stop, checkpoints };
        // It is possible that only this rank refuses, for example because of its memory limit. Then all ranks end.
        checked_task(&search)?;
        // The leader runs the same search, gets the same error and reports it.
        let _ = solve_or_abort(&search, exchange);
    }
}

/// Searches a board on this rank. The leader's record has the sum of the CPU times of all ranks. After a panic, aborts
/// all ranks, because the others would wait for this one.
fn solve_or_abort(search: &BoardSearch<'_>, exchange: &Exchange) -> Result<SearchOutput, HuntError> {
    let start_seconds = process_cpu_seconds();
    let output = catch_unwind(AssertUnwindSafe(|| search_board(search, Some(exchange)))).unwrap_or_else(|panic| {
        exchange.abort(&format!("{}: {}", exchange.rank_label(exchange.rank()), panic_message(&*panic)));
        // Reached only in tests, whose ranks are threads of one process.
        resume_unwind(panic)
    });
    let rank_seconds = process_cpu_seconds() - start_seconds;
    let seconds_of_rank = |(_, bytes): (usize, Vec<u8>)| bytes.try_into().map_or(0.0, f64::from_le_bytes);
    let other_ranks = exchange.gather_at_leader(rank_seconds.to_le_bytes().to_vec());
    let cpu_seconds = rank_seconds + other_ranks.into_iter().map(seconds_of_rank).sum::<f64>();
    let earlier_seconds = search.checkpoints.map_or(0.0, |checkpoints| checkpoints.clock.earlier.cpu_seconds);
    let cpu_seconds = rounded(earlier_seconds + cpu_seconds, 1e6);
    output.map(|(record, refuted)| (BoardRecord { cpu_seconds, ..record }, refuted))
}

/// Encodes a board in the format `json`.
fn encode_board(board: &Board) -> Result<Vec<u8>, HuntError> {
    let mut bytes = Vec::new();
    write_board(board, Format::Json, &mut bytes).map_err(|error| HuntError::Ranks(error.to_string()))?;
    Ok(bytes)
}

fn decode_board(bytes: &[u8]) -> Result<Entry, HuntError> {
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    let entry = BoardReader::new("order", bytes, options).map(|mut boards| boards.next())?;
    Ok(entry.ok_or_else(|| HuntError::Ranks("found no board".to_owned()))??)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits of the leader's memory are those of its own machine.
    #[test]
    fn a_rank_spills_by_its_own_memory() {
        let (large, small) = (Some(2 << 30), Some(40 << 20));
        let storage = StorageConfig {
            max_resident_bytes: large,
            max_store_bytes: large,
            ..StorageConfig::unlimited("/run".into())
        };
        let files = CheckpointFiles { storage, identity: "board".to_owned() };
        let clock = SessionClock::after(Times::default(), 1);
        let leader = CheckpointConfig { files, every: Duration::from_secs(1), resume: true, clock };
        let mut request = Request::default();
        request.limits.memory = small;
        let CheckpointConfig { files, every, resume, .. } =
            SharedCheckpointConfig::of(&leader).unwrap().config(&request);
        assert_eq!((files.storage.max_resident_bytes, files.storage.max_store_bytes), (small, small));
        assert_eq!(
            (files.storage.run, files.identity, every, resume),
            ("/run".into(), "board".into(), leader.every, true)
        );
    }
}
