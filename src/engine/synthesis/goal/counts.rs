//! Trying all counts of a loop at once.
//!
//! How often a loop is repeated matters from those states alone in which it is begun, and these are few in an endless loop around it. So that is
//! followed with an *open* count, which is parted where counts lead to different states: from each state repetitions come to a cycle behind a
//! tail, so small counts are followed one by one, and of the others only the remainder by the length of the cycle tells. What the loop does from
//! states that are never come by is never made.

use super::hand::{Hand, Part, What, step};
use crate::board::MAX_COUNT;
use crate::domain::Machine;
use crate::engine::synthesis::behaviour::Step;
use crate::engine::synthesis::orbits::{MOST_COUNTS, least_common_multiple};
use crate::engine::synthesis::prefix::Prefix;

/// What stands beside a loop in a body.
#[derive(Clone, Copy)]
pub(super) enum Beside<'p> {
    Before([Part<'p>; 1]),
    Behind([Part<'p>; 1]),
    Around([Part<'p>; 1], [Part<'p>; 1]),
}

impl<'p> Beside<'p> {
    /// What comes before the loop, and what behind it.
    fn sides(&self) -> [&[Part<'p>]; 2] {
        match self {
            Self::Before(head) => [head, &[]],
            Self::Behind(rest) => [&[], rest],
            Self::Around(head, rest) => [head, rest],
        }
    }
}

/// A loop with an open count.
#[derive(Clone, Copy)]
pub(super) struct OpenLoop<'p> {
    body: &'p [Part<'p>],
    /// No other one that is made by the same hand has it.
    number: u64,
}

/// What repetitions of a body come to from one state.
#[derive(Clone, Copy, Default)]
struct Orbit {
    /// Where its steps begin: after no repetition, after one, and so on until a state comes again.
    begin: usize,
    tail: u64,
    cycle: u64,
    /// After so many repetitions, no fewer than the tail has, all of the first goals are marked that ever are.
    full: u64,
}

/// The orbits of the body of one loop, from those states that were asked for.
pub(super) struct Paths {
    /// Of the loop, and of the last one that was made.
    number: u64,
    last: u64,
    /// Each with all that is marked until then.
    steps: Vec<Step>,
    /// Of each state when its orbit was followed, and that.
    orbits: Vec<(u64, Orbit)>,
    /// When each state was last come by on an orbit, and after how many repetitions.
    places: Vec<(u64, u64)>,
    time: u64,
    /// Orbits that were followed before are those of another body.
    begun: u64,
}

impl Paths {
    pub(super) fn new(states: usize) -> Self {
        let (orbits, places) = (vec![(0, Orbit::default()); states], vec![(0, 0); states]);
        Self { number: 0, last: 0, steps: Vec::new(), orbits, places, time: 0, begun: 1 }
    }

    /// Forgets the orbits of any other loop.
    fn become_those_of(&mut self, open: OpenLoop<'_>) {
        if self.number != open.number {
            self.number = open.number;
            self.steps.clear();
            self.begun = self.time + 1;
        }
    }

    /// The orbit of a state when `body` is repeated.
    fn orbit(&mut self, body: &[Part<'_>], from: u16) -> Orbit {
        let (followed, known) = self.orbits[usize::from(from)];
        if followed >= self.begun {
            return known;
        }
        self.time += 1;
        let begin = self.steps.len();
        let (mut state, mut left) = (from, u64::MAX);
        let (tail, cycle) = loop {
            let repetitions = (self.steps.len() - begin) as u64;
            self.steps.push(Step::new(state, !left));
            let (last, place) = &mut self.places[usize::from(state)];
            if *last == self.time {
                break (*place, repetitions - *place);
            }
            (*last, *place) = (self.time, repetitions);
            state = step(body, state, &mut left);
        };
        let marks = |repetitions: u64| self.steps[begin + repetitions as usize].marks();
        let full = (tail..tail + cycle).find(|&repetitions| marks(repetitions) == !left & marks(tail + cycle));
        let orbit = Orbit { begin, tail, cycle, full: full.unwrap_or(tail + cycle) };
        self.orbits[usize::from(from)] = (self.time, orbit);
        orbit
    }

    /// What so many repetitions come to on an orbit.
    fn after(&self, Orbit { begin, tail, cycle, full }: Orbit, repetitions: u64) -> Step {
        let at = |repetitions: u64| self.steps[begin + repetitions as usize];
        if repetitions <= full {
            return at(repetitions);
        }
        Step::new(at(tail + (repetitions - tail) % cycle).state(), at(full).marks())
    }
}

/// Which counts are in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    One(u64),
    /// The least one, and those that are larger by a multiple of the step. All of them come to the same states, and mark the same first goals; those
    /// that are `sure` or larger mark the same of all goals.
    From {
        least: u64,
        step: u64,
        sure: u64,
    },
}

impl Counts {
    /// Once is no loop.
    const ALL: Self = Self::From { least: 2, step: 1, sure: 0 };

    fn least(self) -> u64 {
        match self {
            Self::One(least) | Self::From { least, .. } => least,
        }
    }

    /// Some of them, the smallest first, that mark whatever any of them does.
    fn all_that_differ(self) -> impl Iterator<Item = u64> {
        let (least, step, larger) = match self {
            Self::One(least) => (least, 1, 0),
            Self::From { least, step, sure } => (least, step, sure.saturating_sub(least).div_ceil(step)),
        };
        (0..=larger).map(move |nth| least + nth * step)
    }
}

/// Bodies with an open count that are tried behind some prefixes, which lead to the same state.
struct Following<'w, 'a, 'm, M> {
    hand: &'w mut Hand<'a, 'm, M>,
    prefixes: &'w [Prefix],
    open: OpenLoop<'w>,
    beside: &'w Beside<'w>,
}

impl<M: Machine> Hand<'_, '_, M> {
    /// A loop around a body.
    pub(super) fn open<'p>(&mut self, body: &'p [Part<'p>]) -> OpenLoop<'p> {
        self.paths.last += 1;
        OpenLoop { body, number: self.paths.last }
    }

    /// Tries endless loops around a loop with each of its counts and what stands beside it, behind every prefix of so many tokens, while there are
    /// bodies to try. Counts that come to the same are tried once.
    pub(super) fn try_open(&mut self, of_prefix: usize, open: OpenLoop<'_>, beside: &Beside<'_>) {
        let test = self.test;
        self.paths.become_those_of(open);
        let first = beside.sides()[0].first().map_or(What::Loop { body: open.body, count: 0 }, |part| part.what);
        for prefixes in test.prefixes[of_prefix].chunk_by(|one, other| one.state == other.state) {
            if prefixes.iter().any(|prefix| self.may_be_smaller(prefix, first)) {
                let missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
                let mut following = Following { hand: self, prefixes, open, beside };
                following.follow(Counts::ALL, prefixes[0].state, missing);
            }
        }
    }
}

impl<M: Machine> Following<'_, '_, '_, M> {
    /// Goes on with some counts where a repetition begins.
    fn follow(&mut self, mut counts: Counts, mut state: u16, mut missing: u64) {
        let begun = self.hand.way.len();
        while self.hand.to_try > 0 {
            let is_enough = missing.count_ones() <= 1;
            // Others may part still where one marks enough.
            let is_over = is_enough && matches!(counts, Counts::One(_)) || !self.hand.way.goes_to(state);
            if is_over && is_enough {
                counts.all_that_differ().for_each(|count| self.try_one(count));
                break;
            }
            if is_over {
                self.hand.found.tried += self.prefixes.len() as u64;
                self.hand.to_try -= 1;
                break;
            }
            let [before, _] = self.beside.sides();
            let begins = step(before, state, &mut missing);
            let orbit = self.hand.paths.orbit(self.open.body, begins);
            if let Counts::From { least, step, sure } = counts {
                let sure = sure.max(orbit.tail + orbit.cycle);
                let Some(first) = self.part(least, step, sure, orbit, missing) else { break };
                counts = first;
            }
            (state, missing) = self.go_through(counts, orbit, missing);
        }
        self.hand.way.back_to(begun);
    }

    /// What the loop with some counts that come to the same from a state, and what stands behind it, lead to, and the goals that are left.
    fn go_through(&self, counts: Counts, orbit: Orbit, missing: u64) -> (u16, u64) {
        let [_, behind] = self.beside.sides();
        let repeated = self.hand.paths.after(orbit, counts.least());
        let mut missing = missing & !repeated.marks();
        (step(behind, repeated.state(), &mut missing), missing)
    }

    /// Parts counts by what they come to on an orbit, goes on with all parts but one, and gives that; `None` where there is none, or too many are.
    fn part(&mut self, mut least: u64, step: u64, sure: u64, orbit: Orbit, missing: u64) -> Option<Counts> {
        while least < orbit.full {
            self.follow_through(Counts::One(least), orbit, missing);
            least += step;
        }
        let common = least_common_multiple(step, orbit.cycle);
        if common > MOST_COUNTS {
            self.hand.found.left_out = true;
            return None;
        }
        for nth in 1..common / step {
            if self.hand.breaks_off() {
                return None;
            }
            self.follow_through(Counts::From { least: least + nth * step, step: common, sure }, orbit, missing);
        }
        Some(Counts::From { least, step: common, sure })
    }

    fn follow_through(&mut self, counts: Counts, orbit: Orbit, missing: u64) {
        let (state, missing) = self.go_through(counts, orbit, missing);
        self.follow(counts, state, missing);
    }

    /// Tries the body with one count.
    fn try_one(&mut self, count: u64) {
        self.hand.to_try = self.hand.to_try.saturating_sub(1);
        let Some(count) = u16::try_from(count).ok().filter(|count| *count <= MAX_COUNT) else {
            self.hand.found.left_out = true;
            return;
        };
        let [mut does, mut spare] = [(); 2].map(|()| self.hand.bench.take());
        let once = self.hand.joined(self.open.body);
        does.become_loop(&once, count, &mut spare);
        let repeated = Part { what: What::Loop { body: self.open.body, count }, does: &does };
        for prefix in self.prefixes {
            match *self.beside {
                Beside::Before([head]) => self.hand.try_behind(prefix, &[head, repeated]),
                Beside::Behind([rest]) => self.hand.try_behind(prefix, &[repeated, rest]),
                Beside::Around([head], [rest]) => self.hand.try_behind(prefix, &[head, repeated, rest]),
            }
        }
        [does, spare, once].into_iter().for_each(|made| self.hand.bench.give(made));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Test;
    use super::*;
    use crate::engine::synthesis::LOOP;
    use crate::engine::synthesis::levels::Id;
    use crate::engine::synthesis::share::Workers;
    use crate::engine::synthesis::tests::{Table, levels_of};
    use crate::runtime::{Limits, Monitor, Silent, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use std::cell::Cell;

    /// The smallest count with which a loop does what is wanted is found, and none where none does: as when all are run one by one, with one part
    /// in the loop or two, something before it, behind it or on both sides, and goals among the first, among the others, and of both kinds.
    #[test]
    fn the_smallest_count_is_found() {
        /// More than all counts of machines of so few states.
        const MOST: u16 = 80;
        let mut rng = ChaCha8Rng::seed_from_u64(75);
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
        // By the goals that are left, those of the first ones apart, and by the smallest count.
        let mut found = [[0; 4]; 6];
        while found.as_flattened().iter().any(|many| *many < 5) {
            let machine = Table::telling(&mut rng, 12, 6);
            let levels = levels_of(&machine, 2, u64::MAX, &workers);
            for (kind, found) in found.iter_mut().enumerate() {
                let mut missing = vec![0; levels.shape.planes];
                for (plane, many) in [kind % 3, kind / 3 + usize::from(kind % 3 == 0)].into_iter().enumerate() {
                    (0..many).for_each(|_| missing[plane] |= 1 << (rng.next_u32() % 18));
                }
                let mut test = Test::new(&levels, &monitor, 6, 2, None);
                test.prefixes.push(vec![Prefix { missing: missing.clone(), ..Prefix::nothing(&levels) }]);
                let ids = [(); 4].map(|()| 1 + rng.next_u32() % (levels.len() as Id - 1));
                let mut hand = Hand::new(&test);
                let does = ids.map(|id| levels.behaviour(id, &mut hand.bench));
                let [first, second, head, rest] = [0, 1, 2, 3].map(|nth| Part::of(ids[nth], &does[nth]));
                let body = &[first, second][..1 + rng.next_u32() as usize % 2];
                let beside = match rng.next_u32() % 3 {
                    0 => Beside::Before([head]),
                    1 => Beside::Behind([rest]),
                    _ => Beside::Around([head], [rest]),
                };
                let open = hand.open(body);
                hand.try_open(0, open, &beside);
                // Its orbits are known now.
                let tried = hand.found.tried;
                hand.try_open(0, open, &beside);
                assert!(!hand.found.left_out && hand.found.tried == 2 * tried);
                let [before, behind] = beside.sides();
                let run = |parts: &[Part<'_>], state, missing: &mut [u64]| {
                    parts.iter().fold(state, |state, part| match part.what {
                        What::Fragment(id) => levels.apply(id, state, missing),
                        What::Loop { .. } => unreachable!("fragments alone"),
                    })
                };
                let does_it = |count: u16| {
                    let (mut state, mut missing) = (0, missing.clone());
                    // Longer than it takes to come round.
                    for _ in 0..=machine.states() {
                        state = run(before, state, &mut missing);
                        state = (0..count).fold(state, |state, _| run(body, state, &mut missing));
                        state = run(behind, state, &mut missing);
                    }
                    missing.iter().all(|word| *word == 0)
                };
                let smallest = (2..MOST).find(|&count| does_it(count));
                let codes = |count: u16| {
                    let mut codes = vec![LOOP];
                    hand.write(before, &mut codes);
                    codes.push(LOOP + count);
                    hand.write(body, &mut codes);
                    codes.push(0);
                    hand.write(behind, &mut codes);
                    codes.push(0);
                    codes
                };
                assert_eq!(*test.best(), smallest.map(codes), "{machine:?}");
                found[smallest.map_or(3, |count| usize::from(count.min(4)) - 2)] += 1;
            }
        }
    }

    /// Counts with too many remainders are left out, and it is said.
    #[test]
    fn too_many_remainders_are_left_out() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
        for (lengths, is_left_out) in [(&[5, 7, 9, 11][..], false), (&[5, 7, 9, 11, 13], true)] {
            let machine = Table::wheels(lengths);
            let levels = levels_of(&machine, 1, u64::MAX, &workers);
            let mut test = Test::new(&levels, &monitor, 6, 1, None);
            test.prefixes.push(vec![Prefix { missing: vec![0b11], ..Prefix::nothing(&levels) }]);
            let mut hand = Hand::new(&test);
            let [turn, next] = [1, 2].map(|id| levels.behaviour(id, &mut hand.bench));
            let (body, next) = ([Part::of(1, &turn)], Part::of(2, &next));
            let open = hand.open(&body);
            hand.try_open(0, open, &Beside::Behind([next]));
            // All wheels are come by: as many counts differ as turn all of them into different places.
            assert_eq!(hand.found.left_out, is_left_out);
            assert_eq!(hand.found.tried, if is_left_out { 0 } else { 5 * 7 * 9 * 11 }, "{}", hand.found.tried);
        }
    }
}
