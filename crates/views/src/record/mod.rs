//! The progress of a run: rows (`row.rs`) that are written to `progress.jsonl`, and read by every view.

mod board;
mod file;
mod log;
mod recorder;
mod row;
#[cfg(test)]
mod tests;
mod thin;

#[cfg(test)]
pub(super) use file::read_rows;
pub(super) use file::retain_admitted;
pub use file::{PROGRESS_FILE, ProgressReader, ProgressUpdate, RunRows};
pub use log::{LiveView, ProgressLog, ProgressSinks};
pub(super) use recorder::ROW_INTERVAL_SECONDS;
pub use recorder::SessionFacts;
pub use row::{CheckpointProgress, ProgressRow, RowEvent, StageProgress};
pub(super) use thin::select_rows;
