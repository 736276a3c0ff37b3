//! The journal: an append-only file of everything about records that is not in them.
//!
//! ```text
//! file:  | magic 8 bytes | frame | frame | ...
//! frame: | kind 4 | length of the body 4 | CRC-32 of kind, length and body 4 | body |      all little endian
//!
//! kind 1, closed:  ids, 5 bytes each
//! kind 2, changed: | id 5 | mark | ...                    a mark takes as many bytes as in memory
//! kind 3, born:    | shard 4 | first position 4 | mark | mark | ...
//! kind 4, sealed:  | shard 4 | segment 4 | CRC-32 of its records 4 |
//! ```
//!
//! A mark that is read is *joined* to the one in memory: its moves that are awake wake, its closed bit closes. Joining
//! commutes, and joining twice is joining once. So frames may be written in any order, by many threads, and what counts is
//! only which of them lie before the length that a manifest names.

use super::error::{ArchiveError, At};
use super::medium::{Medium, MediumFile};
use crate::store::Id;
use std::path::{Path, PathBuf};

/// The first bytes of the file, with the version of its form.
const MAGIC: [u8; 8] = *b"GHJRNL\x01\n";

/// Bytes in front of a frame's body.
const HEAD: usize = 12;

/// The longest body. A length above it is damage, whatever the checksum says.
pub(crate) const LONGEST: usize = 1 << 20;

/// Bytes of an id.
pub(crate) const ID_LEN: usize = 5;

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 18;

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Closed = 1,
    Changed = 2,
    Born = 3,
    Sealed = 4,
}

impl Kind {
    fn from_number(number: u32) -> Option<Self> {
        [Self::Closed, Self::Changed, Self::Born, Self::Sealed].into_iter().find(|&kind| kind as u32 == number)
    }
}

/// A frame whose checksum holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) kind: Kind,
    pub(crate) body: &'a [u8],
}

/// Appends a frame.
pub(crate) fn encode(kind: Kind, body: &[u8], out: &mut Vec<u8>) {
    debug_assert!(body.len() <= LONGEST);
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&(kind as u32).to_le_bytes());
    head[4..8].copy_from_slice(&(body.len() as u32).to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[..8]);
    crc.update(body);
    head[8..].copy_from_slice(&crc.finalize().to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(body);
}

/// What is wrong with a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

/// Reads the frame that `bytes` begin with, and how many bytes it takes. `None` when they end before the frame does.
pub(crate) fn decode(bytes: &[u8]) -> Result<Option<(Frame<'_>, usize)>, Fault> {
    let word = |at: usize| u32_at(bytes, at);
    let (Some(kind), Some(length), Some(crc)) = (word(0), word(4), word(8)) else { return Ok(None) };
    let Some(known) = Kind::from_number(kind) else {
        return Err(Fault { found: format!("a frame of kind {kind}"), expected: "kind 1 to 4" });
    };
    let length = length as usize;
    if length > LONGEST {
        return Err(Fault { found: format!("a frame of {length} bytes"), expected: "1 MiB at most" });
    }
    let Some(body) = bytes.get(HEAD..HEAD + length) else { return Ok(None) };
    let mut actual = crc32fast::Hasher::new();
    actual.update(&bytes[..8]);
    actual.update(body);
    if actual.finalize() != crc {
        return Err(Fault { found: "a frame with another checksum".to_owned(), expected: "the one in its head" });
    }
    Ok(Some((Frame { kind: known, body }, HEAD + length)))
}

/// The little-endian word at a position, if it is there.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

pub(crate) fn id_at(bytes: &[u8]) -> Id {
    let mut word = [0; 8];
    word[..ID_LEN].copy_from_slice(&bytes[..ID_LEN]);
    Id(u64::from_le_bytes(word))
}

/// The journal as the scribe writes it.
#[derive(Debug)]
pub(super) struct Journal {
    file: Box<dyn MediumFile>,
    path: PathBuf,
    /// Bytes written, and those that wait.
    length: u64,
    waiting: Vec<u8>,
}

impl Journal {
    pub(super) fn path_in(folder: &Path) -> PathBuf {
        folder.join("journal.log")
    }

    /// A new journal in place of an old one.
    pub(super) fn create(medium: &dyn Medium, folder: &Path) -> Result<Self, ArchiveError> {
        let path = Self::path_in(folder);
        let file = medium.create(&path).at("create", &path)?;
        let mut journal = Self { file, path, length: 0, waiting: Vec::new() };
        journal.waiting.extend_from_slice(&MAGIC);
        Ok(journal)
    }

    /// Goes on with a journal behind its first `length` bytes; what stands there is cut off.
    pub(super) fn go_on(medium: &dyn Medium, folder: &Path, length: u64) -> Result<Self, ArchiveError> {
        let path = Self::path_in(folder);
        let file = medium.open(&path).at("open", &path)?;
        file.cut(length).at("cut", &path)?;
        Ok(Self { file, path, length, waiting: Vec::new() })
    }

    /// Adds a frame; written some time before the next [`Journal::flush`] ends.
    pub(super) fn add(&mut self, kind: Kind, body: &[u8]) -> Result<(), ArchiveError> {
        encode(kind, body, &mut self.waiting);
        if self.waiting.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<(), ArchiveError> {
        self.file.write(&self.waiting, self.length).at("write", &self.path)?;
        self.length += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Makes everything added so far durable; returns the length of the file.
    pub(super) fn sync(&mut self) -> Result<u64, ArchiveError> {
        self.flush()?;
        self.file.sync().at("sync", &self.path)?;
        Ok(self.length)
    }

    /// Bytes of the file, with those that wait.
    pub(super) fn length(&self) -> u64 {
        self.length + self.waiting.len() as u64
    }
}

/// Calls `take` for every frame among the first `length` bytes of a journal.
pub(super) fn read(
    medium: &dyn Medium,
    folder: &Path,
    length: u64,
    mut take: impl FnMut(Frame<'_>, u64) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let path = Journal::path_in(folder);
    let file = medium.open(&path).at("open", &path)?;
    let found = file.length().at("measure", &path)?;
    if found < length || length < MAGIC.len() as u64 {
        return Err(ArchiveError::damaged(&path, found, "the end of the file", format!("{length} bytes")));
    }
    let mut magic = [0; MAGIC.len()];
    file.read(&mut magic, 0).at("read", &path)?;
    if magic != MAGIC {
        return Err(ArchiveError::damaged(&path, 0, format!("{magic:?}"), "a journal of version 1"));
    }
    let (mut bytes, mut at) = (Vec::new(), MAGIC.len() as u64);
    // Bytes of the file before those in `bytes`.
    let mut before = at;
    loop {
        let used = (at - before) as usize;
        match decode(&bytes[used..]) {
            Err(fault) => return Err(ArchiveError::damaged(&path, at, fault.found, fault.expected)),
            Ok(Some((frame, taken))) => {
                take(frame, at)?;
                at += taken as u64;
            }
            Ok(None) => {
                let have = bytes.len() - used;
                let more = (length - at - have as u64).min(4 * LONGEST as u64) as usize;
                if more == 0 && have == 0 {
                    return Ok(());
                }
                if more == 0 {
                    return Err(ArchiveError::damaged(&path, at, "half a frame", "a whole one"));
                }
                bytes.drain(..used);
                bytes.resize(have + more, 0);
                before = at;
                file.read(&mut bytes[have..], before + have as u64).at("read", &path)?;
            }
        }
    }
}
