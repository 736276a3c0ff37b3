//! The run directory: all data to resume a run, on any machine, however the run ended.
//!
//! ```text
//! run.toml       the request, as a configuration
//! boards.json    the boards, one JSON object each
//! checksums      the checksums of run.toml and boards.json
//! results.jsonl  one line for each search that ended, with a checksum
//! events.jsonl   the log of events
//! progress.jsonl the progress of all sessions, a row every ten seconds and at each end of a layer
//! lock           locked by the process that runs the search
//! boards/N/      the checkpoints of board N while its search is under way (see `checkpoint`)
//! boards/N/ida/  the checkpoints of IDA*, if `auto` continues the search with IDA*
//! stop           asks the process that runs the search to end (see `stop.rs`)
//! delivered      the numbers of the boards whose results were delivered (see `delivery_log.rs`)
//! ranks          shows ranks that they see the same directory (see `rank_mark.rs`)
//! ```
//!
//! **Creation.** A process makes the directory, locks `lock` in it, and then checks the other content. Every other file
//! is written under the lock, `run.toml` last. So a directory with `run.toml` is complete. A directory without
//! `run.toml`, whose lock is free, was left by an interrupted creation, and the next creation uses it.

mod checksums;
mod create;
mod dir;
mod files;
mod history;
mod identities;
pub mod line_checksum;
mod lock;
mod merged_results;
mod rank_mark;
mod results;
mod state;
mod stop;
#[cfg(test)]
mod tests;

pub use dir::RunDir;
pub(crate) use dir::discard_all;
pub use history::History;
pub use identities::{Identities, ignored_lines_note};
pub use merged_results::MergedResults;
pub use results::Results;
pub use state::{CheckedFiles, RunState, searching_process};
pub use stop::{StopListener, StopRequest};

use std::path::Path;

/// Whether a path looks like a run directory. Its files are not read.
#[must_use]
pub fn is_run(path: &Path) -> bool {
    path.join(files::CONFIG).is_file()
}
