//! The ranks that take and read checkpoints together, and how they stay in step.
//!
//! A checkpoint of several ranks has one manifest. Each rank has files of its own: the logs of its shards, and a
//! journal. The leader writes the manifest when every rank has made its files durable ([`part`](super::part)). So a
//! manifest never names bytes that are not durable, and the previous generation stays valid if a rank dies.
//!
//! If a step fails on one rank, all ranks must return an error of the same kind. Otherwise the others would wait for
//! ever. So each step that may fail ends with [`agree_on_result`].

use super::error::CheckpointError;
use crate::store::own_shards;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// All ranks of one search, seen from one of them. Rank 0 leads: it writes manifests and chooses among them.
pub trait Peers {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Gives `page` to all ranks, waits for the pages of all, and returns them in the order of the ranks. All ranks
    /// must call this equally often.
    fn all_gather_bytes(&self, page: Vec<u8>) -> Vec<Vec<u8>>;
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

    fn all_gather_bytes(&self, page: Vec<u8>) -> Vec<Vec<u8>> {
        vec![page]
    }
}

/// Whether this rank leads.
pub(super) fn leads(peers: &dyn Peers) -> bool {
    peers.rank() == 0
}

/// The shards that this rank owns.
pub(super) fn own_shards_of(peers: &dyn Peers, shards: usize) -> Range<usize> {
    own_shards(peers.rank(), peers.ranks(), shards)
}

/// The outcome of a step on one rank, without its value.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum StepStatus {
    Succeeded,
    Interrupted,
    Failed { reason: String, is_full: bool, is_damage: bool },
}

impl StepStatus {
    fn of<T>(result: &Result<T, CheckpointError>) -> Self {
        match result {
            Ok(_) => Self::Succeeded,
            Err(CheckpointError::Interrupted { .. }) => Self::Interrupted,
            Err(error) => {
                let (is_full, is_damage) = (error.is_full(), error.is_damage());
                Self::Failed { reason: error.to_string(), is_full, is_damage }
            }
        }
    }

    /// All ranks follow the most severe status. Damage is the least: an older generation is tried only if no rank was
    /// interrupted or failed for another reason.
    fn severity(&self) -> u8 {
        match self {
            Self::Succeeded => 0,
            Self::Failed { is_damage: true, .. } => 1,
            Self::Interrupted => 2,
            Self::Failed { .. } => 3,
        }
    }

    /// The error on this rank for the status of `rank`; `None` if the step has succeeded there.
    fn error(self, rank: usize, run: &Path) -> Option<CheckpointError> {
        let path = run.to_owned();
        match self {
            Self::Succeeded => None,
            Self::Interrupted => Some(CheckpointError::Interrupted { path }),
            Self::Failed { reason, is_full, is_damage } => {
                Some(CheckpointError::OtherRank { path, rank, reason, is_full, is_damage })
            }
        }
    }
}

/// Ends a step that all ranks take. If the step has failed on one rank, it fails on all.
///
/// # Errors
/// The error of this rank, unless another rank has a more severe one: then that error, as
/// [`CheckpointError::OtherRank`].
pub(super) fn agree_on_result<T>(
    peers: &dyn Peers,
    run: &Path,
    result: Result<T, CheckpointError>,
) -> Result<T, CheckpointError> {
    let own = StepStatus::of(&result);
    let pages = peers.all_gather_bytes(encode(&own)).into_iter().enumerate();
    let all = pages.map(|(rank, page)| Ok((rank, decode::<StepStatus>(&page).ok_or_else(|| unreadable(rank, run))?)));
    let all = all.collect::<Result<Vec<_>, CheckpointError>>()?;
    // Of equally severe statuses, that of the lowest rank.
    let worst = all.into_iter().rev().max_by_key(|(_, status)| status.severity());
    let worst = worst.filter(|(_, status)| status.severity() > own.severity());
    worst.and_then(|(rank, status)| status.error(rank, run)).map_or(result, Err)
}

/// Runs `make` on the leader, and returns its value on all ranks.
///
/// # Errors
/// When `make` fails, or its value cannot be sent.
pub(super) fn from_leader<T: Serialize + DeserializeOwned>(
    peers: &dyn Peers,
    run: &Path,
    make: impl FnOnce() -> Result<T, CheckpointError>,
) -> Result<T, CheckpointError> {
    if peers.ranks() == 1 {
        return make();
    }
    let made = if leads(peers) { Some(make()) } else { None };
    let sent = |made: &Result<T, CheckpointError>| encode(&made.as_ref().map_err(|_| StepStatus::of(made)));
    let pages = peers.all_gather_bytes(made.as_ref().map_or_else(Vec::new, sent));
    let page = pages.first().map_or(&[][..], Vec::as_slice);
    match (made, decode::<Result<T, StepStatus>>(page)) {
        (Some(Err(error)), _) => Err(error),
        // The leader too reads what it has sent: all ranks have the value, or none.
        (_, Some(Ok(value))) => Ok(value),
        (None, Some(Err(status))) => Err(status.error(0, run).unwrap_or_else(|| unreadable(0, run))),
        _ => Err(unreadable(0, run)),
    }
}

/// The value in bytes; none if it has a path that is not UTF-8. No rank can read the page then.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, bincode::config::standard()).unwrap_or_default()
}

/// The value in these bytes; `None` if no rank has written them.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, used) = bincode::serde::decode_from_slice(bytes, bincode::config::standard()).ok()?;
    (used == bytes.len()).then_some(value)
}

fn unreadable(rank: usize, run: &Path) -> CheckpointError {
    let reason =
        "found a page that cannot be read, expected the same program on all ranks and paths in UTF-8".to_owned();
    CheckpointError::OtherRank { path: run.to_owned(), rank, reason, is_full: false, is_damage: false }
}
