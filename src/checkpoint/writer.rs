//! The writer thread: writes logs, journal and manifests.

use super::files::CheckpointFiles;
use super::journal::{self, Journal, Kind, LONGEST};
use super::manifest::{self, Manifest, ShardState};
use super::orders::{Order, Progress};
use super::writing::Written;
use crate::store::{At, Change, ErrorLatch, Id, Layout, SEGMENT, SegmentWriter, StorageBackend, StorageError};
use crossbeam::channel::Receiver;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Instant, SystemTime};

/// Creates the folders, and removes the manifests of an older run: they must not be taken for checkpoints of this run.
pub(super) fn begin_run(files: &CheckpointFiles) -> Result<(), StorageError> {
    let (storage, backend) = (&files.storage, &*files.storage.backend);
    for folder in std::iter::once(&storage.run).chain(&storage.spill) {
        backend.create_folder(folder).at("create", folder)?;
    }
    for path in manifest::paths(&storage.run) {
        backend.remove(&path).at("remove", &path)?;
    }
    backend.sync_folder(&storage.run).at("sync", &storage.run)
}

/// The files of an engine with a store.
pub(super) struct Records {
    pub(super) segments: SegmentWriter,
    pub(super) journal: Journal,
}

/// The writer.
pub(super) struct Writer {
    files: Arc<CheckpointFiles>,
    errors: Arc<ErrorLatch>,
    progress: Arc<Progress>,
    /// `None` for an engine without records.
    records: Option<Records>,
    /// The number of the last checkpoint.
    sequence: u64,
    /// Whether new files have names that are not durable yet.
    has_new_files: bool,
}

impl Writer {
    /// A writer that continues behind checkpoint `sequence`; 0 for a new run.
    pub(super) fn new(
        files: Arc<CheckpointFiles>,
        errors: Arc<ErrorLatch>,
        progress: Arc<Progress>,
        records: Option<Records>,
        sequence: u64,
    ) -> Self {
        Self { files, errors, progress, records, sequence, has_new_files: true }
    }

    /// Carries orders out until the order to end. After an error orders are only removed from the queue.
    pub(super) fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            if matches!(order, Order::End) {
                break;
            }
            if self.errors.error().is_some() {
                continue;
            }
            if let Err(error) = self.carry_out(order) {
                self.errors.fail(error);
            }
            self.progress.usage.written.store(self.bytes_on_disk(), Relaxed);
            self.progress.changed.notify_all();
        }
        self.progress.changed.notify_all();
    }

    fn carry_out(&mut self, order: Order) -> Result<(), StorageError> {
        match order {
            Order::Snapshot(records) => self.write_snapshot(&records),
            Order::Change(change) => self.write_change(change),
            Order::Cut { records, payload } => self.write_checkpoint(&records, payload),
            Order::End => Ok(()),
        }
    }

    fn bytes_on_disk(&self) -> u64 {
        self.records.as_ref().map_or(0, |Records { segments, journal }| segments.bytes() + journal.length())
    }

    /// Refuses to write more bytes than the limits allow.
    fn reserve(&self, bytes: u64) -> Result<(), StorageError> {
        self.files.storage.check_last_room(self.bytes_on_disk(), bytes)
    }

    fn write_change(&mut self, change: Change) -> Result<(), StorageError> {
        match change {
            Change::Born { shard, first, marks } => self.add_frame(Kind::Born, &[&journal::born(shard, first), &marks]),
            Change::Marked(entries) => self.add_frame(Kind::Changed, &[&entries]),
            Change::Closed(ids) => self.write_closed(&ids),
            Change::Sealed { shard, segment } => {
                self.write_sealed(shard as usize, segment)?;
                if let Some(records) = &self.records {
                    let bytes = records.segments.segments().layout().segment_bytes();
                    self.progress.usage.backlog.fetch_sub(bytes, Relaxed);
                }
                Ok(())
            }
        }
    }

    fn add_frame(&mut self, kind: Kind, parts: &[&[u8]]) -> Result<(), StorageError> {
        self.reserve(parts.iter().map(|part| part.len() as u64).sum())?;
        self.records.as_mut().map_or(Ok(()), |records| records.journal.add(kind, parts))
    }

    fn write_closed(&mut self, ids: &[Id]) -> Result<(), StorageError> {
        let mut body = Vec::new();
        for ids in ids.chunks(LONGEST / Id::BYTES) {
            body.clear();
            ids.iter().for_each(|id| body.extend_from_slice(&id.to_bytes()));
            self.add_frame(Kind::Closed, &[&body])?;
        }
        Ok(())
    }

    /// Writes the records of a shard before record `until`.
    fn write_records(&mut self, shard: usize, until: u32) -> Result<(), StorageError> {
        let bytes = self.records.as_ref().map_or(0, |records| records.segments.bytes_until(shard, until));
        if bytes > 0 {
            self.reserve(bytes)?;
        }
        self.records.as_mut().map_or(Ok(()), |records| records.segments.write(shard, until))
    }

    fn write_sealed(&mut self, shard: usize, segment: u32) -> Result<(), StorageError> {
        self.write_records(shard, (segment + 1) * SEGMENT as u32)?;
        let Some(Records { segments, journal }) = &mut self.records else { return Ok(()) };
        let crc = segments.segments().checksum(shard, segment, SEGMENT);
        let body: Vec<u8> = [shard as u32, segment, crc].into_iter().flat_map(u32::to_le_bytes).collect();
        journal.add(Kind::Sealed, &[&body])?;
        segments.segments().note_written(shard, segment + 1);
        Ok(())
    }

    /// Writes everything that was in the store before it had files. The marks may be younger than that. Later changes
    /// are joined to these marks a second time, which has no effect, and no checkpoint is cut before all marks are
    /// written.
    fn write_snapshot(&mut self, records: &[u32]) -> Result<(), StorageError> {
        let Some(segments) = self.records.as_ref().map(|records| records.segments.segments().clone()) else {
            return Ok(());
        };
        let most = ((LONGEST - journal::BORN_HEAD) / segments.mark_width()) as u32;
        for (shard, &records) in records.iter().enumerate() {
            for segment in 0..records / SEGMENT as u32 {
                self.write_sealed(shard, segment)?;
            }
            for first in (0..records).step_by(most as usize) {
                let mut marks = Vec::new();
                segments.pack_marks(shard, first..records.min(first.saturating_add(most)), &mut marks);
                self.add_frame(Kind::Born, &[&journal::born(shard as u32, first), &marks])?;
            }
            // Bytes on disk are not to come any more. Counted twice, they would need twice the room.
            let usage = &self.progress.usage;
            usage.reserved.fetch_sub(segments.bytes_with_marks(records), Relaxed);
            usage.written.store(self.bytes_on_disk(), Relaxed);
        }
        self.progress.usage.caught_up.store(true, Relaxed);
        Ok(())
    }

    /// Makes everything up to a cut durable, then writes a manifest that names it.
    fn write_checkpoint(&mut self, records: &[u32], payload: Vec<u8>) -> Result<(), StorageError> {
        let begun = Instant::now();
        // Besides the shards, everything is synced, and the manifest is written.
        self.progress.writing.begin(records.len() as u64 + 2);
        let mut shards = Vec::new();
        for (shard, &records) in records.iter().enumerate() {
            self.write_records(shard, records)?;
            shards.extend(self.records.as_ref().map(|written| shard_state(written, shard, records)));
            self.progress.writing.step();
        }
        let (layout, journal) = match &mut self.records {
            Some(Records { segments, journal }) => {
                segments.sync()?;
                (segments.segments().layout(), journal.sync()?)
            }
            None => (Layout { key_len: 0, mask_bits: 0, shards: 0, has_h: false }, 0),
        };
        let (storage, backend) = (&self.files.storage, &*self.files.storage.backend);
        if std::mem::take(&mut self.has_new_files) {
            for folder in &storage.spill {
                backend.sync_folder(folder).at("sync", folder)?;
            }
            sync_with_parent(backend, &storage.run)?;
        }
        self.progress.writing.step();
        self.sequence += 1;
        let manifest = Manifest {
            sequence: self.sequence,
            time: SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs()),
            identity: self.files.identity.clone(),
            payload,
            key_len: layout.key_len as u32,
            mask_bits: layout.mask_bits,
            has_h: layout.has_h,
            segment: SEGMENT as u32,
            shards,
            journal,
        };
        manifest::write(backend, &storage.run, &manifest)?;
        self.progress.writing.end(Written {
            number: self.sequence,
            time: SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64()),
            seconds: begun.elapsed().as_secs_f64(),
            bytes: self.bytes_on_disk(),
        });
        self.progress.checkpoints.fetch_add(1, Relaxed);
        Ok(())
    }
}

/// The state of a shard whose first `records` records are written.
fn shard_state(written: &Records, shard: usize, records: u32) -> ShardState {
    let segments = written.segments.segments();
    let tail_crc = match records % SEGMENT as u32 {
        0 => 0,
        tail => segments.checksum(shard, records / SEGMENT as u32, tail as usize),
    };
    ShardState { records, tail_crc, places: segments.places(shard) }
}

/// Makes the names in a folder, and the name of the folder, durable.
fn sync_with_parent(backend: &dyn StorageBackend, folder: &Path) -> Result<(), StorageError> {
    backend.sync_folder(folder).at("sync", folder)?;
    match folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => backend.sync_folder(parent).at("sync", parent),
        None => Ok(()),
    }
}
