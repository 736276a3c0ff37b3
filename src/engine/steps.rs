//! What the leading rank tells the other ranks while it prepares a search (`preparation.rs`).

use super::context::Context;
use super::outcome::Solution;
use super::snapshot::Snapshot;
use crate::domain::Cost;
use serde::{Deserialize, Serialize};

/// What the leader sends, one after another.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Step {
    /// All ranks refine the bound for this sample of states.
    Refine(Vec<Box<[u8]>>),
    /// The preparation is over. `None` if the search is over as well.
    Done(Option<Box<Sent>>),
}

/// What the preparation leaves behind.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sent {
    pub(super) incumbent: Option<Solution>,
    /// The serialized form of the refined bound. Empty if the bound was not refined.
    pub(super) refinement: Vec<u8>,
    /// See [`BestFirstInput`](super::best_first::BestFirstInput).
    pub(super) refinement_interrupted: bool,
    pub(super) point: Option<SentPoint>,
}

/// A resume point in bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentPoint {
    pub(super) snapshot: Snapshot,
    pub(super) shards: u32,
    pub(super) records: Vec<u8>,
    /// f, g and id of the open nodes.
    pub(super) open: Vec<(Cost, Cost, u64)>,
}

/// Lets all other ranks, if there are any, refine the bound for a sample of states, as the leader does after this call.
pub(super) fn send_sample(sample: &[Box<[u8]>], context: &Context<'_>) {
    if let Some(exchange) = context.exchange {
        exchange.agree_on(&Some(Step::Refine(sample.to_vec())));
    }
}
