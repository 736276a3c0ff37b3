//! Ranks: the processes that a launcher of MPI programs has started. One of them leads: it reads the arguments' files
//! and prints results. The others take part in its searches.

#[cfg(any(feature = "mpi", test))]
mod introduction;
#[cfg(feature = "mpi")]
#[path = "ranks/with_mpi.rs"]
mod own;
#[cfg(not(feature = "mpi"))]
#[path = "ranks/without_mpi.rs"]
mod own;

pub use own::World;

use super::exit::Failure;
use gridhunt::hunt::{Config, Parallel, Part};
use gridhunt_search::runtime::Exchange;
use std::ffi::OsString;

/// The exchange with other ranks, if there are any.
pub type OtherRanks<'a> = Option<&'a Exchange>;

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

/// Ends all other ranks, because this one has panicked.
pub fn end_all() {
    #[cfg(feature = "mpi")]
    gridhunt_search::runtime::abort_world();
}
