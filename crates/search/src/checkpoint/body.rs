//! The body of a checkpoint: a separate file for data that is too long for a manifest.
//!
//! An engine without records writes its body while the search waits, before the cut. The manifest names the file, its
//! length and its checksum. There are three files, used in turn: two belong to the two generations while the third is
//! written.

use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::manifest::{BodyState, Manifest};
use crate::store::{IoContext, StorageConfig, StorageError, StorageFile};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The number of files for bodies.
pub(super) const BODY_FILES: usize = 3;

/// Bytes that are written or read at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// The path of file number `number`.
pub(super) fn path_in(run: &Path, number: usize) -> PathBuf {
    run.join(format!("body-{number}.bin"))
}

/// Writes a body into file number `number`, and makes it durable. `other_bytes` counts the bytes of other files. If the
/// limits leave too little room, the file is left empty.
///
/// # Errors
/// When the file cannot be written, or there is no room for it.
pub(super) fn write(
    storage: &StorageConfig,
    number: usize,
    other_bytes: u64,
    content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<BodyState, StorageError> {
    let path = path_in(&storage.run, number);
    let file = storage.backend.create(&path).context("create", &path)?;
    let mut out = BodyWriter {
        storage,
        path: &path,
        file,
        other_bytes,
        buffer: Vec::with_capacity(BUFFER_BYTES),
        length: 0,
        crc: crc32fast::Hasher::new(),
        error: None,
    };
    let written = content(&mut out).and_then(|()| out.flush());
    let BodyWriter { file, length, crc, error, .. } = out;
    if let Some(error) = error {
        if error.is_full() {
            file.truncate(0).context("empty", &path)?;
        }
        return Err(error);
    }
    written.context("write", &path)?;
    file.sync().context("sync", &path)?;
    storage.backend.sync_folder(&storage.run).context("sync", &storage.run)?;
    Ok(BodyState { number: number as u8, length, crc: crc.finalize() })
}

struct BodyWriter<'a> {
    storage: &'a StorageConfig,
    path: &'a Path,
    file: Box<dyn StorageFile>,
    /// The bytes of other files.
    other_bytes: u64,
    buffer: Vec<u8>,
    /// Bytes written to the file.
    length: u64,
    crc: crc32fast::Hasher,
    error: Option<StorageError>,
}

impl BodyWriter<'_> {
    fn write_buffer(&mut self) -> Result<(), StorageError> {
        self.storage.check_last_checkpoint_room(self.other_bytes + self.length, self.buffer.len() as u64)?;
        self.file.write(&self.buffer, self.length).context("write", self.path)?;
        self.crc.update(&self.buffer);
        self.length += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for BodyWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_buffer().map_err(|error| {
            self.error = Some(error);
            io::Error::other("the body of a checkpoint")
        })
    }
}

/// Reads a body whose checksum is right.
#[derive(Debug)]
pub struct BodyReader {
    file: Box<dyn StorageFile>,
    length: u64,
    offset: u64,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that the caller has read.
    consumed: usize,
}

impl BodyReader {
    /// The body of a checkpoint, if it has one.
    ///
    /// # Errors
    /// As [`BodyReader::open`].
    pub(super) fn of(files: &CheckpointFiles, manifest: &Manifest) -> Result<Option<Self>, CheckpointError> {
        Ok(manifest.body.map(|state| Self::open(&files.storage, state)).transpose()?)
    }

    /// Opens the body of a checkpoint, and reads it once to check it.
    ///
    /// # Errors
    /// When the file cannot be read, or is not what was written.
    pub(super) fn open(storage: &StorageConfig, state: BodyState) -> Result<Self, StorageError> {
        let path = path_in(&storage.run, usize::from(state.number));
        let file = storage.backend.open(&path).context("open", &path)?;
        let length = file.length().context("measure", &path)?;
        if length < state.length {
            let found = format!("{length} bytes");
            return Err(StorageError::damaged(&path, length, found, format!("{} bytes", state.length)));
        }
        let mut body = Self { file, length: state.length, offset: 0, buffer: Vec::new(), consumed: 0 };
        let mut crc = crc32fast::Hasher::new();
        while body.fill().context("read", &path)? {
            crc.update(&body.buffer);
        }
        if crc.finalize() != state.crc {
            return Err(StorageError::damaged(&path, 0, "another checksum", "that in the manifest"));
        }
        body.offset = 0;
        body.buffer.clear();
        Ok(body)
    }

    /// The number of bytes still to be read.
    #[must_use]
    pub fn remaining_bytes(&self) -> u64 {
        self.length - self.offset + (self.buffer.len() - self.consumed) as u64
    }

    /// Reads the next bytes into the buffer. Returns false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.consumed = 0;
        self.buffer.resize((self.length - self.offset).min(BUFFER_BYTES as u64) as usize, 0);
        self.file.read(&mut self.buffer, self.offset)?;
        self.offset += self.buffer.len() as u64;
        Ok(!self.buffer.is_empty())
    }
}

impl Read for BodyReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.consumed == self.buffer.len() && !self.fill()? {
            return Ok(0);
        }
        let ready = &self.buffer[self.consumed..];
        let count = ready.len().min(bytes.len());
        bytes[..count].copy_from_slice(&ready[..count]);
        self.consumed += count;
        Ok(count)
    }
}
