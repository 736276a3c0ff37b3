//! What people and programs get to read: progress, results, JSON, summaries.
//!
//! Everything here consumes [`crate::runtime::Event`] and [`crate::driver::Report`] and makes text of them; where the
//! text goes is for the caller to say.

mod chronicle;
mod figures;
mod json;
mod progress;
mod run;
mod study;
mod summary;
mod text;
mod view;

pub use chronicle::{Chronicle, JsonStatus};
pub use figures::{bytes, count, seconds};
pub use json::{JsonReport, JsonVerdict, to_json};
pub use progress::Progress;
pub use run::{CheckpointReport, RunReport};
pub use study::{
    PlotError, TrialRow, csv_header, expansions_by_bound, gap_by_depth, study_table, to_csv, trial_to_json,
};
pub use summary::Summary;
pub use text::{published_remark, result_line, result_text};
