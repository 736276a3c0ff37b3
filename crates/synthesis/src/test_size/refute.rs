//! Decides whether a loop is refuted, before its counts are tried. It is refuted if at least two goals stay unmarked
//! with every count. All states are followed in which the loop may begin, with any counts. A goal that is marked from
//! none of these states is marked with no count.

use super::body_part::{BodyPart, step};
use super::prefix::Prefix;

/// The buffers with which a thread refutes loops.
pub(super) struct Refuter {
    /// States from which to go on, each with the number of repetitions so far, up to two. There is room for one entry
    /// more than can be queued.
    queue: Vec<(u16, u32)>,
    /// When each state was visited last.
    visits: Vec<u64>,
    now: u64,
}

impl Refuter {
    pub(super) fn new(states: usize) -> Self {
        Self { queue: vec![(0, 0); 3 * states + 1], visits: vec![0; states], now: 0 }
    }

    /// Whether the loop around `inner`, after any of the prefixes and with any count each time, may leave at most one
    /// of the first goals unmarked. `beside`, a rest and a head, runs once between two runs of the loop.
    pub(super) fn may_mark<const B: usize, const K: usize>(
        &mut self,
        prefixes: &[Prefix],
        beside: &[BodyPart<'_>; B],
        inner: &[BodyPart<'_>; K],
    ) -> bool {
        /// The least count of a loop.
        const FEWEST: u32 = 2;
        let mut missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let Self { queue, visits, now } = self;
        // The time of a visit says how many repetitions there were. A visit after more repetitions allows everything
        // that a visit after fewer allows.
        let begun = *now + 1;
        *now = begun + u64::from(FEWEST);
        let mut queued = 0;
        // Without branches, and first in, first out: the work on one state does not wait for the work on the state
        // before.
        let mut push = |queue: &mut [(u16, u32)], state: u16, repetitions: u32| {
            let seen = &mut visits[usize::from(state)];
            let time = begun + u64::from(repetitions);
            queue[queued] = (state, repetitions);
            queued += usize::from(*seen < time);
            *seen = time.max(*seen);
            queued
        };
        let (mut at, mut end) = (0, 0);
        for prefix in prefixes {
            for begin in 0..=beside.len() {
                end = push(queue, step(&beside[begin..], prefix.state, &mut missing), 0);
            }
        }
        while at < end && missing.count_ones() > 1 {
            let (state, repetitions) = queue[at];
            at += 1;
            if repetitions == FEWEST {
                push(queue, step(beside, state, &mut missing), 0);
            }
            end = push(queue, step(inner, state, &mut missing), FEWEST.min(repetitions + 1));
        }
        missing.count_ones() <= 1
    }
}
