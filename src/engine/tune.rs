//! Bounds that are sharpened for the board at hand, where it turns out to be hard.
//!
//! Best-first search goes as far as the bound's patience says. Where that is no proof, a sample of the states that had to
//! be expanded shows what the bound lacks; it is sharpened for them, and the search goes on, with the patience of the sharper bound. A
//! probe ends early, between two layers, where the layers up to the incumbent are to be expected to take longer than that:
//! each has so many times the states of the one before as the last two had. So an easy board is searched to its end, and a hard
//! one is known as such after a small part of the patience.
//!
//! **Deterministic.** A probe has one thread, and is limited by a number of expansions: the bound in the end depends on
//! board, parameters and incumbent alone. A search that is kept on disk says in its checkpoints what came of it; as long as
//! probes go on, nothing is written, and what a limit or a signal leaves of them is the search behind them's to keep.

use super::beams::Beams;
use super::best_first::{self, Begun, Expanded, Interlude, Known};
use super::{Context, Outcome, Solution, Statistics};
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::expand::RefinableSpace;
use crate::runtime::StopReason;
use std::time::Instant;

/// Layers grow about so many times each, as long as nothing else is known.
const GROWTH: [u64; 2] = [10, 1];

/// Layers of fewer states do not tell how they grow.
const TELLING: u64 = 64;

/// More layers than this are not looked ahead: the product says enough.
const MOST_LAYERS: u32 = 9;

/// Expansions after which a probe looks ahead.
const EARLY: u64 = 300;

/// It waits for this part of its patience as well: the more layers, the less it errs.
const EARLY_PART: u64 = 800;

/// The expansions to be expected of a search that has done so many, until it is so many layers further: each layer has as many
/// times the states of the one before as the last two that were finished, of `[last, before]` states.
fn expected(so_far: u64, in_last_two: Option<[u64; 2]>, layers: u32) -> u64 {
    let [last, before] = in_last_two.filter(|&[_, before]| before >= TELLING).unwrap_or(GROWTH);
    (0..layers.min(MOST_LAYERS)).fold(so_far, |expected, _| expected.saturating_mul(last) / before)
}

/// States of which a probe takes a sample.
const SAMPLE: usize = 96;

/// A space whose bound was sharpened.
pub(super) type Refined<'p> = Box<dyn RefinableSpace<'p> + 'p>;

/// What came out of the probes.
pub(super) struct Tuned<'p> {
    /// The space with the sharpened bound, if it was.
    pub(super) refined: Option<Refined<'p>>,
    /// The end of the search, when somebody came to it.
    pub(super) outcome: Option<Outcome>,
    /// Where the search goes on.
    pub(super) known: Known,
    /// States expanded by probes and the beams between their layers: what counts against the limits of a session.
    pub(super) in_session: u64,
    /// What the probes took of time and memory; their work is in what goes on.
    pub(super) statistics: Statistics,
}

impl Tuned<'_> {
    /// A bound that stays as it is, for a search that begins with this solution.
    pub(super) fn plain(incumbent: Option<Solution>) -> Self {
        let known = Known { incumbent, ..Known::default() };
        Self { refined: None, outcome: None, known, in_session: 0, statistics: Statistics::default() }
    }
}

/// Sharpens the bound of a problem as often as it pays, in a search that is `tuned` as far as it has come. `beams` look for better
/// solutions between the layers.
pub(super) fn tune<'p>(
    space: &dyn RefinableSpace<'p>,
    mut tuned: Tuned<'p>,
    beams: &Beams<'_>,
    context: &Context<'_>,
) -> Result<Tuned<'p>, CheckpointError> {
    let (begun_at, earlier) = (Instant::now(), tuned.in_session);
    let keeps = context.keep.is_some();
    loop {
        let space = tuned.refined.as_deref().unwrap_or(space);
        let Some(patience) = space.patience() else { return Ok(tuned) };
        let before = tuned.known.begun.as_ref().map_or(0, Begun::expanded);
        let left = context.limits.expansions.map_or(u64::MAX, |limit| limit.saturating_sub(tuned.in_session - earlier));
        let mut limited = context.remaining(begun_at, 0).beside(space.bound_bytes());
        if keeps {
            // Its memory is that of the process, and somebody else's to look after.
            limited.limits.memory = None;
        }
        limited.limits.expansions = Some(patience.min(left));
        let look = |so_far: Expanded, next: Cost, held: Option<Solution>| {
            let cost = held.as_ref().map(|held| held.cost);
            let rest = context.remaining(begun_at, tuned.in_session - earlier + so_far.in_session);
            let found = beams.look(so_far, held, &rest);
            let cost = found.better.as_ref().map(|better| better.cost).or(cost).unwrap_or(Cost::MAX);
            let in_probe = so_far.in_layers - before;
            let ends = in_probe >= EARLY.max(patience / EARLY_PART)
                && expected(in_probe, so_far.in_last_two, cost.saturating_sub(next)) > patience;
            Interlude { ends, ..found }
        };
        let known = std::mem::take(&mut tuned.known);
        let (mut outcome, in_session, begun) = best_first::probe(space, known, &look, &limited)?;
        tuned.in_session += in_session;
        let is_used_up = left != u64::MAX && in_session >= left;
        let is_probed = outcome.stopped == Some(StopReason::ExpansionLimit) && !is_used_up;
        // What comes where memory ends is for the search behind this one to say, and what is kept on disk is its work.
        let goes_on =
            is_probed || outcome.stopped == Some(StopReason::MemoryLimit) || keeps && outcome.stopped.is_some();
        let Some(begun) = begun.filter(|_| goes_on) else {
            outcome.statistics.bound = space.bound_name();
            tuned.outcome = Some(outcome);
            return Ok(tuned);
        };
        tuned.statistics.include(&Statistics { expanded: 0, generated: 0, evaluated: 0, ..outcome.statistics });
        if !is_probed {
            tuned.known = Known { incumbent: outcome.incumbent, begun: Some(begun), being_sharpened: keeps };
            return Ok(tuned);
        }
        let sample = begun.sample(space, SAMPLE);
        tuned.known = Known { incumbent: outcome.incumbent, begun: Some(begun), being_sharpened: false };
        match context.making(begun_at, |making| space.refine(&sample, making)) {
            Some(refined) => tuned.refined = Some(refined),
            None => {
                tuned.known.being_sharpened = keeps && context.stopped(begun_at).is_some();
                return Ok(tuned);
            }
        }
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
        assert_eq!(expected(700, None, 3), 700_000, "nothing is known: ten times");
        assert_eq!(expected(700, Some([630, TELLING - 1]), 1), 7_000, "too few to tell");
        assert_eq!(expected(700, Some([64, TELLING]), 1), 700);
        assert_eq!(expected(1, Some([200, 100]), Cost::MAX), 1 << MOST_LAYERS);
        assert!(expected(u64::MAX / 2, Some([1 << 40, TELLING]), 2) > 1 << 50, "too many to count are many");
    }
}
