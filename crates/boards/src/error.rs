//! Errors of reading and writing boards.

use crate::Format;

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
    /// The input has something else than the reader expected.
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
    /// Several readings explain the whole content, and they differ.
    #[error("{}: found content with {} meanings, expected one: {}", place(file, *position), readings.len(), join(readings))]
    Ambiguous {
        /// The file, or another name of the source.
        file: String,
        /// The first line of content.
        position: Position,
        /// The readings, the most usual one first.
        readings: Vec<PossibleReading>,
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

/// One of several possible readings of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PossibleReading {
    /// The format.
    pub format: Format,
    /// The boards that the reading finds.
    pub description: String,
    /// The options that choose the reading, as the command line spells them; empty if no options do.
    pub flags: String,
}

/// Joins the readings, with the options that choose them, into one text.
fn join(readings: &[PossibleReading]) -> String {
    let show = |reading: &PossibleReading| {
        let PossibleReading { format, description: boards, flags } = reading;
        if flags.is_empty() { format!("{boards} ({format})") } else { format!("{flags} for {boards} ({format})") }
    };
    readings.iter().map(show).collect::<Vec<_>>().join("; or ")
}

fn place(file: &str, at: Position) -> String {
    match (at.line, at.column) {
        (0, _) => file.to_owned(),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

impl BoardError {
    /// The error for an input in which the reader expected something else at this position of `file`.
    pub fn at(file: impl Into<String>, at: Position, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Unexpected { file: file.into(), position: at, found: found.into(), expected: expected.into() }
    }

    /// The error of an input that cannot be converted to UTF-8, or cannot be read.
    pub(crate) fn of_conversion(file: &str, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::InvalidData {
            return Self::at(file, Position::default(), source.to_string(), "text in UTF-8 or UTF-16");
        }
        Self::Read { file: file.to_owned(), source }
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
