//! Best-first search that begins with a solution: whatever it expands is for the proof.

use super::beams::Beams;
use super::best_first::{self, Interlude};
use super::tune::{Refined, Tuned, tune};
use super::{Context, Outcome, Solution};
use crate::checkpoint::CheckpointError;
use crate::expand::RefinableSpace;
use std::time::Instant;

/// Proves that nothing is cheaper than `solution`, or finds it. Comes with the space as its bound was sharpened, if it was.
pub(super) fn prove<'p>(
    space: &dyn RefinableSpace<'p>,
    solution: Solution,
    context: &Context<'_>,
) -> Result<(Outcome, Option<Refined<'p>>), CheckpointError> {
    let began = Instant::now();
    let tuned = tune(space, Tuned::plain(Some(solution)), &Beams::none(space), context)?;
    if let Some(mut outcome) = tuned.outcome {
        outcome.statistics.include(&tuned.statistics);
        return Ok((outcome, tuned.refined));
    }
    let space = tuned.refined.as_deref().unwrap_or(space);
    let rest = context.remaining(began, tuned.in_session).beside(space.bound_bytes());
    let (mut outcome, _) = best_first::run(space, tuned.known, &|_, _, _| Interlude::default(), &rest)?;
    outcome.statistics.include(&tuned.statistics);
    outcome.statistics.bound = space.bound_name();
    Ok((outcome, tuned.refined))
}
