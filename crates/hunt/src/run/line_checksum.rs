//! Checksums of lines of JSON.
//!
//! ```text
//! {"number":1,"board":"a.txt",...,"checksum":"1a2b3c4d"}
//! ```
//!
//! The checksum is the CRC-32 of the line up to the comma before `"checksum"`. A user who edits a line removes the
//! field, and the line is read without a check.

use gridhunt_boards::plural;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

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

/// Whether bytes without a line end are the beginning of a line. The process may have ended while it wrote them, or the
/// machine may have stopped before they reached the disk, which leaves zeros after them.
pub(super) fn is_unfinished(bytes: &[u8]) -> bool {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let line = &bytes[..length];
    // The last character may be cut.
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => str::from_utf8(&line[..e.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    text.is_empty() || serde_json::from_str::<serde_json::Value>(text).is_err_and(|e| e.is_eof())
}

/// Checks the lines of a file. Returns its length in bytes, 0 if there is no file. Readers leave damaged lines out. An
/// empty line in the place of a damaged one still tells readers of events that a line is missing.
///
/// # Errors
/// Returns a note if a line is damaged, or the file cannot be read.
pub fn check_file(path: &Path) -> Result<u64, String> {
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        file => file.map_err(failed)?,
    };
    let (mut length, mut damaged) = (0, Vec::new());
    for (number, line) in (1_u64..).zip(BufReader::new(file).split(b'\n')) {
        let line = line.map_err(failed)?;
        length += line.len() as u64 + 1;
        let is_whole = str::from_utf8(&line).is_ok_and(|line| check(line) == LineChecksum::Valid);
        damaged.extend((!is_whole && !is_unfinished(&line)).then_some(number));
    }
    let Some(first) = damaged.first() else { return Ok(length) };
    let found = format!("found a wrong or missing checksum ({})", plural(damaged.len(), "damaged line"));
    let remedy = "restore the file from a copy, or make each damaged line empty";
    Err(format!("{}: line {first}: left out: {found}; {remedy}", path.display()))
}
