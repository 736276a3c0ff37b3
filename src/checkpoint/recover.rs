//! Continues behind a checkpoint.

use super::checkpoints::{Checkpoints, Parts};
use super::error::CheckpointError;
use super::files::{CheckpointFiles, last_checkpoint};
use super::generation::{Checksums, Chosen, choose, layout, open_files, records};
use super::journal::{BORN_HEAD, Frame, Journal, Kind, u32_at};
use super::manifest::{self, Generations, Manifest};
use super::orders::{Order, Orders};
use super::writer::Records;
use crate::store::{At, ChangeSink, DiskUsage, Id, SegmentWriter, Segments, StorageError, Store};
use crossbeam::channel::Receiver;
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

/// Called with numbers of records that were read, from any thread, and with 0 after other parts. Returns whether to
/// continue.
pub type OnRead<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// Reads the newest checkpoint that is whole, and continues behind it: everything that was written later is cut off.
///
/// # Errors
/// When no checkpoint is whole, the newest belongs to another search or has no records, or `on_read` stops the
/// recovery.
pub fn recover(files: &CheckpointFiles, on_read: &OnRead<'_>) -> Result<Recovered, CheckpointError> {
    let Chosen { path, manifest, read, notes } = choose(files, |manifest| Loaded::read(files, manifest, on_read))?;
    remove_unused(files, &path)?;
    let Loaded { segments, orders, receiver, usage } = read;
    let (run, backend) = (&files.storage.run, &*files.storage.backend);
    for folder in &files.storage.spill {
        backend.create_folder(folder).at("create", folder)?;
    }
    let journal = Journal::go_on(backend, run, manifest.journal)?;
    let writer = SegmentWriter::behind(segments.clone(), &records(&manifest))?;
    let (files, errors) = (Arc::new(files.clone()), Arc::clone(segments.errors()));
    let store = Store::restored(segments, Arc::new(orders.clone()));
    let parts = Parts { files, orders, receiver, errors, usage };
    let checkpoints = Checkpoints::start(parts, Some(Records { segments: writer, journal }), manifest.sequence);
    Ok(Recovered { store, checkpoints, payload: manifest.payload, notes })
}

/// Reads the payload of the newest checkpoint that is whole, and continues behind it, for an engine without records.
/// Returns the next checkpoints, the payload, and the reasons why newer generations were not used.
///
/// # Errors
/// When no checkpoint is whole, or the newest belongs to another search.
pub fn recover_payload(files: &CheckpointFiles) -> Result<(Checkpoints, Vec<u8>, Vec<String>), CheckpointError> {
    let Chosen { path, manifest, notes, .. } = choose(files, |_| Ok(()))?;
    remove_unused(files, &path)?;
    let checkpoints = Checkpoints::start(Parts::without_records(files.clone()), None, manifest.sequence);
    Ok((checkpoints, manifest.payload, notes))
}

/// Removes the generation that was not used if it is newer or broken: it must not be taken for a later checkpoint.
fn remove_unused(files: &CheckpointFiles, used: &Path) -> Result<(), StorageError> {
    let (run, backend) = (&files.storage.run, &*files.storage.backend);
    let Generations { whole, broken } = manifest::read_all(backend, run)?;
    let newer = whole.iter().map(|(path, _)| path).take_while(|path| *path != used);
    for path in newer.chain(broken.iter().map(|(path, _)| path)) {
        backend.remove(path).at("remove", path)?;
        backend.sync_folder(run).at("sync", run)?;
    }
    Ok(())
}

/// The records of a checkpoint, and the queue for changes of them.
struct Loaded {
    segments: Segments,
    orders: Orders,
    receiver: Receiver<Order>,
    usage: Arc<DiskUsage>,
}

impl Loaded {
    /// Reads journal and records.
    fn read(files: &CheckpointFiles, manifest: &Manifest, on_read: &OnRead<'_>) -> Result<Self, CheckpointError> {
        let run = &files.storage.run;
        if manifest.shards.is_empty() {
            return Err(StorageError::damaged(run, 0, "a checkpoint without records", "one with records").into());
        }
        let (layout, records) = (layout(manifest), records(manifest));
        let opened = open_files(files, manifest)?;
        let usage = Arc::new(DiskUsage::reserving(last_checkpoint(Some(layout))));
        usage.caught_up.store(true, Relaxed);
        let (orders, receiver) = Orders::new(&usage, layout.segment_bytes());
        let sink: Arc<dyn ChangeSink> = Arc::new(orders.clone());
        let storage = Arc::new(files.storage.clone());
        let segments = Segments::restoring(storage, layout, Arc::clone(&usage), opened, &records, &sink);
        let checksums = Checksums::read(files, manifest, |frame| {
            join_marks(&segments, frame);
            on_read(0)
        })?;
        let Some(checksums) = checksums else { return Err(CheckpointError::Interrupted { path: run.clone() }) };
        if segments.read_back(&records, |shard, segment| checksums.of(shard, segment), on_read)? {
            Ok(Self { segments, orders, receiver, usage })
        } else {
            Err(CheckpointError::Interrupted { path: run.clone() })
        }
    }
}

/// Joins the marks of a checked frame to the marks in memory.
fn join_marks(segments: &Segments, frame: Frame<'_>) {
    let width = segments.mark_width();
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
    match frame.kind {
        Kind::Closed => {
            frame.body.chunks_exact(Id::BYTES).for_each(|id| segments.join(Id::from_bytes(id), u64::MAX));
        }
        Kind::Changed => frame.body.chunks_exact(Id::BYTES + width).for_each(|entry| {
            segments.join(Id::from_bytes(entry), bits(&entry[Id::BYTES..]));
        }),
        Kind::Born => {
            let (shard, first) = (u32_at(frame.body, 0).unwrap_or(0), u32_at(frame.body, 4).unwrap_or(0));
            for (mark, local) in frame.body[BORN_HEAD..].chunks_exact(width).zip(first..) {
                segments.join(segments.layout().id(shard as usize, local), bits(mark));
            }
        }
        Kind::Sealed => {}
    }
}
