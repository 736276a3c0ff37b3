//! All counts of a loop at once.
//!
//! The count of a loop matters only in the states in which the loop is begun, and these are few in an endless loop
//! around it. So the endless loop is followed with an *open* count. The counts are parted where they lead to different
//! states: from each state, repetitions lead to a cycle behind a tail. So small counts are followed one by one, and
//! larger counts by their remainder modulo the length of the cycle. The semantics of the loop from other states is
//! never computed.
//!
//! Several starts are followed one after the other. A class of counts that was parted on the way from one start stays
//! parted on the way from the next start: its counts lead all starts so far to the same states.

use super::body_part::{BodyPart, BodyPartKind, step};
use super::evaluator::Evaluator;
use super::prefix::{Prefix, common_missing};
use super::visits::Trail;
use crate::engine::synthesis::codes::MAX_COUNT;
use crate::engine::synthesis::orbits::{MOST_COUNTS, least_common_multiple};
use crate::engine::synthesis::semantics::Step;
use crate::engine::synthesis::starts::Starts;

/// The parts beside a loop in a body.
#[derive(Clone, Copy)]
pub(super) enum Siblings<'p> {
    Before([BodyPart<'p>; 1]),
    Behind([BodyPart<'p>; 1]),
    Around([BodyPart<'p>; 1], [BodyPart<'p>; 1]),
}

impl<'p> Siblings<'p> {
    /// The parts before the loop, and the parts behind it.
    fn sides(&self) -> [&[BodyPart<'p>]; 2] {
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
    body: &'p [BodyPart<'p>],
    /// Unique among the loops of one thread.
    number: u64,
}

/// The orbit of one state when the body of a loop is repeated.
#[derive(Clone, Copy, Default)]
struct Orbit {
    /// The place of its steps: after no repetition, after one, and so on until a state comes again.
    begin: usize,
    tail: u64,
    cycle: u64,
    /// The least number of repetitions, at least the tail, that marks all first goals which are ever marked.
    full: u64,
}

/// The orbits of the body of one loop, from the states that were asked for.
struct OrbitCache {
    /// The number of the loop.
    number: u64,
    /// Each step has all goals that are marked until then.
    steps: Vec<Step>,
    /// The orbit of each state, and when it was followed.
    orbits: Vec<(u64, Orbit)>,
    /// When an orbit came by each state last, and after how many repetitions.
    places: Vec<(u64, u64)>,
    time: u64,
    /// Orbits that were followed before this time belong to another loop.
    begun: u64,
}

impl OrbitCache {
    fn new(states: usize) -> Self {
        let (orbits, places) = (vec![(0, Orbit::default()); states], vec![(0, 0); states]);
        Self { number: 0, steps: Vec::new(), orbits, places, time: 0, begun: 1 }
    }

    /// Forgets the orbits of any other loop.
    fn switch_to(&mut self, open: OpenLoop<'_>) {
        if self.number != open.number {
            self.number = open.number;
            self.steps.clear();
            self.begun = self.time + 1;
        }
    }

    /// The orbit of a state when `body` is repeated.
    fn orbit(&mut self, body: &[BodyPart<'_>], from: u16) -> Orbit {
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

    /// The step that so many repetitions make on an orbit.
    fn after(&self, Orbit { begin, tail, cycle, full }: Orbit, repetitions: u64) -> Step {
        let at = |repetitions: u64| self.steps[begin + repetitions as usize];
        if repetitions <= full {
            return at(repetitions);
        }
        Step::new(at(tail + (repetitions - tail) % cycle).state(), at(full).marks())
    }
}

/// A class of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    One(u64),
    /// The count `least`, and those that are larger by a multiple of `step`. All lead to the same states, and mark the
    /// same first goals. Counts of `sure` and more mark the same of all goals.
    From {
        least: u64,
        step: u64,
        sure: u64,
    },
}

impl Counts {
    /// All counts of loops: a single repetition is no loop.
    const ALL: Self = Self::From { least: 2, step: 1, sure: 0 };

    fn least(self) -> u64 {
        match self {
            Self::One(least) | Self::From { least, .. } => least,
        }
    }

    /// Counts, the smallest first, one of which marks whatever any count of the class marks.
    fn representatives(self) -> impl Iterator<Item = u64> {
        let (least, step, larger) = match self {
            Self::One(least) => (least, 1, 0),
            Self::From { least, step, sure } => (least, step, sure.saturating_sub(least).div_ceil(step)),
        };
        (0..=larger).map(move |nth| least + nth * step)
    }
}

/// The buffers with which a thread follows open counts.
pub(super) struct OpenCountSearch {
    orbits: OrbitCache,
    trail: Trail,
    /// The number of loops so far.
    loops: u64,
}

impl OpenCountSearch {
    pub(super) fn new(states: usize) -> Self {
        Self { orbits: OrbitCache::new(states), trail: Trail::new(states), loops: 0 }
    }

    /// The loop around a body. Its orbits are kept until another loop is tried.
    pub(super) fn open<'p>(&mut self, body: &'p [BodyPart<'p>]) -> OpenLoop<'p> {
        self.loops += 1;
        OpenLoop { body, number: self.loops }
    }

    /// Tries endless loops around a loop with its siblings, for each count of the loop and behind every prefix of
    /// `of_prefix` tokens, within the budget of the evaluator. Counts that lead to the same states are tried once.
    pub(super) fn try_open(
        &mut self,
        evaluator: &mut Evaluator<'_, '_>,
        of_prefix: usize,
        open: OpenLoop<'_>,
        siblings: &Siblings<'_>,
    ) {
        self.orbits.switch_to(open);
        let context = evaluator.context;
        for prefixes in context.prefixes[of_prefix].chunk_by(|one, other| one.tuple == other.tuple) {
            let (start, state) = Starts::first(&prefixes[0].states);
            let at = ClassEnd { start, state, missing: common_missing(prefixes) };
            let mut following = Following { search: &mut *self, evaluator: &mut *evaluator, prefixes, open, siblings };
            following.follow(Counts::ALL, at);
        }
    }
}

/// Where a class of counts has led to.
#[derive(Clone, Copy)]
struct ClassEnd {
    /// The start that is followed, and the state there.
    start: usize,
    state: u16,
    /// The first goals that are left.
    missing: u64,
}

/// Bodies with an open count, behind prefixes that lead to the same states.
struct Following<'s, 'a, 'm> {
    search: &'s mut OpenCountSearch,
    evaluator: &'s mut Evaluator<'a, 'm>,
    prefixes: &'s [Prefix],
    open: OpenLoop<'s>,
    siblings: &'s Siblings<'s>,
}

impl Following<'_, '_, '_> {
    /// Follows a class of counts from the begin of a repetition.
    fn follow(&mut self, mut counts: Counts, mut at: ClassEnd) {
        let begun = self.search.trail.len();
        let starts = &self.evaluator.context.fragments.starts;
        while self.evaluator.budget > 0 {
            let is_enough = starts.may_end(at.missing);
            // A class of several counts may still be parted where its union marks enough.
            let mut is_over = is_enough && matches!(counts, Counts::One(_));
            if !is_over && !self.search.trail.begin(at.state) {
                let states = &self.prefixes[0].states;
                if let Some(next) = starts.next(at.start, states, at.missing) {
                    at = ClassEnd { start: next, state: states[next], ..at };
                    continue;
                }
                is_over = true;
            }
            if is_over && is_enough {
                counts.representatives().for_each(|count| self.try_one(count));
                break;
            }
            if is_over {
                self.evaluator.findings.tried += self.prefixes.len() as u64;
                self.evaluator.budget -= 1;
                break;
            }
            let [before, _] = self.siblings.sides();
            let begins = step(before, at.state, &mut at.missing);
            let orbit = self.search.orbits.orbit(self.open.body, begins);
            if let Counts::From { least, step, sure } = counts {
                let sure = sure.max(orbit.tail + orbit.cycle);
                let Some(first) = self.part(least, step, sure, orbit, at) else { break };
                counts = first;
            }
            at = self.pass(counts, orbit, at);
        }
        self.search.trail.truncate(begun);
    }

    /// Where the loop with any count of a class, and what stands behind it, lead to, and the goals that are left.
    fn pass(&self, counts: Counts, orbit: Orbit, at: ClassEnd) -> ClassEnd {
        let [_, behind] = self.siblings.sides();
        let repeated = self.search.orbits.after(orbit, counts.least());
        let mut missing = at.missing & !repeated.marks();
        ClassEnd { state: step(behind, repeated.state(), &mut missing), missing, ..at }
    }

    /// Parts a class of counts by where an orbit leads, follows all parts but one, and returns that one; `None` where
    /// there are too many parts, or the block is over.
    fn part(&mut self, mut least: u64, step: u64, sure: u64, orbit: Orbit, at: ClassEnd) -> Option<Counts> {
        while least < orbit.full {
            self.follow_behind(Counts::One(least), orbit, at);
            least += step;
        }
        let common = least_common_multiple(step, orbit.cycle);
        if common > MOST_COUNTS {
            self.evaluator.findings.truncated = true;
            return None;
        }
        for nth in 1..common / step {
            if self.evaluator.is_over() {
                return None;
            }
            self.follow_behind(Counts::From { least: least + nth * step, step: common, sure }, orbit, at);
        }
        Some(Counts::From { least, step: common, sure })
    }

    fn follow_behind(&mut self, counts: Counts, orbit: Orbit, at: ClassEnd) {
        let at = self.pass(counts, orbit, at);
        self.follow(counts, at);
    }

    /// Tries the body with one count.
    fn try_one(&mut self, count: u64) {
        let evaluator = &mut *self.evaluator;
        evaluator.budget = evaluator.budget.saturating_sub(1);
        let Some(count) = u16::try_from(count).ok().filter(|count| *count <= MAX_COUNT) else {
            evaluator.findings.truncated = true;
            return;
        };
        let [mut semantics, mut spare] = [(); 2].map(|()| evaluator.workspace.take());
        let once = evaluator.sequence(self.open.body);
        semantics.set_to_loop(&once, count, &mut spare);
        let repeated = BodyPart { kind: BodyPartKind::Loop { body: self.open.body, count }, semantics: &semantics };
        for prefix in self.prefixes {
            match *self.siblings {
                Siblings::Before([head]) => evaluator.try_behind(prefix, &[head, repeated]),
                Siblings::Behind([rest]) => evaluator.try_behind(prefix, &[repeated, rest]),
                Siblings::Around([head], [rest]) => evaluator.try_behind(prefix, &[head, repeated, rest]),
            }
        }
        [semantics, spare, once].into_iter().for_each(|buffer| evaluator.workspace.give(buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::SizeContext;
    use super::*;
    use crate::domain::Machine;
    use crate::engine::parallel::Workers;
    use crate::engine::synthesis::bank::Id;
    use crate::engine::synthesis::tests::{Table, bank_of};
    use crate::runtime::{Limits, Monitor, Silent, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// A count with which a loop marks every goal is found if there is one, as when all counts are run one by one: with
    /// one part in the loop or two, something before it, behind it or on both sides, and goals among the first, among
    /// the others, and of both kinds.
    #[test]
    fn a_count_is_found_if_there_is_one() {
        /// More than all counts of machines of so few states.
        const MOST: u16 = 80;
        let mut rng = ChaCha8Rng::seed_from_u64(75);
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(1, &monitor);
        // By the goals that are left, those of the first ones apart, and by the smallest count.
        let mut found = [[0; 4]; 6];
        while found.as_flattened().iter().any(|many| *many < 2) {
            let machine = Table::telling(&mut rng, 12, 6);
            let bank = bank_of(&machine, 2, u64::MAX, &workers);
            for (kind, found) in found.iter_mut().enumerate() {
                let mut missing = vec![0; bank.fragments().shape.planes];
                for (plane, many) in [kind % 3, kind / 3 + usize::from(kind % 3 == 0)].into_iter().enumerate() {
                    (0..many).for_each(|_| missing[plane] |= 1 << (rng.next_u32() % 18));
                }
                let mut context = SizeContext::new(bank.fragments(), &monitor, 6, 2);
                context.prefixes.push(vec![Prefix { missing: missing.clone(), ..Prefix::empty(bank.fragments()) }]);
                let ids = [(); 4].map(|()| 1 + rng.next_u32() % (bank.fragments().len() as Id - 1));
                let (mut evaluator, mut search) =
                    (Evaluator::new(&context), OpenCountSearch::new(bank.fragments().shape.states));
                let does = ids.map(|id| bank.fragments().semantics(id, &mut evaluator.workspace));
                let [first, second, head, rest] = [0, 1, 2, 3].map(|nth| BodyPart::of(ids[nth], &does[nth]));
                let body = &[first, second][..1 + rng.next_u32() as usize % 2];
                let siblings = match rng.next_u32() % 3 {
                    0 => Siblings::Before([head]),
                    1 => Siblings::Behind([rest]),
                    _ => Siblings::Around([head], [rest]),
                };
                let open = search.open(body);
                search.try_open(&mut evaluator, 0, open, &siblings);
                // The orbits are known now.
                let first = std::mem::take(&mut evaluator.findings);
                search.try_open(&mut evaluator, 0, open, &siblings);
                assert!(!evaluator.findings.truncated && evaluator.findings == first);
                let [before, behind] = siblings.sides();
                let run = |parts: &[BodyPart<'_>], state, missing: &mut [u64]| {
                    parts.iter().fold(state, |state, part| match part.kind {
                        BodyPartKind::Fragment(id) => bank.fragments().apply(id, state, missing),
                        BodyPartKind::Loop { .. } => unreachable!("fragments alone"),
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
                let notation = bank.fragments().codes;
                let codes = |count: u16| {
                    let mut codes = vec![notation.endless];
                    evaluator.write(before, &mut codes);
                    codes.push(notation.of_loop(count));
                    evaluator.write(body, &mut codes);
                    codes.push(0);
                    evaluator.write(behind, &mut codes);
                    codes.push(0);
                    codes
                };
                let found_program = evaluator.findings.program.clone();
                assert_eq!(found_program.is_some(), smallest.is_some(), "{machine:?}");
                // The program has one of the counts that do it.
                let is_right = |program: &Vec<u16>| (2..MOST).any(|count| codes(count) == *program && does_it(count));
                assert!(found_program.as_ref().is_none_or(is_right), "{found_program:?}, {machine:?}");
                found[smallest.map_or(3, |count| usize::from(count.min(4)) - 2)] += 1;
            }
        }
    }

    /// Counts with too many remainders are not tried, and the findings say so.
    #[test]
    fn too_many_remainders_are_reported() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(1, &monitor);
        for (lengths, is_truncated) in [(&[5, 7, 9, 11][..], false), (&[5, 7, 9, 11, 13], true)] {
            let machine = Table::wheels(lengths);
            let bank = bank_of(&machine, 1, u64::MAX, &workers);
            let mut context = SizeContext::new(bank.fragments(), &monitor, 6, 1);
            context.prefixes.push(vec![Prefix { missing: vec![0b11], ..Prefix::empty(bank.fragments()) }]);
            let (mut evaluator, mut search) =
                (Evaluator::new(&context), OpenCountSearch::new(bank.fragments().shape.states));
            let [turn, next] = [1, 2].map(|id| bank.fragments().semantics(id, &mut evaluator.workspace));
            let (body, next) = ([BodyPart::of(1, &turn)], BodyPart::of(2, &next));
            let open = search.open(&body);
            search.try_open(&mut evaluator, 0, open, &Siblings::Behind([next]));
            // The loop is begun on all wheels: as many counts differ as turn all wheels into different places.
            assert_eq!(evaluator.findings.truncated, is_truncated);
            assert_eq!(evaluator.findings.tried, if is_truncated { 0 } else { 5 * 7 * 9 * 11 });
        }
    }
}
