//! The proof that a known solution is optimal: best-first search that begins with the solution as incumbent.
//!
//! The search is that of `auto` without beam searches. Bound trials use it because all of its work is proof. So the
//! work with one lower bound can be compared with the work with another.

use super::beam_schedule::BeamSchedule;
use super::best_first::{self, BetweenLayers};
use super::refine::{PreparedSearch, RefinedSpace, refine_bound};
use super::{Context, Outcome, Solution};
use crate::checkpoint::CheckpointError;
use crate::expand::RefinableSpace;
use crate::platform::Instant;

/// Proves that no solution is cheaper than `solution`, or finds a cheaper one, within the limits of `context`. Returns
/// the outcome, and the space with the refined bound if the bound was refined.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn prove<'p>(
    space: &dyn RefinableSpace<'p>,
    solution: Solution,
    context: &Context<'_>,
) -> Result<(Outcome, Option<RefinedSpace<'p>>), CheckpointError> {
    let began = Instant::now();
    let prepared = refine_bound(space, PreparedSearch::plain(Some(solution)), &BeamSchedule::none(space), context)?;
    if let Some(mut outcome) = prepared.outcome {
        outcome.statistics.include(&prepared.statistics);
        return Ok((outcome, prepared.refined));
    }
    let space = prepared.refined.as_deref().unwrap_or(space);
    let rest = context.remaining(began, prepared.in_session).beside(space.bound_bytes());
    let (mut outcome, _) = best_first::run(space, prepared.input, &|_, _, _| BetweenLayers::default(), &rest)?;
    outcome.statistics.include(&prepared.statistics);
    outcome.statistics.bound = space.bound_name();
    Ok((outcome, prepared.refined))
}
