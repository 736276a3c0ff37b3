//! What is wrong with an input, and where.

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
    /// The file cannot be read.
    #[error("{file}: {source}")]
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
}
