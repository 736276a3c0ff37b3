//! The semantics of program fragments: the effect of a fragment from every state.
//!
//! The steps of a machine do not depend on the marked goals. So the semantics of a fragment is a pair of functions over
//! all states: the end state, and the goals that the fragment marks on the way. Fragments with equal semantics are
//! *observationally equivalent*: one may replace the other in every program.
//!
//! The *projection* of a semantics has only the first 48 goals, which share one word with the end state. They are the
//! goals that short fragments mark least often. A rejection on the projection is final. Equality and success are
//! confirmed on all goals.

use crate::machine::Machine;
use crate::orbits::{LoopCounts, Orbits};
use foldhash::{fast, quality};
use gridhunt_search::runtime::Stopped;
use std::hash::{BuildHasher, Hasher};

/// The number of goals that share a word with a state.
const PROJECTED_GOALS: usize = 48;

/// The goal bits of a step.
const GOAL_BITS: u64 = (1 << PROJECTED_GOALS) - 1;

/// The shape of the semantics of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SemanticsShape {
    /// States of the machine.
    pub(crate) states: usize,
    /// Words of a set of goals: the first word has 48 goals, each other word has 64.
    pub(crate) planes: usize,
}

impl SemanticsShape {
    pub(crate) fn of(machine: &dyn Machine) -> Self {
        Self { states: machine.states(), planes: (machine.goals() + 64 - PROJECTED_GOALS).div_ceil(64) }
    }

    /// The shape of projections.
    pub(crate) fn projected(self) -> Self {
        Self { planes: 1, ..self }
    }

    /// Bytes of one semantics.
    pub(crate) fn bytes(self) -> u64 {
        (self.states * self.planes * size_of::<u64>() + size_of::<Semantics>()) as u64
    }
}

/// The bit numbers that sets of goals use, in ascending order.
pub(crate) fn goal_bits() -> impl Iterator<Item = u16> {
    (0..PROJECTED_GOALS as u16).chain(64..)
}

/// The end state of a fragment, and the goals that the fragment marks, from each state.
///
/// A projection can be computed from complete semantics and from projections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Semantics {
    /// For each state: the first goals in the low 48 bits, the end state in the high 16 bits.
    steps: Box<[u64]>,
    /// The other goals, plane after plane.
    marks: Box<[u64]>,
}

#[inline]
fn end_state(step: u64) -> usize {
    (step >> PROJECTED_GOALS) as usize
}

impl Semantics {
    /// The semantics of the empty program.
    pub(crate) fn identity(shape: SemanticsShape) -> Self {
        let steps = (0..shape.states as u64).map(|state| state << PROJECTED_GOALS).collect();
        Self { steps, marks: vec![0; shape.states * (shape.planes - 1)].into() }
    }

    /// The semantics of one instruction. `bits` has the bit number of each goal; goals beyond the shape are left out.
    pub(crate) fn of_instruction(machine: &dyn Machine, instruction: u8, bits: &[u16], shape: SemanticsShape) -> Self {
        let mut semantics = Self::identity(shape);
        for state in 0..machine.states() {
            let (next, goal) = machine.step(state as u16, instruction);
            semantics.steps[state] = u64::from(next) << PROJECTED_GOALS;
            if let Some(goal) = goal {
                let bit = usize::from(bits[usize::from(goal)]);
                let word = match (bit / 64).checked_sub(1) {
                    None => semantics.steps.get_mut(state),
                    Some(plane) => semantics.marks.get_mut(plane * shape.states + state),
                };
                if let Some(word) = word {
                    *word |= 1 << (bit % 64);
                }
            }
        }
        semantics
    }

    /// Sets `self` to `first` followed by `rest`.
    pub(crate) fn set_to_sequence(&mut self, first: &Self, rest: &Self) {
        let states = first.steps.len();
        for (step, &of_first) in self.steps.iter_mut().zip(&first.steps) {
            *step = of_first & GOAL_BITS | rest.steps[end_state(of_first)];
        }
        let planes = self.marks.chunks_exact_mut(states).zip(first.marks.chunks_exact(states));
        for ((marks, of_first), of_rest) in planes.zip(rest.marks.chunks_exact(states)) {
            for ((marks, &of_first), &step) in marks.iter_mut().zip(of_first).zip(&first.steps) {
                *marks = of_first | of_rest[end_state(step)];
            }
        }
    }

    /// Sets `self` to `self` followed by `rest`.
    pub(crate) fn append(&mut self, rest: &Self) {
        let states = self.steps.len();
        for (marks, of_rest) in self.marks.chunks_exact_mut(states).zip(rest.marks.chunks_exact(states)) {
            for (marks, &step) in marks.iter_mut().zip(&self.steps) {
                *marks |= of_rest[end_state(step)];
            }
        }
        self.steps.iter_mut().for_each(|step| *step = *step & GOAL_BITS | rest.steps[end_state(*step)]);
    }

    /// Sets the marks of `self` to those of endless repetition of `body`, which has these `orbits`. End states do not
    /// change.
    pub(crate) fn set_endless_marks(&mut self, body: &Self, orbits: &Orbits) {
        let states = self.steps.len();
        orbits.unite(&body.steps, &mut self.steps, !GOAL_BITS);
        for (marks, union) in body.marks.chunks_exact(states).zip(self.marks.chunks_exact_mut(states)) {
            orbits.unite(marks, union, 0);
        }
    }

    /// Copies the marks of `other`, which has at least as many planes.
    fn copy_marks(&mut self, other: &Self) {
        for (step, other) in self.steps.iter_mut().zip(&other.steps) {
            *step = *step & !GOAL_BITS | other & GOAL_BITS;
        }
        let planes = self.marks.len();
        self.marks.copy_from_slice(&other.marks[..planes]);
    }

    /// Copies `other`, which has at least as many planes.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.steps.copy_from_slice(&other.steps);
        let planes = self.marks.len();
        self.marks.copy_from_slice(&other.marks[..planes]);
    }

    /// Sets `self` to `count` repetitions of `body`, by repeated squaring. `spare` is overwritten.
    pub(crate) fn set_to_loop(&mut self, body: &Self, count: u16, spare: &mut Self) {
        self.copy_from(body);
        // The bits of the count, from the second highest down.
        for bit in (0..count.ilog2()).rev() {
            spare.copy_from(self);
            self.append(spare);
            if count >> bit & 1 == 1 {
                self.append(body);
            }
        }
    }

    /// Calls `work` with the semantics of the loop around `self`, for each of `counts`. `endless` has the marks of
    /// endless repetition; `buffer` is overwritten and may be a projection. Ends as soon as `should_stop` returns true.
    pub(crate) fn for_each_loop(
        &self,
        counts: &LoopCounts,
        endless: &Self,
        buffer: &mut Self,
        should_stop: impl Fn() -> bool,
        mut work: impl FnMut(&Self, u16),
    ) -> Result<(), Stopped> {
        let repeat = |buffer: &mut Self| {
            buffer.append(self);
            if should_stop() { Err(Stopped) } else { Ok(()) }
        };
        buffer.copy_from(self);
        for count in 2..counts.exact_end {
            repeat(buffer)?;
            work(buffer, count);
        }
        if counts.residues > 0 {
            (0..counts.gap).try_for_each(|_| repeat(buffer))?;
        }
        for count in counts.full_start..counts.full_start + counts.residues {
            repeat(buffer)?;
            if count == counts.full_start {
                buffer.copy_marks(endless);
            }
            work(buffer, count);
        }
        Ok(())
    }

    /// The end state from each state.
    pub(crate) fn end_states(&self) -> impl Iterator<Item = u16> {
        self.steps.iter().map(|&step| end_state(step) as u16)
    }

    /// The end state from `state`. Removes from `missing` the first goals that the fragment marks.
    #[inline]
    pub(crate) fn step(&self, state: u16, missing: &mut u64) -> u16 {
        let step = self.steps[usize::from(state)];
        *missing &= !step;
        end_state(step) as u16
    }

    /// The end state from `state`. Removes from `missing` all goals that the fragment marks.
    #[inline]
    pub(crate) fn apply(&self, state: u16, missing: &mut [u64]) -> u16 {
        let [first, others @ ..] = missing else { return state };
        for (plane, missing) in others.iter_mut().enumerate() {
            *missing &= !self.marks[plane * self.steps.len() + usize::from(state)];
        }
        self.step(state, first)
    }

    /// A hash of the projection. A projection and the whole semantics have the same hash. Equal hashes do not prove
    /// equality.
    pub(crate) fn fingerprint(&self) -> u32 {
        const SEED: u64 = 0x5EED_B0B0;
        // Independent lanes, so that the multiplications run in parallel.
        let mut lanes = [(); 4].map(|()| fast::FixedState::with_seed(SEED).build_hasher());
        let (pairs, last) = self.steps.as_chunks::<2>();
        for pairs in pairs.chunks(lanes.len()) {
            for (lane, &[first, second]) in lanes.iter_mut().zip(pairs) {
                lane.write_u128(u128::from(first) << 64 | u128::from(second));
            }
        }
        let mut all = quality::FixedState::with_seed(SEED).build_hasher();
        lanes.iter().map(Hasher::finish).chain(last.iter().copied()).for_each(|word| all.write_u64(word));
        (all.finish() >> 32) as u32
    }

    /// The largest number of goals that the fragment marks from any state.
    pub(crate) fn max_marks(&self) -> u32 {
        /// States per vector operation.
        const GROUP: usize = 64;
        let mut max = 0;
        for (steps, begin) in self.steps.chunks(GROUP).zip((0..).step_by(GROUP)) {
            let mut marked = [0_u64; GROUP];
            for (marked, step) in marked.iter_mut().zip(steps) {
                *marked = u64::from((step & GOAL_BITS).count_ones());
            }
            for plane in self.marks.chunks_exact(self.steps.len()) {
                for (marked, marks) in marked.iter_mut().zip(&plane[begin..begin + steps.len()]) {
                    *marked += u64::from(marks.count_ones());
                }
            }
            max = marked.into_iter().fold(max, u64::max);
        }
        max as u32
    }

    /// Adds to each entry of `counts` the number of states from which the fragment marks the goal of that bit number.
    pub(crate) fn add_mark_counts(&self, counts: &mut [u64]) {
        let words = self.steps.iter().map(|step| step & GOAL_BITS).chain(self.marks.iter().copied());
        for (index, mut bits) in words.enumerate() {
            let plane = index / self.steps.len();
            while bits != 0 {
                counts[plane * 64 + bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::Table;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// Goals take one word, two and three; states take one vector and several.
    #[test]
    fn the_most_marks_are_those_of_some_state() {
        let mut rng = ChaCha8Rng::seed_from_u64(66);
        for size in [20, 64, 100, 150, 250] {
            let machine = Table::random(&mut rng, size);
            let bits: Vec<u16> = goal_bits().take(machine.goals()).collect();
            let once = Semantics::of_instruction(&machine, 0, &bits, SemanticsShape::of(&machine));
            let mut repeated = once.clone();
            (0..size % 7 + 3).for_each(|_| repeated.append(&once));
            let of = |state: u16| {
                let mut left = vec![u64::MAX; SemanticsShape::of(&machine).planes];
                left[0] = GOAL_BITS;
                repeated.apply(state, &mut left);
                left.iter().map(|word| word.count_zeros()).sum::<u32>() - (64 - PROJECTED_GOALS as u32)
            };
            let most = (0..machine.states() as u16).map(of).max().unwrap();
            assert!(most > 2);
            assert_eq!(repeated.max_marks(), most, "{size} states");
        }
    }

    /// The semantics of each count is that of this number of repetitions, also if counts between two tried counts are
    /// left out.
    #[test]
    fn counts_do_what_so_many_repetitions_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(74);
        let (mut orbits, mut with_gap, mut without) = (Orbits::default(), 0, 0);
        for _ in 0..200 {
            let machine = Table::telling(&mut rng, 20, 12);
            let bits: Vec<u16> = goal_bits().take(100).collect();
            let body = Semantics::of_instruction(&machine, 0, &bits, SemanticsShape::of(&machine));
            let [mut endless, mut buffer, mut exactly, mut spare] = [(); 4].map(|()| body.clone());
            orbits.recompute(body.end_states());
            endless.set_endless_marks(&body, &orbits);
            let counts = LoopCounts::of(&orbits);
            let mut all = Vec::new();
            let ended = body.for_each_loop(
                &counts,
                &endless,
                &mut buffer,
                || false,
                |semantics, count| {
                    exactly.set_to_loop(&body, count, &mut spare);
                    assert!(*semantics == exactly, "{count} repetitions");
                    all.push(count);
                },
            );
            assert_eq!(ended, Ok(()));
            let full = orbits.max_tail.max(2) + orbits.max_cycle;
            assert!(
                all.iter()
                    .map(|&count| u64::from(count))
                    .eq((2..orbits.max_tail.max(2)).chain(full..full + orbits.period))
            );
            with_gap += usize::from(counts.gap > 0);
            without += usize::from(counts.gap == 0 && orbits.max_cycle > 1);
        }
        assert!(with_gap > 10 && without > 10, "{with_gap} and {without}");
    }
}
