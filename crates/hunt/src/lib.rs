//! Turns a board and a [`Request`] into a replayed [`BoardRecord`]; also configurations, run directories and batches.
//!
//! [`solve_board`] searches one board: board -> puzzle -> engine -> replay. [`Batch`] searches many boards, side by
//! side or one after another, and delivers their reports in input order.
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

// The puzzles that the tests link.
#[cfg(test)]
use {gridhunt_bunny as _, gridhunt_clickomania as _, gridhunt_floodit as _};

mod amount;
mod audience;
mod batch;
mod board_record;
mod board_search;
mod certify;
mod config;
mod delivered;
mod error;
mod facts;
mod identity;
mod known_range;
pub mod memory;
mod options;
mod parallel;
mod path_kind;
mod quoted;
mod ranks;
mod request;
mod run;
mod run_error;
mod selection;
pub mod shipped;
mod solve;
mod study;
mod value;
mod whole_file;

pub use amount::{Size, Threads, Time};
pub use audience::{Audience, Audiences, BoardSearchInfo};
pub use batch::{Batch, BatchError, BoardResult, FailedBoard};
pub use board_record::{BoardRecord, Contradiction, SolutionRecord, rounded};
pub use certify::{BoardFolder, certificates, certify_board, check_certificate, write_certificate};
pub use config::FoundConfig;
pub use error::{HuntError, in_full};
pub use facts::Facts;
pub use known_range::KnownRange;
pub use options::{
    Config, DatasetOptions, EngineOptions, FormatOptions, PuzzleOptions, ResourceOptions, RunOptions, SelectionOptions,
    StorageOptions,
};
pub use parallel::Parallel;
pub use path_kind::{PathKind, nearest_path, object_in, runs_in};
pub use quoted::quoted;
pub use ranks::{RankOptions, Ranks, dismiss, follow};
pub use request::{Request, Storage, check_memory};
pub use run::{
    Checked, History, Identities, JoinedResults, Results, RunDir, RunState, StopListener, StopRequest, is_run,
    note_left_out, sealed, searching_process,
};
pub use run_error::{ConfigError, RunError};
pub use selection::Selection;
pub use solve::{OptimalSolutions, optimal_solutions, solve_board};
pub use study::{Study, StudyRequest, study_board};
pub use value::{Value, one_of};
pub use whole_file::write_whole;
