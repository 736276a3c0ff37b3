//! How the program ends: one code for each kind of end.

use gridhunt::board::BoardError;
use gridhunt::checkpoint::CheckpointError;
use gridhunt::driver::{ConfigError, HuntError, RunError, UnknownName};
use gridhunt::engine::{Outcome, Status};
use gridhunt::runtime::StopReason;
use gridhunt::store::StorageError;
use std::fmt::{Display, Write};
use std::io;

/// Every way to end, by exit code; `--help` prints this table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything asked for was done.
    Done = 0,
    /// `verify`: a solution is wrong; `bounds`: a lower bound is.
    Invalid = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A board, a solution or a configuration is wrong.
    BadInput = 3,
    /// A board has no solution, proven.
    Unsolvable = 4,
    /// The time limit ended a search.
    TimeLimit = 5,
    /// The memory limit ended a search.
    MemoryLimit = 6,
    /// The expansion limit ended a search.
    ExpansionLimit = 7,
    /// The engine ended by itself, without solution and without proof.
    NotFound = 8,
    /// The disk limit ended a search.
    DiskLimit = 9,
    /// A fault of this program.
    Internal = 70,
    /// The results, or the run directory, cannot be written.
    Output = 74,
    /// Ended by SIGINT.
    Interrupted = 130,
    /// Nobody reads the results any more.
    Pipe = 141,
    /// Ended by SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// From mild to severe: of several ends, the most severe decides.
    const BY_SEVERITY: [Self; 15] = [
        Self::Done,
        Self::Unsolvable,
        Self::NotFound,
        Self::ExpansionLimit,
        Self::TimeLimit,
        Self::MemoryLimit,
        Self::DiskLimit,
        Self::Invalid,
        Self::Usage,
        Self::BadInput,
        Self::Pipe,
        Self::Interrupted,
        Self::Terminated,
        Self::Output,
        Self::Internal,
    ];

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }

    fn describe(self) -> &'static str {
        match self {
            Self::Done => "done; solve: every board solved, each solution replayed",
            Self::Invalid => "verify: a solution is wrong; bounds: a lower bound is",
            Self::Usage => "the command line is wrong",
            Self::BadInput => "a board, a solution or a configuration is wrong",
            Self::Unsolvable => "a board is proven to have no solution",
            Self::TimeLimit => "the time limit ended a search (a solution may have been printed)",
            Self::MemoryLimit => "the memory limit ended a search (likewise)",
            Self::ExpansionLimit => "the expansion limit ended a search (likewise)",
            Self::DiskLimit => "the disk limit ended a search (likewise)",
            Self::NotFound => "an engine found no solution and proved nothing",
            Self::Internal => "internal error: a fault of this program",
            Self::Output => "the results, or the run directory, cannot be written",
            Self::Interrupted => "interrupted (SIGINT); a second signal ends at once",
            Self::Pipe => "nobody reads the results any more",
            Self::Terminated => "terminated (SIGTERM)",
        }
    }

    /// The more severe of two ends.
    pub fn and(self, other: Self) -> Self {
        let rank = |exit| Self::BY_SEVERITY.iter().position(|&e| e == exit);
        if rank(other) > rank(self) { other } else { self }
    }

    /// How a search ended.
    pub fn of_outcome(outcome: &Outcome) -> Self {
        match (outcome.status(), outcome.stopped) {
            (Status::Optimal, _) => Self::Done,
            (Status::Unsolvable, _) => Self::Unsolvable,
            (_, Some(StopReason::TimeLimit)) => Self::TimeLimit,
            (_, Some(StopReason::MemoryLimit)) => Self::MemoryLimit,
            (_, Some(StopReason::ExpansionLimit)) => Self::ExpansionLimit,
            (_, Some(StopReason::DiskLimit)) => Self::DiskLimit,
            (_, Some(StopReason::DiskFailed)) => Self::Output,
            (_, Some(StopReason::Interrupted)) => Self::Interrupted,
            (Status::Feasible, None) => Self::Done,
            (Status::Unknown, None) => Self::NotFound,
        }
    }

    /// The table of codes, as help prints it.
    pub fn table() -> String {
        let mut table = "Exit codes (of many boards the most severe decides):\n".to_owned();
        let mut all = Self::BY_SEVERITY;
        all.sort_by_key(|exit| exit.code());
        for exit in all {
            let _ = writeln!(table, "  {:>3}  {}", exit.code(), exit.describe());
        }
        table
    }
}

/// An end that is not the wanted one, with what people are told.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl Failure {
    /// The arguments fit the grammar but not each other, or not the input.
    pub fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, error: anyhow::anyhow!("{message}") }
    }

    /// The input is wrong.
    pub fn bad_input(message: impl Display) -> Self {
        Self { exit: Exit::BadInput, error: anyhow::anyhow!("{message}") }
    }

    /// Something that cannot happen has happened.
    pub fn internal(message: impl Display) -> Self {
        Self { exit: Exit::Internal, error: anyhow::anyhow!("{message}") }
    }

    /// The results cannot be written.
    pub fn output(error: io::Error) -> Self {
        let exit = if error.kind() == io::ErrorKind::BrokenPipe { Exit::Pipe } else { Exit::Output };
        Self { exit, error: anyhow::Error::new(error).context("cannot write the results") }
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        Self { exit: Exit::BadInput, error: error.into() }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self { exit: Exit::BadInput, error: error.into() }
    }
}

impl From<UnknownName> for Failure {
    fn from(error: UnknownName) -> Self {
        Self { exit: Exit::Usage, error: error.into() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        HuntError::from(error).into()
    }
}

impl From<HuntError> for Failure {
    fn from(error: HuntError) -> Self {
        let exit = match &error {
            _ if error.is_internal() => Exit::Internal,
            HuntError::NoBounds { .. }
            | HuntError::Engine { .. }
            | HuntError::Foreign { .. }
            | HuntError::Order { .. }
            | HuntError::Bound { .. }
            | HuntError::TooDear { .. } => Exit::Usage,
            HuntError::Checkpoint(CheckpointError::Storage(StorageError::Io { .. }))
            | HuntError::Run(
                RunError::Io { .. } | RunError::Checkpoint(CheckpointError::Storage(StorageError::Io { .. })),
            ) => Exit::Output,
            _ => Exit::BadInput,
        };
        Self { exit, error: error.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_code_and_its_rank() {
        let mut codes: Vec<_> = Exit::BY_SEVERITY.iter().map(|e| e.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 74, 130, 141, 143]);
        assert_eq!(Exit::table().lines().count(), 1 + codes.len());
    }

    #[test]
    fn the_most_severe_end_decides() {
        let cases = [
            (Exit::Done, Exit::TimeLimit, Exit::TimeLimit),
            (Exit::Unsolvable, Exit::TimeLimit, Exit::TimeLimit),
            (Exit::Interrupted, Exit::MemoryLimit, Exit::Interrupted),
            (Exit::BadInput, Exit::Internal, Exit::Internal),
            (Exit::Invalid, Exit::TimeLimit, Exit::Invalid),
            (Exit::Done, Exit::Done, Exit::Done),
        ];
        for (one, other, expected) in cases {
            assert_eq!(one.and(other), expected);
            assert_eq!(other.and(one), expected);
        }
    }
}
