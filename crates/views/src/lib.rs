#![doc = include_str!("../README.md")]
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

// The puzzles that the tests link.
#[cfg(test)]
use {gridhunt_bunny as _, gridhunt_clickomania as _, gridhunt_floodit as _};

pub mod film;
mod json;
mod log_table;
mod number_format;
pub mod page;
mod progress;
mod progress_line;
mod record;
mod result_table;
mod run;
mod run_log;
mod run_text;
mod session_end;
mod study;
mod summary;
mod text;
mod totals;
mod verdict;
pub mod watch;
mod writer;

pub use json::{MissingRecord, result_to_json};
pub use log_table::{RowLog, log_heading};
pub use number_format::{bytes, count, seconds, signed};
pub use progress::{HideableScreen, LiveLine, ProgressDisplay};
pub use record::{
    CheckpointProgress, LiveView, PROGRESS_FILE, ProgressLog, ProgressReader, ProgressRow, ProgressSinks,
    ProgressUpdate, RowEvent, RunRows, SessionFacts, StageProgress,
};
pub use result_table::{result_to_csv, result_to_markdown, results_csv_header, results_markdown_header};
pub use run::{BegunReport, CheckpointReport, NowReport, RunReport, resume_command};
pub use run_log::{EventLine, RunLog};
pub use study::{TrialRow, WholeTrial, study_csv_header, study_markdown, study_table, study_to_csv, trial_to_json};
pub use summary::Summary;
pub use text::{optimal_solutions_text, plural, published_remark, result_line, result_text, wrap_words};
pub use totals::{Sums, Totals};
pub use verdict::{JsonVerdict, verdict_line};
