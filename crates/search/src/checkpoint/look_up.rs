//! Looks up single states in a checkpoint, without loading its store.
//!
//! A look-up reads the logs of the shards that own the wanted keys, segment by segment, and then the journals once: for
//! the checksums of these segments, and for the marks of the records that were found. Memory holds one segment for each
//! thread, one checksum for each segment, and the records that were found.
//!
//! **A hunt may write meanwhile.** Bytes that a generation covers never change while a search goes on, so a generation
//! can be read beside the search. Files disappear, or are replaced, only where a run ends, begins anew, or goes on from
//! an older generation. Each of these changes the manifests, or removes them. So where a generation cannot be read and
//! the manifests have changed meanwhile, the look-up chooses again.

use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::generation::{Checksums, Chosen, choose, for_each_mark, layout, open_files};
use super::manifest::{self, Generations, Manifest};
use super::peers::Alone;
use super::recover::OnRead;
use crate::store::{Id, Layout, SEGMENT, SegmentFiles, StorageError, hash_key};
use foldhash::fast::FixedState;
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// How often a look-up chooses among the generations at most.
const MOST_CHOICES: usize = 4;

/// What a checkpoint says about some states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRecords {
    /// The number of the checkpoint, counted from 1.
    pub sequence: u64,
    /// The time of the checkpoint: seconds since 1970.
    pub time: u64,
    /// The bytes that the engine gave with the cut.
    pub payload: Vec<u8>,
    /// The record of each state, in the order of the keys; `None` for a state that is not stored. Without records if
    /// the engine stores no states.
    pub records: Option<Vec<Option<StoredRecord>>>,
    /// The reasons why newer generations were not used.
    pub notes: Vec<String>,
}

/// The newest record of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The cost of the cheapest path that the search has found.
    pub g: u32,
    /// The lower bound on the cost from the state on, at most [`MAX_H`](crate::store::MAX_H), as the search opened the
    /// state.
    pub h: u32,
    /// Whether the state is closed: all its moves that are not asleep are expanded.
    pub is_closed: bool,
    /// The sleep set.
    pub asleep: u64,
    /// The number of records with a larger g that this one has superseded.
    pub superseded: u32,
}

/// Looks up the states with these packed keys in the newest checkpoint that is whole. Compares full keys.
///
/// `on_read` is called with numbers of records that were read, from any thread, and with 0 after other parts. It says
/// whether to continue.
///
/// # Errors
/// When no checkpoint is whole, the newest belongs to another search or has keys of another length, or `on_read` ends
/// the look-up.
pub fn look_up(files: &CheckpointFiles, keys: &[&[u8]], on_read: &OnRead<'_>) -> Result<FoundRecords, CheckpointError> {
    let mut before = stamp(files)?;
    for _ in 1..MOST_CHOICES {
        let found = look_up_once(files, keys, on_read);
        let is_sure = match &found {
            Ok(found) => found.notes.is_empty(),
            Err(error) => !matches!(error, CheckpointError::NoCheckpoint { .. }),
        };
        if is_sure {
            return found;
        }
        let after = stamp(files)?;
        if before == after {
            return found;
        }
        before = after;
    }
    look_up_once(files, keys, on_read)
}

/// Number and time of a generation, or why it cannot be read.
type Stamp = Result<(u64, u64), String>;

/// Which generations there are now.
fn stamp(files: &CheckpointFiles) -> Result<Vec<Stamp>, StorageError> {
    let Generations { whole, broken } = manifest::read_all(&*files.storage.backend, &files.storage.run)?;
    let whole = whole.into_iter().map(|(_, manifest)| Ok((manifest.sequence, manifest.time)));
    Ok(whole.chain(broken.into_iter().map(|(_, reason)| Err(reason))).collect())
}

fn look_up_once(
    files: &CheckpointFiles,
    keys: &[&[u8]],
    on_read: &OnRead<'_>,
) -> Result<FoundRecords, CheckpointError> {
    let chosen = choose(files, &Alone, |manifest| {
        if manifest.shards.is_empty() { Ok(None) } else { read(files, manifest, keys, on_read).map(Some) }
    })?;
    let Chosen { manifest: Manifest { sequence, time, payload, .. }, read: records, notes, .. } = chosen;
    Ok(FoundRecords { sequence, time, payload, records, notes })
}

/// The record of each key in this generation.
fn read(
    files: &CheckpointFiles,
    manifest: &Manifest,
    keys: &[&[u8]],
    on_read: &OnRead<'_>,
) -> Result<Vec<Option<StoredRecord>>, CheckpointError> {
    let (run, layout) = (&files.storage.run, layout(manifest));
    if let Some(key) = keys.iter().find(|key| key.len() != layout.key_len) {
        let (found, expected) = (format!("keys of {} bytes", layout.key_len), format!("keys of {} bytes", key.len()));
        return Err(StorageError::damaged(run, 0, found, expected).into());
    }
    let mut wanted: BTreeMap<usize, Wanted<'_>> = BTreeMap::new();
    for (number, key) in keys.iter().enumerate() {
        // A key may be wanted twice.
        wanted.entry(layout.owner(hash_key(key))).or_default().entry(key).or_default().push(number);
    }
    let Some((&first, &last)) = wanted.keys().next().zip(wanted.keys().next_back()) else { return Ok(Vec::new()) };
    let scans: Vec<_> = wanted
        .into_par_iter()
        .map(|(shard, wanted)| Scan::run(files, manifest, (shard, &wanted), on_read))
        .collect::<Result<_, _>>()?;
    // Marks as they are joined on a resume: open with all moves asleep, until the journal says something else.
    let ids =
        scans.iter().flat_map(|scan| scan.found.iter().map(|found| (layout.id(scan.shard, found.local), NEUTRAL)));
    let marks: RefCell<HashMap<Id, u64, FixedState>> = RefCell::new(ids.collect());
    let checksums = Checksums::read(files, manifest, &(first..last + 1), |frame| {
        let mut marks = marks.borrow_mut();
        for_each_mark(layout, frame, |id, bits| {
            if let Some(mark) = marks.get_mut(&id) {
                *mark = joined(*mark, bits);
            }
        });
        on_read(0)
    })?;
    let Some(checksums) = checksums else { return Err(CheckpointError::Interrupted { path: run.clone() }) };
    scans.iter().try_for_each(|scan| scan.check(&checksums))?;
    let (marks, mut records) = (marks.into_inner(), vec![None; keys.len()]);
    for scan in &scans {
        for found in &scan.found {
            let mark = marks.get(&layout.id(scan.shard, found.local)).copied().unwrap_or(NEUTRAL);
            let record = found.record(mark, layout);
            found.keys.iter().for_each(|&key| records[key] = Some(record));
        }
    }
    Ok(records)
}

/// The keys that one shard owns, each with its places among all keys.
type Wanted<'k> = HashMap<&'k [u8], Vec<usize>, FixedState>;

/// The mark of a record before the journal says something about it: open, with all moves asleep.
const NEUTRAL: u64 = !CLOSED;

const CLOSED: u64 = 1;

/// Joins two marks: sleep sets are intersected, and closed stays closed.
fn joined(mark: u64, bits: u64) -> u64 {
    (mark & bits & !CLOSED) | ((mark | bits) & CLOSED)
}

/// The log of one shard after it was read. Its segments are not compared with their checksums yet.
struct Scan {
    shard: usize,
    files: SegmentFiles,
    /// The checksum of each segment.
    crcs: Vec<u32>,
    found: Vec<NewestRecord>,
}

/// The newest record of a wanted key.
struct NewestRecord {
    /// The places of the key among all keys.
    keys: Vec<usize>,
    local: u32,
    g: u32,
    h: u32,
    superseded: u32,
}

impl Scan {
    /// Reads the log of a shard.
    fn run(
        files: &CheckpointFiles,
        manifest: &Manifest,
        (shard, wanted): (usize, &Wanted<'_>),
        on_read: &OnRead<'_>,
    ) -> Result<Self, CheckpointError> {
        let (layout, mut opened) = (layout(manifest), open_files(files, manifest, &(shard..shard + 1))?);
        let missing = || StorageError::damaged(&files.storage.run, 0, "a shard without files", "its files");
        let opened = opened.pop().ok_or_else(missing)?;
        let mut newest: HashMap<&[u8], NewestRecord, FixedState> = HashMap::default();
        let mut crcs = Vec::new();
        opened.read_unchecked(manifest.shards[shard].records, |segment, crc, bytes| {
            crcs.push(crc);
            for (record, local) in bytes.chunks_exact(layout.stride()).zip(segment * SEGMENT as u32..) {
                let (key, tag, h) = layout.parse(record);
                let Some((&key, places)) = wanted.get_key_value(key) else { continue };
                let superseded = newest.get(key).map_or(0, |older| older.superseded + 1);
                newest.insert(key, NewestRecord { keys: places.clone(), local, g: tag.g, h, superseded });
            }
            let continues = on_read((bytes.len() / layout.stride()) as u64);
            let interrupted = || CheckpointError::Interrupted { path: files.storage.run.clone() };
            if continues { Ok(()) } else { Err(interrupted()) }
        })?;
        Ok(Self { shard, files: opened, crcs, found: newest.into_values().collect() })
    }

    /// Compares the segments with their checksums.
    fn check(&self, checksums: &Checksums) -> Result<(), StorageError> {
        let segments = (0..).zip(&self.crcs);
        segments
            .into_iter()
            .try_for_each(|(segment, &crc)| self.files.compare(segment, crc, checksums.of(self.shard, segment)))
    }
}

impl NewestRecord {
    fn record(&self, mark: u64, layout: Layout) -> StoredRecord {
        let asleep = mark >> 1 & ((1 << layout.mask_bits) - 1);
        let &Self { g, h, superseded, .. } = self;
        StoredRecord { g, h, is_closed: mark & CLOSED != 0, asleep, superseded }
    }
}
