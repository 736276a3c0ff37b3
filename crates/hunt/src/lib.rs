//! Turns a board and a [`Request`] into a [`BoardRecord`]. Also has configurations, run directories and batches.
//!
//! [`solve_board`] searches one board: board -> puzzle -> engine -> replay. [`Batch`] searches many boards, side by
//! side or one after another, and delivers their records in input order.
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

// The puzzles that the tests link.
#[cfg(test)]
use {gridhunt_bunny as _, gridhunt_clickomania as _, gridhunt_floodit as _};

mod amount;
mod atomic_file;
mod batch;
mod batch_observer;
mod board_record;
mod board_search;
mod certify;
mod config;
mod delivery_log;
mod error;
mod facts;
mod identity;
mod known_range;
pub mod memory;
mod options;
mod parallelism;
mod path_kind;
mod ranks;
mod request;
mod run;
mod run_error;
mod selection;
mod shell_quoted;
pub mod shipped;
mod solve;
mod study;
mod value;

pub use amount::{ByteCount, ThreadCount, TimeSpan};
pub use atomic_file::{create_beside, remove_left_beside, write_atomically};
pub use batch::{Batch, BatchError, BoardResult, FailedBoard};
pub use batch_observer::{BatchObserver, BatchObservers, BoardSearchInfo};
pub use board_record::{BoardRecord, Contradiction, SolutionRecord, rounded};
pub use certify::{BoardFolder, certifiable_task, certify_board, check_certificate, write_certificate};
pub use config::FoundConfig;
pub use error::{HuntError, error_chain};
pub use facts::Facts;
pub use known_range::KnownRange;
pub use options::{
    Config, DatasetOptions, EngineOptions, FormatOptions, PuzzleOptions, ResourceOptions, RunOptions, SelectionOptions,
    StorageOptions,
};
pub use parallelism::Parallelism;
pub use path_kind::{PathKind, json_object_in, nearest_path, run_dirs_in};
pub use ranks::{RankOptions, Ranks, end_other_ranks, follow_leader};
pub use request::{Request, StorageSettings, check_memory_limit};
pub use run::{
    CheckedFiles, History, Identities, MergedResults, Results, RunDir, RunState, StopListener, StopRequest,
    ignored_lines_note, is_run, line_checksum, searching_process,
};
pub use run_error::{ConfigError, RunError};
pub use selection::Selection;
pub use shell_quoted::shell_quoted;
pub use solve::{OptimalSolutions, optimal_solutions, solve_board};
pub use study::{Study, StudyRequest, study_board};
pub use value::{OptionValue, choice_parser};
