//! The journal: an append-only file of marks, closed ids and checksums of segments.
//!
//! ```text
//! file:  | magic 8 bytes | frame | frame | ...
//! frame: | kind 4 | length of the body 4 | CRC-32 of kind, length and body 4 | body |      all little endian
//!
//! kind 1, closed ids:    ids, 5 bytes each
//! kind 2, changed marks: | id 5 | mark | ...              a mark takes as many bytes as in memory
//! kind 3, new records:   | shard 4 | first position 4 | mark | mark | ...
//! kind 4, full segment:  | shard 4 | segment 4 | CRC-32 of its records 4 |
//! ```
//!
//! Recovery *joins* a mark on disk to the mark in memory: intersects the sleep sets, and closes the record if either is
//! closed. Joining is commutative and idempotent. So frames may stand in any order, and a manifest names only the
//! length of the journal.

use super::manifest::JournalState;
use crate::store::{IoContext, StorageBackend, StorageConfig, StorageError, StorageFile};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The first bytes of the file, with the version of the format.
const MAGIC: [u8; 8] = *b"GHJRNL\x01\n";

/// Bytes in front of a frame's body.
const HEAD_BYTES: usize = 12;

/// The longest body. A greater length is damage, even if the checksum is right.
pub(super) const MAX_BODY_BYTES: usize = 1 << 20;

/// Bytes in front of the marks in a frame of new records.
pub(super) const NEW_RECORDS_HEAD_BYTES: usize = 8;

/// Bytes that are collected before they are written.
const BUFFER_BYTES: usize = 1 << 18;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Closed = 1,
    ChangedMarks = 2,
    NewRecords = 3,
    FullSegment = 4,
}

impl FrameKind {
    fn from_number(number: u32) -> Option<Self> {
        let all = [Self::Closed, Self::ChangedMarks, Self::NewRecords, Self::FullSegment];
        all.into_iter().find(|&kind| kind as u32 == number)
    }
}

/// A frame whose checksum is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) kind: FrameKind,
    pub(super) body: &'a [u8],
}

/// The beginning of the body of a frame of new records.
pub(super) fn new_records_head(shard: u32, first: u32) -> [u8; NEW_RECORDS_HEAD_BYTES] {
    let mut head = [0; NEW_RECORDS_HEAD_BYTES];
    head[..4].copy_from_slice(&shard.to_le_bytes());
    head[4..].copy_from_slice(&first.to_le_bytes());
    head
}

/// Appends a frame whose body consists of `parts`.
pub(super) fn encode(kind: FrameKind, parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    debug_assert!(length <= MAX_BODY_BYTES);
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(&(kind as u32).to_le_bytes());
    head[4..8].copy_from_slice(&(length as u32).to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[..8]);
    parts.iter().for_each(|part| crc.update(part));
    head[8..].copy_from_slice(&crc.finalize().to_le_bytes());
    out.extend_from_slice(&head);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// Why a frame cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameError {
    pub(super) found: String,
    pub(super) expected: &'static str,
}

/// Reads the frame at the beginning of `bytes`, and returns it with its length. `None` when `bytes` end before the
/// frame does.
///
/// # Errors
/// When the kind, the length or the checksum is wrong.
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(Frame<'_>, usize)>, FrameError> {
    let word = |at: usize| u32_at(bytes, at);
    let (Some(kind), Some(length), Some(crc)) = (word(0), word(4), word(8)) else { return Ok(None) };
    let Some(known_kind) = FrameKind::from_number(kind) else {
        return Err(FrameError { found: format!("a frame of kind {kind}"), expected: "kind 1 to 4" });
    };
    let length = length as usize;
    if length > MAX_BODY_BYTES {
        return Err(FrameError { found: format!("a frame of {length} bytes"), expected: "1 MiB at most" });
    }
    let Some(body) = bytes.get(HEAD_BYTES..HEAD_BYTES + length) else { return Ok(None) };
    let mut actual = crc32fast::Hasher::new();
    actual.update(&bytes[..8]);
    actual.update(body);
    if actual.finalize() != crc {
        return Err(FrameError { found: "a frame with another checksum".to_owned(), expected: "the one in its head" });
    }
    Ok(Some((Frame { kind: known_kind, body }, HEAD_BYTES + length)))
}

/// The little-endian word at a position. `None` when `bytes` end before it.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct Journal {
    file: Box<dyn StorageFile>,
    path: PathBuf,
    /// The journal has entries only for shards in this range.
    shards: Range<u32>,
    /// The number of written bytes.
    length: u64,
    buffer: Vec<u8>,
}

impl Journal {
    /// The path of a journal. Journals are numbered from 0; rank r writes journal r.
    pub(super) fn path_in(folder: &Path, number: usize) -> PathBuf {
        folder.join(if number == 0 { "journal.log".to_owned() } else { format!("journal-{number:03}.log") })
    }

    /// Creates a journal for `shards`. Replaces an old one.
    pub(super) fn create(config: &StorageConfig, number: usize, shards: Range<u32>) -> Result<Self, StorageError> {
        let path = Self::path_in(&config.run, number);
        let file = config.backend.create(&path).context("create", &path)?;
        Ok(Self { file, path, shards, length: 0, buffer: MAGIC.to_vec() })
    }

    /// Continues a journal after its valid bytes, and truncates it there. Adds `shards` to its range.
    pub(super) fn resume(
        config: &StorageConfig,
        number: usize,
        state: &JournalState,
        shards: Range<u32>,
    ) -> Result<Self, StorageError> {
        let path = Self::path_in(&config.run, number);
        let file = config.backend.open(&path).context("open", &path)?;
        file.truncate(state.length).context("cut", &path)?;
        let (first, end) = state.shards;
        let shards = shards.start.min(first)..shards.end.max(end);
        Ok(Self { file, path, shards, length: state.length, buffer: Vec::new() })
    }

    /// Adds a frame whose body consists of `parts`. The frame is written before the next [`Journal::sync`] ends.
    pub(super) fn add(&mut self, kind: FrameKind, parts: &[&[u8]]) -> Result<(), StorageError> {
        encode(kind, parts, &mut self.buffer);
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), StorageError> {
        self.file.write(&self.buffer, self.length).context("write", &self.path)?;
        self.length += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Makes all added frames durable.
    pub(super) fn sync(&mut self) -> Result<JournalState, StorageError> {
        self.flush()?;
        self.file.sync().context("sync", &self.path)?;
        Ok(JournalState { length: self.length, shards: (self.shards.start, self.shards.end) })
    }

    /// The length of the file, including buffered bytes.
    pub(super) fn length(&self) -> u64 {
        self.length + self.buffer.len() as u64
    }
}

/// Calls `take` with every frame in the first `length` bytes of a journal and its offset, as long as `take` returns
/// true. Returns whether it got all frames.
pub(super) fn read(
    backend: &dyn StorageBackend,
    path: &Path,
    length: u64,
    mut take: impl FnMut(Frame<'_>, u64) -> Result<bool, StorageError>,
) -> Result<bool, StorageError> {
    let file = backend.open(path).context("open", path)?;
    let file_bytes = file.length().context("measure", path)?;
    if file_bytes < length || length < MAGIC.len() as u64 {
        return Err(StorageError::damaged(path, file_bytes, "the end of the file", format!("{length} bytes")));
    }
    let mut magic = [0; MAGIC.len()];
    file.read(&mut magic, 0).context("read", path)?;
    if magic != MAGIC {
        return Err(StorageError::damaged(path, 0, format!("{magic:?}"), "a journal of version 1"));
    }
    let (mut buffer, mut at) = (Vec::new(), MAGIC.len() as u64);
    // The offset of the buffer in the file.
    let mut buffer_start = at;
    loop {
        let used = (at - buffer_start) as usize;
        match decode(&buffer[used..]) {
            Err(error) => return Err(StorageError::damaged(path, at, error.found, error.expected)),
            Ok(Some((frame, taken))) => {
                if !take(frame, at)? {
                    return Ok(false);
                }
                at += taken as u64;
            }
            Ok(None) => {
                let unread = buffer.len() - used;
                let more = (length - at - unread as u64).min(4 * MAX_BODY_BYTES as u64) as usize;
                if more == 0 && unread == 0 {
                    return Ok(true);
                }
                if more == 0 {
                    return Err(StorageError::damaged(path, at, "half a frame", "a whole one"));
                }
                buffer.drain(..used);
                buffer.resize(unread + more, 0);
                buffer_start = at;
                file.read(&mut buffer[unread..], at + unread as u64).context("read", path)?;
            }
        }
    }
}
