//! A request: the puzzle, the engine, the lower bound, the number of threads, and the limits.

use super::{BoundName, PuzzleError, PuzzleId, clickomania};
use gridhunt_search::engine::{EngineKind, Parameters};
use gridhunt_search::platform::resident_bytes;
use gridhunt_search::runtime::Limits;
use std::path::PathBuf;
use std::time::Duration;

/// The least limit of resident memory: the program, its threads and a small board take about half.
pub const LEAST_MEMORY: u64 = 32 << 20;

/// The request for every board of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The puzzle that the boards belong to.
    pub domain: PuzzleId,
    /// The options of Clickomania.
    pub clickomania: clickomania::Options,
    /// The engine.
    pub engine: EngineKind,
    /// The lower bound; `None` selects the puzzle's default.
    pub bound: Option<BoundName>,
    /// The number of worker threads of the whole run, at least 1.
    pub threads: usize,
    /// Limits. Time and expansions are limits for each board. Memory is a limit for the whole process, so boards that
    /// are searched side by side share the memory. If `resident` is set too, memory is the resident memory of the
    /// process; otherwise memory is what a search counts.
    pub limits: Limits,
    /// The parameters of the engines.
    pub parameters: Parameters,
    /// The use of the disk.
    pub storage: Storage,
}

/// The folders, the limit and the checkpoint interval of a search that uses the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Folders for states that do not fit into memory. If the list is empty, these states go to the run directory.
    pub spill: Vec<PathBuf>,
    /// The limit of disk space, in bytes for each board.
    pub disk: Option<u64>,
    /// Time between two checkpoints of a run.
    pub checkpoint: Duration,
}

impl Default for Storage {
    /// A checkpoint every five minutes, without a limit of disk space.
    fn default() -> Self {
        Self { spill: Vec::new(), disk: None, checkpoint: Duration::from_secs(300) }
    }
}

impl Default for Request {
    /// The engine `auto` with the default bound, on all threads of the machine and without limits.
    fn default() -> Self {
        Self {
            domain: PuzzleId::default(),
            clickomania: clickomania::Options::default(),
            engine: EngineKind::Auto,
            bound: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
            parameters: Parameters::default(),
            storage: Storage::default(),
        }
    }
}

/// Refuses a limit of resident memory to which no process could keep.
///
/// # Errors
/// [`PuzzleError::Memory`].
pub fn check_memory(found: u64) -> Result<(), PuzzleError> {
    if found < LEAST_MEMORY { Err(PuzzleError::Memory { found, expected: LEAST_MEMORY }) } else { Ok(()) }
}

impl Request {
    /// Refuses a request whose puzzle, engine and bound contradict each other. A search makes the same check.
    ///
    /// # Errors
    /// When the puzzle does not have the engine or the bound, or when the process could not keep to its limit of
    /// memory.
    pub fn check(&self) -> Result<(), PuzzleError> {
        let Self { domain, engine, .. } = *self;
        self.limits.resident.map_or(Ok(()), check_memory)?;
        if !domain.supports(engine) {
            return Err(PuzzleError::Engine { engine, domain });
        }
        check_bound(self.bound.as_ref(), domain)
    }

    /// The request for one of `side_by_side` boards that are searched at the same time. Each board gets one thread and
    /// an equal share of the memory that the process does not hold yet.
    #[must_use]
    pub fn share(&self, side_by_side: usize) -> Self {
        let mut limits = self.limits;
        if side_by_side > 1 {
            let held = limits.resident.map_or(0, |_| resident_bytes());
            limits.memory = limits.memory.map(|bytes| bytes.saturating_sub(held) / side_by_side as u64);
        }
        Self { threads: 1, limits, ..self.clone() }
    }
}

/// Refuses a bound that `domain` does not have.
///
/// # Errors
/// When `bound` names a bound that only other puzzles have.
pub fn check_bound(bound: Option<&BoundName>, domain: PuzzleId) -> Result<(), PuzzleError> {
    match bound.filter(|bound| !bound.is_of(domain)) {
        Some(foreign) => {
            let what = format!("the bound {foreign}");
            Err(PuzzleError::Foreign { what, domain, expected: foreign.domain() })
        }
        None => Ok(()),
    }
}
