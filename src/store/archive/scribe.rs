//! The thread that writes.

use super::error::{ArchiveError, At};
use super::journal::{ID_LEN, Journal, Kind, LONGEST};
use super::manifest::{self, Manifest, ShardState};
use super::volume::{Place, Shape, Volume};
use super::{ArchiveSettings, Common, Order};
use crate::store::log::SEGMENT;
use crate::store::{Id, Layout};
use crossbeam::channel::Receiver;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

/// What the parts of a shard's log have in common.
pub(super) fn shape(shard: usize, layout: Layout) -> Shape {
    Shape {
        shard: shard as u32,
        key_len: layout.key_len as u32,
        stride: layout.stride() as u32,
        segment: layout.segment_bytes(),
    }
}

/// Where the next part of a shard's log goes.
pub(super) fn place(settings: &ArchiveSettings, shard: usize, first_segment: u32) -> Result<Place, ArchiveError> {
    let Some(folder) = settings.spill.get(shard % settings.spill.len().max(1)) else {
        return Ok(Place { folder: String::new(), first_segment });
    };
    let absolute = std::path::absolute(folder).at("find", folder)?;
    let name = absolute.to_str().ok_or_else(|| std::io::Error::other("its name is not UTF-8")).at("use", folder)?;
    Ok(Place { folder: name.to_owned(), first_segment })
}

/// New files for the logs.
pub(super) fn create_volumes(settings: &ArchiveSettings, layout: Layout) -> Result<Vec<Volume>, ArchiveError> {
    let medium = &*settings.medium;
    for folder in std::iter::once(&settings.run).chain(&settings.spill) {
        medium.create_folder(folder).at("create", folder)?;
    }
    // What is here of an older run must not be taken for a checkpoint of this one.
    for path in manifest::paths(&settings.run) {
        medium.remove(&path).at("remove", &path)?;
    }
    medium.sync_folder(&settings.run).at("sync", &settings.run)?;
    (0..layout.shards)
        .map(|shard| Volume::create(medium, &settings.run, shape(shard, layout), place(settings, shard, 0)?))
        .collect()
}

/// Of a memory budget, in hundredths: as long as less is used, segments stay in memory for some time, and nobody reads them
/// from disk. Above it the system's cache is worth its price: what goes there is read again soon.
const HALF: u64 = 50;

/// The scribe.
pub(super) struct Scribe {
    common: Common,
    journal: Journal,
    /// Of the last checkpoint.
    sequence: u64,
    /// Of each shard: records whose bytes are written.
    written: Vec<u32>,
    /// Shards with bytes that are not durable yet.
    dirty: Vec<bool>,
    /// New files have names that are not durable yet.
    new_files: bool,
}

impl Scribe {
    /// A scribe that goes on behind checkpoint `sequence`; nothing of the logs is written yet.
    pub(super) fn new(common: Common, journal: Journal, sequence: u64) -> Self {
        let shards = common.shards.len();
        Self { common, journal, sequence, written: vec![0; shards], dirty: vec![true; shards], new_files: true }
    }

    /// The same behind `written` records of each shard.
    pub(super) fn behind(mut self, written: Vec<u32>) -> Self {
        self.written = written;
        self
    }

    /// Carries orders out until the end. After an error it only takes them.
    pub(super) fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            if matches!(order, Order::End) {
                break;
            }
            if self.common.health.error().is_some() {
                continue;
            }
            if let Err(error) = self.carry_out(order) {
                self.common.health.fail(error);
            }
            let written = self.bytes_on_disk();
            self.common.progress.written.store(written, Relaxed);
            self.common.progress.changed.notify_all();
        }
        *self.common.progress.lock() = true;
        self.common.progress.changed.notify_all();
        self.common.progress.over.notify_all();
    }

    fn bytes_on_disk(&self) -> u64 {
        let stride = self.common.layout.stride() as u64;
        self.written.iter().map(|&records| u64::from(records) * stride).sum::<u64>() + self.journal.length()
    }

    fn carry_out(&mut self, order: Order) -> Result<(), ArchiveError> {
        match order {
            Order::Snapshot(records) => self.snapshot(&records),
            Order::Sealed { shard, segment } => {
                self.write_sealed(shard as usize, segment)?;
                self.common.progress.backlog.fetch_sub(self.common.layout.segment_bytes(), Relaxed);
                Ok(())
            }
            Order::Frame(kind, body) => {
                self.reserve(body.len() as u64)?;
                self.journal.add(kind, &body)
            }
            Order::Closed(ids) => self.write_closed(&ids),
            Order::Cut { records, payload } => self.checkpoint(records, payload),
            Order::End => Ok(()),
        }
    }

    /// Writes the records of a shard up to `until`, which lies in the segment of the first that is not written, or at its end.
    fn write_records(&mut self, shard: usize, until: u32) -> Result<(), ArchiveError> {
        let from = self.written[shard];
        if from >= until {
            return Ok(());
        }
        let log = self.common.shards[shard].log();
        let Some(volume) = log.volume() else { return Ok(()) };
        let segment = from / SEGMENT as u32;
        let first = segment * SEGMENT as u32;
        let bytes = &log.segment(segment, (until - first) as usize)[(from - first) as usize * log.stride()..];
        self.reserve(bytes.len() as u64)?;
        if until - first == SEGMENT as u32 && !self.common.uses_more_than(HALF) {
            // With what was there of it before, which does not change.
            volume.write_past_cache(segment, log.segment(segment, SEGMENT))?;
        } else {
            volume.write(segment, u64::from(from - first) * log.stride() as u64, bytes)?;
        }
        self.written[shard] = until;
        self.dirty[shard] = true;
        Ok(())
    }

    /// Refuses to write more than may be.
    fn reserve(&self, bytes: u64) -> Result<(), ArchiveError> {
        self.common.settings.check_last_room(self.bytes_on_disk(), bytes)
    }

    fn write_sealed(&mut self, shard: usize, segment: u32) -> Result<(), ArchiveError> {
        self.write_records(shard, (segment + 1) * SEGMENT as u32)?;
        let shards = std::sync::Arc::clone(&self.common.shards);
        let crc = crc32fast::hash(shards[shard].log().segment(segment, SEGMENT));
        let body: Vec<u8> = [shard as u32, segment, crc].into_iter().flat_map(u32::to_le_bytes).collect();
        self.journal.add(Kind::Sealed, &body)?;
        shards[shard].note_written(segment + 1);
        Ok(())
    }

    /// Writes everything that was in the store before it had an archive. The marks may be younger than that: what is joined
    /// to them later is joined twice, which does no harm, and no checkpoint is cut before they are written.
    fn snapshot(&mut self, records: &[u32]) -> Result<(), ArchiveError> {
        let shards = std::sync::Arc::clone(&self.common.shards);
        for (number, (shard, &records)) in shards.iter().zip(records).enumerate() {
            for segment in 0..records / SEGMENT as u32 {
                self.write_sealed(number, segment)?;
            }
            let width = shard.log().mark_width();
            let most = ((LONGEST - 8) / width) as u32;
            for first in (0..records).step_by(most as usize) {
                let mut body = born(number as u32, first);
                for local in first..records.min(first.saturating_add(most)) {
                    body.extend_from_slice(&shard.log().mark_bits(local).to_le_bytes()[..width]);
                }
                self.reserve(body.len() as u64)?;
                self.journal.add(Kind::Born, &body)?;
            }
            // What is on disk is not to come any more: counted twice, it would seem to need twice the room.
            let progress = &self.common.progress;
            progress.snapshot.fetch_sub(shard.snapshot_bytes(records), Relaxed);
            progress.written.store(self.bytes_on_disk(), Relaxed);
        }
        self.common.progress.caught_up.store(true, Relaxed);
        Ok(())
    }

    fn write_closed(&mut self, ids: &[Id]) -> Result<(), ArchiveError> {
        let mut body = Vec::new();
        for ids in ids.chunks(LONGEST / ID_LEN) {
            body.clear();
            ids.iter().for_each(|id| body.extend_from_slice(&id.0.to_le_bytes()[..ID_LEN]));
            self.reserve(body.len() as u64)?;
            self.journal.add(Kind::Closed, &body)?;
        }
        Ok(())
    }

    /// Makes everything up to a cut durable, and then says so in a new manifest.
    fn checkpoint(&mut self, records: Vec<u32>, payload: Vec<u8>) -> Result<(), ArchiveError> {
        let mut states = Vec::new();
        for (shard, records) in records.into_iter().enumerate() {
            self.write_records(shard, records)?;
            let log = self.common.shards[shard].log();
            let tail = records % SEGMENT as u32;
            let tail_crc = match tail {
                0 => 0,
                _ => crc32fast::hash(log.segment(records / SEGMENT as u32, tail as usize)),
            };
            let places = log.volume().map_or_else(Vec::new, Volume::places);
            states.push(ShardState { records, tail_crc, places });
        }
        for (shard, dirty) in self.common.shards.iter().zip(&mut self.dirty) {
            if std::mem::take(dirty) {
                shard.log().volume().map_or(Ok(()), Volume::sync)?;
            }
        }
        let (medium, settings) = (&*self.common.settings.medium, &self.common.settings);
        let journal = self.journal.sync()?;
        if std::mem::take(&mut self.new_files) {
            for folder in &settings.spill {
                medium.sync_folder(folder).at("sync", folder)?;
            }
            sync_parents(medium, &settings.run)?;
        }
        self.sequence += 1;
        let manifest = Manifest {
            sequence: self.sequence,
            time: SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs()),
            identity: settings.identity.clone(),
            payload,
            key_len: self.common.layout.key_len as u32,
            mask_bits: self.common.layout.mask_bits,
            segment: SEGMENT as u32,
            shards: states,
            journal,
        };
        manifest::write(medium, &settings.run, &manifest)?;
        self.common.progress.checkpoints.fetch_add(1, Relaxed);
        Ok(())
    }
}

/// Makes the names in a folder, and its own, durable.
fn sync_parents(medium: &dyn super::Medium, folder: &Path) -> Result<(), ArchiveError> {
    medium.sync_folder(folder).at("sync", folder)?;
    match folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => medium.sync_folder(parent).at("sync", parent),
        None => Ok(()),
    }
}

/// The beginning of a frame of marks of consecutive records.
pub(crate) fn born(shard: u32, first: u32) -> Vec<u8> {
    [shard, first].into_iter().flat_map(u32::to_le_bytes).collect()
}
