//! Whether a loop may mark enough with something beside it, whatever its counts are: all states are followed that it may be begun in.
//!
//! What leaves two of the first goals or more that way does so with every count, in every loop around it that has nothing else beside.

use super::Id;
use super::hand::{Hand, Part, step};
use crate::domain::Machine;
use crate::engine::synthesis::behaviour::{Behaviour, Step};
use crate::engine::synthesis::prefix::Prefix;

/// The rounds of states that an instruction leads through where it leads to each state from one alone, as turns do: whoever is in one of a round comes
/// to all of it.
pub(super) struct Rounds {
    /// The round of each state.
    of: Vec<u16>,
    /// Their states, one round after the other.
    states: Vec<u16>,
    /// Where the states of each begin, and the end of the last one.
    begins: Vec<u32>,
    /// What is marked in each.
    marks: Vec<u64>,
}

impl Rounds {
    /// `None` where states are led to from several.
    pub(super) fn of(does: &Behaviour) -> Option<Self> {
        const NO_ROUND: u16 = u16::MAX;
        let mut rounds = Self { of: Vec::new(), states: Vec::new(), begins: vec![0], marks: Vec::new() };
        rounds.of.resize(does.ends().count(), NO_ROUND);
        for first in 0..rounds.of.len() as u16 {
            let (mut state, mut left) = (first, u64::MAX);
            while rounds.of[usize::from(state)] == NO_ROUND {
                rounds.of[usize::from(state)] = rounds.marks.len() as u16;
                rounds.states.push(state);
                state = does.step(state, &mut left);
            }
            if rounds.states.len() > rounds.begins[rounds.marks.len()] as usize {
                if state != first {
                    return None;
                }
                rounds.begins.push(rounds.states.len() as u32);
                rounds.marks.push(Step::new(first, !left).marks());
            }
        }
        Some(rounds)
    }

    /// The states of a round.
    #[inline]
    fn states(&self, round: u16) -> &[u16] {
        let round = usize::from(round);
        &self.states[self.begins[round] as usize..self.begins[round + 1] as usize]
    }
}

impl<M: Machine> Hand<'_, '_, M> {
    /// Whether a loop with a fragment that comes any number of times, none too, before each of its repetitions may leave one of the first goals or none
    /// behind any of the prefixes.
    pub(super) fn may_mark_with<const K: usize>(
        &mut self,
        prefixes: &[Prefix],
        beside: Id,
        inner: &[Part<'_>; K],
    ) -> bool {
        match self.test.rounds.get(beside as usize) {
            Some(Some(rounds)) => self.may_mark_in_rounds(prefixes, rounds, inner),
            _ => self.with(beside, |hand, part| hand.may_mark_all::<true, _, _>(prefixes, &[part], inner)),
        }
    }

    /// The same with an instruction that leads through rounds.
    fn may_mark_in_rounds<const K: usize>(
        &mut self,
        prefixes: &[Prefix],
        rounds: &Rounds,
        inner: &[Part<'_>; K],
    ) -> bool {
        let mut missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let Self { open, visits, visit, .. } = self;
        *visit += 1;
        let mut queued = 0;
        let mut queue = |open: &mut [(u16, u32)], state: u16| {
            let round = rounds.of[usize::from(state)];
            open[queued].0 = round;
            queued += usize::from(std::mem::replace(&mut visits[usize::from(round)], *visit) != *visit);
            queued
        };
        let mut end = 0;
        for prefix in prefixes {
            end = queue(open, prefix.state);
        }
        let mut at = 0;
        while at < end && missing.count_ones() > 1 {
            let round = open[at].0;
            at += 1;
            missing &= !rounds.marks[usize::from(round)];
            for &state in rounds.states(round) {
                end = queue(open, step(inner, state, &mut missing));
            }
        }
        missing.count_ones() <= 1
    }

    /// Whether a loop with these beside it, as rest and head, may leave one of the first goals or none behind any of the prefixes,
    /// whatever its count is each time. What is beside it comes once between two loops; with `OFTEN` any number of times, none too.
    pub(super) fn may_mark_all<const OFTEN: bool, const B: usize, const K: usize>(
        &mut self,
        prefixes: &[Prefix],
        beside: &[Part<'_>; B],
        inner: &[Part<'_>; K],
    ) -> bool {
        /// Repetitions that come first: all counts are at least as many.
        const FEWEST: u32 = 2;
        let mut missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let Self { open, visits, visit, .. } = self;
        // A visit says how many repetitions there were; one with more of them can be followed by all that one with fewer can.
        let begun = *visit + 1;
        *visit = begun + u64::from(FEWEST);
        let mut queued = 0;
        // Without branches, and first in, first out: what is done with one state does not wait for the one before.
        let mut queue = |open: &mut [(u16, u32)], state: u16, repetitions: u32| {
            let seen = &mut visits[usize::from(state)];
            let now = begun + u64::from(repetitions);
            open[queued] = (state, repetitions);
            queued += usize::from(*seen < now);
            *seen = now.max(*seen);
            queued
        };
        let behind_beside = if OFTEN { FEWEST } else { 0 };
        let mut end = 0;
        for prefix in prefixes {
            for begin in 0..=beside.len() {
                end = queue(open, step(&beside[begin..], prefix.state, &mut missing), behind_beside);
            }
        }
        let mut at = 0;
        while at < end && missing.count_ones() > 1 {
            let (state, repetitions) = open[at];
            at += 1;
            if repetitions == FEWEST {
                queue(open, step(beside, state, &mut missing), behind_beside);
            }
            end = queue(open, step(inner, state, &mut missing), FEWEST.min(repetitions + 1));
        }
        missing.count_ones() <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::Test;
    use super::*;
    use crate::engine::synthesis::share::Workers;
    use crate::engine::synthesis::tests::{Table, cycles, levels_of};
    use crate::runtime::{Limits, Monitor, Silent, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use std::cell::Cell;

    /// What turns lead through has rounds, and what leads to a state from several has none; what is refuted in rounds is so state by state, and nothing
    /// else is.
    #[test]
    fn rounds_tell_what_states_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(76);
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
        let mut told = [0; 2];
        while told.iter().any(|many| *many < 500) {
            let places = 6 + rng.next_u32() % 6;
            let machine = Table::turning(&mut rng, places);
            let levels = levels_of(&machine, 3, u64::MAX, &workers);
            let mut test = Test::new(&levels, &monitor, 6, 3, None);
            test.prefixes
                .push(levels.level(1).filter_map(|id| Prefix::nothing(&levels).then(&levels, id, u32::MAX)).collect());
            let [ahead, left, right] = [1, 2, 3].map(|id: Id| test.rounds[id as usize].as_ref());
            assert!(ahead.is_none());
            let turns = [left, right].map(|rounds| rounds.expect("turns"));
            assert!(
                turns.iter().all(
                    |rounds| rounds.marks == vec![0; places as usize] && rounds.begins.len() == places as usize + 1
                )
            );
            let mut hand = Hand::new(&test);
            for _ in 0..20 {
                let ids = [(); 2]
                    .map(|()| levels.level(2).start + rng.next_u32() % (levels.len() as Id - levels.level(2).start));
                let does = ids.map(|id| levels.behaviour(id, &mut hand.bench));
                let inner = [0, 1].map(|nth| Part::of(ids[nth], &does[nth]));
                for id in [2, 3] {
                    let in_rounds = hand.may_mark_with(&test.prefixes[0], id, &inner);
                    let state_by_state =
                        hand.with(id, |hand, turn| hand.may_mark_all::<true, _, _>(&test.prefixes[0], &[turn], &inner));
                    assert_eq!(in_rounds, state_by_state, "{machine:?}");
                    told[usize::from(in_rounds)] += 1;
                }
            }
        }
        // All of a round is marked wherever it is come by, and nothing of others.
        let machine = cycles();
        let levels = levels_of(&machine, 1, u64::MAX, &workers);
        let test = Test::new(&levels, &monitor, 6, 1, None);
        let mut hand = Hand::new(&test);
        for (goals, is_marked) in [(0b11111, true), (0b1111111, false)] {
            let prefixes = [Prefix { missing: vec![goals], ..Prefix::nothing(&levels) }];
            let [turn, nothing] = [1, 0].map(|id| levels.behaviour(id, &mut hand.bench));
            let (turn, nothing) = (Part::of(1, &turn), Part::of(0, &nothing));
            assert_eq!(hand.may_mark_with(&prefixes, 1, &[nothing]), is_marked);
            assert_eq!(hand.may_mark_all::<true, _, _>(&prefixes, &[turn], &[nothing]), is_marked);
        }
    }
}
