//! Agreement between ranks that take and read checkpoints together.
//!
//! A checkpoint of several ranks has one manifest. Each rank has files of its own: the logs of its shards, and a
//! journal. The leader writes the manifest when every rank has made its files durable
//! ([`rank_part`](super::rank_part)). So a manifest never names bytes that are not durable, and the previous generation
//! stays valid if a rank dies.
//!
//! If a step fails on one rank, all ranks must return an error of the same kind. Otherwise the others would wait for
//! ever. So each step that may fail ends with [`agree_on_result`].

use super::error::CheckpointError;
use crate::runtime::{Exchange, decode, encode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

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

    /// All ranks follow the most severe status. Damage is the least severe failure: an older generation is tried only
    /// if no rank was interrupted or failed for another reason.
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
/// The error of this rank, unless another rank has a more severe one: then [`CheckpointError::Interrupted`], or the
/// error of that rank as [`CheckpointError::OtherRank`].
pub(super) fn agree_on_result<T>(
    exchange: Option<&Exchange>,
    run: &Path,
    result: Result<T, CheckpointError>,
) -> Result<T, CheckpointError> {
    let Some(exchange) = exchange else { return result };
    let own_status = StepStatus::of(&result);
    let statuses = exchange.all_gather(&own_status).into_iter().enumerate();
    // Among equally severe statuses, that of the lowest rank counts.
    let worst = statuses.rev().max_by_key(|(_, status)| status.severity());
    let worst = worst.filter(|(_, status)| status.severity() > own_status.severity());
    worst.and_then(|(rank, status)| status.error(rank, run)).map_or(result, Err)
}

/// Runs a step on the leader, on behalf of all ranks.
///
/// # Errors
/// On all ranks, when the step fails.
pub(super) fn run_on_leader(
    exchange: Option<&Exchange>,
    run: &Path,
    step: impl FnOnce() -> Result<(), CheckpointError>,
) -> Result<(), CheckpointError> {
    let result = if exchange.is_none_or(Exchange::is_leader) { step() } else { Ok(()) };
    agree_on_result(exchange, run, result)
}

/// Runs `make` on the leader, and returns its value on all ranks.
///
/// # Errors
/// When `make` fails, or its value cannot be sent.
pub(super) fn broadcast_from_leader<T: Serialize + DeserializeOwned>(
    exchange: Option<&Exchange>,
    run: &Path,
    make: impl FnOnce() -> Result<T, CheckpointError>,
) -> Result<T, CheckpointError> {
    let Some(exchange) = exchange.filter(|exchange| exchange.ranks() > 1) else { return make() };
    let made = if exchange.is_leader() { Some(make()) } else { None };
    let encode_result = |made: &Result<T, CheckpointError>| encode(&made.as_ref().map_err(|_| StepStatus::of(made)));
    let pages = exchange.all_gather_bytes(made.as_ref().map_or_else(Vec::new, encode_result));
    let page = pages.first().map_or(&[][..], Vec::as_slice);
    match (made, decode::<Result<T, StepStatus>>(page)) {
        (Some(Err(error)), _) => Err(error),
        // The leader also decodes its own page, so either all ranks get the value or none.
        (_, Some(Ok(value))) => Ok(value),
        (None, Some(Err(status))) => Err(status.error(0, run).unwrap_or_else(|| unreadable(0, run))),
        _ => Err(unreadable(0, run)),
    }
}

fn unreadable(rank: usize, run: &Path) -> CheckpointError {
    let reason =
        "found a page that cannot be read, expected the same program on all ranks and paths in UTF-8".to_owned();
    CheckpointError::OtherRank { path: run.to_owned(), rank, reason, is_full: false, is_damage: false }
}
