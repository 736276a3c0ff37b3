//! This process alone: the program was built without MPI.

use crate::cli::output::exit::Failure;
use gridhunt_search::runtime::{Exchange, launcher_variable};

/// This process, which is the only rank.
pub struct World;

impl World {
    /// Checks that this process is alone.
    ///
    /// # Errors
    /// When a launcher has started several processes. Each of them would search as if it were alone.
    pub fn begin() -> Result<Self, Failure> {
        match launcher_variable() {
            None => Ok(Self),
            Some((variable, value)) => Err(Failure::usage(format!(
                "found {variable}={value}: a launcher has started {value} processes, and this program was built without \
                 MPI; expected one process, or a program built with --features mpi (see docs/cluster.md)"
            ))),
        }
    }

    /// Runs the command. Returns the exit code.
    pub fn run(self, command: impl FnOnce(Option<&Exchange>) -> u8) -> u8 {
        command(None)
    }
}
