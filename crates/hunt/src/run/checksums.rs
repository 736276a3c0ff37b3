//! The checksums of the files that a run never changes: `run.toml` and `boards.json`.
//!
//! ```text
//! # a comment
//! run.toml 1a2b3c4d
//! boards.json 5e6f7a8b
//! ```
//!
//! A file without a line here is read without a check, and the caller says so: a person who edits `run.toml` removes
//! its line.

use super::files::{At, BOARDS, CHECKSUMS, CONFIG, Paths, replace};
use crate::RunError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The files with checksums.
const FILES: [&str; 2] = [CONFIG, BOARDS];

const HEAD: &str = "# CRC-32 of the files beside this one. If you edit one on purpose, remove its line here.\n";

/// The checksums that a run directory names, in the order of [`FILES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksums([Option<u32>; 2]);

impl Checksums {
    /// The checksums of these contents.
    pub(super) fn of(config: u32, boards: u32) -> Self {
        Self([Some(config), Some(boards)])
    }

    /// Reads the file. A missing file has no checksums.
    ///
    /// # Errors
    /// When the file cannot be read, or has a line that is neither a comment nor a checksum.
    pub(super) fn read(paths: &Paths) -> Result<Self, RunError> {
        let path = paths.of(CHECKSUMS);
        let bytes = match fs::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            read => read.at("read", &path)?,
        };
        let mut checksums = Self::default();
        for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
            if line.starts_with('#') {
                continue;
            }
            let Some((file, checksum)) = parse(line) else {
                return Err(RunError::Damaged {
                    path,
                    place: format!("line {number}"),
                    found: format!("{line:?}"),
                    expected: format!("a checksum such as \"{CONFIG} 1a2b3c4d\""),
                    remedy: "remove the file; the files beside it are read without a check then".to_owned(),
                });
            };
            checksums.0[file] = Some(checksum);
        }
        Ok(checksums)
    }

    /// Compares the checksum of a file's content. Returns whether the directory names one.
    ///
    /// # Errors
    /// When the checksums differ.
    pub(super) fn check(&self, paths: &Paths, name: &'static str, found: u32) -> Result<bool, RunError> {
        match FILES.iter().position(|file| *file == name).and_then(|file| self.0[file]) {
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
            known => Ok(known.is_some()),
        }
    }

    /// The files without a checksum.
    pub(super) fn missing(&self) -> impl Iterator<Item = &'static str> {
        FILES.into_iter().zip(self.0).filter(|(_, checksum)| checksum.is_none()).map(|(file, _)| file)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn write(&self, paths: &Paths) -> Result<(), RunError> {
        let line = |(file, checksum): (&str, Option<u32>)| checksum.map(|checksum| format!("{file} {checksum:08x}\n"));
        let lines: String = FILES.into_iter().zip(self.0).filter_map(line).collect();
        replace(&paths.of(CHECKSUMS), format!("{HEAD}{lines}").as_bytes())
    }
}

fn parse(line: &str) -> Option<(usize, u32)> {
    let (name, checksum) = line.split_once(' ')?;
    let file = FILES.iter().position(|file| *file == name)?;
    let is_whole = checksum.len() == 8 && checksum.bytes().all(|digit| digit.is_ascii_hexdigit());
    Some((file, u32::from_str_radix(checksum, 16).ok().filter(|_| is_whole)?))
}

/// The checksum and the length of a file.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn of_file(path: &Path) -> Result<(u32, u64), RunError> {
    let mut file = File::open(path).at("open", path)?;
    let mut sum = Summing { to: io::sink(), crc: crc32fast::Hasher::new() };
    let length = io::copy(&mut file, &mut sum).at("read", path)?;
    Ok((sum.crc.finalize(), length))
}

/// A writer that computes the checksum of all bytes that pass.
pub(super) struct Summing<W> {
    pub(super) to: W,
    pub(super) crc: crc32fast::Hasher,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
