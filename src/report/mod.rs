//! Output for people and programs: progress, results, JSON, summaries.
//!
//! This module turns [`gridhunt_search::runtime::Event`] and [`crate::hunt::BoardRecord`] into text. The caller decides
//! where the text is written.

pub mod film;
pub mod game;
mod json;
mod line;
mod log_table;
mod number_format;
pub mod page;
mod progress;
mod record;
mod rows;
mod run;
mod run_log;
mod run_text;
mod session_end;
mod study;
mod summary;
mod text;
mod totals;
mod verdict;
mod view;
pub mod watch;
mod writer;

pub use json::{MissingRecord, result_to_json};
pub use log_table::log_heading;
pub use number_format::{bytes, count, seconds, signed};
pub use progress::{Progress, TerminalShare};
pub use record::{
    CheckpointProgress, PROGRESS, ProgressLog, ProgressNews, ProgressReader, ProgressRow, ProgressSinks, RowEvent,
    SessionFacts, StageProgress, Viewer, rows_of_run,
};
pub use rows::{result_to_csv, result_to_markdown, results_csv_header, results_markdown_header};
pub use run::{BegunReport, CheckpointReport, JsonStatus, RunReport, resume_command};
pub use run_log::{EventLine, RunLog};
pub use study::{TrialRow, WholeTrial, csv_header, study_markdown, study_table, to_csv, trial_to_json};
pub use summary::Summary;
pub use text::{published_remark, result_line, result_text};
pub use totals::{Sums, Totals};
pub use verdict::{JsonVerdict, verdict_line};
