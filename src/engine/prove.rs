//! Best-first search that begins with a solution: whatever it expands is for the proof.

use super::beams::Beams;
use super::best_first::{self, Interlude};
use super::kernel::Problem;
use super::tune::{Tuned, tune};
use super::{Context, Outcome, Solution};
use crate::domain::{Domain, LowerBound};
use crate::store::ArchiveError;
use std::time::Instant;

/// Proves that nothing is cheaper than `solution`, or finds it. Comes with the bound as it was sharpened, if it was.
pub(super) fn prove<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    solution: Solution,
    context: &Context<'_>,
) -> Result<(Outcome, Option<B>), ArchiveError> {
    let began = Instant::now();
    let tuned = tune(problem, Tuned::plain(Some(solution)), &Beams::none(problem), context)?;
    if let Some(mut outcome) = tuned.outcome {
        outcome.statistics.include(&tuned.statistics);
        return Ok((outcome, tuned.bound));
    }
    let problem = problem.bounded(tuned.bound.as_ref().unwrap_or(problem.bound));
    let rest = context.remaining(began, tuned.in_session).beside(problem.bound.bytes());
    let (mut outcome, _) = best_first::run(problem, tuned.known, &|_, _, _| Interlude::default(), &rest)?;
    outcome.statistics.include(&tuned.statistics);
    outcome.statistics.bound = problem.bound.name();
    Ok((outcome, tuned.bound))
}
