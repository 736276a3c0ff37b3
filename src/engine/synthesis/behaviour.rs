//! What a fragment of a program does, from every state at once.

use super::orbits::Orbits;
use crate::domain::Machine;
use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};

/// How large the behaviours of a machine are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// States of the machine.
    pub(super) states: usize,
    /// 64 goals make a plane.
    pub(super) planes: usize,
}

impl Shape {
    pub(super) fn of(machine: &impl Machine) -> Self {
        Self { states: machine.states(), planes: machine.goals().div_ceil(64) }
    }

    /// Bytes of a behaviour.
    pub(super) fn bytes(self) -> u64 {
        (self.states * (size_of::<u16>() + self.planes * size_of::<u64>()) + size_of::<Behaviour>()) as u64
    }
}

/// Where a fragment ends, and which goals it marks, from each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behaviour {
    next: Box<[u16]>,
    /// A set of goals for each state, plane after plane: what one pass over 64 goals reads lies together.
    marks: Box<[u64]>,
}

impl Behaviour {
    /// That of the empty program.
    pub(super) fn nothing(shape: Shape) -> Self {
        let next = (0..shape.states).map(|state| state as u16).collect();
        Self { next, marks: vec![0; shape.states * shape.planes].into() }
    }

    /// That of one instruction. Goals stand in the order in which `places` puts them.
    pub(super) fn of_instruction(machine: &impl Machine, instruction: u8, places: &[u16]) -> Self {
        let mut behaviour = Self::nothing(Shape::of(machine));
        for state in 0..machine.states() {
            let (next, goal) = machine.step(state as u16, instruction);
            behaviour.next[state] = next;
            if let Some(goal) = goal {
                let place = usize::from(places[usize::from(goal)]);
                behaviour.marks[place / 64 * machine.states() + state] |= 1 << (place % 64);
            }
        }
        behaviour
    }

    /// Becomes `first`, and `rest` after it.
    pub(super) fn become_sequence(&mut self, first: &Self, rest: &Self) {
        let states = first.next.len();
        for (next, &between) in self.next.iter_mut().zip(&first.next) {
            *next = rest.next[usize::from(between)];
        }
        let planes = self.marks.chunks_exact_mut(states).zip(first.marks.chunks_exact(states));
        for ((marks, of_first), of_rest) in planes.zip(rest.marks.chunks_exact(states)) {
            for ((marks, &of_first), &between) in marks.iter_mut().zip(of_first).zip(&first.next) {
                *marks = of_first | of_rest[usize::from(between)];
            }
        }
    }

    /// Is followed by `rest`.
    pub(super) fn append(&mut self, rest: &Self) {
        let states = self.next.len();
        for (marks, of_rest) in self.marks.chunks_exact_mut(states).zip(rest.marks.chunks_exact(states)) {
            for (marks, &between) in marks.iter_mut().zip(&self.next) {
                *marks |= of_rest[usize::from(between)];
            }
        }
        self.append_next(rest);
    }

    /// Is followed by `rest`, which marks nothing that was not marked.
    pub(super) fn append_next(&mut self, rest: &Self) {
        self.next.iter_mut().for_each(|next| *next = rest.next[usize::from(*next)]);
    }

    /// Marks what endlessly many repetitions of `body`, whose orbits these are, mark.
    pub(super) fn fill(&mut self, body: &Self, orbits: &Orbits) {
        orbits.fill(&body.marks, &mut self.marks, body.next.len());
    }

    /// Takes over what another one does.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.next.copy_from_slice(&other.next);
        self.marks.copy_from_slice(&other.marks);
    }

    /// Becomes `body` so many times; where there are `orbits`, they are so many that all is marked.
    pub(super) fn become_loop(&mut self, body: &Self, count: u16, orbits: Option<&Orbits>) {
        self.copy_from(body);
        if let Some(orbits) = orbits {
            self.fill(body, orbits);
            (1..count).for_each(|_| self.append_next(body));
            return;
        }
        // The bits of the count, from the second highest.
        for bit in (0..count.ilog2()).rev() {
            let half = self.clone();
            self.append(&half);
            if count >> bit & 1 == 1 {
                self.append(body);
            }
        }
    }

    /// Where it ends, from each state.
    pub(super) fn ends(&self) -> &[u16] {
        &self.next
    }

    /// Where it ends.
    #[inline]
    pub(super) fn next(&self, state: u16) -> u16 {
        self.next[usize::from(state)]
    }

    /// The goals that it marks, of one plane.
    #[inline]
    pub(super) fn marks(&self, plane: usize, state: u16) -> u64 {
        self.marks[plane * self.next.len() + usize::from(state)]
    }

    /// What tells most behaviours apart; equality decides.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = FixedState::with_seed(0x5EED_B0B0).build_hasher();
        let (fours, rest) = self.next.as_chunks::<4>();
        for four in fours {
            hasher.write_u64(four.iter().fold(0, |word, &next| word << 16 | u64::from(next)));
        }
        rest.iter().for_each(|&next| hasher.write_u16(next));
        self.marks.iter().for_each(|&marks| hasher.write_u64(marks));
        hasher.finish()
    }

    /// The most goals that it marks from any state.
    pub(super) fn most_marks(&self) -> u32 {
        let states = self.next.len();
        let of = |state| (state..self.marks.len()).step_by(states).map(|at| self.marks[at].count_ones()).sum();
        (0..states).map(of).max().unwrap_or(0)
    }

    /// Adds from how many states it marks each goal.
    pub(super) fn add_chances(&self, chances: &mut [u64]) {
        for (plane, marks) in self.marks.chunks_exact(self.next.len()).enumerate() {
            for word in marks {
                let mut rest = *word;
                while rest != 0 {
                    chances[plane * 64 + rest.trailing_zeros() as usize] += 1;
                    rest &= rest - 1;
                }
            }
        }
    }
}
