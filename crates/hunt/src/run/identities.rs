//! The identities of the boards of a run.
//!
//! Results, events, rows of progress and checkpoints have an identity: puzzle, rules and board. The identity of a
//! checkpoint also names the lower bound. After an edit of `run.toml` or `boards.json`, and in a file of another run,
//! the identity of a line or a checkpoint differs from the board's. Such an entry proves nothing about the board: every
//! reader ignores it, and no command removes it. A line without an identity is ignored too.

use gridhunt_boards::plural;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The length and the modification time of a file; `None` if there is no file.
pub(super) type FileStamp = Option<(u64, Option<SystemTime>)>;

/// The identities of the boards of a run.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    /// The name of each board, and the identities of its results and of its checkpoints.
    pub(super) boards: Vec<[String; 3]>,
    /// `run.toml` and `boards.json`, with their lengths and times before they were read.
    pub(super) files: [(PathBuf, FileStamp); 2],
}

impl Identities {
    /// Whether `run.toml` and `boards.json` are unchanged since they were read.
    #[must_use]
    pub fn are_current(&self) -> bool {
        self.files.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
    }

    /// The number of boards.
    #[must_use]
    pub fn board_count(&self) -> usize {
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
        self.of(number).is_some_and(|[_, expected, _]| expected == identity)
    }
}

pub(super) fn stamp_of(path: &Path) -> FileStamp {
    fs::metadata(path).ok().map(|file| (file.len(), file.modified().ok()))
}

/// The note about the ignored lines of a file; `None` if there are none.
#[must_use]
pub fn ignored_lines_note(path: &Path, lines: usize) -> Option<String> {
    let (path, ignored) = (path.display(), plural(lines, "line"));
    (lines > 0).then(|| format!("{path}: ignored: {ignored} about another board, puzzle or rules"))
}

#[cfg(test)]
impl Identities {
    /// Makes the identities of boards whose names and identities are these texts.
    pub(super) fn named(names: &[&str]) -> Self {
        Self { boards: names.iter().map(|name| [*name; 3].map(str::to_owned)).collect(), ..Self::default() }
    }
}
