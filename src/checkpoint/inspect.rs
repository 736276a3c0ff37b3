//! Looks at checkpoints without changing them.

use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::generation::{Checksums, Chosen, choose, layout, open_files};
use rayon::prelude::*;
use std::path::PathBuf;

/// The content of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The file of the manifest.
    pub manifest: PathBuf,
    /// The number of the checkpoint, counted from 1.
    pub sequence: u64,
    /// The time of the checkpoint: seconds since 1970.
    pub time: u64,
    /// The puzzle, board and lower bound of the search.
    pub identity: String,
    /// The bytes that the engine gave with the cut.
    pub payload: Vec<u8>,
    /// The number of records.
    pub records: u64,
    /// Bytes of records and journal.
    pub bytes: u64,
    /// The reasons why newer generations were not used.
    pub notes: Vec<String>,
}

/// Reads the newest manifest that is whole, and no other file.
///
/// # Errors
/// When no manifest is whole.
pub fn glance(files: &CheckpointFiles) -> Result<Inspection, CheckpointError> {
    Ok(Inspection::new(choose(files, |_| Ok(()))?))
}

/// Checks all checksums of the newest checkpoint that is whole.
///
/// # Errors
/// When no checkpoint is whole.
pub fn inspect(files: &CheckpointFiles) -> Result<Inspection, CheckpointError> {
    let chosen = choose(files, |manifest| {
        if manifest.shards.is_empty() {
            return Ok(());
        }
        let opened = open_files(files, manifest)?;
        let Some(checksums) = Checksums::read(files, manifest, |_| true)? else { return Ok(()) };
        opened.par_iter().zip(&manifest.shards).enumerate().try_for_each(|(shard, (opened, state))| {
            opened.read_records(state.records, |segment| checksums.of(shard, segment), |_, _| Ok(()))
        })
    })?;
    Ok(Inspection::new(chosen))
}

impl Inspection {
    fn new<T>(Chosen { path, manifest, notes, .. }: Chosen<T>) -> Self {
        let stride = layout(&manifest).stride() as u64;
        let records = manifest.shards.iter().map(|shard| u64::from(shard.records)).sum();
        Self {
            manifest: path,
            sequence: manifest.sequence,
            time: manifest.time,
            records,
            bytes: records * stride + manifest.journal,
            identity: manifest.identity,
            payload: manifest.payload,
            notes,
        }
    }
}
