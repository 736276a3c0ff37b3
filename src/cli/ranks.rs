//! Ranks: the processes that a launcher of MPI programs has started. One of them leads: it reads the arguments' files
//! and prints results. The others take part in its searches.

use super::exit::Failure;
#[cfg(feature = "mpi")]
use super::output::tell;
use gridhunt::hunt::{Config, Parallel, Part};
use gridhunt_search::runtime::Exchange;
#[cfg(not(feature = "mpi"))]
use gridhunt_search::runtime::launched;
use std::ffi::OsString;

/// The exchange with other ranks, if there are any.
pub type OtherRanks<'a> = Option<&'a Exchange>;

/// This process among the ranks.
pub struct World {
    #[cfg(feature = "mpi")]
    mpi: Option<gridhunt_search::runtime::MpiWorld>,
}

/// Whether this is `gridhunt hunt --part auto`: however many processes a launcher has started, each searches a part of
/// the boards by itself.
pub fn searches_own_part() -> bool {
    let words: Vec<_> = std::env::args_os().collect();
    let is_auto = |pair: &[OsString]| pair[0] == "--part" && pair[1] == Part::AUTO;
    words.windows(2).any(is_auto) || words.iter().any(|word| word == &*format!("--part={}", Part::AUTO))
}

/// Refuses a configuration that contradicts itself, or that several ranks cannot search.
///
/// # Errors
/// At the first contradiction.
pub fn check(config: &Config, ranks: OtherRanks<'_>) -> Result<(), Failure> {
    config.check()?;
    if ranks.is_some() && config.parallel == Some(Parallel::Boards) {
        let expected = "--parallel search, or a part of the boards for each process: gridhunt hunt --part auto";
        return Err(Failure::usage(format!("found --parallel boards on several ranks, expected {expected}")));
    }
    Ok(())
}

impl World {
    /// This process by itself.
    pub fn alone() -> Self {
        Self {
            #[cfg(feature = "mpi")]
            mpi: None,
        }
    }
}

#[cfg(not(feature = "mpi"))]
impl World {
    /// # Errors
    /// When a launcher has started several processes. Each of them would search as if it were alone.
    pub fn begin() -> Result<Self, Failure> {
        match launched() {
            None => Ok(Self::alone()),
            Some((variable, value)) => Err(Failure::usage(format!(
                "found {variable}={value}: a launcher has started {value} processes, and this program was built without \
                 MPI; expected one process, or a program built with --features mpi (see docs/cluster.md)"
            ))),
        }
    }

    /// Runs the command. Returns the exit code.
    pub fn run(self, command: impl FnOnce(OtherRanks<'_>) -> u8) -> u8 {
        command(None)
    }
}

/// Ends all other ranks, because this one has panicked.
pub fn end_all() {
    #[cfg(feature = "mpi")]
    gridhunt_search::runtime::abort_world();
}

#[cfg(feature = "mpi")]
impl World {
    /// # Errors
    /// When the launcher and the MPI library do not belong together.
    pub fn begin() -> Result<Self, Failure> {
        let mpi = gridhunt_search::runtime::MpiWorld::begin(|reason| tell(&format!("gridhunt: {reason}")));
        mpi.map(|mpi| Self { mpi }).map_err(|error| Failure::usage(error.to_string()))
    }

    /// Runs the command on the leading rank; the others take part. Returns the exit code of the leader, on all ranks.
    pub fn run(self, command: impl FnOnce(OtherRanks<'_>) -> u8) -> u8 {
        use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
        let Some(world) = self.mpi else { return command(None) };
        let exchange = world.exchange();
        let is_over = AtomicBool::new(false);
        let code = std::thread::scope(|scope| {
            let pulse = std::thread::Builder::new().name("pulse".to_owned());
            let beat = || exchange.keep_alive(PULSE, patience(), &|| is_over.load(Relaxed));
            if let Err(error) = pulse.spawn_scoped(scope, beat) {
                exchange.abort(&format!("rank {}: a thread cannot be started: {error}", exchange.rank()));
            }
            let code = if exchange.leads() {
                let code = command(Some(exchange));
                gridhunt::hunt::dismiss(exchange);
                code
            } else {
                follow(exchange);
                0
            };
            is_over.store(true, Relaxed);
            code
        });
        let code = exchange.agree_on(&code).first().copied().unwrap_or(code);
        world.end(code);
        code
    }
}

/// The time between two signs of life of a rank.
#[cfg(feature = "mpi")]
const PULSE: std::time::Duration = std::time::Duration::from_millis(200);

/// The time without a sign of life after which a rank is taken for lost: a minute, unless `GRIDHUNT_RANK_TIMEOUT` says
/// otherwise in seconds.
#[cfg(feature = "mpi")]
fn patience() -> std::time::Duration {
    let seconds = std::env::var("GRIDHUNT_RANK_TIMEOUT").ok().and_then(|value| value.parse().ok());
    std::time::Duration::from_secs(seconds.unwrap_or(60))
}

/// The work of a rank that does not lead.
#[cfg(feature = "mpi")]
fn follow(exchange: &Exchange) {
    use super::signals::Watch;
    use super::system::survive_file_size_limit;
    use gridhunt_search::runtime::StopToken;
    let stop = std::sync::Arc::new(StopToken::new());
    let followed = survive_file_size_limit()
        .and_then(|()| Watch::install(&stop))
        .map_err(|error| error.to_string())
        .and_then(|_| gridhunt::hunt::follow(exchange, &stop).map_err(|error| error.to_string()));
    if let Err(reason) = followed {
        exchange.abort(&format!("rank {}: {reason}", exchange.rank()));
    }
}
