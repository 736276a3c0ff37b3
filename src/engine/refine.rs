//! Refines the lower bound for the board at hand, if the board turns out to be hard.
//!
//! A *probe* is a best-first search that is limited to the number of expansions after which refining pays
//! ([`StateSpace::refine_after`](crate::expand::StateSpace::refine_after)). If the probe does not end with a proof, the
//! bound is refined for a sample of the states that had to be expanded. The search continues with the refined bound,
//! whose own number of expansions limits the next probe.
//!
//! A probe ends early, between two layers, if the layers up to the incumbent are expected to need more expansions than
//! its limit. The expectation assumes that each layer grows by the same factor as the last finished layer did. So an
//! easy board is solved within the probe, and a hard board is recognised after a small part of it.
//!
//! **Deterministic.** A probe has one thread and a limit of expansions. So the bound at the end depends on board,
//! parameters and incumbent alone.
//!
//! **Checkpoints.** Probes write none. If a limit or a signal ends a probe, the search that continues takes the first
//! checkpoint. Checkpoints hold the serialized form of the refined bound.

use super::beam_schedule::BeamSchedule;
use super::best_first::{self, BestFirstInput, BetweenLayers, Expanded};
use super::context::Context;
use super::outcome::{Outcome, Solution, Statistics};
use super::resume_point::ResumePoint;
use super::steps::send_sample;
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::expand::RefinableSpace;
use crate::platform::Instant;
use crate::runtime::StopReason;

/// The growth from one layer to the next, as a fraction, that is assumed while the growth is unknown.
const GROWTH: [u64; 2] = [10, 1];

/// Layers with fewer states than this do not show how layers grow.
const TELLING: u64 = 64;

/// The most layers to look ahead. After so many layers, the expected number of expansions is large enough.
const MOST_LAYERS: u32 = 9;

/// Expansions before a probe may end early.
const EARLY: u64 = 300;

/// A probe also does `1 / EARLY_PART` of its expansions before it may end early: the expectation improves with the
/// layers.
const EARLY_PART: u64 = 800;

/// The expected expansions of a search that has done `so_far`, after `layers` more layers. Each layer grows like the
/// last two finished ones, which have `[last, before]` states.
fn expected(so_far: u64, in_last_two: Option<[u64; 2]>, layers: u32) -> u64 {
    let [last, before] = in_last_two.filter(|&[_, before]| before >= TELLING).unwrap_or(GROWTH);
    (0..layers.min(MOST_LAYERS)).fold(so_far, |expected, _| expected.saturating_mul(last) / before)
}

/// The number of states in a sample.
const SAMPLE: usize = 96;

/// A space whose lower bound was refined.
pub(super) type RefinedSpace<'p> = Box<dyn RefinableSpace<'p> + 'p>;

/// A search after its probes, ready to continue.
pub(super) struct PreparedSearch<'p> {
    /// The space with the refined bound, if the bound was refined.
    pub(super) refined: Option<RefinedSpace<'p>>,
    /// The outcome, if a probe has ended the search.
    pub(super) outcome: Option<Outcome>,
    /// Where the search continues.
    pub(super) input: BestFirstInput,
    /// States expanded by probes, and by beam searches between their layers. They count against the limits of the
    /// session.
    pub(super) in_session: u64,
    /// Time and memory of the probes. Their counts are part of the search that continues.
    pub(super) statistics: Statistics,
}

impl PreparedSearch<'_> {
    /// A search without probes that begins with this solution.
    pub(super) fn plain(incumbent: Option<Solution>) -> Self {
        let input = BestFirstInput { incumbent, ..BestFirstInput::default() };
        Self { refined: None, outcome: None, input, in_session: 0, statistics: Statistics::default() }
    }
}

/// Refines the lower bound of a space as often as it pays. `prepared` is the search so far; `beams` search for better
/// solutions between the layers.
///
/// # Errors
/// None in practice: probes read no checkpoint.
pub(super) fn refine_bound<'p>(
    space: &dyn RefinableSpace<'p>,
    mut prepared: PreparedSearch<'p>,
    beams: &BeamSchedule<'_>,
    context: &Context<'_>,
) -> Result<PreparedSearch<'p>, CheckpointError> {
    let (started, earlier) = (Instant::now(), prepared.in_session);
    let has_checkpoints = context.keep.is_some();
    loop {
        let space = prepared.refined.as_deref().unwrap_or(space);
        let Some(refine_after) = space.refine_after() else { return Ok(prepared) };
        let before = prepared.input.resume_point.as_ref().map_or(0, ResumePoint::expanded);
        let left =
            context.limits.expansions.map_or(u64::MAX, |limit| limit.saturating_sub(prepared.in_session - earlier));
        let mut limited = context.remaining(started, 0).beside(space.bound_bytes());
        if has_checkpoints {
            // With checkpoints, memory is limited by the budget of the process. The search that continues keeps to this
            // budget.
            limited.limits.memory = None;
        }
        limited.limits.expansions = Some(refine_after.min(left));
        let between_layers = |so_far: Expanded, next: Cost, held: Option<Solution>| {
            let cost = held.as_ref().map(|held| held.cost);
            let rest = context.remaining(started, prepared.in_session - earlier + so_far.in_session);
            let found = beams.improve(so_far, held, &rest);
            let cost = found.better.as_ref().map(|better| better.cost).or(cost).unwrap_or(Cost::MAX);
            let in_probe = so_far.in_layers - before;
            let ends = in_probe >= EARLY.max(refine_after / EARLY_PART)
                && expected(in_probe, so_far.in_last_two, cost.saturating_sub(next)) > refine_after;
            BetweenLayers { ends, ..found }
        };
        let input = std::mem::take(&mut prepared.input);
        let (mut outcome, in_session, resume_point) = best_first::probe(space, input, &between_layers, &limited)?;
        prepared.in_session += in_session;
        let is_used_up = left != u64::MAX && in_session >= left;
        let is_probed = outcome.stopped == Some(StopReason::ExpansionLimit) && !is_used_up;
        // The search that continues handles the end of memory. With checkpoints, it also saves the work of a probe
        // before any other stop.
        let continues = is_probed
            || outcome.stopped == Some(StopReason::MemoryLimit)
            || has_checkpoints && outcome.stopped.is_some();
        let Some(resume_point) = resume_point.filter(|_| continues) else {
            outcome.statistics.bound = space.bound_name();
            prepared.outcome = Some(outcome);
            return Ok(prepared);
        };
        prepared.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..outcome.statistics });
        if !is_probed {
            prepared.input = BestFirstInput {
                incumbent: outcome.incumbent,
                resume_point: Some(resume_point),
                refinement_interrupted: has_checkpoints,
            };
            return Ok(prepared);
        }
        let sample = resume_point.sample(space, SAMPLE, &|| context.stopped(started).is_some());
        let room = context.beside(space.bound_bytes() + resume_point.bytes());
        prepared.input = BestFirstInput {
            incumbent: outcome.incumbent,
            resume_point: Some(resume_point),
            refinement_interrupted: false,
        };
        send_sample(&sample, context);
        let (refined, cut) = room.with_build_context(started, |build| space.refine(&sample, build));
        if refined.is_none() {
            // For want of memory, the search continues with the bound that it has, now and after a resume.
            let is_interrupted = cut.is_some_and(|reason| reason != StopReason::MemoryLimit);
            prepared.input.refinement_interrupted = has_checkpoints && is_interrupted;
            return Ok(prepared);
        }
        prepared.refined = refined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_expected_to_grow_as_the_last_two_did() {
        assert_eq!(expected(700, Some([300, 100]), 0), 700, "the next layer is beyond the incumbent");
        assert_eq!(expected(700, Some([300, 100]), 2), 700 * 9);
        assert_eq!(expected(700, Some([150, 300]), 1), 350);
        assert_eq!(expected(700, None, 3), 700_000, "no growth is known: ten times");
        assert_eq!(expected(700, Some([630, TELLING - 1]), 1), 7_000, "too few to tell");
        assert_eq!(expected(700, Some([64, TELLING]), 1), 700);
        assert_eq!(expected(1, Some([200, 100]), Cost::MAX), 1 << MOST_LAYERS);
        assert!(expected(u64::MAX / 2, Some([1 << 40, TELLING]), 2) > 1 << 50, "too many to count are many");
    }
}
