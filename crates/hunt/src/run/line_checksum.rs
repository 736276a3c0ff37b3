//! Checksums of lines of JSON.
//!
//! ```text
//! {"number":1,"board":"a.txt",...,"checksum":"1a2b3c4d"}
//! ```
//!
//! The checksum is the CRC-32 of the line up to the comma before `"checksum"`. A user who edits a line of
//! `results.jsonl` removes the field, and the line is read without a check. A line of `events.jsonl` or
//! `progress.jsonl` without the field is damaged.

use gridhunt_boards::plural;
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

/// The damaged lines of a file, found while its lines are read. Readers leave damaged lines out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamagedLines {
    lines_read: u64,
    /// The number of the first damaged line, from 1.
    first: Option<u64>,
    count: usize,
}

impl DamagedLines {
    /// Checks the next line, with or without its line end. Returns the text if its checksum is right. The beginning of
    /// a line is not damaged: its process ended while it wrote the line. An empty line in the place of a damaged one
    /// still tells readers of events that a line is missing.
    pub fn check<'a>(&mut self, line: &'a [u8]) -> Option<&'a str> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        self.lines_read += 1;
        let text = str::from_utf8(line).ok().filter(|line| check(line) == LineChecksum::Valid);
        if text.is_none() && !is_unfinished(line) {
            self.first.get_or_insert(self.lines_read);
            self.count += 1;
        }
        text
    }

    /// A note for the user if a line is damaged.
    #[must_use]
    pub fn note(&self, path: &Path) -> Option<String> {
        let (file, first) = (path.display(), self.first?);
        let found = format!("found a wrong or missing checksum ({})", plural(self.count, "damaged line"));
        let remedy = "restore the file from a copy, or make each damaged line empty";
        Some(format!("{file}: line {first}: left out: {found}; {remedy}"))
    }
}
