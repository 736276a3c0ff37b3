//! Sets of states that are cleared in constant time.

use crate::engine::synthesis::orbits::least_common_multiple;

/// The states visited since the last restart.
pub(super) struct Visits {
    times: Vec<u64>,
    now: u64,
}

impl Visits {
    pub(super) fn new(states: usize) -> Self {
        Self { times: vec![0; states], now: 0 }
    }

    /// Forgets all states.
    #[inline]
    pub(super) fn restart(&mut self) {
        self.now += 1;
    }

    /// Adds a state. Returns whether it is new.
    #[inline]
    pub(super) fn visit(&mut self, state: u16) -> bool {
        std::mem::replace(&mut self.times[usize::from(state)], self.now) != self.now
    }
}

/// The tuples of states visited since the last restart, one state for each start. Each tuple must follow from the one
/// before by the same function of every state, from the restart on.
///
/// Each start comes onto a cycle behind a tail. The first tuple that was visited before comes after as many visits as
/// the longest tail and the least common multiple of the cycles have together. With one start, this is the first state
/// that was visited before.
pub(super) struct JointVisits {
    /// States of the machine.
    states: usize,
    /// For each start and each state, when the state was visited last.
    times: Vec<u64>,
    /// For each start, the time of the restart since which its cycle is known.
    cycles: Vec<u64>,
    now: u64,
    begun: u64,
    /// The number of starts whose cycle is known, the longest of their tails, and the common period of their cycles.
    known: usize,
    tail: u64,
    period: u64,
}

impl JointVisits {
    pub(super) fn new(states: usize, starts: usize) -> Self {
        let (times, cycles) = (vec![0; states * starts], vec![0; starts]);
        Self { states, times, cycles, now: 0, begun: 0, known: 0, tail: 0, period: 1 }
    }

    /// Forgets all tuples.
    pub(super) fn restart(&mut self) {
        self.now += 1;
        self.begun = self.now;
        (self.known, self.tail, self.period) = (0, 0, 1);
    }

    /// Adds a tuple, of which these `starts` count. Returns whether the tuple is new.
    pub(super) fn visit(&mut self, starts: &[usize], tuple: &[u16]) -> bool {
        let Self { states, times, cycles, now, begun, known, tail, period } = self;
        if *known < starts.len() {
            for &start in starts {
                if cycles[start] == *begun {
                    continue;
                }
                let before = std::mem::replace(&mut times[start * *states + usize::from(tuple[start])], *now);
                if before >= *begun {
                    cycles[start] = *begun;
                    *known += 1;
                    *tail = (*tail).max(before - *begun);
                    *period = least_common_multiple(*period, *now - before);
                }
            }
        }
        let visits = *now - *begun;
        *now += 1;
        *known < starts.len() || visits < tail.saturating_add(*period)
    }

    /// Whether each of so many starts has come to a state that it visited before.
    pub(super) fn each_repeats(&self, starts: usize) -> bool {
        self.known == starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use std::collections::HashSet;

    /// A tuple is new as long as it was not visited since the restart, which a set of all tuples says too.
    #[test]
    fn tuples_are_new_until_they_come_again() {
        let mut rng = ChaCha8Rng::seed_from_u64(81);
        let mut longest = 0;
        for _ in 0..300 {
            let states = 1 + rng.next_u32() as usize % 24;
            let mut next: Vec<u16> = (0..states).map(|_| (rng.next_u32() as usize % states) as u16).collect();
            if rng.next_u32() % 2 == 0 {
                // A long cycle beside others.
                let cycle = states.min(8);
                (0..cycle).for_each(|state| next[state] = ((state + 1) % cycle) as u16);
            }
            let all = 1 + rng.next_u32() as usize % 4;
            let mut visits = JointVisits::new(states, all);
            for _ in 0..3 {
                let counted: Vec<usize> = (0..all).filter(|_| rng.next_u32() % 4 > 0).collect();
                let mut tuple: Vec<u16> = (0..all).map(|_| (rng.next_u32() as usize % states) as u16).collect();
                visits.restart();
                let (mut seen, mut of_each) = (HashSet::new(), vec![HashSet::new(); all]);
                loop {
                    let is_new = seen.insert(counted.iter().map(|&start| tuple[start]).collect::<Vec<_>>());
                    assert_eq!(visits.visit(&counted, &tuple), is_new, "{next:?}");
                    let repeats = counted.iter().filter(|&&start| !of_each[start].insert(tuple[start])).count();
                    assert!(repeats < counted.len() || visits.each_repeats(counted.len()));
                    if !is_new {
                        break;
                    }
                    tuple.iter_mut().for_each(|state| *state = next[usize::from(*state)]);
                }
                longest = longest.max(seen.len());
            }
        }
        assert!(longest > 12, "{longest}: too easy");
    }
}
