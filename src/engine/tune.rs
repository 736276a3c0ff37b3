//! Bounds that are sharpened for the board at hand, where it turns out to be hard.
//!
//! Best-first search goes as far as the bound's patience says. Where that is no proof, a sample of the states that had to
//! be expanded shows what the bound lacks; it is sharpened for them, and the search begins anew, with more patience. A probe
//! ends early, between two layers, where the layers up to the incumbent are to be expected to take longer than that:
//! each has some ten times as many states as the one before. So an easy board is searched to its end, and a hard one is known
//! as such after a sixteenth of the patience.
//!
//! **Deterministic.** A probe has one thread, and is limited by a number of expansions: the bound in the end depends on
//! board, parameters and incumbent alone, on a resume as well.

use super::best_first::{self, Expanded, Interlude};
use super::kernel::Problem;
use super::{Context, Outcome, Solution, Statistics};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::{Silent, StopReason};
use crate::store::ArchiveError;

/// Layers grow about so many times each.
const GROWTH: u64 = 10;

/// More layers than this are not looked ahead: the product says enough.
const MOST_LAYERS: u32 = 9;

/// The part of its patience after which a probe looks ahead.
const EARLY: u64 = 16;

/// States of which a probe takes a sample.
const SAMPLE: u64 = 96;

/// What came out of the probes.
pub(super) struct Tuned<B> {
    /// The sharpened bound, if it was.
    pub(super) bound: Option<B>,
    /// The end of the search, when a probe came to it.
    pub(super) outcome: Option<Outcome>,
    /// The best solution held.
    pub(super) incumbent: Option<Solution>,
    /// Proven by the probes.
    pub(super) lower_bound: Cost,
    /// The work of the probes that are not the end.
    pub(super) statistics: Statistics,
}

/// Sharpens the bound of a problem as often as it pays. `known` is a solution found before.
pub(super) fn tune<D: Domain, B: LowerBound<D>>(
    problem: Problem<'_, D, B>,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Result<Tuned<B>, ArchiveError> {
    let mut tuned =
        Tuned { bound: None, outcome: None, incumbent: known, lower_bound: 0, statistics: Statistics::default() };
    loop {
        let bound = tuned.bound.as_ref().unwrap_or(problem.bound);
        let Some(patience) = bound.patience() else { return Ok(tuned) };
        let left = context.limits.expansions.map(|n| n.saturating_sub(tuned.statistics.expanded));
        let mut limited = Context { threads: 1, keep: None, observer: &Silent, ..*context };
        limited.limits.expansions = Some(left.map_or(patience, |left| left.min(patience)));
        let problem = Problem { domain: problem.domain, bound };
        let look = |Expanded { in_layers: expanded, .. }: Expanded, next: Cost, held: Option<Solution>| {
            let layers = held.map_or(MOST_LAYERS, |held| held.cost.saturating_sub(next).min(MOST_LAYERS));
            let expected = expanded.saturating_mul(GROWTH.pow(layers));
            Interlude { ends: expanded >= patience / EARLY && expected > patience, ..Interlude::default() }
        };
        let incumbent = tuned.incumbent.take();
        let (mut outcome, _, states) = best_first::run_and_sample(problem, incumbent, &look, &limited, SAMPLE)?;
        let used_up = left.is_some_and(|left| left <= outcome.statistics.expanded);
        let is_over = outcome.stopped != Some(StopReason::ExpansionLimit) || used_up;
        if is_over {
            outcome.statistics.include(&tuned.statistics);
            outcome.statistics.bound = bound.name();
            tuned.incumbent.clone_from(&outcome.incumbent);
            tuned.outcome = Some(outcome);
            return Ok(tuned);
        }
        tuned.incumbent = outcome.incumbent.take();
        tuned.lower_bound = tuned.lower_bound.max(outcome.lower_bound);
        tuned.statistics.include(&outcome.statistics);
        match bound.sharpen(&states) {
            Some(sharper) => tuned.bound = Some(sharper),
            None => return Ok(tuned),
        }
    }
}
