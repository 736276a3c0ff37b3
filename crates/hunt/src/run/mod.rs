//! A run directory: everything that `resume` needs to continue a run, on any machine, however the run ended.
//!
//! ```text
//! run.toml       the request, as a configuration
//! boards.json    the boards, one JSON object each
//! checksums      the checksums of run.toml and boards.json
//! results.jsonl  one line for each search that ended, with a checksum; the last line about a board is valid
//! events.jsonl   the log of events
//! progress.jsonl the progress of all sessions, a row every ten seconds and at each end of a layer
//! lock           locked by the process that runs the search
//! boards/N/      the checkpoints of board N while its search is under way (see `checkpoint`)
//! boards/N/ida/  the checkpoints of IDA*, if `auto` continues the search with IDA*
//! stop           asks the process that runs the search to end (see `stop`)
//! ```
//!
//! **Creation.** A process makes the directory, locks `lock` in it, and only then looks at what else is there. Every
//! other file is written under the lock, and `run.toml` is the last one. So a directory with `run.toml` is complete. A
//! directory without it belongs to nobody once its lock is free: the next creation begins anew in it.

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

/// Whether a path looks like a run directory, whatever its files hold.
#[must_use]
pub fn is_run(path: &Path) -> bool {
    path.join(files::CONFIG).is_file()
}
