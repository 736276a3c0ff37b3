//! Refutes a loop for all of its counts at once: at least two goals stay unmarked with every count. The search visits
//! all states in which the loop may begin, with any counts. A goal that is marked from none of these states stays
//! unmarked.

use super::body_part::{BodyPart, run_projected};
use super::prefix::Prefix;

/// Refutes loops on one thread.
pub(super) struct LoopRefuter {
    /// States to expand, each with the number of repetitions so far, up to two. There is room for one more entry than
    /// can be queued.
    queue: Vec<(u16, u32)>,
    /// The time of the last visit of each state.
    last_visits: Vec<u64>,
    time: u64,
}

impl LoopRefuter {
    pub(super) fn new(states: usize) -> Self {
        Self { queue: vec![(0, 0); 3 * states + 1], last_visits: vec![0; states], time: 0 }
    }

    /// Whether the loop around `inner`, after any of the prefixes and with any counts, may leave at most one of the
    /// first goals unmarked. The parts `between`, a rest and a head, run once between two runs of the loop.
    pub(super) fn may_mark_all_but_one<const B: usize, const K: usize>(
        &mut self,
        prefixes: &[Prefix],
        between: &[BodyPart<'_>; B],
        inner: &[BodyPart<'_>; K],
    ) -> bool {
        /// The least count of a loop.
        const MIN_COUNT: u32 = 2;
        let mut missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let Self { queue, last_visits, time } = self;
        // The time of a visit encodes the number of repetitions. A visit after more repetitions subsumes one after
        // fewer.
        let start = *time + 1;
        *time = start + u64::from(MIN_COUNT);
        let mut queued = 0;
        // Branch-free and first in, first out, so that consecutive states do not wait for each other.
        let mut push = |queue: &mut [(u16, u32)], state: u16, repetitions: u32| {
            let last_visit = &mut last_visits[usize::from(state)];
            let visit_time = start + u64::from(repetitions);
            queue[queued] = (state, repetitions);
            queued += usize::from(*last_visit < visit_time);
            *last_visit = visit_time.max(*last_visit);
            queued
        };
        let (mut next, mut end) = (0, 0);
        for prefix in prefixes {
            for begin in 0..=between.len() {
                end = push(queue, run_projected(&between[begin..], prefix.state, &mut missing), 0);
            }
        }
        while next < end && missing.count_ones() > 1 {
            let (state, repetitions) = queue[next];
            next += 1;
            if repetitions == MIN_COUNT {
                push(queue, run_projected(between, state, &mut missing), 0);
            }
            end = push(queue, run_projected(inner, state, &mut missing), MIN_COUNT.min(repetitions + 1));
        }
        missing.count_ones() <= 1
    }
}
