//! Recovery: continues from a checkpoint.

use super::agreement::{agree_on_result, run_on_leader};
use super::body::BodyReader;
use super::checkpoints::{Checkpoints, WriterSetup};
use super::commands::{Command, CommandQueue};
use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::generation::{
    Checksums, ChosenGeneration, choose_generation, for_each_mark, layout, open_files, record_counts,
};
use super::journal::{Frame, Journal};
use super::manifest::{self, Generations, Manifest};
use super::writer::{RankShards, RecordFiles, create_folders};
use crate::runtime::Exchange;
use crate::store::{ChangeSink, IoContext, SegmentWriter, Segments, StorageError, Store};
use crossbeam::channel::Receiver;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A store that continues where a checkpoint was taken.
#[derive(Debug)]
pub struct RecoveredStore {
    /// Records, marks and index.
    pub store: Store,
    /// The next checkpoints.
    pub checkpoints: Checkpoints,
    /// The bytes that the engine gave with the cut.
    pub payload: Vec<u8>,
    /// The reasons why newer generations were not used.
    pub notes: Vec<String>,
}

/// Called from any thread with the number of records just read, and with 0 after other parts. Returns whether to
/// continue.
pub type OnRead<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// Reads the newest undamaged checkpoint, truncates all files to the lengths in it, and continues from it. All ranks
/// choose the same checkpoint; each reads the records that it owns. The number of ranks may have changed.
///
/// # Errors
/// When all checkpoints are damaged, the newest belongs to another search or has no records, or `on_read` stops the
/// recovery. An error on one rank is an error on all.
pub fn recover(
    files: &CheckpointFiles,
    exchange: Option<&Exchange>,
    on_read: &OnRead<'_>,
) -> Result<RecoveredStore, CheckpointError> {
    let read = |manifest: &Manifest| {
        LoadedRecords::read(files, manifest, RankShards::of(exchange, manifest.shards.len()), on_read)
    };
    let ChosenGeneration { path, manifest, content, notes } = choose_generation(files, exchange, read)?;
    let run = &files.storage.run;
    // No rank may change a file before the unused generations that name it are removed.
    run_on_leader(exchange, run, || Ok(remove_unused_generations(files, &path)?))?;
    let LoadedRecords { mut shards, segments, queue, receiver } = content;
    let records = agree_on_result(exchange, run, resume_files(files, &shards, &manifest, &segments))?;
    shards.other_journals = manifest.journals.get(shards.ranks..).unwrap_or_default().to_vec();
    let (files, errors) = (Arc::new(files.clone()), Arc::clone(segments.errors()));
    let store = Store::from_segments(segments, Arc::new(queue.clone()), shards.owned.clone());
    let setup = WriterSetup { files, shards, queue, receiver, errors };
    let checkpoints = Checkpoints::start(setup, Some(records), manifest.sequence);
    Ok(RecoveredStore { store, checkpoints, payload: manifest.payload, notes })
}

/// Truncates the files of this rank to the lengths in the checkpoint. Rank r continues journal r, whichever rank wrote
/// it. Journals of higher numbers stay unchanged.
fn resume_files(
    files: &CheckpointFiles,
    shards: &RankShards,
    manifest: &Manifest,
    segments: &Segments,
) -> Result<RecordFiles, CheckpointError> {
    create_folders(files)?;
    let journal = match manifest.journals.get(shards.rank) {
        Some(state) => Journal::resume(&files.storage, shards.rank, state, shards.journal_range())?,
        None => Journal::create(&files.storage, shards.rank, shards.journal_range())?,
    };
    let segments = SegmentWriter::resume(segments.clone(), &record_counts(manifest, &shards.owned))?;
    Ok(RecordFiles { segments, journal })
}

/// A checkpoint without records.
#[derive(Debug)]
pub struct RecoveredPayload {
    /// The next checkpoints.
    pub checkpoints: Checkpoints,
    /// The bytes that the engine gave with the cut.
    pub payload: Vec<u8>,
    /// The body, if there is one.
    pub body: Option<BodyReader>,
    /// The reasons why newer generations were not used.
    pub notes: Vec<String>,
}

/// Reads the newest undamaged checkpoint and continues from it, for an engine without records.
///
/// # Errors
/// When all checkpoints are damaged, or the newest belongs to another search.
pub fn recover_payload(files: &CheckpointFiles) -> Result<RecoveredPayload, CheckpointError> {
    let ChosenGeneration { path, manifest, content, notes } =
        choose_generation(files, None, |manifest| BodyReader::of(files, manifest))?;
    remove_unused_generations(files, &path)?;
    let checkpoints = Checkpoints::start(WriterSetup::without_records(files.clone()), None, manifest.sequence);
    manifest.body.into_iter().for_each(|body| checkpoints.note_body(body));
    Ok(RecoveredPayload { checkpoints, payload: manifest.payload, body: content, notes })
}

/// Removes the unused generation if it is newer or unreadable, so that no later recovery uses it.
fn remove_unused_generations(files: &CheckpointFiles, used: &Path) -> Result<(), StorageError> {
    let (run, backend) = (&files.storage.run, &*files.storage.backend);
    let Generations { readable, broken } = manifest::read_all(&files.storage)?;
    let newer = readable.iter().map(|(path, _)| path).take_while(|path| *path != used);
    for path in newer.chain(broken.iter().map(|(path, _)| path)) {
        backend.remove(path).context("remove", path)?;
        backend.sync_folder(run).context("sync", run)?;
    }
    Ok(())
}

/// The records of a checkpoint that this rank owns, and the queue for their changes.
struct LoadedRecords {
    shards: RankShards,
    segments: Segments,
    queue: CommandQueue,
    receiver: Receiver<Command>,
}

impl LoadedRecords {
    /// Reads journals and records of the shards that this rank owns.
    fn read(
        files: &CheckpointFiles,
        manifest: &Manifest,
        shards: RankShards,
        on_read: &OnRead<'_>,
    ) -> Result<Self, CheckpointError> {
        let run = &files.storage.run;
        if manifest.shards.is_empty() {
            return Err(StorageError::damaged(run, 0, "a checkpoint without records", "one with records").into());
        }
        let (layout, owned) = (layout(manifest), &shards.owned);
        let records = record_counts(manifest, owned);
        let opened = open_files(files, manifest, owned)?;
        let (queue, receiver) = CommandQueue::new(owned.len(), layout.segment_bytes());
        queue.usage.is_snapshot_written.store(true, Relaxed);
        let sink: Arc<dyn ChangeSink> = Arc::new(queue.clone());
        let storage = Arc::new(files.storage.clone());
        let segments = Segments::of_files(storage, layout, Arc::clone(&queue.usage), opened, owned, &records, &sink);
        let checksums = Checksums::read(files, manifest, owned, |frame| {
            join_marks(&segments, frame, owned);
            on_read(0)
        })?;
        let Some(checksums) = checksums else { return Err(CheckpointError::Interrupted { path: run.clone() }) };
        if segments.read_back(&records, |shard, segment| checksums.of(shard, segment), on_read)? {
            Ok(Self { shards, segments, queue, receiver })
        } else {
            Err(CheckpointError::Interrupted { path: run.clone() })
        }
    }
}

/// Joins the marks of a checked frame to the marks in memory, if they belong to the shards `owned`.
fn join_marks(segments: &Segments, frame: Frame<'_>, owned: &Range<usize>) {
    let layout = segments.layout();
    for_each_mark(layout, frame, |id, bits| {
        if owned.contains(&layout.place_of(id).0) {
            segments.join(id, bits);
        }
    });
}
