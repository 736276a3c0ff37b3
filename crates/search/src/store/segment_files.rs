//! The files of one shard's log.
//!
//! A log lies in one file or, after a resume with another spill folder, in several *parts*. Each part has consecutive
//! segments:
//!
//! ```text
//! part: | head, 4,096 bytes | segment | segment | ... | the last one, partly filled |
//! head: | magic 8 | shard 4 | first segment 4 | bytes of a key 4 | bytes of a record 4 | CRC-32 of these 4 | zeros |
//! ```
//!
//! Bytes after the head are written once and never changed. A checkpoint says how many of them are valid.

use super::record::{Layout, SEGMENT};
use super::storage::{IoContext, StorageConfig, StorageError, StorageFile};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const MAGIC: [u8; 8] = *b"GHPART\x01\n";

const HEAD_BYTES: u64 = 4_096;

/// The shard and the layout of a log, which the heads of all parts repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogShape {
    pub(crate) shard: usize,
    pub(crate) layout: Layout,
}

/// The location of a part.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct PartLocation {
    /// Empty for the run directory itself, so that the run directory can be moved.
    pub(crate) folder: String,
    pub(crate) first_segment: u32,
}

impl PartLocation {
    /// The location of the next part of a log.
    ///
    /// # Errors
    /// When the path of the folder cannot be found, or is not UTF-8.
    pub(crate) fn next(config: &StorageConfig, shard: usize, first_segment: u32) -> Result<Self, StorageError> {
        let Some(folder) = config.spill_folders.get(shard % config.spill_folders.len().max(1)) else {
            return Ok(Self { folder: String::new(), first_segment });
        };
        let absolute = std::path::absolute(folder).context("find", folder)?;
        let name =
            absolute.to_str().ok_or_else(|| std::io::Error::other("its name is not UTF-8")).context("use", folder)?;
        Ok(Self { folder: name.to_owned(), first_segment })
    }

    fn path(&self, run: &Path, shard: usize) -> PathBuf {
        run.join(&self.folder).join(format!("shard-{shard:03}-{:06}.log", self.first_segment))
    }
}

#[derive(Debug)]
struct Part {
    place: PartLocation,
    path: PathBuf,
    file: Box<dyn StorageFile>,
}

/// The files of a log.
#[derive(Debug)]
pub(crate) struct SegmentFiles {
    shape: LogShape,
    /// The part that begins with segment 0.
    oldest: Part,
    /// The next parts, in the order of their segments.
    later: Vec<Part>,
    /// The last part, if this session created it.
    newest: OnceLock<Part>,
}

impl SegmentFiles {
    /// Creates the file of a new log. `place` begins with segment 0.
    pub(super) fn create(config: &StorageConfig, shape: LogShape, place: PartLocation) -> Result<Self, StorageError> {
        let oldest = Part::create(config, &shape, place)?;
        Ok(Self { shape, oldest, later: Vec::new(), newest: OnceLock::new() })
    }

    /// Opens the files of a log. The first place begins with segment 0.
    ///
    /// # Errors
    /// When a file cannot be opened, or is not the expected part.
    pub(crate) fn open(config: &StorageConfig, shape: LogShape, places: &[PartLocation]) -> Result<Self, StorageError> {
        let mut parts = places.iter().map(|place| Part::open(config, &shape, place));
        let Some(oldest) = parts.next().transpose()? else {
            return Err(StorageError::damaged(&config.run, 0, "a log without parts", "one at least"));
        };
        Ok(Self { shape, oldest, later: parts.collect::<Result<_, _>>()?, newest: OnceLock::new() })
    }

    /// Begins an empty part in another folder.
    pub(super) fn begin_part(&self, config: &StorageConfig, place: PartLocation) -> Result<(), StorageError> {
        let begun = self.newest.set(Part::create(config, &self.shape, place)?);
        debug_assert!(begun.is_ok(), "one new part a run");
        Ok(())
    }

    pub(super) fn places(&self) -> Vec<PartLocation> {
        self.parts().map(|part| part.place.clone()).collect()
    }

    fn parts(&self) -> impl DoubleEndedIterator<Item = &Part> {
        std::iter::once(&self.oldest).chain(&self.later).chain(self.newest.get())
    }

    /// The part that holds a segment, and where the segment begins in it.
    fn locate(&self, segment: u32) -> (&Part, u64) {
        let contains = |part: &&Part| part.place.first_segment <= segment;
        let part = self.parts().rev().find(contains).unwrap_or(&self.oldest);
        (part, HEAD_BYTES + u64::from(segment - part.place.first_segment) * self.shape.layout.segment_bytes())
    }

    /// Writes `bytes` into a segment, beginning at its byte `from`. The bytes before `from` must be written.
    pub(super) fn write(&self, segment: u32, from: u64, bytes: &[u8]) -> Result<(), StorageError> {
        let (part, begin) = self.locate(segment);
        part.file.write(bytes, begin + from).context("write", &part.path)
    }

    /// Writes a whole segment with direct I/O.
    pub(super) fn write_direct(&self, segment: u32, bytes: &[u8]) -> Result<(), StorageError> {
        let (part, begin) = self.locate(segment);
        part.file.write_direct(bytes, begin).context("write", &part.path)
    }

    /// Fills `bytes` from a segment, beginning at its byte `from`.
    pub(crate) fn read(&self, segment: u32, from: u64, bytes: &mut [u8]) -> Result<(), StorageError> {
        let (part, begin) = self.locate(segment);
        part.file.read(bytes, begin + from).context("read", &part.path)
    }

    /// Makes the content durable. Only the last part grows, so only the last part is synced.
    pub(super) fn sync(&self) -> Result<(), StorageError> {
        self.parts().next_back().map_or(Ok(()), |part| part.file.sync().context("sync", &part.path))
    }

    /// Iterates over the parts, each with the length that it has when the log holds `bytes` bytes of records.
    fn lengths(&self, bytes: u64) -> impl Iterator<Item = (&Part, u64)> {
        let begin = |part: &Part| u64::from(part.place.first_segment) * self.shape.layout.segment_bytes();
        let ends = self.parts().skip(1).map(begin).chain([bytes]);
        self.parts().zip(ends).map(move |(part, end)| (part, HEAD_BYTES + end.min(bytes).saturating_sub(begin(part))))
    }

    /// The number of files that hold `records` records, and their bytes.
    pub(crate) fn files_and_bytes(&self, records: u32) -> (u64, u64) {
        self.lengths(self.bytes_of(records)).fold((0, 0), |(files, bytes), (_, length)| (files + 1, bytes + length))
    }

    fn bytes_of(&self, records: u32) -> u64 {
        u64::from(records) * self.shape.layout.stride() as u64
    }

    /// Checks that the files hold `records` records.
    ///
    /// # Errors
    /// [`StorageError::Damaged`] when a file is too short.
    pub(crate) fn check_length(&self, records: u32) -> Result<(), StorageError> {
        let bytes = self.bytes_of(records);
        for (part, expected) in self.lengths(bytes) {
            let found = part.file.length().context("measure", &part.path)?;
            if found < expected {
                let expected = format!("{expected} bytes");
                return Err(StorageError::damaged(&part.path, found, "the end of the file", expected));
            }
        }
        Ok(())
    }

    /// Reads `records` records segment by segment and compares each segment with its checksum, which `checksum` returns
    /// by the number of the segment. Calls `take` with the number of the first record and the bytes of the segment.
    ///
    /// # Errors
    /// When reading fails, a checksum differs, or `take` fails.
    pub(crate) fn read_records<E: From<StorageError>>(
        &self,
        records: u32,
        checksum: impl Fn(u32) -> Option<u32>,
        mut take: impl FnMut(u32, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (stride, mut bytes) = (self.shape.layout.stride(), Vec::new());
        for segment in 0..records.div_ceil(SEGMENT as u32) {
            bytes.resize((records - segment * SEGMENT as u32).min(SEGMENT as u32) as usize * stride, 0);
            self.read(segment, 0, &mut bytes)?;
            self.check_checksum(segment, crc32fast::hash(&bytes), checksum(segment))?;
            take(segment * SEGMENT as u32, &bytes)?;
        }
        Ok(())
    }

    /// Checks the checksum of the records of a segment. `None` as the expected checksum is an error too.
    fn check_checksum(&self, segment: u32, found: u32, expected: Option<u32>) -> Result<(), StorageError> {
        if expected == Some(found) {
            return Ok(());
        }
        let (part, begin) = self.locate(segment);
        let expected = format!("the checksum that was noted for segment {segment}");
        Err(StorageError::damaged(&part.path, begin, "records with another checksum", expected))
    }

    /// Truncates the files to the first `records` records.
    pub(super) fn truncate(&self, records: u32) -> Result<(), StorageError> {
        self.lengths(self.bytes_of(records))
            .try_for_each(|(part, length)| part.file.truncate(length).context("cut", &part.path))
    }
}

impl Part {
    fn create(config: &StorageConfig, shape: &LogShape, place: PartLocation) -> Result<Self, StorageError> {
        let path = place.path(&config.run, shape.shard);
        let file = config.backend.create(&path).context("create", &path)?;
        let mut head = encode_head(shape, place.first_segment).to_vec();
        head.resize(HEAD_BYTES as usize, 0);
        file.write(&head, 0).context("write", &path)?;
        Ok(Self { place, path, file })
    }

    fn open(config: &StorageConfig, shape: &LogShape, place: &PartLocation) -> Result<Self, StorageError> {
        let path = place.path(&config.run, shape.shard);
        let file = config.backend.open(&path).context("open", &path)?;
        let mut head = [0; 28];
        if file.length().context("measure", &path)? < HEAD_BYTES {
            return Err(StorageError::damaged(&path, 0, "no head", "a part of a log"));
        }
        file.read(&mut head, 0).context("read", &path)?;
        if head != encode_head(shape, place.first_segment) {
            return Err(StorageError::damaged(&path, 0, "another head", format!("that of {shape:?}")));
        }
        Ok(Self { place: place.clone(), path, file })
    }
}

fn encode_head(shape: &LogShape, first_segment: u32) -> [u8; 28] {
    let mut head = [0; 28];
    head[..8].copy_from_slice(&MAGIC);
    let LogShape { shard, layout } = *shape;
    let words = [shard as u32, first_segment, layout.key_len as u32, layout.stride() as u32];
    for (at, word) in words.into_iter().enumerate() {
        head[8 + 4 * at..12 + 4 * at].copy_from_slice(&word.to_le_bytes());
    }
    let crc = crc32fast::hash(&head[..24]);
    head[24..].copy_from_slice(&crc.to_le_bytes());
    head
}
