//! Continues behind a checkpoint.

use super::body::BodyReader;
use super::checkpoints::{Checkpoints, Parts};
use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::generation::{Checksums, Chosen, choose, for_each_mark, layout, open_files, records};
use super::journal::{Frame, Journal};
use super::manifest::{self, Generations, Manifest};
use super::orders::{Order, Orders};
use super::peers::{agree_on_result, by_leader};
use super::writer::{Group, Records, create_folders};
use crate::runtime::Exchange;
use crate::store::{ChangeSink, IoContext, SegmentWriter, Segments, StorageError, Store};
use crossbeam::channel::Receiver;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A store that continues where a checkpoint was taken.
#[derive(Debug)]
pub struct Recovered {
    /// Records, marks and index.
    pub store: Store,
    /// The next checkpoints.
    pub checkpoints: Checkpoints,
    /// The bytes that the engine gave with the cut.
    pub payload: Vec<u8>,
    /// The reasons why newer generations were not used.
    pub notes: Vec<String>,
}

/// Called with the number of records that were just read, from any thread, and with 0 after other parts were read.
/// Returns whether to continue.
pub type OnRead<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// Reads the newest checkpoint that is whole, and continues behind it: everything that was written later is cut off. On
/// several ranks, each reads the records that it owns; all choose the same checkpoint. The number of ranks need not be
/// that of the session before.
///
/// # Errors
/// When no checkpoint is whole, the newest belongs to another search or has no records, or `on_read` stops the
/// recovery. An error on one rank is an error on all.
pub fn recover(
    files: &CheckpointFiles,
    exchange: Option<&Exchange>,
    on_read: &OnRead<'_>,
) -> Result<Recovered, CheckpointError> {
    let read = |manifest: &Manifest| Loaded::read(files, manifest, Group::of(exchange, manifest.shards.len()), on_read);
    let Chosen { path, manifest, read, notes } = choose(files, exchange, read)?;
    let run = &files.storage.run;
    // No rank may change a file while a generation that is given up names it.
    by_leader(exchange, run, || Ok(remove_unused(files, &path)?))?;
    let Loaded { mut group, segments, orders, receiver } = read;
    let records = agree_on_result(exchange, run, go_on_with_files(files, &group, &manifest, &segments))?;
    group.beyond = manifest.journals.get(group.ranks..).unwrap_or_default().to_vec();
    let (files, errors) = (Arc::new(files.clone()), Arc::clone(segments.errors()));
    let store = Store::restored(segments, Arc::new(orders.clone()), group.owned.clone());
    let parts = Parts { files, group, orders, receiver, errors };
    let checkpoints = Checkpoints::start(parts, Some(records), manifest.sequence);
    Ok(Recovered { store, checkpoints, payload: manifest.payload, notes })
}

/// Cuts the files of this rank behind the checkpoint. Rank r continues journal r, whoever wrote it before; the journals
/// of further ranks stay as they are.
fn go_on_with_files(
    files: &CheckpointFiles,
    group: &Group,
    manifest: &Manifest,
    segments: &Segments,
) -> Result<Records, CheckpointError> {
    let (run, backend) = (&files.storage.run, &*files.storage.backend);
    create_folders(files)?;
    let journal = match manifest.journals.get(group.rank) {
        Some(state) => Journal::go_on(backend, run, group.rank, state, group.numbers())?,
        None => Journal::create(backend, run, group.rank, group.numbers())?,
    };
    let segments = SegmentWriter::behind(segments.clone(), &records(manifest, &group.owned))?;
    Ok(Records { segments, journal })
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

/// Reads the newest checkpoint that is whole, and continues behind it, for an engine without records.
///
/// # Errors
/// When no checkpoint is whole, or the newest belongs to another search.
pub fn recover_payload(files: &CheckpointFiles) -> Result<RecoveredPayload, CheckpointError> {
    let Chosen { path, manifest, read, notes } = choose(files, None, |manifest| BodyReader::of(files, manifest))?;
    remove_unused(files, &path)?;
    let checkpoints = Checkpoints::start(Parts::without_records(files.clone()), None, manifest.sequence);
    manifest.body.into_iter().for_each(|body| checkpoints.note_body(body));
    Ok(RecoveredPayload { checkpoints, payload: manifest.payload, body: read, notes })
}

/// Removes the generation that was not used if it is newer or broken: it must not be taken for a later checkpoint.
fn remove_unused(files: &CheckpointFiles, used: &Path) -> Result<(), StorageError> {
    let (run, backend) = (&files.storage.run, &*files.storage.backend);
    let Generations { whole, broken } = manifest::read_all(backend, run)?;
    let newer = whole.iter().map(|(path, _)| path).take_while(|path| *path != used);
    for path in newer.chain(broken.iter().map(|(path, _)| path)) {
        backend.remove(path).context("remove", path)?;
        backend.sync_folder(run).context("sync", run)?;
    }
    Ok(())
}

/// The records of a checkpoint that this rank owns, and the queue for their changes.
struct Loaded {
    group: Group,
    segments: Segments,
    orders: Orders,
    receiver: Receiver<Order>,
}

impl Loaded {
    /// Reads journals and records of the shards that this rank owns.
    fn read(
        files: &CheckpointFiles,
        manifest: &Manifest,
        group: Group,
        on_read: &OnRead<'_>,
    ) -> Result<Self, CheckpointError> {
        let run = &files.storage.run;
        if manifest.shards.is_empty() {
            return Err(StorageError::damaged(run, 0, "a checkpoint without records", "one with records").into());
        }
        let (layout, owned) = (layout(manifest), &group.owned);
        let records = records(manifest, owned);
        let opened = open_files(files, manifest, owned)?;
        let (orders, receiver) = Orders::new(owned.len(), layout.segment_bytes());
        orders.usage.caught_up.store(true, Relaxed);
        let sink: Arc<dyn ChangeSink> = Arc::new(orders.clone());
        let storage = Arc::new(files.storage.clone());
        let segments = Segments::restoring(storage, layout, Arc::clone(&orders.usage), opened, owned, &records, &sink);
        let checksums = Checksums::read(files, manifest, owned, |frame| {
            join_marks(&segments, frame, owned);
            on_read(0)
        })?;
        let Some(checksums) = checksums else { return Err(CheckpointError::Interrupted { path: run.clone() }) };
        if segments.read_back(&records, |shard, segment| checksums.of(shard, segment), on_read)? {
            Ok(Self { group, segments, orders, receiver })
        } else {
            Err(CheckpointError::Interrupted { path: run.clone() })
        }
    }
}

/// Joins the marks of a checked frame to the marks in memory, as far as they belong to the shards `owned`.
fn join_marks(segments: &Segments, frame: Frame<'_>, owned: &Range<usize>) {
    let layout = segments.layout();
    for_each_mark(layout, frame, |id, bits| {
        if owned.contains(&layout.place_of(id).0) {
            segments.join(id, bits);
        }
    });
}
