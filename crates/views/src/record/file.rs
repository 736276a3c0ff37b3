//! `progress.jsonl`: written by one process, read by any number of others.
//!
//! A row is one line, appended by one write. A process that is killed may leave a part of a line: the next session cuts
//! it off, and readers skip it. A file that passes its limit is written anew with fewer rows ([`super::thin`]) under
//! another name, which then takes the place of the old file. So a reader sees the old rows or the new ones.

use super::recorder::Earlier;
use super::row::ProgressRow;
use super::thin::thin;
use gridhunt_hunt::line_checksum::{self, LineChecksum};
use gridhunt_hunt::{Identities, RunState, ignored_lines_note};
use gridhunt_search::platform::files;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name of the file in a run directory.
pub const PROGRESS: &str = "progress.jsonl";

/// The bytes from which on rows thin out: some thousand rows, a few hours of a hunt.
const LIMIT: u64 = 4 << 20;

/// The most bytes that a reader takes at once: a file of any size may have the name of a file of rows.
const PIECE: u64 = 16 << 20;

/// The bytes at the end of a file that hold the last rows: those of a board and of the end of a session.
const TAIL: u64 = 64 << 10;

/// A file of rows that this process writes.
#[derive(Debug)]
pub(super) struct ProgressFile {
    file: File,
    path: PathBuf,
    /// The bytes of whole rows; `None` if the file is a pipe or a device.
    length: Option<u64>,
    limit: u64,
}

impl ProgressFile {
    /// Opens the file of a run, and cuts off a row that was never finished. Returns what the rows say.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(super) fn of_run(run: &Path) -> io::Result<(Self, Earlier)> {
        let path = run.join(PROGRESS);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = whole_lines(&bytes).len() as u64;
        if whole < bytes.len() as u64 {
            file.set_len(whole)?;
        }
        let earlier = Earlier::of(rows_of(&bytes).map(|(_, row)| row));
        Ok((Self { file, path, length: Some(whole), limit: LIMIT }, earlier))
    }

    /// Creates a file, or empties it. The path may name a pipe or a device.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        // Windows tells nothing of a device.
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let file = if is_regular { OpenOptions::new().append(true).open(path)? } else { file };
        Ok(Self { file, path: path.to_owned(), length: is_regular.then_some(0), limit: LIMIT })
    }

    #[cfg(test)]
    pub(super) fn limited(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// When the row cannot be written. The file has whole rows alone then, if the system allows.
    pub(super) fn append(&mut self, row: &ProgressRow) -> io::Result<()> {
        let line = line_checksum::append(&serde_json::to_string(row)?) + "\n";
        if let Some(length) = self.length.filter(|length| length + line.len() as u64 > self.limit) {
            // Without room for a second file, the file grows on.
            let length = self.thin_out().unwrap_or(length);
            // Rows that have to stay would otherwise be read and written again with each new row.
            while length > self.limit / 2 {
                self.limit = self.limit.saturating_mul(2);
            }
        }
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            if let Some(length) = self.length {
                // Half a row would spoil the next one. The first error is returned.
                let _ = self.file.set_len(length);
            }
            return Err(error);
        }
        self.length = self.length.map(|length| length + line.len() as u64);
        Ok(())
    }

    /// Replaces the file by one with fewer rows: half of the limit, or more where rows have to stay. Returns the new
    /// length.
    fn thin_out(&mut self) -> io::Result<u64> {
        let bytes = fs::read(&self.path)?;
        let rows: Vec<_> = rows_of(&bytes).map(|(line, row)| (line.len() as u64 + 1, line, row)).collect();
        let kept = thin(rows.iter().map(|(length, _, row)| (*length, row)).collect(), self.limit / 2);
        let text: String = kept.iter().flat_map(|&at| [rows[at].1, "\n"]).collect();
        let new = self.path.with_extension("new");
        // Durable before it takes the place of the old file: after a power cut, one of the two is whole.
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
            OpenOptions::new().append(true).open(&new)
        });
        let replaced = written.and_then(|file| {
            // The old file is closed first: some systems replace no file that is open.
            self.file = file;
            fs::rename(&new, &self.path).inspect_err(|_| {
                if let Ok(old) = OpenOptions::new().append(true).open(&self.path) {
                    self.file = old;
                }
            })
        });
        if let Err(error) = replaced {
            // Half a file would take room on a full disk.
            let _ = fs::remove_file(&new);
            return Err(error);
        }
        let length = text.len() as u64;
        self.length = Some(length);
        Ok(length)
    }
}

/// The bytes up to the last end of a line.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1)]
}

/// The rows of whole lines, and the lines. Damaged lines are skipped.
fn rows_of(bytes: &[u8]) -> impl Iterator<Item = (&str, ProgressRow)> {
    let lines = whole_lines(bytes).split(|&byte| byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
    lines.filter_map(|line| {
        let is_sound = !matches!(line_checksum::check(line), LineChecksum::Wrong { .. });
        Some((line, is_sound.then(|| serde_json::from_str(line).ok()).flatten()?))
    })
}

/// The rows of a run that count, none without a file, and a note about the others if there are any. Damaged rows, and a
/// row that is not finished, are skipped.
///
/// # Errors
/// When the file cannot be read.
pub fn rows_of_run(state: &RunState) -> io::Result<(Vec<ProgressRow>, Option<String>)> {
    let path = state.path.join(PROGRESS);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        bytes => bytes?,
    };
    let mut rows: Vec<_> = rows_of(&bytes).map(|(_, row)| row).collect();
    let all = rows.len();
    keep_admitted(&mut rows, &state.identities, state.results.done_and_proven());
    let note = ignored_lines_note(&path, all - rows.len());
    Ok((rows, note))
}

/// Removes rows about another board, puzzle or rules. No row counts more boards as done or proven than results do.
pub(crate) fn keep_admitted(rows: &mut Vec<ProgressRow>, identities: &Identities, results: (u64, u64)) {
    rows.retain_mut(|row| {
        (row.done, row.proven) = (row.done.min(results.0), row.proven.min(results.1));
        row.boards = Some(identities.board_count() as u64);
        row.number.is_none_or(|number| identities.matches(number, &row.identity))
    });
}

/// What is new in a file.
#[derive(Debug, PartialEq)]
pub enum ProgressNews {
    /// These rows follow those that were read before.
    More(Vec<ProgressRow>),
    /// The file was replaced: these are all rows.
    Anew(Vec<ProgressRow>),
}

/// Reads a file again and again while another process writes it. Opens the file for reading alone.
#[derive(Debug)]
pub struct ProgressReader {
    path: PathBuf,
    /// The file that was read, and the bytes of it.
    read: Option<((u64, u64), u64)>,
    /// The most bytes of one read.
    piece: u64,
    is_behind: bool,
    /// The most bytes at the end of the file with which the first read begins.
    tail: u64,
}

impl ProgressReader {
    /// A reader that has read nothing.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, read: None, piece: PIECE, is_behind: false, tail: u64::MAX }
    }

    #[cfg(test)]
    pub(super) fn in_pieces(self, piece: u64) -> Self {
        Self { piece, ..self }
    }

    /// A reader of the last rows alone, and of those that follow.
    #[must_use]
    pub fn from_end(self) -> Self {
        Self { tail: TAIL, ..self }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the last read was full, so that the file may have more.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Reads what is new, at most one piece of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&mut self) -> io::Result<ProgressNews> {
        self.is_behind = false;
        let mut file = File::open(&self.path)?;
        let metadata = file.metadata()?;
        let identity = files::identity(&file)?;
        let known = self.read.filter(|&(known, read)| known == identity && read <= metadata.len());
        // A row that is cut off at its beginning is no row.
        let from = known.map_or(metadata.len().saturating_sub(self.tail), |(_, read)| read);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        self.is_behind = file.take(self.piece).read_to_end(&mut bytes)? as u64 == self.piece;
        let whole = whole_lines(&bytes).len();
        // A line that is longer than a piece is no row.
        let read = if whole == 0 && self.is_behind { bytes.len() } else { whole };
        self.read = Some((identity, from + read as u64));
        let rows = rows_of(&bytes).map(|(_, row)| row).collect();
        Ok(if known.is_some() { ProgressNews::More(rows) } else { ProgressNews::Anew(rows) })
    }
}

#[cfg(test)]
pub(crate) fn read_progress(path: &Path) -> io::Result<Vec<ProgressRow>> {
    Ok(rows_of(&fs::read(path)?).map(|(_, row)| row).collect())
}
