//! Errors of reading and writing boards.

use super::Format;

/// A position in a file. Lines and columns count from 1; 0 means that the error belongs to no single line or column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Line from 1.
    pub line: usize,
    /// Column from 1, in characters.
    pub column: usize,
}

/// Why an input is no board, or why a board is out of range.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The input has something other than expected.
    #[error("{}: found {found}, expected {expected}", place(file, *position))]
    Unexpected {
        /// The file, or another name of the source.
        file: String,
        /// The position of the error.
        position: Position,
        /// What the input has there.
        found: String,
        /// What a valid input would have there.
        expected: String,
    },
    /// The content fits two formats, which would read different boards from it.
    #[error("{}: found {found}, expected one meaning: {expected}", place(file, *position))]
    Ambiguous {
        /// The file, or another name of the source.
        file: String,
        /// The first line of content.
        position: Position,
        /// The two formats that fit; the same format twice when it allows two readings.
        formats: [Format; 2],
        /// What each format would read.
        found: String,
        /// The options that choose one of the two.
        expected: String,
    },
    /// The file cannot be read.
    #[error("{file}: cannot be read")]
    Read {
        /// The file.
        file: String,
        /// The error of the system.
        source: std::io::Error,
    },
}

fn place(file: &str, at: Position) -> String {
    match (at.line, at.column) {
        (0, _) => file.to_owned(),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

impl BoardError {
    pub(crate) fn at(
        file: impl Into<String>,
        position: Position,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Unexpected { file: file.into(), position, found: found.into(), expected: expected.into() }
    }

    /// The position of the error; `None` when the file could not be read at all.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Unexpected { position, .. } | Self::Ambiguous { position, .. } => Some(*position),
            Self::Read { .. } => None,
        }
    }
}

/// Why a board could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The board has something that the format cannot hold.
    #[error("{board}: found {found}, expected a board that the format {format} can hold")]
    Unrepresentable {
        /// The name of the board.
        board: String,
        /// The format.
        format: Format,
        /// What the format cannot hold.
        found: String,
    },
    /// The output failed.
    #[error("cannot write the board: {0}")]
    Write(#[from] std::io::Error),
}
