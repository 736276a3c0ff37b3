//! What the searches of a run are about. What its files hold counts only for these searches.
//!
//! Results, events, rows of progress and checkpoints name an identity: puzzle, rules and board; that of a checkpoint
//! has the lower bound too. After an edit of `run.toml` or `boards.json`, and in a file of another run, this identity
//! differs from that of the board. Then the line or the checkpoint proves nothing about the board: every reader leaves
//! it out, and nobody removes it. A line without an identity does not say what it proves, and is left out too.

use gridhunt_boards::plural;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The length of a file, and when it was written. Both change with the file. `None` if there is no file.
pub(super) type Stamp = Option<(u64, Option<SystemTime>)>;

/// What the searches of the boards of a run are about.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    /// The name of each board, and the identities of its results and of its checkpoints.
    pub(super) boards: Vec<[String; 3]>,
    /// `run.toml` and `boards.json`, with their lengths and times before they were read.
    pub(super) files: [(PathBuf, Stamp); 2],
}

impl Identities {
    /// Whether `run.toml` and `boards.json` are as they were when they were read.
    #[must_use]
    pub fn are_current(&self) -> bool {
        self.files.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
    }

    /// The number of boards.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.boards.len()
    }

    /// The name of a board, and the identities of its results and of its checkpoints; `None` if the run has no such
    /// board.
    pub(super) fn of(&self, number: usize) -> Option<&[String; 3]> {
        self.boards.get(number.checked_sub(1)?)
    }

    /// Whether a line or a checkpoint with this identity counts for board `number`.
    #[must_use]
    pub fn matches(&self, number: usize, identity: &str) -> bool {
        self.of(number).is_some_and(|[_, own, _]| own == identity)
    }
}

/// The stamp of a file now.
pub(super) fn stamp_of(path: &Path) -> Stamp {
    fs::metadata(path).ok().map(|file| (file.len(), file.modified().ok()))
}

/// The note about lines of a file that were left out; `None` if there are none.
#[must_use]
pub fn ignored_lines_note(path: &Path, lines: usize) -> Option<String> {
    let ignored =
        || format!("{}: ignored: {} about another board, puzzle or rules", path.display(), plural(lines, "line"));
    (lines > 0).then(ignored)
}

#[cfg(test)]
impl Identities {
    /// Makes boards with these identities.
    pub(super) fn named(names: &[&str]) -> Self {
        Self { boards: names.iter().map(|name| [*name; 3].map(str::to_owned)).collect(), ..Self::default() }
    }
}
