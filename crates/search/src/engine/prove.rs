//! The proof that a known solution is optimal: a search that begins with the solution as incumbent.
//!
//! The search is the one that learns where states are sets, and best-first search elsewhere, without beam searches.
//! Bound trials use it because all of its work is proof. So the work with one lower bound can be compared with the work
//! with another. Where a search learns, that is the worth of the values and of the explanations together.

use super::beam_schedule::BeamSchedule;
use super::best_first::{self, BestFirstInput, BetweenLayers};
use super::learning::{self, LearningInput};
use super::{Context, Outcome, Solution};
use crate::checkpoint::CheckpointError;
use crate::expand::StateSpace;

/// Proves that no solution is cheaper than `solution`, or finds a cheaper one, within the limits of `context`.
///
/// # Errors
/// When the search is to resume from a checkpoint that cannot be used.
pub(super) fn prove(
    space: &dyn StateSpace,
    solution: Solution,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    let incumbent = Some(solution);
    if space.set_expander().is_some() {
        let input = LearningInput { incumbent, ..LearningInput::default() };
        return learning::run(space, input, &BeamSchedule::none(space), context);
    }
    let input = BestFirstInput { incumbent, ..BestFirstInput::default() };
    let rest = context.beside(space.bound().bytes);
    let (mut outcome, _) = best_first::run(space, input, &|_, _| BetweenLayers::default(), &rest)?;
    outcome.statistics.bound = space.bound().name;
    Ok(outcome)
}
