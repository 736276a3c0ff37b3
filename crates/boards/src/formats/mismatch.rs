//! What a reader reports before the name of the file is known, and how messages quote the input.

use crate::{BoardError, Position};

/// What a reader found, and what it expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub found: String,
    pub expected: String,
}

impl Mismatch {
    pub fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: found.into(), expected: expected.into() }
    }

    /// Returns an `Err` with a new mismatch.
    pub fn fail<T>(found: impl Into<String>, expected: impl Into<String>) -> Result<T, Self> {
        Err(Self::new(found, expected))
    }

    /// Adds the position in the input.
    pub fn at(self, at: Position) -> LocatedMismatch {
        LocatedMismatch { at, mismatch: self }
    }
}

/// A mismatch with its position in the input.
#[derive(Debug)]
pub(crate) struct LocatedMismatch {
    pub at: Position,
    pub mismatch: Mismatch,
}

impl LocatedMismatch {
    /// Makes the error that users see. `file` is what messages call the input.
    pub fn in_file(self, file: &str) -> BoardError {
        BoardError::at(file, self.at, self.mismatch.found, self.mismatch.expected)
    }
}

/// Writes a character for a message: quoted, or by its code point if it cannot be shown.
pub(crate) fn show_char(c: char) -> String {
    match c {
        ' '..='~' => format!("{c:?}"),
        _ if c.is_alphanumeric() => format!("{c:?}"),
        _ => format!("the character U+{:04X}", u32::from(c)),
    }
}

/// Writes a text from the input for a message: quoted, escaped, and shortened to fit a line.
pub(crate) fn quote(text: &str) -> String {
    format!("\"{}\"", excerpt(text))
}

/// Writes the text of a cell or a move for a message: a single character or a quoted text.
pub(crate) fn show_text(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.as_str()) {
        (None, _) => "nothing".to_owned(),
        (Some(c), "") => show_char(c),
        _ => quote(text),
    }
}

/// Writes a text from elsewhere for use inside a message: with control characters escaped, and shortened to fit a line.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARACTERS: usize = 40;
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            _ if i == MAX_CHARACTERS => {
                shown.push_str("...");
                break;
            }
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown
}

/// Makes a text from elsewhere, such as the name of a file, safe for a terminal. Characters that a terminal would obey
/// instead of showing them are escaped: line ends, escape sequences, and marks that turn the direction of writing.
#[must_use]
pub fn visible(text: &str) -> String {
    let is_obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// The mismatch of an input with more things than `most`. `what` is one of them.
pub(crate) fn too_many(most: usize, what: &str) -> Mismatch {
    Mismatch::new(format!("more than {}", plural(most, what)), format!("at most {}", plural(most, what)))
}

/// Writes a number with its noun: `1 row`, `2 rows`.
#[must_use]
pub fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
