//! Checksums of lines of JSON.
//!
//! ```text
//! {"number":1,"board":"a.txt",...,"checksum":"1a2b3c4d"}
//! ```
//!
//! The checksum is the CRC-32 of the line up to the comma before `"checksum"`. A user who edits a line removes the
//! field, and the line is read without a check.

const FIELD: &str = ",\"checksum\":\"";

/// The number of bytes of the field with the closing brace.
const FIELD_BYTES: usize = FIELD.len() + 8 + 2;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineChecksum {
    /// The checksum is right.
    Valid,
    /// The line has no checksum.
    Missing,
    /// The checksum differs from the content.
    Wrong {
        /// The checksum of the content.
        found: u32,
        /// The checksum that the line names.
        expected: u32,
    },
}

/// Adds the checksum to a JSON object on one line. The object must have a field.
#[must_use]
pub fn append(line: &str) -> String {
    match line.strip_suffix('}') {
        Some(body) => format!("{body}{FIELD}{:08x}\"}}", crc32fast::hash(body.as_bytes())),
        None => line.to_owned(),
    }
}

/// Checks the checksum of a line without its line end.
#[must_use]
pub fn check(line: &str) -> LineChecksum {
    let parts = line.len().checked_sub(FIELD_BYTES).and_then(|at| line.split_at_checked(at));
    let expected = |field: &str| field.strip_prefix(FIELD)?.strip_suffix("\"}").map(str::to_owned);
    let Some((body, expected)) = parts.and_then(|(body, field)| Some((body, expected(field)?))) else {
        return LineChecksum::Missing;
    };
    let found = crc32fast::hash(body.as_bytes());
    match u32::from_str_radix(&expected, 16) {
        Ok(expected) if expected == found => LineChecksum::Valid,
        // The digits are damaged if they are not a number.
        expected => LineChecksum::Wrong { found, expected: expected.unwrap_or(!found) },
    }
}
