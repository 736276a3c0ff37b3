//! What a fragment of a program does, from every state at once.

use super::orbits::Orbits;
use crate::domain::Machine;
use foldhash::{fast, quality};
use std::hash::{BuildHasher, Hasher};

/// How many goals share a word with a state.
const FIRST_GOALS: usize = 48;

/// The bits of a step that are its goals.
const GOALS: u64 = (1 << FIRST_GOALS) - 1;

/// How large the behaviours of a machine are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// States of the machine.
    pub(super) states: usize,
    /// Words that a set of goals takes: 48 goals in the first one, and 64 in each of the others.
    pub(super) planes: usize,
}

impl Shape {
    pub(super) fn of(machine: &impl Machine) -> Self {
        Self { states: machine.states(), planes: (machine.goals() + 64 - FIRST_GOALS).div_ceil(64) }
    }

    /// With the first goals alone.
    pub(super) fn in_short(self) -> Self {
        Self { planes: 1, ..self }
    }

    /// Bytes of a behaviour.
    pub(super) fn bytes(self) -> u64 {
        (self.states * self.planes * size_of::<u64>() + size_of::<Behaviour>()) as u64
    }
}

/// The bit of each goal in sets, when goals stand there one after the other.
pub(super) fn places() -> impl Iterator<Item = u16> {
    (0..FIRST_GOALS as u16).chain(64..)
}

/// Where a fragment ends, and which goals it marks, from each state.
///
/// *In short* it has the first goals alone, which mostly tell what is asked. It can be made of whole ones and of short ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behaviour {
    /// Of each state the first goals, and the state where it ends in the highest 16 bits: one word tells most that is ever asked.
    steps: Box<[u64]>,
    /// The other goals, plane after plane.
    marks: Box<[u64]>,
}

/// Where a behaviour leads from one state, and which of the first goals it marks.
#[derive(Clone, Copy, Default)]
pub(super) struct Step(u64);

impl Step {
    /// To a state; of what is marked it takes the first goals.
    #[inline]
    pub(super) fn new(state: u16, marks: u64) -> Self {
        Self(u64::from(state) << FIRST_GOALS | marks & GOALS)
    }

    #[inline]
    pub(super) fn state(self) -> u16 {
        end(self.0) as u16
    }

    #[inline]
    pub(super) fn marks(self) -> u64 {
        self.0 & GOALS
    }

    /// Of steps that lead to the same state one that marks what any of them does.
    #[inline]
    pub(super) fn common(mut steps: impl Iterator<Item = Self>) -> Option<Self> {
        let first = steps.next()?.0;
        let (marks, differing) =
            steps.fold((0, 0), |(marks, differing), Self(step)| (marks | step, differing | (step ^ first)));
        (end(differing) == 0).then_some(Self(first | marks & GOALS))
    }
}

/// The steps of many behaviours, state by state.
pub(super) struct Columns {
    steps: Box<[Step]>,
    /// How many behaviours these are.
    many: usize,
}

impl Columns {
    pub(super) fn of<'b>(behaviours: impl Iterator<Item = &'b Behaviour>) -> Self {
        /// A line of the cache has the steps of so many.
        const TOGETHER: usize = 8;
        let behaviours: Vec<&Behaviour> = behaviours.collect();
        let (many, states) = (behaviours.len(), behaviours.first().map_or(0, |does| does.steps.len()));
        let mut steps = vec![Step::default(); many * states].into_boxed_slice();
        for (behaviours, begin) in behaviours.chunks(TOGETHER).zip((0..).step_by(TOGETHER)) {
            for (state, column) in steps.chunks_exact_mut(many).enumerate() {
                for (step, does) in column[begin..].iter_mut().zip(behaviours) {
                    *step = Step(does.steps[state]);
                }
            }
        }
        Self { steps, many }
    }

    /// Those from one state.
    #[inline]
    pub(super) fn steps(&self, state: u16) -> &[Step] {
        &self.steps[usize::from(state) * self.many..][..self.many]
    }
}

#[inline]
fn end(step: u64) -> usize {
    (step >> FIRST_GOALS) as usize
}

impl Behaviour {
    /// That of the empty program.
    pub(super) fn nothing(shape: Shape) -> Self {
        let steps = (0..shape.states as u64).map(|state| state << FIRST_GOALS).collect();
        Self { steps, marks: vec![0; shape.states * (shape.planes - 1)].into() }
    }

    /// That of one instruction. Goals stand where `places` puts them.
    pub(super) fn of_instruction(machine: &impl Machine, instruction: u8, places: &[u16], shape: Shape) -> Self {
        let mut behaviour = Self::nothing(shape);
        for state in 0..machine.states() {
            let (next, goal) = machine.step(state as u16, instruction);
            behaviour.steps[state] = u64::from(next) << FIRST_GOALS;
            if let Some(goal) = goal {
                let place = usize::from(places[usize::from(goal)]);
                let word = match (place / 64).checked_sub(1) {
                    None => behaviour.steps.get_mut(state),
                    Some(plane) => behaviour.marks.get_mut(plane * shape.states + state),
                };
                if let Some(word) = word {
                    *word |= 1 << (place % 64);
                }
            }
        }
        behaviour
    }

    /// Becomes `first`, and `rest` after it.
    pub(super) fn become_sequence(&mut self, first: &Self, rest: &Self) {
        let states = first.steps.len();
        for (step, &of_first) in self.steps.iter_mut().zip(&first.steps) {
            *step = of_first & GOALS | rest.steps[end(of_first)];
        }
        let planes = self.marks.chunks_exact_mut(states).zip(first.marks.chunks_exact(states));
        for ((marks, of_first), of_rest) in planes.zip(rest.marks.chunks_exact(states)) {
            for ((marks, &of_first), &step) in marks.iter_mut().zip(of_first).zip(&first.steps) {
                *marks = of_first | of_rest[end(step)];
            }
        }
    }

    /// Is followed by `rest`.
    pub(super) fn append(&mut self, rest: &Self) {
        let states = self.steps.len();
        for (marks, of_rest) in self.marks.chunks_exact_mut(states).zip(rest.marks.chunks_exact(states)) {
            for (marks, &step) in marks.iter_mut().zip(&self.steps) {
                *marks |= of_rest[end(step)];
            }
        }
        self.steps.iter_mut().for_each(|step| *step = *step & GOALS | rest.steps[end(*step)]);
    }

    /// Marks what endlessly many repetitions of `body`, whose orbits these are, mark.
    pub(super) fn fill(&mut self, body: &Self, orbits: &Orbits) {
        let states = self.steps.len();
        orbits.fill(&body.steps, &mut self.steps, !GOALS);
        for (marks, full) in body.marks.chunks_exact(states).zip(self.marks.chunks_exact_mut(states)) {
            orbits.fill(marks, full, 0);
        }
    }

    /// Marks what another one does, which is not shorter.
    pub(super) fn mark_as(&mut self, other: &Self) {
        for (step, other) in self.steps.iter_mut().zip(&other.steps) {
            *step = *step & !GOALS | other & GOALS;
        }
        let planes = self.marks.len();
        self.marks.copy_from_slice(&other.marks[..planes]);
    }

    /// Takes over what another one does, which is not shorter.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.steps.copy_from_slice(&other.steps);
        let planes = self.marks.len();
        self.marks.copy_from_slice(&other.marks[..planes]);
    }

    /// Becomes `body` so many times. `spare` may be anything.
    pub(super) fn become_loop(&mut self, body: &Self, count: u16, spare: &mut Self) {
        self.copy_from(body);
        // The bits of the count, from the second highest.
        for bit in (0..count.ilog2()).rev() {
            spare.copy_from(self);
            self.append(spare);
            if count >> bit & 1 == 1 {
                self.append(body);
            }
        }
    }

    /// Where it ends, from each state.
    pub(super) fn ends(&self) -> impl Iterator<Item = u16> {
        self.steps.iter().map(|&step| end(step) as u16)
    }

    /// Where it ends; the first goals that it marks are taken out of `missing`.
    #[inline]
    pub(super) fn step(&self, state: u16, missing: &mut u64) -> u16 {
        let step = self.steps[usize::from(state)];
        *missing &= !step;
        end(step) as u16
    }

    /// Where it ends; all goals that it marks are taken out of `missing`.
    #[inline]
    pub(super) fn apply(&self, state: u16, missing: &mut [u64]) -> u16 {
        let [first, others @ ..] = missing else { return state };
        for (plane, missing) in others.iter_mut().enumerate() {
            *missing &= !self.marks[plane * self.steps.len() + usize::from(state)];
        }
        self.step(state, first)
    }

    /// What tells most behaviours apart, also in short; equality decides.
    pub(super) fn fingerprint(&self) -> u32 {
        const SEED: u64 = 0x5EED_B0B0;
        // Several at a time, which do not wait for each other.
        let mut lanes = [(); 4].map(|()| fast::FixedState::with_seed(SEED).build_hasher());
        let (pairs, last) = self.steps.as_chunks::<2>();
        for pairs in pairs.chunks(lanes.len()) {
            for (lane, &[one, other]) in lanes.iter_mut().zip(pairs) {
                lane.write_u128(u128::from(one) << 64 | u128::from(other));
            }
        }
        let mut all = quality::FixedState::with_seed(SEED).build_hasher();
        lanes.iter().map(Hasher::finish).chain(last.iter().copied()).for_each(|word| all.write_u64(word));
        (all.finish() >> 32) as u32
    }

    /// The most goals that it marks from any state.
    pub(super) fn most_marks(&self) -> u32 {
        // Some states together, plane by plane: vectors of the processor count them.
        const TOGETHER: usize = 64;
        let mut most = 0;
        for (steps, begin) in self.steps.chunks(TOGETHER).zip((0..).step_by(TOGETHER)) {
            let mut marked = [0_u64; TOGETHER];
            for (marked, step) in marked.iter_mut().zip(steps) {
                *marked = u64::from((step & GOALS).count_ones());
            }
            for plane in self.marks.chunks_exact(self.steps.len()) {
                for (marked, marks) in marked.iter_mut().zip(&plane[begin..begin + steps.len()]) {
                    *marked += u64::from(marks.count_ones());
                }
            }
            most = marked.into_iter().fold(most, u64::max);
        }
        most as u32
    }

    /// Adds from how many states it marks each goal, by their places.
    pub(super) fn add_chances(&self, chances: &mut [u64]) {
        let words = self.steps.iter().map(|step| step & GOALS).chain(self.marks.iter().copied());
        for (at, mut rest) in words.enumerate() {
            let plane = at / self.steps.len();
            while rest != 0 {
                chances[plane * 64 + rest.trailing_zeros() as usize] += 1;
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Table;
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// Columns have the steps of all; what is common to some of them marks what any of them does, and is there where all lead to the same.
    #[test]
    fn what_is_common_marks_what_any_does() {
        let mut rng = ChaCha8Rng::seed_from_u64(70);
        let machine = Table::random(&mut rng, 12);
        let places: Vec<u16> = places().take(machine.goals()).collect();
        let shape = Shape::of(&machine);
        let once: Vec<Behaviour> = (0..machine.instructions())
            .map(|instruction| Behaviour::of_instruction(&machine, instruction, &places, shape))
            .collect();
        // Of up to three instructions each.
        let mut all = once.clone();
        for from in [0, once.len()] {
            for first in from..all.len() {
                for rest in &once {
                    let mut longer = Behaviour::nothing(shape);
                    longer.become_sequence(&all[first], rest);
                    all.push(longer);
                }
            }
        }
        let columns = Columns::of(all.iter());
        let (mut common, mut differing) = (0, 0);
        for state in 0..machine.states() as u16 {
            let steps = columns.steps(state);
            let alone = |does: &Behaviour| {
                let mut left = GOALS;
                (does.step(state, &mut left), GOALS & !left)
            };
            assert!(steps.iter().map(|step| (step.state(), step.marks())).eq(all.iter().map(alone)));
            for (&one, other) in steps.iter().flat_map(|one| steps.iter().map(move |other| (one, *other))) {
                let goes_there = one.state() == other.state();
                let found = Step::common([one, other].into_iter()).map(|step| (step.state(), step.marks()));
                assert_eq!(found, goes_there.then_some((one.state(), one.marks() | other.marks())));
                common += usize::from(goes_there && one.marks() | other.marks() != one.marks());
                differing += usize::from(!goes_there);
            }
        }
        assert!(common > 10 && differing > 10, "{common} and {differing}");
        assert!(Step::common(std::iter::empty()).is_none());
    }

    /// With goals in one word, two and three, and states in one part of a vector and several.
    #[test]
    fn the_most_marks_are_those_of_some_state() {
        let mut rng = ChaCha8Rng::seed_from_u64(66);
        for size in [20, 64, 100, 150, 250] {
            let machine = Table::random(&mut rng, size);
            let places: Vec<u16> = places().take(machine.goals()).collect();
            let once = Behaviour::of_instruction(&machine, 0, &places, Shape::of(&machine));
            let mut does = once.clone();
            (0..size % 7 + 3).for_each(|_| does.append(&once));
            let of = |state: u16| {
                let mut left = vec![u64::MAX; Shape::of(&machine).planes];
                left[0] = GOALS;
                does.apply(state, &mut left);
                left.iter().map(|word| word.count_zeros()).sum::<u32>() - (64 - FIRST_GOALS as u32)
            };
            let most = (0..machine.states() as u16).map(of).max().unwrap();
            assert!(most > 2);
            assert_eq!(does.most_marks(), most, "{size} states");
        }
    }
}
