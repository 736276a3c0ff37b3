//! What comes before the main search of `auto`, and how several ranks share it.
//!
//! Beam searches and short best-first searches are too short to be spread over ranks, and a clock may end them. So the
//! leader prepares the search alone, and sends the result in one message: the incumbent, and the records and open nodes
//! of a best-first search. Each rank then keeps its share of them.

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
    /// The outcome, if the preparation has ended the search.
    pub(super) outcome: Option<Outcome>,
    /// Where the search continues.
    pub(super) input: BestFirstInput,
    /// States expanded by searches whose work is counted elsewhere. They count against the limits of the session.
    pub(super) in_session: u64,
    /// The work that is counted nowhere else.
    pub(super) statistics: Statistics,
}

impl PreparedSearch {
    /// A search that begins with this solution.
    pub(super) fn plain(incumbent: Option<Solution>) -> Self {
        Self { input: BestFirstInput { incumbent, ..BestFirstInput::default() }, ..Self::default() }
    }

    /// A search that is over.
    pub(super) fn over(outcome: Outcome) -> Self {
        Self { outcome: Some(outcome), ..Self::default() }
    }

    /// Takes over the lower bound and the incumbent of the run before, when a search begins anew.
    pub(super) fn inherit(&mut self, earlier: Snapshot) {
        if let Some(outcome) = &mut self.outcome {
            outcome.lower_bound = outcome.lower_bound.max(earlier.lower_bound);
            outcome.incumbent = Solution::cheaper(outcome.incumbent.take(), earlier.incumbent.clone());
        }
        if let Some(resume_point) = &mut self.input.resume_point {
            let known = &mut resume_point.snapshot.lower_bound;
            *known = earlier.lower_bound.max(*known);
        }
        self.input.incumbent = Solution::cheaper(self.input.incumbent.take(), earlier.incumbent);
    }
}

/// The result of the preparation, as the leader sends it.
#[derive(Debug, Serialize, Deserialize)]
struct Sent {
    incumbent: Option<Solution>,
    point: Option<SentPoint>,
}

/// A resume point in bytes.
#[derive(Debug, Serialize, Deserialize)]
struct SentPoint {
    snapshot: Snapshot,
    shards: u32,
    records: Vec<u8>,
    /// f, g and id of the open nodes.
    open: Vec<(Cost, Cost, u64)>,
}

impl Sent {
    fn of(prepared: &PreparedSearch) -> Self {
        let point = prepared.input.resume_point.as_ref().map(|ResumePoint { store, snapshot, open }| SentPoint {
            snapshot: snapshot.clone(),
            shards: store.shard_count() as u32,
            records: store.to_bytes(),
            open: open.nodes().map(|(f, g, id)| (f, g, id.to_word())).collect(),
        });
        Self { incumbent: prepared.input.incumbent.clone(), point }
    }

    /// Makes the leader's search ready to continue on another rank. A rank that cannot read it aborts all ranks.
    fn received(self, space: &dyn StateSpace, exchange: &Exchange) -> PreparedSearch {
        let mut prepared = PreparedSearch::plain(self.incumbent);
        if let Some(SentPoint { snapshot, shards, records, open: nodes }) = self.point {
            let Some(store) = Store::from_bytes(layout_of(space, shards as usize), &records) else {
                exchange.abort("found ranks that cannot read the leader's records, expected the same program on all");
                return PreparedSearch::over(Outcome::unknown());
            };
            let mut open = Frontier::default();
            nodes.into_iter().for_each(|(f, g, id)| open.push(f, g, Id::from_word(id)));
            prepared.input.resume_point = Some(ResumePoint { store, snapshot, open });
        }
        prepared
    }
}

/// Prepares a search. On several ranks the leader calls `prepare`, and all get the result; if the search is over on the
/// leader, it is over on the other ranks too, and these return [`Outcome::unknown`].
///
/// # Errors
/// As `prepare` on the leader.
pub(super) fn shared(
    space: &dyn StateSpace,
    context: &Context<'_>,
    prepare: impl FnOnce() -> Result<PreparedSearch, CheckpointError>,
) -> Result<PreparedSearch, CheckpointError> {
    let Some(exchange) = context.exchange() else { return prepare() };
    if exchange.is_leader() {
        let prepared = prepare();
        let going_on = prepared.as_ref().ok().filter(|prepared| prepared.outcome.is_none());
        exchange.all_gather(&going_on.map(Sent::of));
        return prepared;
    }
    let sent = exchange.all_gather(&None::<Sent>).into_iter().next().flatten();
    let over = || PreparedSearch::over(Outcome::unknown());
    Ok(sent.map_or_else(over, |sent| sent.received(space, exchange)))
}
