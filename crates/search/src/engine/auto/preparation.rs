//! The preparation of the main search of `auto`, and its distribution to ranks.
//!
//! Beam searches and the first best-first searches are too short for several ranks, and a time limit may end them. So
//! the leader prepares the search alone and sends one message: the incumbent, and the records and open nodes of a
//! best-first search. Each rank then keeps its share.

use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::engine::best_first::{BestFirstInput, ResumePoint, layout_of};
use crate::engine::checkpoints::Snapshot;
use crate::engine::context::Context;
use crate::engine::outcome::{Outcome, Solution, Statistics};
use crate::expand::StateSpace;
use crate::runtime::Exchange;
use crate::store::{Frontier, Id, Store};
use serde::{Deserialize, Serialize};

/// A search that is ready to continue.
#[derive(Default)]
pub(super) struct PreparedSearch {
    pub(super) outcome: Option<Outcome>,
    /// Where the search continues.
    pub(super) input: BestFirstInput,
    /// States expanded by searches with separate statistics. They count against the limits of the session.
    pub(super) session_expanded: u64,
    /// The work that no other statistics contain.
    pub(super) statistics: Statistics,
}

impl PreparedSearch {
    /// A search that starts with this incumbent.
    pub(super) fn with_incumbent(incumbent: Option<Solution>) -> Self {
        Self { input: BestFirstInput { incumbent, ..BestFirstInput::default() }, ..Self::default() }
    }

    pub(super) fn finished(outcome: Outcome) -> Self {
        Self { outcome: Some(outcome), ..Self::default() }
    }

    /// Takes over the lower bound and the incumbent of an earlier run after a restart.
    pub(super) fn inherit(&mut self, earlier: Snapshot) {
        if let Some(outcome) = &mut self.outcome {
            outcome.lower_bound = outcome.lower_bound.max(earlier.lower_bound);
            outcome.incumbent = Solution::cheaper(outcome.incumbent.take(), earlier.incumbent.clone());
        }
        if let Some(resume_point) = &mut self.input.resume_point {
            let lower_bound = &mut resume_point.snapshot.lower_bound;
            *lower_bound = earlier.lower_bound.max(*lower_bound);
        }
        self.input.lower_bound = earlier.lower_bound.max(self.input.lower_bound);
        self.input.incumbent = Solution::cheaper(self.input.incumbent.take(), earlier.incumbent);
    }
}

/// The message of the leader.
#[derive(Debug, Serialize, Deserialize)]
struct PreparationMessage {
    incumbent: Option<Solution>,
    lower_bound: Cost,
    resume_point: Option<ResumeMessage>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ResumeMessage {
    snapshot: Snapshot,
    shards: u32,
    records: Vec<u8>,
    /// f, g and id of the open nodes.
    open: Vec<(Cost, Cost, u64)>,
}

impl PreparationMessage {
    fn of(prepared: &PreparedSearch) -> Self {
        let resume_point =
            prepared.input.resume_point.as_ref().map(|ResumePoint { store, snapshot, open }| ResumeMessage {
                snapshot: snapshot.clone(),
                shards: store.shard_count() as u32,
                records: store.to_bytes(),
                open: open.nodes().map(|(f, g, id)| (f, g, id.to_word())).collect(),
            });
        let BestFirstInput { incumbent, lower_bound, .. } = &prepared.input;
        Self { incumbent: incumbent.clone(), lower_bound: *lower_bound, resume_point }
    }

    /// The prepared search on another rank. A rank that cannot read the message aborts all ranks.
    fn into_prepared(self, space: &dyn StateSpace, exchange: &Exchange) -> PreparedSearch {
        let mut prepared = PreparedSearch::with_incumbent(self.incumbent);
        prepared.input.lower_bound = self.lower_bound;
        if let Some(ResumeMessage { snapshot, shards, records, open: nodes }) = self.resume_point {
            let Some(store) = Store::from_bytes(layout_of(space, shards as usize), &records) else {
                exchange.abort("found ranks that cannot read the leader's records, expected the same program on all");
                return PreparedSearch::finished(Outcome::unknown());
            };
            let mut open = Frontier::default();
            nodes.into_iter().for_each(|(f, g, id)| open.push(f, g, Id::from_word(id)));
            prepared.input.resume_point = Some(ResumePoint { store, snapshot, open });
        }
        prepared
    }
}

/// Prepares a search. On several ranks the leader calls `prepare` and sends the result to all. If the search is over on
/// the leader, the outcome of the other ranks is [`Outcome::unknown`].
///
/// # Errors
/// As `prepare` on the leader.
pub(super) fn prepare_on_leader(
    space: &dyn StateSpace,
    context: &Context<'_>,
    prepare: impl FnOnce() -> Result<PreparedSearch, CheckpointError>,
) -> Result<PreparedSearch, CheckpointError> {
    let Some(exchange) = context.exchange() else { return prepare() };
    if exchange.is_leader() {
        let prepared = prepare();
        let unfinished = prepared.as_ref().ok().filter(|prepared| prepared.outcome.is_none());
        exchange.all_gather(&unfinished.map(PreparationMessage::of));
        return prepared;
    }
    let message = exchange.all_gather(&None::<PreparationMessage>).into_iter().next().flatten();
    let no_search = || PreparedSearch::finished(Outcome::unknown());
    Ok(message.map_or_else(no_search, |message| message.into_prepared(space, exchange)))
}
