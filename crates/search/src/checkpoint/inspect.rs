//! Reads checkpoints without changing them.

use super::body::BodyReader;
use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::generation::{Checksums, ChosenGeneration, choose_generation, layout, open_files};
use super::manifest::{self, Manifest, ShardState};
use crate::runtime::Exchange;
use crate::store::{IoContext, SegmentFiles};
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
    /// Bytes of records, journals and body.
    pub bytes: u64,
    /// The number of files whose checksums are right.
    pub checked_files: u64,
    /// The bytes of these files.
    pub checked_bytes: u64,
    /// The reasons why newer generations were not used.
    pub notes: Vec<String>,
}

/// Reads the newest readable manifest, and no other file. With an exchange, the leader reads it for all ranks.
///
/// # Errors
/// When no manifest is readable.
pub fn read_manifest(files: &CheckpointFiles, exchange: Option<&Exchange>) -> Result<Inspection, CheckpointError> {
    Inspection::new(choose_generation(files, exchange, |_| Ok((0, 0)))?)
}

/// Checks all checksums of the newest undamaged checkpoint.
///
/// # Errors
/// When all checkpoints are damaged.
pub fn inspect(files: &CheckpointFiles) -> Result<Inspection, CheckpointError> {
    let chosen = choose_generation(files, None, |manifest| {
        if manifest.shards.is_empty() {
            return Ok(match BodyReader::of(files, manifest)? {
                Some(body) => (1, body.remaining_bytes()),
                None => (0, 0),
            });
        }
        let all = 0..manifest.shards.len();
        let opened = open_files(files, manifest, &all)?;
        let Some(checksums) = Checksums::read(files, manifest, &all, |_| true)? else { return Ok((0, 0)) };
        let check = |(shard, (opened, state)): (usize, (&SegmentFiles, &ShardState))| {
            let read = opened.read_records(state.records, |segment| checksums.of(shard, segment), |_, _| Ok(()));
            read.map(|()| opened.files_and_bytes(state.records))
        };
        let add = |one: (u64, u64), other: (u64, u64)| Ok((one.0 + other.0, one.1 + other.1));
        let logs = opened.par_iter().zip(&manifest.shards).enumerate().map(check);
        let journals = manifest.journals.len() as u64;
        logs.try_reduce(|| (0, 0), add).map(|(files, bytes)| (files + journals, bytes + journal_bytes(manifest)))
    })?;
    Inspection::new(chosen)
}

fn journal_bytes(manifest: &Manifest) -> u64 {
    manifest.journals.iter().map(|journal| journal.length).sum()
}

impl Inspection {
    /// Makes the inspection of a generation. `files` and `bytes` count the checked files without the manifest.
    fn new(
        ChosenGeneration { path, manifest, content: (files, bytes), notes }: ChosenGeneration<(u64, u64)>,
    ) -> Result<Self, CheckpointError> {
        let length = manifest::encode(&manifest).context("encode", &path)?.len() as u64;
        let stride = layout(&manifest).stride() as u64;
        let records = manifest.shards.iter().map(|shard| u64::from(shard.records)).sum();
        Ok(Self {
            manifest: path,
            sequence: manifest.sequence,
            time: manifest.time,
            records,
            bytes: records * stride + journal_bytes(&manifest) + manifest.body.map_or(0, |body| body.length),
            identity: manifest.identity,
            payload: manifest.payload,
            checked_files: files + 1,
            checked_bytes: bytes + length,
            notes,
        })
    }
}
