//! Chooses among the generations of a run, and checks the files that a generation names.

use super::agreement::{agree_on_result, broadcast_from_leader};
use super::error::{CheckpointError, require_files};
use super::files::CheckpointFiles;
use super::journal::{self, Frame, FrameKind, Journal, NEW_RECORDS_HEAD_BYTES, u32_at};
use super::manifest::{self, Generations, Manifest};
use crate::runtime::Exchange;
use crate::store::{Id, Layout, LogShape, MAX_SHARDS, PartLocation, SEGMENT, SegmentFiles, StorageError};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The generation that a recovery or inspection uses.
pub(super) struct ChosenGeneration<T> {
    pub(super) path: PathBuf,
    pub(super) manifest: Manifest,
    /// The result of reading the generation's files.
    pub(super) content: T,
    /// The reasons why newer generations were not used.
    pub(super) notes: Vec<String>,
}

/// Chooses the newest generation that `read` does not find damaged on any rank.
///
/// # Errors
/// When all generations are damaged, the newest belongs to another search, or `read` fails for another reason.
pub(super) fn choose_generation<T>(
    files: &CheckpointFiles,
    exchange: Option<&Exchange>,
    read: impl Fn(&Manifest) -> Result<T, CheckpointError>,
) -> Result<ChosenGeneration<T>, CheckpointError> {
    let run = &files.storage.run;
    require_files(run)?;
    let generations = || Ok(manifest::read_all(&files.storage)?);
    let Generations { readable, broken } = broadcast_from_leader(exchange, run, generations)?;
    let mut notes: Vec<String> = broken.into_iter().map(|(_, reason)| reason).collect();
    for (path, manifest) in readable {
        if manifest.identity != files.identity && !files.identity.is_empty() {
            let (found, expected) = (manifest.identity, files.identity.clone());
            return Err(CheckpointError::OtherSearch { path: run.clone(), found, expected });
        }
        let result = check_sizes(&path, &manifest).map_err(CheckpointError::from).and_then(|()| read(&manifest));
        match agree_on_result(exchange, run, result) {
            Ok(content) => return Ok(ChosenGeneration { path, manifest, content, notes }),
            Err(error) if !error.is_damage() => return Err(error),
            Err(error) => notes.push(format!("{}: {error}", path.display())),
        }
    }
    Err(CheckpointError::NoCheckpoint { path: run.clone(), reasons: notes })
}

/// The layout of the records.
pub(super) fn layout(manifest: &Manifest) -> Layout {
    let (key_len, mask_bits) = (manifest.key_len as usize, manifest.mask_bits);
    Layout { key_len, mask_bits, shards: manifest.shards.len() }
}

/// Rejects a manifest with invalid sizes before memory is allocated for them. An engine without records has no shards.
fn check_sizes(path: &Path, manifest: &Manifest) -> Result<(), StorageError> {
    let shards = manifest.shards.len();
    let is_valid_count = shards == 0 || shards.is_power_of_two() && shards <= MAX_SHARDS;
    let max_records = if is_valid_count && shards > 0 { (1 << layout(manifest).position_bits()) - 1 } else { 0 };
    // Shards need journals, and journals need shards.
    let has_journals = manifest.journals.is_empty() == (shards == 0) && manifest.journals.len() <= MAX_SHARDS;
    let is_valid = is_valid_count
        && has_journals
        && manifest.segment as usize == SEGMENT
        && manifest.mask_bits < 64
        && manifest.shards.iter().all(|state| state.records <= max_records && are_ordered(&state.places));
    if is_valid {
        return Ok(());
    }
    let found = format!("{shards} shards with segments of {} records", manifest.segment);
    Err(StorageError::damaged(path, 0, found, format!("segments of {SEGMENT} records")))
}

/// Whether the parts of a log are in order and begin with segment 0.
fn are_ordered(places: &[PartLocation]) -> bool {
    places.first().is_some_and(|place| place.first_segment == 0) && places.is_sorted_by_key(|place| place.first_segment)
}

/// The number of records of each shard; 0 for shards outside of `owned`.
pub(super) fn record_counts(manifest: &Manifest, owned: &Range<usize>) -> Vec<u32> {
    let count = |(shard, state): (usize, &manifest::ShardState)| if owned.contains(&shard) { state.records } else { 0 };
    manifest.shards.iter().enumerate().map(count).collect()
}

/// Opens the files of the shards `owned` and checks their lengths.
pub(super) fn open_files(
    files: &CheckpointFiles,
    manifest: &Manifest,
    owned: &Range<usize>,
) -> Result<Vec<SegmentFiles>, StorageError> {
    let open = |(shard, state): (usize, &manifest::ShardState)| {
        let shape = LogShape { shard, layout: layout(manifest) };
        let opened = SegmentFiles::open(&files.storage, shape, &state.places)?;
        opened.check_length(state.records)?;
        Ok(opened)
    };
    let owned = manifest.shards.iter().enumerate().take(owned.end).skip(owned.start);
    owned.map(open).collect()
}

/// The checksums of all segments of some shards.
pub(super) struct Checksums {
    /// The checksums of full segments, by shard and segment.
    full: HashMap<(u32, u32), u32>,
    /// For each shard, the segment that is not full, and its checksum.
    tails: Vec<Option<(u32, u32)>>,
}

impl Checksums {
    /// Reads the journals that may have entries for the shards `owned`. `take` gets every checked frame except checksum
    /// frames, and returns whether to continue. Returns `None` if `take` stopped.
    ///
    /// # Errors
    /// When a journal cannot be read or is damaged, or its frames do not fit the manifest.
    pub(super) fn read(
        files: &CheckpointFiles,
        manifest: &Manifest,
        owned: &Range<usize>,
        take: impl Fn(Frame<'_>) -> bool,
    ) -> Result<Option<Self>, StorageError> {
        let mut checksums = Self { full: HashMap::new(), tails: Vec::new() };
        let mut new_mark_counts = vec![0; manifest.shards.len()];
        for (number, state) in manifest.journals.iter().enumerate() {
            let (first, end) = state.shards;
            if owned.start < end as usize && (first as usize) < owned.end {
                let path = Journal::path_in(&files.storage.run, number);
                if !checksums.read_journal(files, &path, state.length, manifest, &mut new_mark_counts, &take)? {
                    return Ok(None);
                }
            }
        }
        for shard in owned.clone() {
            if new_mark_counts[shard] != u64::from(manifest.shards[shard].records) {
                let found = format!("marks of {} records of shard {shard} in its journals", new_mark_counts[shard]);
                let expected = manifest.shards[shard].records.to_string();
                // A manifest with shards has a first journal.
                return Err(StorageError::damaged(&Journal::path_in(&files.storage.run, 0), 0, found, expected));
            }
        }
        let tail = |state: &manifest::ShardState| {
            let has_tail = !state.records.is_multiple_of(SEGMENT as u32);
            has_tail.then_some((state.records / SEGMENT as u32, state.tail_crc))
        };
        checksums.tails = manifest.shards.iter().map(tail).collect();
        Ok(Some(checksums))
    }

    /// Reads one journal. `new_mark_counts` counts the new records of each shard. Returns false if `take` stopped.
    fn read_journal(
        &mut self,
        files: &CheckpointFiles,
        path: &Path,
        length: u64,
        manifest: &Manifest,
        new_mark_counts: &mut [u64],
        take: &impl Fn(Frame<'_>) -> bool,
    ) -> Result<bool, StorageError> {
        let records_of = |shard: u32| manifest.shards.get(shard as usize).map_or(0, |state| state.records);
        let layout = layout(manifest);
        let width = layout.mark_width();
        journal::read(&*files.storage.backend, path, length, |frame, at| {
            let damaged = |found: &str| Err(StorageError::damaged(path, at, found, "one of this checkpoint"));
            match (frame.kind, u32_at(frame.body, 0), u32_at(frame.body, 4)) {
                (FrameKind::FullSegment, Some(shard), Some(segment)) if frame.body.len() == 12 => {
                    self.full.insert((shard, segment), u32_at(frame.body, 8).unwrap_or(0));
                    return Ok(true);
                }
                (FrameKind::NewRecords, Some(shard), Some(first))
                    if (frame.body.len() - NEW_RECORDS_HEAD_BYTES).is_multiple_of(width) =>
                {
                    let marks = ((frame.body.len() - NEW_RECORDS_HEAD_BYTES) / width) as u64;
                    if u64::from(first) + marks > u64::from(records_of(shard)) {
                        return damaged("marks of records that are not there");
                    }
                    new_mark_counts[shard as usize] += marks;
                }
                (FrameKind::Closed, ..) if frame.body.len().is_multiple_of(Id::BYTES) => {}
                (FrameKind::ChangedMarks, ..) if frame.body.len().is_multiple_of(Id::BYTES + width) => {}
                _ => return damaged("a frame of another length"),
            }
            let stride = if frame.kind == FrameKind::Closed { Id::BYTES } else { Id::BYTES + width };
            let is_known = |id: &[u8]| {
                let (shard, position) = layout.place_of(Id::from_bytes(id));
                position < records_of(shard as u32)
            };
            if frame.kind != FrameKind::NewRecords && !frame.body.chunks_exact(stride).all(is_known) {
                return damaged("the id of a record that is not there");
            }
            Ok(take(frame))
        })
    }

    /// The checksum of a segment. `None` when the journal does not have it.
    pub(super) fn of(&self, shard: usize, segment: u32) -> Option<u32> {
        match self.tails[shard] {
            Some((tail, crc)) if tail == segment => Some(crc),
            _ => self.full.get(&(shard as u32, segment)).copied(),
        }
    }
}

/// Calls `join` with the id and the bits of each mark of a checked frame.
pub(super) fn for_each_mark(layout: Layout, frame: Frame<'_>, mut join: impl FnMut(Id, u64)) {
    let width = layout.mark_width();
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
    match frame.kind {
        FrameKind::Closed => {
            frame.body.chunks_exact(Id::BYTES).for_each(|id| join(Id::from_bytes(id), u64::MAX));
        }
        FrameKind::ChangedMarks => frame.body.chunks_exact(Id::BYTES + width).for_each(|entry| {
            join(Id::from_bytes(entry), bits(&entry[Id::BYTES..]));
        }),
        FrameKind::NewRecords => {
            let (shard, first) = (u32_at(frame.body, 0).unwrap_or(0), u32_at(frame.body, 4).unwrap_or(0));
            for (mark, position) in frame.body[NEW_RECORDS_HEAD_BYTES..].chunks_exact(width).zip(first..) {
                join(layout.id(shard as usize, position), bits(mark));
            }
        }
        FrameKind::FullSegment => {}
    }
}
