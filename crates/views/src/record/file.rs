//! `progress.jsonl`: written by one process, read by any number of others.
//!
//! A row is one line, appended by one write. A killed process may leave a partial line: readers skip it, and the next
//! session cuts it off. A file above its limit is replaced, by a rename, with a file of fewer rows ([`super::thin`]).
//! So a reader sees the old rows or the new ones.

use super::recorder::EarlierSessions;
use super::row::ProgressRow;
use super::thin::select_rows;
use gridhunt_hunt::line_checksum::{self, DamagedLines};
use gridhunt_hunt::{Identities, RunState, create_beside, remove_left_beside};
use gridhunt_search::platform::files;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name of the file in a run directory.
pub const PROGRESS_FILE: &str = "progress.jsonl";

/// The size of a file above which rows thin out: some thousand rows, a few hours of a hunt.
const THIN_ABOVE_BYTES: u64 = 4 << 20;

/// The most bytes of one read. Any large file may have the name of a file of rows.
const MOST_READ_BYTES: u64 = 16 << 20;

/// The size of the end of a file that has the last rows of a board and of a session.
const TAIL_BYTES: u64 = 64 << 10;

/// A file of rows that this process writes.
#[derive(Debug)]
pub(super) struct ProgressFile {
    file: File,
    path: PathBuf,
    /// The bytes of whole rows; `None` if the file is a pipe or a device.
    length_bytes: Option<u64>,
    limit_bytes: u64,
}

impl ProgressFile {
    /// Opens the file of a run, whose lock the caller holds. Removes what a kill has left: a partial row, a file that
    /// was to replace this one. Returns what the rows say.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(super) fn open_in_run(run: &Path) -> io::Result<(Self, EarlierSessions)> {
        let path = run.join(PROGRESS_FILE);
        remove_left_beside(&path);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = whole_lines(&bytes).len() as u64;
        if whole < bytes.len() as u64 {
            file.set_len(whole)?;
        }
        let earlier = EarlierSessions::of(parse_rows(&bytes, &mut DamagedLines::default()).map(|(_, row)| row));
        Ok((Self { file, path, length_bytes: Some(whole), limit_bytes: THIN_ABOVE_BYTES }, earlier))
    }

    /// Creates a file, or empties it. The path may name a pipe or a device.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        // Windows has no metadata of a device.
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let file = if is_regular { OpenOptions::new().append(true).open(path)? } else { file };
        Ok(Self { file, path: path.to_owned(), length_bytes: is_regular.then_some(0), limit_bytes: THIN_ABOVE_BYTES })
    }

    #[cfg(test)]
    pub(super) fn with_limit_bytes(self, limit_bytes: u64) -> Self {
        Self { limit_bytes, ..self }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// When the row cannot be written. A partial row is then cut off if the system allows.
    pub(super) fn append(&mut self, row: &ProgressRow) -> io::Result<()> {
        let line = line_checksum::append(&serde_json::to_string(row)?) + "\n";
        if let Some(length) = self.length_bytes.filter(|length| length + line.len() as u64 > self.limit_bytes) {
            // If the disk is full, or the file is a link, the file keeps growing.
            let length = self.thin_out().unwrap_or(length);
            // If too many rows must stay, a higher limit avoids a replacement with each new row.
            while length > self.limit_bytes / 2 {
                self.limit_bytes = self.limit_bytes.saturating_mul(2);
            }
        }
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            if let Some(length) = self.length_bytes {
                // A partial row would damage the next one.
                let _ = self.file.set_len(length);
            }
            return Err(error);
        }
        self.length_bytes = self.length_bytes.map(|length| length + line.len() as u64);
        Ok(())
    }

    /// Replaces the file by one of at most half the limit, or more if more rows must stay. Returns the new length.
    fn thin_out(&mut self) -> io::Result<u64> {
        // A link, such as /dev/stdout, must not be replaced.
        if self.path.is_symlink() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let bytes = fs::read(&self.path)?;
        let rows: Vec<_> = parse_rows(&bytes, &mut DamagedLines::default())
            .map(|(line, row)| (line.len() as u64 + 1, line, row))
            .collect();
        let selected = select_rows(rows.iter().map(|(length, _, row)| (*length, row)).collect(), self.limit_bytes / 2);
        let text: String = selected.iter().flat_map(|&at| [rows[at].1, "\n"]).collect();
        // The new file is durable before it replaces the old file: after a power cut, one of the two is whole.
        let (new, mut file) = create_beside(&self.path)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        let written = written.and_then(|()| OpenOptions::new().append(true).open(&new));
        let replaced = written.and_then(|file| {
            // Close the old file first: some systems cannot replace an open file.
            self.file = file;
            fs::rename(&new, &self.path).inspect_err(|_| {
                if let Ok(old) = OpenOptions::new().append(true).open(&self.path) {
                    self.file = old;
                }
            })
        });
        if let Err(error) = replaced {
            // A partial file takes room on a full disk.
            let _ = fs::remove_file(&new);
            return Err(error);
        }
        let length = text.len() as u64;
        self.length_bytes = Some(length);
        Ok(length)
    }
}

/// The bytes up to the last line end.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1)]
}

/// The whole lines with their rows. Damaged lines are skipped and noted.
fn parse_rows<'a>(bytes: &'a [u8], damaged: &mut DamagedLines) -> impl Iterator<Item = (&'a str, ProgressRow)> {
    let lines = whole_lines(bytes).split_inclusive(|&byte| byte == b'\n');
    lines.filter_map(|line| damaged.check(line).and_then(|line| Some((line, serde_json::from_str(line).ok()?))))
}

/// The rows of a run, and what was left out.
#[derive(Debug, Default)]
pub struct RunRows {
    /// The rows about the boards, puzzle and rules of the run.
    pub rows: Vec<ProgressRow>,
    /// The number of rows about other boards, puzzles or rules.
    pub ignored: usize,
    /// The damaged rows.
    pub damaged: DamagedLines,
}

impl RunRows {
    /// Reads the rows of a run. Damaged and partial rows are skipped. Without a file there are no rows.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(state: &RunState) -> io::Result<Self> {
        let bytes = match fs::read(state.path.join(PROGRESS_FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        let mut damaged = DamagedLines::default();
        let mut rows: Vec<_> = parse_rows(&bytes, &mut damaged).map(|(_, row)| row).collect();
        let all = rows.len();
        retain_admitted(&mut rows, &state.identities, state.results.done_and_proven());
        Ok(Self { ignored: all - rows.len(), rows, damaged })
    }
}
/// Removes rows about other boards, puzzles or rules. Limits the counts of boards done and proven to those of
/// `results`.
pub(crate) fn retain_admitted(rows: &mut Vec<ProgressRow>, identities: &Identities, results: (u64, u64)) {
    rows.retain_mut(|row| {
        (row.done, row.proven) = (row.done.min(results.0), row.proven.min(results.1));
        row.boards = Some(identities.board_count() as u64);
        row.number.is_none_or(|number| identities.matches(number, &row.identity))
    });
}

/// The new rows of a file.
#[derive(Debug, PartialEq)]
pub enum ProgressUpdate {
    /// These rows follow those that were read before.
    Appended(Vec<ProgressRow>),
    /// The file was replaced: these are all rows.
    Replaced(Vec<ProgressRow>),
}

/// Reads a file again and again while another process writes it. Opens the file for reading alone.
#[derive(Debug)]
pub struct ProgressReader {
    pub(crate) path: PathBuf,
    /// The identity of the file, and the bytes read so far.
    read: Option<((u64, u64), u64)>,
    most_read_bytes: u64,
    has_more: bool,
    /// The first read starts at most this far before the end.
    tail_bytes: u64,
}

impl ProgressReader {
    /// A reader that has read nothing.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, read: None, most_read_bytes: MOST_READ_BYTES, has_more: false, tail_bytes: u64::MAX }
    }

    #[cfg(test)]
    pub(super) fn with_most_read_bytes(self, most_read_bytes: u64) -> Self {
        Self { most_read_bytes, ..self }
    }

    /// A reader of the last rows, and of those that follow.
    #[must_use]
    pub fn tail_only(self) -> Self {
        Self { tail_bytes: TAIL_BYTES, ..self }
    }

    /// Whether the last read was full, so the file may have more.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Reads the new rows, at most 16 MiB of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&mut self) -> io::Result<ProgressUpdate> {
        self.has_more = false;
        let mut file = File::open(&self.path)?;
        let metadata = file.metadata()?;
        let identity = files::file_id(&file)?;
        let known = self.read.filter(|&(known, read)| known == identity && read <= metadata.len());
        // A row without its beginning is skipped as damaged.
        let start = known.map_or(metadata.len().saturating_sub(self.tail_bytes), |(_, read)| read);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        self.has_more = file.take(self.most_read_bytes).read_to_end(&mut bytes)? as u64 == self.most_read_bytes;
        let whole = whole_lines(&bytes).len();
        // A line longer than one read is no row.
        let read = if whole == 0 && self.has_more { bytes.len() } else { whole };
        self.read = Some((identity, start + read as u64));
        let rows = parse_rows(&bytes, &mut DamagedLines::default()).map(|(_, row)| row).collect();
        Ok(if known.is_some() { ProgressUpdate::Appended(rows) } else { ProgressUpdate::Replaced(rows) })
    }
}

#[cfg(test)]
pub(crate) fn read_rows(path: &Path) -> io::Result<Vec<ProgressRow>> {
    Ok(parse_rows(&fs::read(path)?, &mut DamagedLines::default()).map(|(_, row)| row).collect())
}
