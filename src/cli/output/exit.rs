//! The exit codes of the program.

use crate::cli::process::system::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU};
use gridhunt::hunt::{ConfigError, HuntError, RunError};
use gridhunt::puzzles::{PuzzleError, UnknownName};
use gridhunt_boards::{BoardError, WriteError};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::engine::{ProofError, Status};
use gridhunt_search::runtime::StopReason;
use gridhunt_search::store::{StorageError, limit_advice};
use std::fmt::{Display, Write};
use std::io;
use std::path::Path;

/// The exits of the program with their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command is done.
    Done = 0,
    /// `verify`: a solution is wrong; `check`: a certificate is refused; `bounds`: a lower bound is wrong.
    Invalid = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A board, a solution or a configuration is wrong.
    BadInput = 3,
    /// A board is proven to have no solution.
    Unsolvable = 4,
    /// The time limit ended a search.
    TimeLimit = 5,
    /// The memory limit ended a search.
    MemoryLimit = 6,
    /// The expansion limit ended a search.
    ExpansionLimit = 7,
    /// The engine ended without a limit, without a solution and without a proof.
    NotFound = 8,
    /// The disk limit ended a search.
    DiskLimit = 9,
    /// A fault of this program.
    Internal = 70,
    /// The system refuses a thread or a signal handler.
    System = 71,
    /// The results, or the run directory, cannot be written.
    Output = 74,
    /// Ended by SIGHUP.
    HungUp = 128 + SIGHUP as u8,
    /// Ended by SIGINT.
    Interrupted = 128 + SIGINT as u8,
    /// Ended by SIGQUIT.
    Quit = 128 + SIGQUIT as u8,
    /// Ended by SIGUSR1.
    UserSignal = 128 + SIGUSR1 as u8,
    /// The reader of the results has closed the pipe.
    Pipe = 128 + SIGPIPE as u8,
    /// Ended by SIGTERM.
    Terminated = 128 + SIGTERM as u8,
    /// Ended by SIGXCPU.
    CpuLimit = 128 + SIGXCPU as u8,
}

impl Exit {
    /// All exits in rising severity, with their lines in `--help`. The most severe exit of a run decides.
    const BY_SEVERITY: [(Self, &'static str); 20] = [
        (Self::Done, "done; solve: every board solved, each solution replayed"),
        (Self::Unsolvable, "a board is proven to have no solution"),
        (Self::NotFound, "an engine found no solution and proved nothing"),
        (Self::ExpansionLimit, "the expansion limit ended a search (likewise)"),
        (Self::TimeLimit, "the time limit ended a search (a solution may have been printed)"),
        (Self::MemoryLimit, "the memory limit ended a search (likewise)"),
        (Self::DiskLimit, "the disk limit ended a search (likewise)"),
        (Self::Invalid, "verify: a solution is wrong; check: a certificate is; bounds: a lower bound is"),
        (Self::Usage, "the command line is wrong"),
        (Self::BadInput, "a board, a solution, a configuration or a run directory is wrong"),
        (Self::Pipe, "the reader of the results is gone (broken pipe)"),
        (Self::Interrupted, "interrupted (SIGINT); a second one ends at once"),
        (Self::Quit, "asked to quit (SIGQUIT)"),
        (Self::Terminated, "terminated (SIGTERM)"),
        (Self::HungUp, "hung up (SIGHUP)"),
        (Self::UserSignal, "asked to end (SIGUSR1), as batch systems do before the time limit"),
        (Self::CpuLimit, "the CPU time limit is reached (SIGXCPU)"),
        (Self::Output, "the results, or the run directory, cannot be read or written"),
        (Self::System, "the system refuses a thread or a signal handler (ulimit -u, -v or -n)"),
        (Self::Internal, "internal error: a fault of this program"),
    ];

    pub fn code(self) -> u8 {
        self as u8
    }

    /// The more severe of two exits.
    pub fn more_severe(self, other: Self) -> Self {
        let rank = |exit| Self::BY_SEVERITY.iter().position(|&(e, _)| e == exit);
        if rank(other) > rank(self) { other } else { self }
    }

    /// The exit for the outcome of a search.
    pub fn of_status(status: Status, stopped: Option<StopReason>) -> Self {
        match (status, stopped) {
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

    /// The exit for a board, or a session, that failed.
    pub fn of_error(error: &HuntError) -> Self {
        match error {
            _ if error.is_internal() => Self::Internal,
            HuntError::Threads { .. } => Self::System,
            HuntError::Puzzle(error) => Self::of_puzzle_error(error),
            HuntError::Run(
                RunError::Io { .. }
                | RunError::Write(WriteError::Write(_))
                | RunError::Checkpoint(CheckpointError::Storage(StorageError::Io { .. })),
            ) => Self::Output,
            _ => Self::BadInput,
        }
    }

    fn of_puzzle_error(error: &PuzzleError) -> Self {
        match error {
            PuzzleError::NotCertified { reason: ProofError::Stopped(reason), .. } => {
                Self::of_status(Status::Unknown, Some(*reason))
            }
            PuzzleError::MemoryLimitTooSmall { .. } => Self::MemoryLimit,
            PuzzleError::NoStates(_)
            | PuzzleError::NoCertificates(_)
            | PuzzleError::NotCertifiable { .. }
            | PuzzleError::UnknownKind { .. }
            | PuzzleError::UnsupportedEngine { .. }
            | PuzzleError::OtherDomain { .. }
            | PuzzleError::InapplicableBound { .. }
            | PuzzleError::CostTooLarge { .. } => Self::Usage,
            PuzzleError::Checkpoint(CheckpointError::Storage(StorageError::Io { .. })) => Self::Output,
            _ => Self::BadInput,
        }
    }

    /// The table of exit codes for `--help`.
    pub fn table() -> String {
        let mut table = "Exit codes (with many boards, the most severe one):\n".to_owned();
        let mut all = Self::BY_SEVERITY;
        all.sort_by_key(|(exit, _)| exit.code());
        for (exit, meaning) in all {
            let _ = writeln!(table, "  {:>3}  {meaning}", exit.code());
        }
        table
    }
}

/// A failure of a command: the exit and the error message.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl Failure {
    /// The failure for arguments that contradict each other or the input.
    pub fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, error: anyhow::anyhow!("{message}") }
    }

    /// The failure for a wrong input.
    pub fn bad_input(message: impl Display) -> Self {
        Self { exit: Exit::BadInput, error: anyhow::anyhow!("{message}") }
    }

    /// The failure for a fault of this program.
    pub fn internal(message: impl Display) -> Self {
        Self { exit: Exit::Internal, error: anyhow::anyhow!("{message}") }
    }

    /// The failure for a thread or a signal handler that the system refuses.
    pub fn system(error: io::Error) -> Self {
        let error = anyhow::anyhow!("cannot start a thread or handle signals: {error}{}", limit_advice(&error));
        Self { exit: Exit::System, error }
    }

    /// The failure for a log: its file cannot be written, or the system refuses its thread.
    pub fn log(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::WouldBlock { Self::system(error) } else { Self::output(error) }
    }

    /// The failure for a file that cannot be written.
    pub fn output_to(path: &Path, error: io::Error) -> Self {
        let Self { exit, error } = Self::output(error);
        Self { exit, error: error.context(path.display().to_string()) }
    }

    /// The failure for results that cannot be written.
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

impl From<PuzzleError> for Failure {
    fn from(error: PuzzleError) -> Self {
        HuntError::from(error).into()
    }
}

impl From<HuntError> for Failure {
    fn from(error: HuntError) -> Self {
        let exit = Exit::of_error(&error);
        match next_command(&error) {
            Some(next) => Self { exit, error: anyhow::anyhow!("{error}; {next}") },
            None => Self { exit, error: error.into() },
        }
    }
}

/// The command or flag that may help. The library does not know flags.
fn next_command(error: &HuntError) -> Option<String> {
    match error {
        HuntError::Puzzle(PuzzleError::OtherDomain { expected, .. }) => {
            Some(format!("add --domain {expected}, or domain = '{expected}' in a configuration"))
        }
        HuntError::Puzzle(PuzzleError::NoStates(_)) => {
            Some("gridhunt bounds lists the lower bounds, and gridhunt solve searches the board".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_code_and_its_rank() {
        let mut codes: Vec<_> = Exit::BY_SEVERITY.iter().map(|(exit, _)| exit.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGPIPE, SIGTERM, SIGXCPU].map(|signal| 128 + signal as u8);
        let mut expected = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 71, 74].into_iter().chain(signals).collect::<Vec<_>>();
        expected.sort_unstable();
        assert_eq!(codes, expected);
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
            assert_eq!(one.more_severe(other), expected);
            assert_eq!(other.more_severe(one), expected);
        }
    }
}
