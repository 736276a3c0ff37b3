//! Ranks: the processes that a launcher of MPI programs has started. One of them leads: it reads the files that the
//! arguments name, and prints results. The others take part in its searches.

#[cfg(feature = "mpi")]
#[path = "ranks/with_mpi.rs"]
mod imp;
#[cfg(not(feature = "mpi"))]
#[path = "ranks/without_mpi.rs"]
mod imp;
#[cfg(any(feature = "mpi", test))]
mod introduction;

pub use imp::World;

use crate::cli::output::exit::Failure;
use gridhunt::hunt::{Config, Parallelism};
use gridhunt_search::engine::StateEngine;
use gridhunt_search::runtime::Exchange;

/// The exchange with other ranks, if there are any.
pub type OtherRanks<'a> = Option<&'a Exchange>;

/// Refuses a configuration that contradicts itself, or that several ranks cannot search.
pub fn check(config: &Config, ranks: OtherRanks<'_>) -> Result<(), Failure> {
    config.check()?;
    if ranks.is_some() && config.parallel == Some(Parallelism::Boards) {
        let expected = "--parallel search, or processes without a launcher, each with some boards (--boards 1-100)";
        return Err(Failure::usage(format!("found --parallel boards on several ranks, expected {expected}")));
    }
    if ranks.is_some() && config.engine == Some(StateEngine::IDA.into()) {
        let expected = "auto, learning or best-first, which run on ranks";
        return Err(Failure::usage(format!("found the engine ida on several ranks, expected {expected}")));
    }
    Ok(())
}

/// Ends all other ranks, because this one has panicked.
pub fn abort_other_ranks() {
    #[cfg(feature = "mpi")]
    gridhunt_mpi::abort_world();
}
