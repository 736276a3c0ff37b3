//! Beams between the layers of a best-first search, as long as they cost little beside the layers.
//!
//! States with an f of the incumbent's cost or more are never stored. So an incumbent that costs one more than the
//! optimum makes a search store a whole layer, the largest, that it will never expand. A layer has some ten times as
//! many nodes as the one before; a beam that expands half as many states as all layers so far costs a twentieth of the
//! next.
//!
//! **Without a solution**, before the layers begin in earnest, ever wider beams look for a first one. A domain may have another promise, by which
//! beams keep other states; then both have their turn, once beams are wide.
//!
//! **Deterministic**: how wide a beam is depends on the layers alone, and what it finds on its width.

use super::best_first::{Expanded, Interlude};
use super::{Context, Solution, Statistics, beam};
use crate::expand::{Promise, StateSpace};
use crate::runtime::Silent;
use std::sync::{Mutex, PoisonError};

/// The widest beam between layers: what it holds comes on top of the store.
const WIDEST: usize = 50_000;

/// The widest beam as long as there is no solution.
const WIDEST_SEEKING: usize = 1_000_000;

/// Beams by [another promise](Promise::Other) have this part of the width: such a promise is counted anew for each state, and takes longer.
const OTHER_PART: usize = 3;

/// They come behind beams that are so wide: what narrower ones find, they find sooner.
const OTHER_FROM: usize = 3_000;

/// The beams of one search.
pub(super) struct Beams<'a> {
    /// Beams prove nothing: this is the problem with the bound that costs least.
    space: &'a dyn StateSpace,
    widest: usize,
    widest_seeking: usize,
    so_far: Mutex<SoFar>,
}

/// What the beams of a search have done.
#[derive(Default)]
struct SoFar {
    /// The width of the widest.
    width: usize,
    /// The width beside which the other promise had its last turn.
    by_other: usize,
    /// What all did together.
    statistics: Statistics,
}

impl<'a> Beams<'a> {
    /// Beams that are wider than `width`, with a sixteenth of the memory: what they hold is not part of the account that
    /// a limit is compared with.
    pub(super) fn new(space: &'a dyn StateSpace, width: usize, context: &Context<'_>) -> Self {
        let memory = context.limits.memory;
        let affordable = memory.map_or(u64::MAX, |memory| memory / 16 / beam::bytes_per_width(space.key_len()));
        let affordable = usize::try_from(affordable).unwrap_or(usize::MAX);
        let (widest, widest_seeking) = (affordable.min(WIDEST), affordable.min(WIDEST_SEEKING));
        let so_far = SoFar { width, ..SoFar::default() };
        Self { space, widest, widest_seeking, so_far: Mutex::new(so_far) }
    }

    /// No beams at all.
    pub(super) fn none(space: &'a dyn StateSpace) -> Self {
        Self { space, widest: 0, widest_seeking: 0, so_far: Mutex::default() }
    }

    /// Between two layers: looks for a better solution than `held`, if a beam twice as wide as the widest so far costs little
    /// beside what was expanded.
    pub(super) fn look(&self, expanded: Expanded, held: Option<Solution>, context: &Context<'_>) -> Interlude {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let depth = held.as_ref().map_or(1, |held| held.moves.len().max(1)) as u64;
        let width = usize::try_from(expanded.in_layers / (2 * depth)).unwrap_or(usize::MAX).min(self.widest);
        if width < 2 * so_far.width.max(1) {
            return Interlude::default();
        }
        so_far.width = width;
        let mut context = Context { observer: &Silent, ..*context };
        context.limits.memory = None;
        let outcome = beam::run(self.space, (width, Promise::Usual), held, &context);
        so_far.statistics.include(&outcome.statistics);
        Interlude { better: outcome.incumbent, expanded: outcome.statistics.expanded, ends: false }
    }

    /// As long as there is no solution: a beam by the other promise, if there is one, or one three times as wide as the widest so far, if that is not
    /// too wide; in turn. Returns what it found, and the states that it expanded.
    pub(super) fn widen(&self, context: &Context<'_>) -> Option<(Option<Solution>, u64)> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let mut context = *context;
        context.limits.memory = None;
        let is_its_turn = so_far.width >= OTHER_FROM && so_far.width > so_far.by_other;
        let beam = if is_its_turn && self.space.has_other_promise() {
            so_far.by_other = so_far.width;
            (so_far.width.div_ceil(OTHER_PART), Promise::Other)
        } else {
            let width = so_far.width.max(1).saturating_mul(3);
            if width > self.widest_seeking {
                return None;
            }
            so_far.width = width;
            (width, Promise::Usual)
        };
        let outcome = beam::run(self.space, beam, None, &context);
        so_far.statistics.include(&outcome.statistics);
        Some((outcome.incumbent, outcome.statistics.expanded))
    }

    /// What all beams did.
    pub(super) fn statistics(self) -> Statistics {
        self.so_far.into_inner().unwrap_or_else(PoisonError::into_inner).statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
    use crate::expand::Problem;
    use crate::runtime::{Limits, StopToken};

    /// Words of fourteen digits; the only one that is a solution is all ones. Ones or noughts look promising.
    struct Words {
        wants_ones: bool,
        has_other: bool,
    }

    impl Domain for Words {
        type State = (u8, u16);

        fn key_len(&self) -> usize {
            3
        }

        fn mask_bits(&self) -> u32 {
            0
        }

        fn root(&self) -> (u8, u16) {
            (0, 0)
        }

        fn pack(&self, &(len, digits): &(u8, u16), key: &mut [u8]) {
            key[0] = len;
            key[1..].copy_from_slice(&digits.to_le_bytes());
        }

        fn unpack(&self, key: &[u8], state: &mut (u8, u16)) {
            *state = (key[0], u16::from_le_bytes([key[1], key[2]]));
        }

        fn successors(&self, &(len, digits): &(u8, u16), _: MoveMask, out: &mut Vec<Successor<(u8, u16)>>) {
            let child = |mv: u16| Successor { mv, cost: 1, state: (len + 1, digits << 1 | mv), asleep: 0 };
            out.extend((0..2).filter(|_| len < 14).map(child));
        }

        fn promise(&self, &(_, digits): &(u8, u16)) -> u32 {
            if self.wants_ones { digits.count_ones() } else { digits.count_zeros() }
        }

        fn other_promise(&self, state: &(u8, u16)) -> Option<u32> {
            let other = Self { wants_ones: !self.wants_ones, has_other: false };
            self.has_other.then(|| other.promise(state))
        }

        fn terminal(&self, &(len, digits): &(u8, u16)) -> Option<Cost> {
            (len == 14 && digits == (1 << 14) - 1).then_some(0)
        }
    }

    struct Nothing;

    impl LowerBound<Words> for Nothing {
        type Scratch = ();

        fn name(&self) -> String {
            "nothing".to_owned()
        }

        fn evaluate(&self, _: &(u8, u16), _: Cost, (): &mut ()) -> Bound {
            Bound(0)
        }

        fn consistent(&self) -> bool {
            true
        }
    }

    /// The widths of beams, as far as the states tell that they expand, until one finds the solution.
    fn widths(domain: &Words) -> Vec<u64> {
        let stop = StopToken::new();
        let context = Context { threads: 1, limits: Limits::default(), observer: &Silent, stop: &stop, keep: None };
        let problem = Problem::new(domain, Nothing);
        let beams = Beams::new(&problem, 400, &context);
        let mut all = Vec::new();
        while let Some((found, expanded)) = beams.widen(&context) {
            // One state, two, four, and so on, then as many as the beam is wide; whole words as long as there is no solution.
            let depths = if found.is_some() { 0..14 } else { 0..15 };
            let expands = |width: u64| depths.clone().map(|depth| width.min(1 << depth)).sum::<u64>();
            all.push((1..=1 << 14).find(|&width| expands(width) == expanded).expect("some width"));
            if let Some(solution) = found {
                assert_eq!(solution.moves, [1; 14]);
                return all;
            }
        }
        panic!("found nothing with {all:?}");
    }

    #[test]
    fn both_promises_have_their_turn() {
        let words = |wants_ones, has_other| Words { wants_ones, has_other };
        assert_eq!(widths(&words(false, false)), [1_200, 3_600, 8_192], "all words have room in the last");
        assert_eq!(widths(&words(false, true)), [1_200, 3_600, 1_200], "by the other promise");
        assert_eq!(widths(&words(true, true)), [1_200]);
    }
}
