//! The checksums of the files that a run never changes: `run.toml` and `boards.json`.
//!
//! ```text
//! # a comment
//! run.toml 1a2b3c4d
//! boards.json 5e6f7a8b
//! ```
//!
//! A file without a line here is read without a check, and a note reports this. A user who edits `run.toml` removes
//! its line.

use super::files::{BOARDS, CHECKSUMS, CONFIG, IoResultExt, Paths, replace};
use crate::RunError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The files with checksums.
const CHECKED_FILES: [&str; 2] = [CONFIG, BOARDS];

const HEADER: &str = "# CRC-32 of the files beside this one. If you edit one on purpose, remove its line here.\n";

/// The checksums in a run directory, in the order of [`CHECKED_FILES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksums([Option<u32>; 2]);

impl Checksums {
    /// Makes it from the checksums of both files.
    pub(super) fn of(config: u32, boards: u32) -> Self {
        Self([Some(config), Some(boards)])
    }

    /// Reads the file, if it exists.
    ///
    /// # Errors
    /// When the file cannot be read, or has a line that is neither a comment nor a checksum.
    pub(super) fn read(paths: &Paths) -> Result<Self, RunError> {
        let path = paths.of(CHECKSUMS);
        let bytes = match fs::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            read => read.with_path("read", &path)?,
        };
        let mut checksums = Self::default();
        for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
            if line.starts_with('#') {
                continue;
            }
            let Some((index, checksum)) = parse_line(line) else {
                return Err(RunError::Damaged {
                    path,
                    place: format!("line {number}"),
                    found: format!("{line:?}"),
                    expected: format!("a checksum such as \"{CONFIG} 1a2b3c4d\""),
                    remedy: format!("remove the file; {CONFIG} and {BOARDS} are then read without a check"),
                });
            };
            checksums.0[index] = Some(checksum);
        }
        Ok(checksums)
    }

    /// Compares the checksum of a file with the recorded checksum. Returns whether there is a recorded checksum.
    pub(super) fn check(&self, paths: &Paths, name: &'static str, found: u32) -> Result<bool, RunError> {
        match CHECKED_FILES.iter().position(|file| *file == name).and_then(|index| self.0[index]) {
            Some(expected) if expected != found => Err(RunError::Damaged {
                path: paths.of(name),
                place: "whole file".to_owned(),
                found: format!("the checksum {found:08x}"),
                expected: format!("{expected:08x}"),
                remedy: format!(
                    "restore the file from a copy, or, if you edited it on purpose, remove its line from {}",
                    paths.of(CHECKSUMS).display()
                ),
            }),
            recorded => Ok(recorded.is_some()),
        }
    }

    /// The files without a checksum.
    pub(super) fn unchecked_files(&self) -> impl Iterator<Item = &'static str> {
        CHECKED_FILES.into_iter().zip(self.0).filter(|(_, checksum)| checksum.is_none()).map(|(file, _)| file)
    }

    pub(super) fn write(&self, paths: &Paths) -> Result<(), RunError> {
        let line = |(file, checksum): (&str, Option<u32>)| checksum.map(|checksum| format!("{file} {checksum:08x}\n"));
        let lines: String = CHECKED_FILES.into_iter().zip(self.0).filter_map(line).collect();
        replace(&paths.of(CHECKSUMS), format!("{HEADER}{lines}").as_bytes())
    }
}

/// Parses a line: the index of the file in [`CHECKED_FILES`], and its checksum.
fn parse_line(line: &str) -> Option<(usize, u32)> {
    let (name, checksum) = line.split_once(' ')?;
    let index = CHECKED_FILES.iter().position(|file| *file == name)?;
    let is_complete = checksum.len() == 8 && checksum.bytes().all(|digit| digit.is_ascii_hexdigit());
    Some((index, u32::from_str_radix(checksum, 16).ok().filter(|_| is_complete)?))
}

/// The checksum and the length of a file.
pub(super) fn checksum_and_length(path: &Path) -> Result<(u32, u64), RunError> {
    let mut file = File::open(path).with_path("open", path)?;
    let mut writer = ChecksumWriter { inner: io::sink(), crc: crc32fast::Hasher::new() };
    let length = io::copy(&mut file, &mut writer).with_path("read", path)?;
    Ok((writer.crc.finalize(), length))
}

/// A writer that computes the checksum of the written bytes.
pub(super) struct ChecksumWriter<W> {
    pub(super) inner: W,
    pub(super) crc: crc32fast::Hasher,
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
