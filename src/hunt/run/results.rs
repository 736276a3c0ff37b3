//! `results.jsonl`: the results of a run, one line each.

use super::files::{At, Paths};
use super::identities::{Identities, Stamp, note_left_out, stamp_of};
use super::sealed::{self, Seal};
use crate::hunt::{BoardRecord, RunError};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// The results of a run as far as they are read, by the number of the board. What an earlier session has proven or
/// found still holds.
#[derive(Clone, Debug, Default)]
pub struct Results {
    records: BTreeMap<usize, BoardRecord>,
    /// The file at the last look.
    seen: Stamp,
    /// The bytes of whole lines. The bytes behind them are a line that was never finished.
    whole: u64,
    /// The bytes of lines whose checksums are right.
    pub(super) sealed: u64,
    /// Whether the last whole line lacks its line end.
    is_open: bool,
    /// Whether there is a last line that was never finished.
    is_unfinished: bool,
    /// Whole lines; of these, lines without a checksum, and lines about other searches.
    lines: usize,
    unsealed: usize,
    left_out: usize,
    changes: u64,
}

impl Results {
    /// The last record of each board, by its number.
    #[must_use]
    pub fn records(&self) -> &BTreeMap<usize, BoardRecord> {
        &self.records
    }

    /// The record of a board that needs no further search.
    #[must_use]
    pub fn final_record(&self, number: usize) -> Option<&BoardRecord> {
        self.records.get(&number).filter(|record| record.is_done())
    }

    /// How many boards are done, and how many of these are proven: optimal or unsolvable.
    #[must_use]
    pub fn done(&self) -> (u64, u64) {
        let done = || self.records.values().filter(|record| record.is_done());
        (done().count() as u64, done().filter(|record| record.status.is_proven()).count() as u64)
    }

    /// Counts the changes.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Forgets what was read.
    pub fn begin_anew(&mut self) {
        *self = Self { changes: self.changes, ..Self::default() };
    }

    /// Takes a later record.
    pub(super) fn add(&mut self, record: BoardRecord) {
        let number = record.number;
        let record = match self.records.remove(&number) {
            Some(earlier) => record.with_range_of(&earlier),
            None => record,
        };
        self.records.insert(number, record);
    }

    /// Reads what is new in the results of a run, of which those with these identities count; everything, if the file
    /// became shorter. Returns whether something is new. Another process may be writing the last line, which counts
    /// once it is whole.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is damaged. No file, and a last line that was never finished, are no
    /// damage.
    pub fn look(&mut self, run: &Path, identities: &Identities) -> Result<bool, RunError> {
        let path = Paths(run.to_owned()).results();
        let now = stamp_of(&path);
        if now == self.seen {
            return Ok(false);
        }
        if now.is_none_or(|(length, _)| length < self.whole) {
            self.begin_anew();
        }
        match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => self.read(&mut file.at("open", &path)?, &path, identities)?,
        }
        (self.seen, self.changes) = (now, self.changes + 1);
        Ok(true)
    }

    fn read(&mut self, file: &mut File, path: &Path, identities: &Identities) -> Result<(), RunError> {
        file.seek(SeekFrom::Start(self.whole)).at("read", path)?;
        let (mut reader, mut line) = (BufReader::new(file), Vec::new());
        self.is_unfinished = false;
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).at("read", path)?;
            if read == 0 {
                return Ok(());
            }
            // The end of a line that was whole without it at the last look.
            if std::mem::take(&mut self.is_open) && line == b"\n" {
                self.whole += 1;
                continue;
            }
            let text = line.strip_suffix(b"\n");
            if text.is_none() && is_unfinished(&line) {
                self.is_unfinished = true;
                return Ok(());
            }
            let utf8 = |_| Fault {
                found: "bytes that are no text".to_owned(),
                expected: "text in UTF-8".to_owned(),
                is_whole: false,
            };
            let parsed = str::from_utf8(text.unwrap_or(&line)).map_err(utf8).and_then(parse);
            let (record, seal) = parsed.map_err(|fault| damaged(path, self.lines + 1, fault))?;
            match seal {
                Seal::Missing => self.unsealed += 1,
                _ => self.sealed += read as u64,
            }
            self.is_open = text.is_none();
            self.lines += 1;
            self.whole += read as u64;
            match identities.admit(record.number, &record.identity) {
                true => self.add(record),
                false => self.left_out += 1,
            }
        }
    }

    /// What was noticed besides, for people.
    pub(super) fn notes(&self, path: &Path) -> impl Iterator<Item = String> {
        let (file, Self { lines, unsealed, .. }) = (path.display(), self);
        let unfinished = || format!("{file}: line {} was never finished, and does not count", lines + 1);
        let unchecked = || format!("{file}: {unsealed} of {lines} lines have no checksum, and were not checked");
        let notes = [self.is_unfinished.then(unfinished), (*unsealed > 0).then(unchecked)];
        notes.into_iter().flatten().chain(note_left_out(path, self.left_out))
    }

    /// Removes a last line that was never finished from the file, which is open to append to it.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub(super) fn tidy(&self, file: &mut File, path: &Path) -> Result<(), RunError> {
        file.set_len(self.whole).at("cut", path)?;
        if self.is_open { file.write_all(b"\n").at("write", path) } else { Ok(()) }
    }
}

/// Parses one line, without its line end.
///
/// # Errors
/// The text says what was found, and what was expected.
fn parse(line: &str) -> Result<(BoardRecord, Seal), Fault> {
    let seal = sealed::check(line);
    if let Seal::Broken { found, expected } = seal {
        let (found, expected) = (format!("the checksum {found:08x}"), format!("{expected:08x}"));
        return Err(Fault { found, expected, is_whole: false });
    }
    let fault = |e: serde_json::Error| Fault {
        found: e.to_string(),
        expected: "one result a line".to_owned(),
        is_whole: seal == Seal::Whole,
    };
    Ok((serde_json::from_str(line).map_err(fault)?, seal))
}

/// Why a line is no result.
struct Fault {
    found: String,
    expected: String,
    /// Whether the line is as it was written.
    is_whole: bool,
}

fn damaged(path: &Path, number: usize, Fault { found, expected, is_whole }: Fault) -> RunError {
    if is_whole {
        return RunError::OtherForm(format!("{}: line {number}: found {found}", path.display()));
    }
    RunError::Damaged {
        path: path.to_owned(),
        place: format!("line {number}"),
        found,
        expected,
        remedy: "restore the file from a copy, or remove the line; `gridhunt resume` searches its board again then"
            .to_owned(),
    }
}

/// Whether bytes without a line end are the beginning of a line: the process ended while it wrote them, or the machine
/// stopped before they reached the disk.
fn is_unfinished(bytes: &[u8]) -> bool {
    let written = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let line = &bytes[..written];
    // A character may be cut in its midst.
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => str::from_utf8(&line[..e.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    text.is_empty() || serde_json::from_str::<serde_json::Value>(text).is_err_and(|e| e.is_eof())
}
