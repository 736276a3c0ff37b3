//! What is wrong with an input, and where.

use super::Format;

/// A place in a file; lines and columns count from 1, 0 means "not a single place".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Line from 1.
    pub line: usize,
    /// Column from 1, in characters.
    pub column: usize,
}

/// An input that is not a board, or a board out of range.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// Something stands where something else should.
    #[error("{}: found {found}, expected {expected}", place(file, *position))]
    Unexpected {
        /// The file, or another name of the source.
        file: String,
        /// Where.
        position: Position,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// The content fits two formats, which would read different boards.
    #[error("{}: found {found}, expected one meaning: {expected}", place(file, *position))]
    Ambiguous {
        /// The file, or another name of the source.
        file: String,
        /// The first line of content.
        position: Position,
        /// The formats that fit; the same one twice when the doubt lies inside a format.
        formats: [Format; 2],
        /// Both readings.
        found: String,
        /// The options that choose one.
        expected: String,
    },
    /// The file cannot be read.
    #[error("{file}: cannot be read")]
    Read {
        /// The file.
        file: String,
        /// Why.
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

    /// Where in the file, unless the file could not be read at all.
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
    /// The format has no place for something that the board holds.
    #[error("{board}: found {found}, expected a board that the format {format} can hold")]
    Unrepresentable {
        /// The board.
        board: String,
        /// The format.
        format: Format,
        /// What has no place in it.
        found: String,
    },
    /// The output failed.
    #[error("cannot write the board: {0}")]
    Write(#[from] std::io::Error),
}
