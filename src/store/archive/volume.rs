//! The files of one shard's log.
//!
//! A log lies in one file or, after a resume with another spill place, in several *parts*, each with consecutive segments:
//!
//! ```text
//! part: | head, 4,096 bytes | segment | segment | ... | the last one, as far as it goes |
//! head: | magic 8 | shard 4 | first segment 4 | bytes of a key 4 | bytes of a record 4 | CRC-32 of these 4 | zeros |
//! ```
//!
//! Bytes behind the head are written once and never changed; the manifest says how many of them count.

use super::error::{ArchiveError, At};
use super::medium::{Medium, MediumFile};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const MAGIC: [u8; 8] = *b"GHPART\x01\n";

const HEAD: u64 = 4_096;

/// What the parts of a log have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) shard: u32,
    pub(crate) key_len: u32,
    pub(crate) stride: u32,
    /// Bytes of a whole segment.
    pub(crate) segment: u64,
}

/// Where a part lies.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place {
    /// Empty for the run directory itself, so that it can be moved.
    pub(crate) folder: String,
    pub(crate) first_segment: u32,
}

impl Place {
    fn path(&self, run: &Path, shard: u32) -> PathBuf {
        run.join(&self.folder).join(format!("shard-{shard:03}-{:06}.log", self.first_segment))
    }
}

#[derive(Debug)]
struct Part {
    place: Place,
    path: PathBuf,
    file: Box<dyn MediumFile>,
}

/// A log on disk.
#[derive(Debug)]
pub(crate) struct Volume {
    shape: Shape,
    /// Begins with segment 0.
    oldest: Part,
    /// In the order of their segments.
    later: Vec<Part>,
    /// A part that was begun in this run, behind them.
    newest: OnceLock<Part>,
}

impl Volume {
    /// A new log in `place`, which begins with segment 0.
    pub(super) fn create(medium: &dyn Medium, run: &Path, shape: Shape, place: Place) -> Result<Self, ArchiveError> {
        let oldest = Part::create(medium, run, &shape, place)?;
        Ok(Self { shape, oldest, later: Vec::new(), newest: OnceLock::new() })
    }

    /// A log that was written before, in these places, the first of which begins with segment 0.
    pub(super) fn open(medium: &dyn Medium, run: &Path, shape: Shape, places: &[Place]) -> Result<Self, ArchiveError> {
        let mut parts = places.iter().map(|place| Part::open(medium, run, &shape, place));
        let Some(oldest) = parts.next().transpose()? else {
            return Err(ArchiveError::damaged(run, 0, "a log without parts", "one at least"));
        };
        Ok(Self { shape, oldest, later: parts.collect::<Result<_, _>>()?, newest: OnceLock::new() })
    }

    /// Begins a new part, empty, in another place.
    pub(super) fn extend(&self, medium: &dyn Medium, run: &Path, place: Place) -> Result<(), ArchiveError> {
        let begun = self.newest.set(Part::create(medium, run, &self.shape, place)?);
        debug_assert!(begun.is_ok(), "one new part a run");
        Ok(())
    }

    pub(super) fn places(&self) -> Vec<Place> {
        self.parts().map(|part| part.place.clone()).collect()
    }

    fn parts(&self) -> impl DoubleEndedIterator<Item = &Part> {
        std::iter::once(&self.oldest).chain(&self.later).chain(self.newest.get())
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The part that holds a segment, and where the segment begins in it.
    fn locate(&self, segment: u32) -> (&Part, u64) {
        let holds = |part: &&Part| part.place.first_segment <= segment;
        let part = self.parts().rev().find(holds).unwrap_or(&self.oldest);
        (part, HEAD + u64::from(segment - part.place.first_segment) * self.shape.segment)
    }

    /// Writes `bytes` of a segment, the first of which is its byte `from`. All before has been written.
    pub(super) fn write(&self, segment: u32, from: u64, bytes: &[u8]) -> Result<(), ArchiveError> {
        let (part, begin) = self.locate(segment);
        part.file.write(bytes, begin + from).at("write", &part.path)
    }

    /// Writes a whole segment that will hardly be read soon.
    pub(super) fn write_past_cache(&self, segment: u32, bytes: &[u8]) -> Result<(), ArchiveError> {
        let (part, begin) = self.locate(segment);
        part.file.write_past_cache(bytes, begin).at("write", &part.path)
    }

    /// Reads `bytes` of a segment from its byte `from`.
    pub(crate) fn read(&self, segment: u32, from: u64, bytes: &mut [u8]) -> Result<(), ArchiveError> {
        let (part, begin) = self.locate(segment);
        part.file.read(bytes, begin + from).at("read", &part.path)
    }

    /// The file of a segment and the position of a byte of it, for messages.
    pub(super) fn name(&self, segment: u32, byte: u64) -> (&Path, u64) {
        let (part, begin) = self.locate(segment);
        (&part.path, begin + byte)
    }

    /// Only the last part grows.
    pub(super) fn sync(&self) -> Result<(), ArchiveError> {
        self.parts().next_back().map_or(Ok(()), |part| part.file.sync().at("sync", &part.path))
    }

    /// Every part and the length that it has when the log holds `bytes` bytes of records.
    fn lengths(&self, bytes: u64) -> impl Iterator<Item = (&Part, u64)> {
        let begin = |part: &Part| u64::from(part.place.first_segment) * self.shape.segment;
        let ends = self.parts().skip(1).map(begin).chain([bytes]);
        self.parts().zip(ends).map(move |(part, end)| (part, HEAD + end.min(bytes).saturating_sub(begin(part))))
    }

    /// Checks that the log holds `bytes` bytes of records.
    pub(super) fn check_length(&self, bytes: u64) -> Result<(), ArchiveError> {
        for (part, expected) in self.lengths(bytes) {
            let found = part.file.length().at("measure", &part.path)?;
            if found < expected {
                let expected = format!("{expected} bytes");
                return Err(ArchiveError::damaged(&part.path, found, "the end of the file", expected));
            }
        }
        Ok(())
    }

    /// Cuts off what lies behind the first `bytes` bytes of records, which are there.
    pub(super) fn cut(&self, bytes: u64) -> Result<(), ArchiveError> {
        self.lengths(bytes).try_for_each(|(part, length)| part.file.cut(length).at("cut", &part.path))
    }
}

impl Part {
    fn create(medium: &dyn Medium, run: &Path, shape: &Shape, place: Place) -> Result<Self, ArchiveError> {
        let path = place.path(run, shape.shard);
        let file = medium.create(&path).at("create", &path)?;
        let mut head = encode_head(shape, place.first_segment).to_vec();
        head.resize(HEAD as usize, 0);
        file.write(&head, 0).at("write", &path)?;
        Ok(Self { place, path, file })
    }

    fn open(medium: &dyn Medium, run: &Path, shape: &Shape, place: &Place) -> Result<Self, ArchiveError> {
        let path = place.path(run, shape.shard);
        let file = medium.open(&path).at("open", &path)?;
        let mut head = [0; 28];
        if file.length().at("measure", &path)? < HEAD {
            return Err(ArchiveError::damaged(&path, 0, "no head", "a part of a log"));
        }
        file.read(&mut head, 0).at("read", &path)?;
        if head != encode_head(shape, place.first_segment) {
            return Err(ArchiveError::damaged(&path, 0, "another head", format!("that of {shape:?}")));
        }
        Ok(Self { place: place.clone(), path, file })
    }
}

fn encode_head(shape: &Shape, first_segment: u32) -> [u8; 28] {
    let mut head = [0; 28];
    head[..8].copy_from_slice(&MAGIC);
    for (at, word) in [shape.shard, first_segment, shape.key_len, shape.stride].into_iter().enumerate() {
        head[8 + 4 * at..12 + 4 * at].copy_from_slice(&word.to_le_bytes());
    }
    let crc = crc32fast::hash(&head[..24]);
    head[24..].copy_from_slice(&crc.to_le_bytes());
    head
}
