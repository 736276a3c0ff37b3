//! A request: the puzzle, its options, the engine, the lower bound, the number of threads, and the limits.

use gridhunt_boards::{Board, Cell, usual_symbols};
use gridhunt_puzzle::{
    BoundName, CertificateForm, EngineKind, Objective, OptionValues, PuzzleError, PuzzleId, SearchMethod, Task,
};
use gridhunt_search::engine::Parameters;
use gridhunt_search::platform::{resident_bytes, startable_threads};
use gridhunt_search::runtime::Limits;
use std::path::PathBuf;
use std::time::Duration;

/// The request for every board of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The puzzle that the boards belong to.
    pub domain: PuzzleId,
    /// The options of the puzzle.
    pub options: OptionValues,
    /// The engine.
    pub engine: EngineKind,
    /// The lower bound; `None` selects the puzzle's default.
    pub bound: Option<BoundName>,
    /// The number of worker threads of the whole run, at least 1.
    pub threads: usize,
    /// Limits. Time and expansions are limited for each board. Memory is limited for the process, so boards side by
    /// side share the memory. If `resident` is set, it limits the resident memory of the process. Otherwise, `memory`
    /// limits what a search counts.
    pub limits: Limits,
    /// The parameters of the engines.
    pub parameters: Parameters,
    /// The use of the disk.
    pub storage: StorageSettings,
    /// If set, the optimal solutions of each board are counted, and up to this number of them are listed.
    pub max_listed_optimal: Option<usize>,
}

/// The folders, the limit and the checkpoint interval of a search that uses the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageSettings {
    /// Folders for states that do not fit into memory. If the list is empty, these states go to the run directory.
    pub spill_folders: Vec<PathBuf>,
    /// The limit of disk space, in bytes for each board.
    pub max_disk_bytes: Option<u64>,
    /// Time between two checkpoints of a run.
    pub checkpoint_interval: Duration,
}

impl Default for StorageSettings {
    /// A checkpoint every five minutes, without a limit of disk space.
    fn default() -> Self {
        Self { spill_folders: Vec::new(), max_disk_bytes: None, checkpoint_interval: Duration::from_secs(300) }
    }
}

impl Default for Request {
    /// The engine `auto` with the default bound, on all threads of the machine and without limits.
    fn default() -> Self {
        Self {
            domain: PuzzleId::default(),
            options: OptionValues::default(),
            engine: EngineKind::AUTO,
            bound: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
            parameters: Parameters::default(),
            storage: StorageSettings::default(),
            max_listed_optimal: None,
        }
    }
}

/// Refuses a limit of resident memory that every process would exceed.
///
/// # Errors
/// [`PuzzleError::MemoryLimitTooSmall`].
pub fn check_memory_limit(found: u64) -> Result<(), PuzzleError> {
    let expected = super::memory::MIN_BYTES;
    if found < expected { Err(PuzzleError::MemoryLimitTooSmall { found, expected }) } else { Ok(()) }
}

/// The threads of a session that do not search: for signals, progress, checkpoints, files.
const HELPER_THREADS: usize = 8;

impl Request {
    /// Lowers the number of threads to what limits such as `ulimit -u` let this process start now. If the number was
    /// too high, returns the old number.
    #[must_use]
    pub fn clamp_threads(&mut self) -> Option<usize> {
        let wanted = self.threads;
        // The calling thread searches too.
        let startable = 1 + startable_threads(wanted - 1 + HELPER_THREADS);
        self.threads = startable.saturating_sub(HELPER_THREADS).clamp(1, wanted);
        (self.threads < wanted).then_some(wanted)
    }

    /// Refuses a request whose puzzle, engine and bound contradict each other. A search makes the same check.
    ///
    /// # Errors
    /// When the puzzle does not have the engine or the bound, or when any process would exceed the limit of memory.
    pub fn check(&self) -> Result<(), PuzzleError> {
        let Self { domain, engine, .. } = *self;
        self.limits.resident.map_or(Ok(()), check_memory_limit)?;
        if !domain.info().supports(engine) {
            return Err(PuzzleError::UnsupportedEngine { engine, domain });
        }
        self.bound.as_ref().map_or(Ok(()), |bound| bound.check(domain))
    }

    /// Makes the task of a board under the rules of this request.
    ///
    /// # Errors
    /// When the board is not a position of the puzzle.
    pub fn task<'b>(&self, board: &'b Board) -> Result<Box<dyn Task + 'b>, PuzzleError> {
        self.domain.checked_task(board, &self.options)
    }

    /// Refuses a puzzle whose lower bounds have no certificates, and an objective without them.
    ///
    /// # Errors
    /// [`PuzzleError::NoCertificates`], [`PuzzleError::NotCertifiable`].
    pub fn check_certificates(&self) -> Result<(), PuzzleError> {
        if !self.domain.info().has_certificates {
            return Err(PuzzleError::NoCertificates(self.domain));
        }
        // The objective is the same on every board.
        let Ok(board) = Board::new("", 1, 2, vec![0, 0], usual_symbols(1), Cell::default()) else { return Ok(()) };
        self.task(&board)?.as_certifiable().map_or(Ok(()), |task| task.check_form(CertificateForm::Records))
    }

    /// Refuses a puzzle whose searches have no states, and so no lower bounds.
    ///
    /// # Errors
    /// [`PuzzleError::NoStates`].
    pub fn check_states(&self) -> Result<(), PuzzleError> {
        let domain = self.domain;
        if domain.info().bounds.is_empty() { Err(PuzzleError::NoStates(domain)) } else { Ok(()) }
    }

    /// The method of the search.
    #[must_use]
    pub fn method(&self) -> SearchMethod<'_> {
        SearchMethod { engine: self.engine, bound: self.bound.as_ref(), parameters: &self.parameters }
    }

    /// The rules and the objective in words, in parentheses after a space; empty for a puzzle without variants.
    #[must_use]
    pub fn rules_suffix(&self) -> String {
        let rules = self.domain.rules(&self.options);
        if rules.is_empty() { rules } else { format!(" ({rules})") }
    }

    /// The objective of the option `objective`, or else the puzzle's first objective. If the objective is a score, its
    /// ceiling depends on the board, and is 0 here.
    #[must_use]
    pub fn objective(&self) -> Objective {
        let objectives = self.domain.info().objectives;
        let named = self.options.get("objective");
        let named = objectives.iter().find(|objective| Some(objective.name) == named);
        named.or(objectives.first()).copied().unwrap_or(Objective::MOVES)
    }

    /// The lower bound as a part of a checkpoint's identity. If solutions are programs, the lower bound is the size of
    /// a program.
    #[must_use]
    pub fn bound_identity(&self) -> String {
        let info = self.domain.info();
        let default = || info.bounds.iter().find(|bound| bound.is_default).map_or("that is best", |bound| bound.name);
        match &self.bound {
            _ if info.bounds.is_empty() => "that is its size".to_owned(),
            Some(bound) => bound.to_string(),
            None => default().to_owned(),
        }
    }

    /// The request for each of `board_count` boards that are searched side by side: one thread, and an equal share of
    /// the memory that the process has not used yet.
    #[must_use]
    pub fn for_parallel_boards(&self, board_count: usize) -> Self {
        let mut limits = self.limits;
        if board_count > 1 {
            let used_bytes = limits.resident.map_or(0, |_| resident_bytes());
            limits.memory = limits.memory.map(|bytes| bytes.saturating_sub(used_bytes) / board_count as u64);
        }
        Self { threads: 1, limits, ..self.clone() }
    }
}
