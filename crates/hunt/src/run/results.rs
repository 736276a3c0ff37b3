//! `results.jsonl`: the results of a run, one line each.

use super::files::{IoResultExt, Paths};
use super::identities::{FileStamp, Identities, ignored_lines_note, stamp_of};
use super::line_checksum::{self, LineChecksum, is_unfinished};
use crate::{BoardRecord, Contradiction, RunError};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// The results of a run, by board number. A record includes the range of the earlier records of its board.
#[derive(Clone, Debug, Default)]
pub struct Results {
    records: BTreeMap<usize, BoardRecord>,
    /// The stamp of the file at the last refresh.
    stamp: FileStamp,
    /// The number of bytes that have been read. An unfinished line may follow.
    read_bytes: u64,
    /// The number of bytes of the lines whose checksums are right.
    pub(super) checked_bytes: u64,
    /// Whether the last line lacks its line end.
    lacks_line_end: bool,
    /// Whether an unfinished line follows.
    is_unfinished: bool,
    /// The number of lines that have been read.
    lines: usize,
    /// The number of these lines without a checksum.
    unchecked_lines: usize,
    /// The number of these lines with other identities.
    foreign_lines: usize,
    /// The number of refreshes that found a change.
    revision: u64,
}

impl Results {
    /// The last record of each board, by number, with the best range of all its records.
    #[must_use]
    pub fn records(&self) -> &BTreeMap<usize, BoardRecord> {
        &self.records
    }

    /// The record of a board that needs no further search.
    #[must_use]
    pub fn final_record(&self, number: usize) -> Option<&BoardRecord> {
        self.records.get(&number).filter(|record| record.is_done())
    }

    /// The number of boards that are done, and the number of these that are proven optimal or unsolvable.
    #[must_use]
    pub fn done_and_proven(&self) -> (u64, u64) {
        let done = || self.records.values().filter(|record| record.is_done());
        (done().count() as u64, done().filter(|record| record.status.is_proven()).count() as u64)
    }

    /// A number that rises when the results change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Removes everything but [`revision`](Self::revision).
    pub fn clear(&mut self) {
        *self = Self { revision: self.revision, ..Self::default() };
    }

    /// Adds a later record, merged with the range of the earlier record of its board.
    pub(super) fn add(&mut self, record: BoardRecord) -> Result<(), Contradiction> {
        let number = record.number;
        let record = match self.records.get(&number) {
            Some(earlier) => record.merge_range(earlier)?,
            None => record,
        };
        self.records.insert(number, record);
        Ok(())
    }

    /// Reads the new lines of a run's results, or the whole file if it became shorter. Ignores lines of other
    /// identities, and a last line that another process has not finished. Returns whether the file has changed.
    ///
    /// # Errors
    /// When the file exists and cannot be read, a line is damaged, or two lines contradict each other.
    pub fn refresh(&mut self, run: &Path, identities: &Identities) -> Result<bool, RunError> {
        let path = Paths(run.to_owned()).results();
        let stamp = stamp_of(&path);
        if stamp == self.stamp {
            return Ok(false);
        }
        if stamp.is_none_or(|(length, _)| length < self.read_bytes) {
            self.clear();
        }
        match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => self.read(&mut file.with_path("open", &path)?, &path, identities)?,
        }
        (self.stamp, self.revision) = (stamp, self.revision + 1);
        Ok(true)
    }

    fn read(&mut self, file: &mut File, path: &Path, identities: &Identities) -> Result<(), RunError> {
        file.seek(SeekFrom::Start(self.read_bytes)).with_path("read", path)?;
        let (mut reader, mut line) = (BufReader::new(file), Vec::new());
        self.is_unfinished = false;
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).with_path("read", path)?;
            if length == 0 {
                return Ok(());
            }
            // The line end that the last line lacked at the last refresh.
            if std::mem::take(&mut self.lacks_line_end) && line == b"\n" {
                self.read_bytes += 1;
                continue;
            }
            let terminated = line.strip_suffix(b"\n");
            if terminated.is_none() && is_unfinished(&line) {
                self.is_unfinished = true;
                return Ok(());
            }
            let number = self.lines + 1;
            let (record, checksum) = parse(terminated.unwrap_or(&line), path, number)?;
            match identities.matches(record.number, &record.identity) {
                true => self.add(record).map_err(|found| damaged(path, number, found, "results that agree"))?,
                false => self.foreign_lines += 1,
            }
            match checksum {
                LineChecksum::Missing => self.unchecked_lines += 1,
                _ => self.checked_bytes += length as u64,
            }
            self.lacks_line_end = terminated.is_none();
            self.lines += 1;
            self.read_bytes += length as u64;
        }
    }

    /// Notes for the user.
    pub(super) fn notes(&self, path: &Path) -> impl Iterator<Item = String> {
        let (file, Self { lines, unchecked_lines, .. }) = (path.display(), self);
        let unfinished = || format!("{file}: line {} was never finished, and does not count", lines + 1);
        let unchecked = || format!("{file}: not checked: {unchecked_lines} of {lines} lines, without a checksum");
        let notes = [self.is_unfinished.then(unfinished), (*unchecked_lines > 0).then(unchecked)];
        notes.into_iter().flatten().chain(ignored_lines_note(path, self.foreign_lines))
    }

    /// Prepares the file for appending: cuts an unfinished last line, and adds a missing line end.
    pub(super) fn repair_end(&self, file: &mut File, path: &Path) -> Result<(), RunError> {
        file.set_len(self.read_bytes).with_path("cut", path)?;
        if self.lacks_line_end { file.write_all(b"\n").with_path("write", path) } else { Ok(()) }
    }
}

/// Parses line `number`, without its line end.
fn parse(line: &[u8], path: &Path, number: usize) -> Result<(BoardRecord, LineChecksum), RunError> {
    let text = str::from_utf8(line);
    let line = text.map_err(|_| damaged(path, number, "bytes that are not text", "text in UTF-8"))?;
    let checksum = line_checksum::check(line);
    if let LineChecksum::Wrong { found, expected } = checksum {
        return Err(damaged(path, number, format!("the checksum {found:08x}"), &format!("{expected:08x}")));
    }
    let record = serde_json::from_str(line).map_err(|found| match checksum {
        // The line is undamaged, so another version of the program wrote it.
        LineChecksum::Valid => RunError::OtherVersion(format!("{}: line {number}: found {found}", path.display())),
        _ => damaged(path, number, found, "one result per line"),
    })?;
    Ok((record, checksum))
}

fn damaged(path: &Path, number: usize, found: impl ToString, expected: &str) -> RunError {
    RunError::Damaged {
        path: path.to_owned(),
        place: format!("line {number}"),
        found: found.to_string(),
        expected: expected.to_owned(),
        remedy: "restore the file from a copy, or delete the line, and `gridhunt resume` will search its board again"
            .to_owned(),
    }
}
