//! The writer thread: writes logs, journal and manifests.

use super::commands::{Command, WriterState};
use super::files::CheckpointFiles;
use super::journal::{self, FrameKind, Journal, MAX_BODY_BYTES};
use super::manifest::{self, BodyState, JournalState, Manifest, ShardState};

use super::rank_part::{PendingCheckpoint, RankPart};
use crate::platform::{Instant, unix_seconds};
use crate::runtime::{Exchange, WrittenCheckpoint, decode, encode};
use crate::store::{
    Change, ErrorLatch, Id, IoContext, Layout, SEGMENT, SegmentWriter, StorageBackend, StorageError, shards_of_rank,
};
use crate::sync::lock;
use crossbeam::channel::Receiver;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Creates the folders of a search with records.
pub(super) fn create_folders(files: &CheckpointFiles) -> Result<(), StorageError> {
    let (storage, backend) = (&files.storage, &*files.storage.backend);
    let mut folders = std::iter::once(&storage.run).chain(&storage.spill_folders);
    folders.try_for_each(|folder| backend.create_folder(folder).context("create", folder))
}

/// Creates the run directory, and removes the manifests of an older run.
pub(super) fn begin_run(files: &CheckpointFiles) -> Result<(), StorageError> {
    let (storage, backend) = (&files.storage, &*files.storage.backend);
    backend.create_folder(&storage.run).context("create", &storage.run)?;
    for path in manifest::paths(&storage.run) {
        backend.remove(&path).context("remove", &path)?;
    }
    backend.sync_folder(&storage.run).context("sync", &storage.run)
}

/// The files of an engine with a store.
pub(super) struct RecordFiles {
    pub(super) segments: SegmentWriter,
    pub(super) journal: Journal,
}

/// A rank, and the shards whose records it writes.
pub(super) struct RankShards {
    pub(super) rank: usize,
    pub(super) ranks: usize,
    pub(super) owned: Range<usize>,
    /// The journals of higher numbers, from an earlier session with more ranks.
    pub(super) other_journals: Vec<JournalState>,
}

impl RankShards {
    /// This rank with its shards, in a search with `shards` shards.
    pub(super) fn of(exchange: Option<&Exchange>, shards: usize) -> Self {
        let (rank, ranks) = exchange.map_or((0, 1), |exchange| (exchange.rank(), exchange.ranks()));
        Self { rank, ranks, owned: shards_of_rank(rank, ranks, shards), other_journals: Vec::new() }
    }

    /// The owned shards, for the journal.
    pub(super) fn journal_range(&self) -> Range<u32> {
        self.owned.start as u32..self.owned.end as u32
    }
}

/// The data of the writer thread.
pub(super) struct Writer {
    pub(super) files: Arc<CheckpointFiles>,
    pub(super) errors: Arc<ErrorLatch>,
    pub(super) state: Arc<WriterState>,
    /// `None` for an engine without records.
    pub(super) records: Option<RecordFiles>,
    pub(super) shards: RankShards,
    /// The number of the last checkpoint; 0 before the first one of a run.
    pub(super) sequence: u64,
    /// The time of the last cut.
    pub(super) cut_time: Instant,
    /// On the leader: the checkpoint that waits for the parts of ranks, if there is one.
    pub(super) pending: Option<PendingCheckpoint>,
    /// Whether the names of new files are not durable yet.
    pub(super) has_new_files: bool,
}

impl Writer {
    /// Executes commands until [`Command::End`]. After an error, commands are dropped.
    pub(super) fn run(mut self, commands: &Receiver<Command>) {
        while let Ok(command) = commands.recv() {
            if matches!(command, Command::End) {
                break;
            }
            if self.errors.error().is_some() {
                continue;
            }
            if let Err(error) = self.execute(command) {
                self.errors.fail(error);
            }
            self.state.usage.written.store(self.bytes_on_disk(), Relaxed);
            self.state.changed.notify_all();
        }
        self.state.changed.notify_all();
    }

    fn execute(&mut self, command: Command) -> Result<(), StorageError> {
        match command {
            Command::Snapshot(record_counts) => self.write_snapshot(&record_counts),
            Command::Change(change) => self.write_change(change),
            Command::Cut { record_counts, payload, body } => self.cut(&record_counts, payload, body),
            Command::AddPart(bytes) => self.add_part(decode(&bytes)),
            Command::End => Ok(()),
        }
    }

    fn bytes_on_disk(&self) -> u64 {
        self.records.as_ref().map_or(0, |RecordFiles { segments, journal }| segments.bytes() + journal.length())
    }

    /// Checks that `bytes` more bytes can be written within the limits.
    fn check_last_checkpoint_room(&self, bytes: u64) -> Result<(), StorageError> {
        self.files.storage.check_last_checkpoint_room(self.bytes_on_disk(), bytes)
    }

    fn write_change(&mut self, change: Change) -> Result<(), StorageError> {
        match change {
            Change::NewRecords { shard, first, marks } => {
                self.add_frame(FrameKind::NewRecords, &[&journal::new_records_head(shard, first), &marks])
            }
            Change::ChangedMarks(entries) => self.add_frame(FrameKind::ChangedMarks, &[&entries]),
            Change::Closed(ids) => self.write_closed(&ids),
            Change::FullSegment { shard, segment } => {
                self.write_full_segment(shard as usize, segment)?;
                if let Some(records) = &self.records {
                    let bytes = records.segments.segments().layout().segment_bytes();
                    self.state.usage.backlog_bytes.fetch_sub(bytes, Relaxed);
                }
                Ok(())
            }
        }
    }

    fn add_frame(&mut self, kind: FrameKind, parts: &[&[u8]]) -> Result<(), StorageError> {
        self.check_last_checkpoint_room(parts.iter().map(|part| part.len() as u64).sum())?;
        self.records.as_mut().map_or(Ok(()), |records| records.journal.add(kind, parts))
    }

    fn write_closed(&mut self, ids: &[Id]) -> Result<(), StorageError> {
        let mut body = Vec::new();
        for ids in ids.chunks(MAX_BODY_BYTES / Id::BYTES) {
            body.clear();
            ids.iter().for_each(|id| body.extend_from_slice(&id.to_bytes()));
            self.add_frame(FrameKind::Closed, &[&body])?;
        }
        Ok(())
    }

    /// Writes the records of a shard before record `until`.
    fn write_records(&mut self, shard: usize, until: u32) -> Result<(), StorageError> {
        let bytes = self.records.as_ref().map_or(0, |records| records.segments.bytes_until(shard, until));
        if bytes > 0 {
            self.check_last_checkpoint_room(bytes)?;
        }
        self.records.as_mut().map_or(Ok(()), |records| records.segments.write(shard, until))
    }

    fn write_full_segment(&mut self, shard: usize, segment: u32) -> Result<(), StorageError> {
        self.write_records(shard, (segment + 1) * SEGMENT as u32)?;
        let Some(RecordFiles { segments, journal }) = &mut self.records else { return Ok(()) };
        let crc = segments.segments().checksum(shard, segment, SEGMENT);
        let body: Vec<u8> = [shard as u32, segment, crc].into_iter().flat_map(u32::to_le_bytes).collect();
        journal.add(FrameKind::FullSegment, &[&body])?;
        segments.segments().note_written(shard, segment + 1);
        Ok(())
    }

    /// Writes the records that are older than the store's files. Their marks may include later changes, which the
    /// journal then repeats without effect. No checkpoint is cut before all these marks are written.
    fn write_snapshot(&mut self, record_counts: &[u32]) -> Result<(), StorageError> {
        let Some(writer) = &self.records else { return Ok(()) };
        let segments = writer.segments.segments().clone();
        let max_marks = ((MAX_BODY_BYTES - journal::NEW_RECORDS_HEAD_BYTES) / segments.layout().mark_width()) as u32;
        let owned = self.shards.owned.clone();
        for (shard, &records) in record_counts.iter().enumerate().take(owned.end).skip(owned.start) {
            for segment in 0..records / SEGMENT as u32 {
                self.write_full_segment(shard, segment)?;
            }
            for first in (0..records).step_by(max_marks as usize) {
                let mut marks = Vec::new();
                segments.pack_marks(shard, first..records.min(first.saturating_add(max_marks)), &mut marks);
                self.add_frame(FrameKind::NewRecords, &[&journal::new_records_head(shard as u32, first), &marks])?;
            }
            // Written bytes are not reserved any more.
            let usage = &self.state.usage;
            usage.reserved.fetch_sub(segments.bytes_with_marks(records), Relaxed);
            usage.written.store(self.bytes_on_disk(), Relaxed);
        }
        self.state.usage.is_snapshot_written.store(true, Relaxed);
        Ok(())
    }

    /// Makes the part of this rank in a checkpoint durable.
    fn cut(&mut self, record_counts: &[u32], payload: Vec<u8>, body: Option<BodyState>) -> Result<(), StorageError> {
        self.sequence += 1;
        self.cut_time = Instant::now();
        // Steps: one for each shard, one for the sync, one for the part of each rank.
        self.state.progress.begin((self.shards.owned.len() + 1 + self.shards.ranks) as u64);
        let part = self.make_durable(record_counts)?;
        if self.shards.rank == 0 {
            self.pending = Some(PendingCheckpoint::new(self.manifest_without_parts(payload, body), self.shards.ranks));
            return self.add_part(Some(part));
        }
        let bytes = Some(encode(&part));
        *lock(&self.state.part) = bytes;
        self.state.has_new_part.store(true, Relaxed);
        self.end_writing(0);
        self.state.checkpoints.fetch_add(1, Relaxed);
        Ok(())
    }

    fn make_durable(&mut self, record_counts: &[u32]) -> Result<RankPart, StorageError> {
        let owned = self.shards.owned.clone();
        let mut shards = Vec::new();
        for (shard, &records) in record_counts.iter().enumerate().take(owned.end).skip(owned.start) {
            self.write_records(shard, records)?;
            shards.extend(self.records.as_ref().map(|writer| shard_state(writer, shard, records)));
            self.state.progress.step();
        }
        let journal = match &mut self.records {
            Some(RecordFiles { segments, journal }) => {
                segments.sync()?;
                Some(journal.sync()?)
            }
            None => None,
        };
        let (storage, backend) = (&self.files.storage, &*self.files.storage.backend);
        if std::mem::take(&mut self.has_new_files) {
            // Without records, the spill folders have no file with a name.
            let spill = self.records.as_ref().map_or(&[][..], |_| &storage.spill_folders);
            let mut folders = spill.iter().chain([&storage.run]);
            folders.try_for_each(|folder| sync_with_parent(backend, folder))?;
        }
        self.state.progress.step();
        Ok(RankPart { sequence: self.sequence, rank: self.shards.rank as u32, shards, journal })
    }

    /// The manifest of the current checkpoint, without shards and journals.
    fn manifest_without_parts(&self, payload: Vec<u8>, body: Option<BodyState>) -> Manifest {
        let no_records = Layout { key_len: 0, mask_bits: 0, shards: 0 };
        let layout = self.records.as_ref().map_or(no_records, |records| records.segments.segments().layout());
        Manifest {
            sequence: self.sequence,
            time: unix_seconds() as u64,
            identity: self.files.identity.clone(),
            payload,
            key_len: layout.key_len as u32,
            mask_bits: layout.mask_bits,
            segment: SEGMENT as u32,
            shards: Vec::new(),
            journals: Vec::new(),
            body,
        }
    }

    /// Adds the part of a rank, and writes the manifest when all parts are there. A late or repeated part has no
    /// effect.
    fn add_part(&mut self, part: Option<RankPart>) -> Result<(), StorageError> {
        let run = &self.files.storage.run;
        let part = part.ok_or_else(|| StorageError::damaged(run, 0, "a part that no rank has written", "one"))?;
        let Some(pending) = &mut self.pending else { return Ok(()) };
        pending.add(part);
        self.state.progress.step();
        let Some(manifest) = pending.complete_manifest(&self.shards.other_journals) else { return Ok(()) };
        manifest::write(&self.files.storage, &manifest)?;
        self.pending = None;
        self.end_writing(manifest.body.map_or(0, |body| body.length));
        self.state.checkpoints.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Records that the checkpoint is durable, as far as this rank knows.
    fn end_writing(&self, body_bytes: u64) {
        self.state.progress.end(WrittenCheckpoint {
            number: self.sequence,
            time: unix_seconds(),
            seconds: self.cut_time.elapsed().as_secs_f64(),
            bytes: self.bytes_on_disk() + body_bytes,
        });
    }
}

/// The state of a shard whose first `records` records are written.
fn shard_state(writer: &RecordFiles, shard: usize, records: u32) -> ShardState {
    let segments = writer.segments.segments();
    let tail_crc = match records % SEGMENT as u32 {
        0 => 0,
        tail => segments.checksum(shard, records / SEGMENT as u32, tail as usize),
    };
    ShardState { records, tail_crc, places: segments.places(shard) }
}

/// Makes the names in a folder, and the name of the folder, durable.
fn sync_with_parent(backend: &dyn StorageBackend, folder: &Path) -> Result<(), StorageError> {
    backend.sync_folder(folder).context("sync", folder)?;
    match folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => backend.sync_folder(parent).context("sync", parent),
        None => Ok(()),
    }
}
