//! On several ranks: the leader prepares a search, and all ranks continue it.
//!
//! Beam searches and probes are too short to be spread, and a clock may end them. So the leader runs them alone, and
//! sends what they leave behind: the incumbent, the refined lower bound in serialized form, and the records and open
//! nodes of the probes. Each rank then keeps its share of them.
//!
//! Refining the bound takes seconds, and the refined bound depends on the sample of states alone. So the leader sends
//! each sample before it refines the bound, and all ranks refine it at the same time. A rank that has another bound at
//! the end makes the leader's bound of the serialized form.

use super::context::Context;
use super::explorer::layout_of;
use super::outcome::{Outcome, Solution, Statistics};
use super::refine::{PreparedSearch, RefinedSpace};
use super::resume_point::ResumePoint;
use super::steps::{Sent, SentPoint, Step};
use crate::checkpoint::CheckpointError;
use crate::expand::{RefinableSpace, StateSpace};
use crate::platform::Instant;
use crate::runtime::{Exchange, StopReason};
use crate::store::{Frontier, Id, Store};
use serde::{Deserialize, Serialize};

/// How a rank is ready for the search.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Readiness {
    Ready,
    /// A limit or a signal has stopped the rank before it had the lower bound.
    Stopped(StopReason),
    /// The rank cannot make the leader's lower bound.
    Foreign,
}

/// Sends the preparation of the leader to all other ranks, if there are any. If a rank is stopped meanwhile, the search
/// ends on all.
pub(super) fn send<'p>(space: &dyn RefinableSpace<'p>, prepared: &mut PreparedSearch<'p>, context: &Context<'_>) {
    let Some(exchange) = context.exchange else { return };
    let is_over = prepared.outcome.is_some();
    let sent = (!is_over).then(|| {
        let refined: &dyn StateSpace = prepared.refined.as_deref().unwrap_or(space);
        let point = prepared.input.resume_point.as_ref().map(|ResumePoint { store, snapshot, open }| SentPoint {
            snapshot: snapshot.clone(),
            shards: store.shards() as u32,
            records: store.to_bytes(),
            open: open.nodes().map(|(f, g, id)| (f, g, id.to_word())).collect(),
        });
        let (incumbent, refinement) = (prepared.input.incumbent.clone(), refined.serialize_refinement());
        let refinement_interrupted = prepared.input.refinement_interrupted;
        Box::new(Sent { incumbent, refinement, refinement_interrupted, point })
    });
    exchange.agree_on(&Some(Step::Done(sent)));
    if is_over {
        return;
    }
    if let Some(reason) = is_stopped(exchange, Readiness::Ready) {
        prepared.outcome = Some(stopped(space, prepared, reason));
    }
}

/// Runs a part of the preparation that leaves an incumbent at most, on the leader alone, and shares the incumbent. On the
/// other ranks the search is over if it is over on the leader.
///
/// # Errors
/// As `prepare` on the leader.
pub(super) fn by_leader<'p>(
    context: &Context<'_>,
    prepare: impl FnOnce() -> Result<PreparedSearch<'p>, CheckpointError>,
) -> Result<PreparedSearch<'p>, CheckpointError> {
    let Some(exchange) = context.exchange else { return prepare() };
    if exchange.leads() {
        let prepared = prepare();
        let going_on = prepared.as_ref().ok().filter(|prepared| prepared.outcome.is_none());
        exchange.agree_on(&going_on.map(|prepared| prepared.input.incumbent.clone()));
        return prepared;
    }
    let incumbent = exchange.agree_on(&None::<Option<Solution>>).into_iter().next().flatten();
    let over = PreparedSearch { outcome: Some(Outcome::unknown()), ..PreparedSearch::plain(None) };
    Ok(incumbent.map_or(over, PreparedSearch::plain))
}

/// Takes the preparation of the leader. `None` if the search is over.
pub(super) fn receive<'p>(
    space: &dyn RefinableSpace<'p>,
    started: Instant,
    context: &Context<'_>,
) -> Option<PreparedSearch<'p>> {
    let exchange = context.exchange?;
    let mut refined: Option<RefinedSpace<'p>> = None;
    let sent = loop {
        match exchange.agree_on(&None::<Step>).into_iter().next()?? {
            Step::Refine(sample) => {
                let held = refined.as_deref().unwrap_or(space);
                refined = context.with_build_context(started, |build| held.refine(&sample, build)).0.or(refined);
            }
            Step::Done(sent) => break sent?,
        }
    };
    let Sent { incumbent, refinement, refinement_interrupted, point } = *sent;
    let mut prepared = PreparedSearch::plain(incumbent);
    prepared.input.refinement_interrupted = refinement_interrupted;
    let mut cut = context.stopped(started);
    if !refinement.is_empty() {
        prepared.refined = refined.filter(|refined| refined.serialize_refinement() == refinement);
        if prepared.refined.is_none() {
            (prepared.refined, cut) =
                context.with_build_context(started, |build| space.restore_refinement(&refinement, build));
        }
    }
    let point = point.map(|SentPoint { snapshot, shards, records, open }| {
        let layout = layout_of(space, shards as usize);
        let mut frontier = Frontier::default();
        open.into_iter().for_each(|(f, g, id)| frontier.push(f, g, Id::from_word(id)));
        Store::of_bytes(layout, &records).map(|store| ResumePoint { store, snapshot, open: frontier })
    });
    // A rank that is stopped and has the bound takes part: the search stops at once, and may write a checkpoint.
    let lacks_bound = !refinement.is_empty() && prepared.refined.is_none();
    let readiness = match cut {
        Some(reason) if lacks_bound => Readiness::Stopped(reason),
        _ if lacks_bound || matches!(point, Some(None)) => Readiness::Foreign,
        _ => Readiness::Ready,
    };
    prepared.input.resume_point = point.flatten();
    if let Some(reason) = is_stopped(exchange, readiness) {
        prepared.outcome = Some(stopped(space, &prepared, reason));
    }
    Some(prepared)
}

/// Lets all ranks know whether they are ready. Returns the reason to stop, if one rank has to. If a rank cannot continue
/// the leader's search at all, all ranks end.
fn is_stopped(exchange: &Exchange, readiness: Readiness) -> Option<StopReason> {
    let all = exchange.agree_on(&readiness);
    if all.iter().any(|readiness| matches!(readiness, Readiness::Foreign)) {
        exchange.abort("found ranks that cannot make the lower bound of the leader, expected the same program on all");
    }
    all.into_iter().find_map(|readiness| if let Readiness::Stopped(reason) = readiness { Some(reason) } else { None })
}

/// The outcome of a search that was stopped after its preparation.
fn stopped<'p>(space: &dyn RefinableSpace<'p>, prepared: &PreparedSearch<'p>, reason: StopReason) -> Outcome {
    let refined: &dyn StateSpace = prepared.refined.as_deref().unwrap_or(space);
    let proven = prepared.input.resume_point.as_ref().map_or(0, |point| point.snapshot.lower_bound);
    let statistics = Statistics { expanded: prepared.in_session, ..Statistics::default() };
    let (incumbent, lower_bound) = (prepared.input.incumbent.clone(), proven.max(refined.lower_bound()));
    Outcome { incumbent, lower_bound, stopped: Some(reason), failure: None, statistics }
}
