//! Boards that several ranks search together.
//!
//! The leading rank reads boards and records results. Before each search it sends an order to the other ranks: the
//! configuration, the board and a known solution. Each of these ranks makes the same search space from the order, and
//! takes part in the search ([`follow`]). So only the leader needs the files of the user. A run directory must lie
//! where all ranks see it, which is checked before the first search; spill folders may lie on the disk of each rank.

use super::board_search::{BoardSearch, Searched, panic_message};
use super::solve::{search_board, task_of};
use super::{BoardRecord, Config, HuntError, KnownRange, RunDir, RunError, Size, Threads, rounded};
use crate::Request;
use gridhunt_boards::{Board, BoardReader, Entry, Format, ReadOptions, write_board};
use gridhunt_search::checkpoint::{CheckpointFiles, discard_spill};
use gridhunt_search::engine::{CheckpointConfig, SessionClock, Solution, Times};
use gridhunt_search::platform::process_cpu_seconds;
use gridhunt_search::runtime::{Exchange, Silent, StopReason, StopToken};
use gridhunt_search::store::{Disk, StorageConfig};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What the leading rank needs to reach the other ranks.
#[derive(Clone, Copy, Debug)]
pub struct Ranks<'a> {
    /// The exchange.
    pub exchange: &'a Exchange,
    /// The configuration of the batch, as [`Config::to_text`] writes it.
    pub config: &'a str,
    /// The command that goes on with the batch, if a run directory keeps the batch.
    pub resume: Option<&'a str>,
}

/// The options of a rank that override those of the leader's configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankOptions {
    /// Its worker threads.
    pub threads: Option<Threads>,
    /// Its memory for searching.
    pub memory: Option<Size>,
}

/// What the leader asks the other ranks to do.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Check whether the run directory at this path, in UTF-8, has this mark and can be written.
    Look { run: String, mark: String },
    /// Take part in the search of a board.
    Search {
        /// The configuration, as text.
        config: String,
        /// The board, in the format `json`.
        board: Vec<u8>,
        known: Option<Solution>,
        kept: Option<SharedConfig>,
        /// The command that goes on with the search.
        resume: Option<String>,
    },
    /// Remove the files of a finished search from the spill folders.
    Forget(SharedConfig),
    /// Nothing is left to be done.
    End,
}

/// The checkpoint configuration of a search, for the ranks that have not opened the run directory. The limits of memory
/// are those of each rank.
#[derive(Debug, Serialize, Deserialize)]
struct SharedConfig {
    /// Absolute paths.
    run: String,
    spill: Vec<String>,
    disk: Option<u64>,
    keep_free: u64,
    identity: String,
    every: Duration,
    resume: bool,
}

impl SharedConfig {
    /// The configuration, for ranks with another working directory.
    ///
    /// # Errors
    /// When a path is not UTF-8.
    fn of(keep: &CheckpointConfig) -> Result<Self, HuntError> {
        let CheckpointConfig { files: CheckpointFiles { storage, identity }, every, resume, .. } = keep;
        let spill = storage.spill.iter().map(|folder| absolute(folder)).collect::<Result<_, _>>()?;
        let &StorageConfig { disk, keep_free, .. } = storage;
        let (run, identity) = (absolute(&storage.run)?, identity.clone());
        Ok(Self { run, spill, disk, keep_free, identity, every: *every, resume: *resume })
    }

    /// The configuration of a rank with this request: its own limit of memory decides when records leave memory.
    fn config(self, request: &Request) -> CheckpointConfig {
        let Self { run, spill, disk, keep_free, identity, every, resume } = self;
        let (run, spill) = (run.into(), spill.into_iter().map(PathBuf::from).collect());
        let (resident, share, backend) = (request.limits.memory, request.limits.memory, Arc::new(Disk));
        let storage = StorageConfig { run, spill, disk, keep_free, resident, share, backend };
        let clock = SessionClock::after(Times::default(), 1);
        CheckpointConfig { files: CheckpointFiles { storage, identity }, every, resume, clock }
    }
}

/// Makes a path that is right for ranks with another working directory.
///
/// # Errors
/// When the path is not UTF-8.
fn absolute(path: &Path) -> Result<String, HuntError> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.into_os_string().into_string().map_err(|path| HuntError::Ranks {
        reason: format!("found the path {}, expected one in UTF-8", path.display()),
    })
}

impl Ranks<'_> {
    /// Checks that all ranks see the run directory and can write there.
    ///
    /// # Errors
    /// When a rank does not see it, or cannot write there.
    pub(super) fn check_shared(&self, run: &RunDir) -> Result<(), HuntError> {
        let mark = run.mark_for_ranks()?;
        self.ask(Order::Look { run: absolute(run.path())?, mark }).map_or(Ok(()), |(rank, found)| {
            Err(RunError::NotShared { path: run.path().to_owned(), rank, found }.into())
        })
    }

    /// Sends the other ranks an order, and waits for their answers. Returns the first rank that has failed, and why.
    fn ask(&self, order: Order) -> Option<(String, String)> {
        self.exchange.all_gather(&Some(order));
        let failures = self.exchange.all_gather(&None::<String>);
        failures.into_iter().enumerate().find_map(|(rank, reason)| Some((self.exchange.place(rank), reason?)))
    }

    /// Removes the files of a finished search from the spill folders of the other ranks.
    ///
    /// # Errors
    /// When a rank cannot remove a file.
    pub(super) fn forget(&self, keep: &CheckpointConfig) -> Result<(), HuntError> {
        if keep.files.storage.spill.is_empty() {
            return Ok(());
        }
        self.ask(Order::Forget(SharedConfig::of(keep)?)).map_or(Ok(()), |(rank, reason)| {
            Err(HuntError::Ranks { reason: format!("{rank} cannot remove its files: {reason}") })
        })
    }

    /// Searches a board on all ranks.
    ///
    /// # Errors
    /// As [`solve_board`](super::solve_board).
    pub(super) fn solve(&self, search: &BoardSearch<'_>) -> Result<Searched, HuntError> {
        // A search that would be refused is not sent.
        task_of(search)?;
        let board = written(search.board)?;
        let (config, known) = (self.config.to_owned(), search.known.cloned());
        let (kept, resume) = (search.checkpoints.map(SharedConfig::of).transpose()?, self.resume.map(str::to_owned));
        self.exchange.set_resume_command(resume.clone());
        self.exchange.all_gather(&Some(Order::Search { config, board, known, kept, resume }));
        let (record, refuted) = solve_or_end(search, self.exchange)?;
        if record.stopped == Some(StopReason::Interrupted) {
            // The signal may have reached another rank.
            search.stop.stop(StopReason::Interrupted);
        }
        Ok((record, refuted))
    }
}

/// Ends the work of the other ranks. The leader calls this once, however its own work ended.
pub fn dismiss(exchange: &Exchange) {
    exchange.all_gather(&Some(Order::End));
}

/// Does the work of a rank that does not lead: takes part in the leader's searches until there are no more. `stop`
/// stops the search of a board, on all ranks. `own` are the options of this rank alone.
///
/// # Errors
/// When an order cannot be carried out. The other ranks then wait for this one, so the caller must end all ranks.
pub fn follow(exchange: &Exchange, own: RankOptions, stop: &StopToken) -> Result<(), HuntError> {
    loop {
        let orders = exchange.all_gather(&None::<Order>);
        let (config, board, known, kept) = match orders.into_iter().next().flatten() {
            Some(Order::Search { config, board, known, kept, resume }) => {
                exchange.set_resume_command(resume);
                (config, board, known, kept)
            }
            Some(Order::Look { run, mark }) => {
                exchange.all_gather(&RunDir::mark_mismatch(Path::new(&run), &mark, exchange.rank()));
                continue;
            }
            Some(Order::Forget(kept)) => {
                let failure =
                    discard_spill(&kept.config(&Request::default()).files).err().map(|error| error.to_string());
                exchange.all_gather(&failure);
                continue;
            }
            Some(Order::End) | None => return Ok(()),
        };
        let refuse = |reason: String| HuntError::Ranks { reason };
        let mut config = Config::parse("order", &config).map_err(|error| refuse(error.to_string()))?;
        (config.threads, config.memory) = (own.threads.or(config.threads), own.memory.or(config.memory));
        let mut request = config.request_among(exchange.ranks_on_host());
        let _ = request.lower_threads();
        let (entry, keep) = (entry_of(&board)?, kept.map(|kept| kept.config(&request)));
        let (board, known, held) = (&entry.board, known.as_ref(), &KnownRange::default());
        let search =
            BoardSearch { board, request: &request, known, held, observer: &Silent, stop, checkpoints: keep.as_ref() };
        // If this rank alone refuses the search, for example because of its own limit of memory, all ranks end.
        task_of(&search)?;
        // The leader runs the same search, meets the same error and reports it.
        let _ = solve_or_end(&search, exchange);
    }
}

/// Searches a board on this rank, and adds up the processor time of all threads of all ranks that are alive. A panic
/// ends all ranks: the others would wait for this one.
fn solve_or_end(search: &BoardSearch<'_>, exchange: &Exchange) -> Result<Searched, HuntError> {
    let before = process_cpu_seconds();
    let searched = catch_unwind(AssertUnwindSafe(|| search_board(search, Some(exchange)))).unwrap_or_else(|panic| {
        exchange.abort(&format!("{}: {}", exchange.place(exchange.rank()), panic_message(&*panic)));
        // Reached only where ranks are threads of one process.
        resume_unwind(panic)
    });
    let own = process_cpu_seconds() - before;
    let of_other = |(_, bytes): (usize, Vec<u8>)| bytes.try_into().map_or(0.0, f64::from_le_bytes);
    let cpu_seconds =
        own + exchange.gather_at_leader(own.to_le_bytes().to_vec()).into_iter().map(of_other).sum::<f64>();
    let earlier = search.checkpoints.map_or(0.0, |keep| keep.clock.before.cpu_seconds);
    searched
        .map(|(record, refuted)| (BoardRecord { cpu_seconds: rounded(earlier + cpu_seconds, 1e6), ..record }, refuted))
}

/// The board in the format `json`.
///
/// # Errors
/// When the format cannot hold the board.
fn written(board: &Board) -> Result<Vec<u8>, HuntError> {
    let mut bytes = Vec::new();
    write_board(board, Format::Json, &mut bytes).map_err(|error| HuntError::Ranks { reason: error.to_string() })?;
    Ok(bytes)
}

/// Reads what [`written`] has written.
///
/// # Errors
/// When the bytes are no board.
fn entry_of(bytes: &[u8]) -> Result<Entry, HuntError> {
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    let entry = BoardReader::new("order", bytes, options).map(|mut boards| boards.next())?;
    Ok(entry.ok_or_else(|| HuntError::Ranks { reason: "found no board".to_owned() })??)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits of the leader's memory are those of its own machine.
    #[test]
    fn a_rank_spills_by_its_own_memory() {
        let (large, small) = (Some(2 << 30), Some(40 << 20));
        let storage = StorageConfig { resident: large, share: large, ..StorageConfig::unlimited("/run".into()) };
        let files = CheckpointFiles { storage, identity: "board".to_owned() };
        let clock = SessionClock::after(Times::default(), 1);
        let leader = CheckpointConfig { files, every: Duration::from_secs(1), resume: true, clock };
        let mut request = Request::default();
        request.limits.memory = small;
        let CheckpointConfig { files, every, resume, .. } = SharedConfig::of(&leader).unwrap().config(&request);
        assert_eq!((files.storage.resident, files.storage.share), (small, small));
        assert_eq!(
            (files.storage.run, files.identity, every, resume),
            ("/run".into(), "board".into(), leader.every, true)
        );
    }
}
