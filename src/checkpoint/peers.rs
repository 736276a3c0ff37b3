//! Several ranks take and read checkpoints together.
//!
//! A checkpoint of several ranks has one manifest. Each rank has files of its own: the logs of its shards, and a
//! journal. A rank makes its files durable and then says so to the leader; the leader writes the manifest when all
//! ranks have said so. So a manifest never names bytes that are not durable, and a death anywhere leaves the generation
//! before.
//!
//! Where one rank fails, all ranks must take the same way, or they would wait for each other. So each step that may
//! fail ends with an agreement ([`together`]).

use super::error::CheckpointError;
use crate::store::{StorageError, own_shards};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// The ranks of one search, seen from one of them. Rank 0 leads: it writes and chooses manifests.
pub trait Peers {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Lays down a page, waits for the pages of all ranks, and returns them in the order of the ranks.
    fn agree(&self, page: Vec<u8>) -> Vec<Vec<u8>>;
}

/// One rank alone.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Peers for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn ranks(&self) -> usize {
        1
    }

    fn agree(&self, page: Vec<u8>) -> Vec<Vec<u8>> {
        vec![page]
    }
}

/// Whether this rank leads.
pub(super) fn leads(peers: &dyn Peers) -> bool {
    peers.rank() == 0
}

/// The shards that this rank owns.
pub(super) fn own(peers: &dyn Peers, shards: usize) -> Range<usize> {
    own_shards(peers.rank(), peers.ranks(), shards)
}

/// What became of a step on one rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Verdict {
    Fine,
    Interrupted,
    Damaged(String),
    Failed { reason: String, is_full: bool },
}

impl Verdict {
    fn of<T>(result: &Result<T, CheckpointError>) -> Self {
        match result {
            Ok(_) => Self::Fine,
            Err(CheckpointError::Interrupted { .. }) => Self::Interrupted,
            Err(error) if error.is_damage() => Self::Damaged(error.to_string()),
            Err(error) => Self::Failed { reason: error.to_string(), is_full: error.is_full() },
        }
    }

    /// How much a verdict weighs: all ranks follow the heaviest one.
    fn weight(&self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Damaged(_) => 1,
            Self::Interrupted => 2,
            Self::Failed { .. } => 3,
        }
    }
}

/// Ends a step that all ranks take. If the step has failed on one rank, it fails on all, in the same way.
///
/// # Errors
/// The error of this rank if it is as grave as any, otherwise the gravest error of another rank.
pub(super) fn together<T>(
    peers: &dyn Peers,
    run: &Path,
    result: Result<T, CheckpointError>,
) -> Result<T, CheckpointError> {
    if peers.ranks() == 1 {
        return result;
    }
    let own = Verdict::of(&result);
    let verdicts = peers.agree(encode(&own)).into_iter().map(|page| decode(&page, run));
    let verdicts = verdicts.collect::<Result<Vec<Verdict>, _>>()?;
    let Some(gravest) = verdicts.iter().map(Verdict::weight).max().filter(|&weight| weight > own.weight()) else {
        return result;
    };
    let path = run.to_owned();
    Err(match verdicts.into_iter().enumerate().find(|(_, verdict)| verdict.weight() == gravest) {
        Some((rank, Verdict::Damaged(reason))) => {
            CheckpointError::OtherRank { path, rank, reason, is_full: false, is_damage: true }
        }
        Some((rank, Verdict::Failed { reason, is_full })) => {
            CheckpointError::OtherRank { path, rank, reason, is_full, is_damage: false }
        }
        _ => CheckpointError::Interrupted { path },
    })
}

/// What the leader alone makes, on all ranks.
///
/// # Errors
/// When the leader cannot make it.
pub(super) fn from_leader<T: Serialize + DeserializeOwned>(
    peers: &dyn Peers,
    run: &Path,
    make: impl FnOnce() -> Result<T, CheckpointError>,
) -> Result<T, CheckpointError> {
    if peers.ranks() == 1 {
        return make();
    }
    let made = if leads(peers) { make().map(Some) } else { Ok(None) };
    let made = together(peers, run, made)?;
    let page = made.as_ref().map_or_else(Vec::new, encode);
    let pages = peers.agree(page);
    match (made, pages.first()) {
        (Some(made), _) => Ok(made),
        (None, Some(page)) => decode(page, run),
        (None, None) => Err(StorageError::damaged(run, 0, "no page of rank 0", "one").into()),
    }
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    // Writing to memory fails only if a value has no form at all. The other ranks cannot read the page then.
    bincode::serde::encode_to_vec(value, bincode::config::standard()).unwrap_or_default()
}

fn decode<T: DeserializeOwned>(page: &[u8], run: &Path) -> Result<T, CheckpointError> {
    match bincode::serde::decode_from_slice(page, bincode::config::standard()) {
        Ok((value, used)) if used == page.len() => Ok(value),
        _ => Err(StorageError::damaged(run, 0, "a page that cannot be read", "one of the same program").into()),
    }
}
