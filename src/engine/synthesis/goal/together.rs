//! Trying many bodies at once.
//!
//! Where any of some fragments may stand at each place of a body, there are as many bodies as all of these make together, but what they do differs
//! little: which state a fragment leads to is all that matters for what comes behind it. So endless loops around all of them are followed
//! together, and parted where they go to different states. When they come to a state where a repetition began before, nothing new comes for any
//! of them. Of the goals it is only held which ones *some* of them mark: if these are too few, no body has to be tried by itself.

use super::hand::{Hand, Part};
use crate::domain::Machine;
use crate::engine::synthesis::behaviour::{Columns, Step};
use crate::engine::synthesis::prefix::Prefix;
use std::cell::OnceCell;
use std::ops::Range;

/// Fragments of which any may stand at one place.
pub(super) struct Choice<'a> {
    pub(super) parts: Vec<Part<'a>>,
    columns: OnceCell<Columns>,
}

impl<'a> Choice<'a> {
    /// The most fragments of one: what they do from a state stays in the cache closest to a core. Tests have several of them.
    pub(super) const MOST: usize = if cfg!(test) { 11 } else { 1 << 10 };

    pub(super) fn of(parts: Vec<Part<'a>>) -> Self {
        Self { parts, columns: OnceCell::new() }
    }

    fn columns(&self) -> &Columns {
        self.columns.get_or_init(|| Columns::of(self.parts.iter().map(|part| part.does)))
    }
}

/// Calls `work` with one of each of these, in all ways.
pub(super) fn each_of<'a, const N: usize>(sets: [&[Part<'a>]; N], mut work: impl FnMut(&[Part<'a>; N])) {
    let many: usize = sets.iter().map(|set| set.len()).product();
    for mut number in 0..many {
        // The last one changes fastest.
        let mut digits = [0; N];
        for (digit, set) in digits.iter_mut().zip(sets).rev() {
            (*digit, number) = (number % set.len(), number / set.len());
        }
        work(&std::array::from_fn(|place| sets[place][digits[place]]));
    }
}

/// Those of some members that go to the same state.
struct Branch {
    state: u16,
    /// What some of them mark.
    marks: u64,
    /// How many they are; then where they end among the members.
    end: usize,
}

/// Where bodies are parted.
pub(super) struct Room {
    /// Numbers of fragments within their choice. What is in question at a place is a range of these.
    members: Vec<u16>,
    /// The branches of each range that is being parted, one range after the other.
    branches: Vec<Branch>,
    /// The branch of each member of the range that is being parted.
    branch_of: Vec<u16>,
    /// The branch that goes to a state, and when that was.
    branch_to: Vec<(u64, u16)>,
    time: u64,
}

impl Room {
    pub(super) fn new(states: usize) -> Self {
        let branch_to = vec![(0, 0); states];
        Self { members: Vec::new(), branches: Vec::new(), branch_of: Vec::new(), branch_to, time: 0 }
    }

    /// Parts a range of members that take these steps. Branches come to the end of the others, and their members to that of the others.
    fn part(&mut self, range: &Range<usize>, steps: &[Step]) {
        let first = self.branches.len();
        self.time += 1;
        self.branch_of.clear();
        for &member in &self.members[range.clone()] {
            let step = steps[usize::from(member)];
            let (time, branch) = &mut self.branch_to[usize::from(step.state())];
            if *time != self.time {
                (*time, *branch) = (self.time, (self.branches.len() - first) as u16);
                self.branches.push(Branch { state: step.state(), marks: 0, end: 0 });
            }
            let of_member = &mut self.branches[first + usize::from(*branch)];
            of_member.marks |= step.marks();
            of_member.end += 1;
            self.branch_of.push(*branch);
        }
        let branches = &mut self.branches[first..];
        let mut begin = self.members.len();
        for Branch { end, .. } in branches.iter_mut() {
            begin += std::mem::replace(end, begin);
        }
        self.members.resize(begin, 0);
        for (at, branch) in range.clone().zip(&self.branch_of) {
            let Branch { end, .. } = &mut branches[usize::from(*branch)];
            self.members[*end] = self.members[at];
            *end += 1;
        }
    }
}

/// Bodies that did the same so far.
#[derive(Clone)]
struct Bodies<const N: usize> {
    /// For each place a range of members.
    members: [Range<usize>; N],
    /// Where they are.
    state: u16,
    /// Goals that all of them leave.
    missing: u64,
}

impl<const N: usize> Bodies<N> {
    fn many(&self) -> usize {
        self.members.iter().map(Range::len).product()
    }
}

/// All bodies that some choices make, behind some prefixes that lead to the same state.
struct Together<'w, 'a, 'm, M, const N: usize> {
    hand: &'w mut Hand<'a, 'm, M>,
    prefixes: &'w [Prefix],
    choices: &'w [&'w Choice<'w>; N],
}

impl<'a, M: Machine> Hand<'a, '_, M> {
    /// Tries endless loops around all bodies that consist of one of each of these, behind every prefix of so many tokens.
    pub(super) fn try_all<const N: usize>(&mut self, of_prefix: usize, choices: &[&Choice<'_>; N]) {
        let test = self.test;
        for prefixes in test.prefixes[of_prefix].chunk_by(|one, other| one.state == other.state) {
            Together { hand: self, prefixes, choices }.try_all();
        }
    }
}

impl<M: Machine, const N: usize> Together<'_, '_, '_, M, N> {
    fn try_all(&mut self) {
        let state = self.prefixes[0].state;
        let missing = self.prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let hand = &mut *self.hand;
        hand.room.members.clear();
        let members = std::array::from_fn(|place| {
            let begin = hand.room.members.len();
            for (member, part) in (0..).zip(&self.choices[place].parts) {
                if place > 0 || self.prefixes.iter().any(|prefix| hand.may_be_smaller(prefix, part.what)) {
                    hand.room.members.push(member);
                }
            }
            begin..hand.room.members.len()
        });
        let bodies = Bodies { members, state, missing };
        if bodies.many() > 0 {
            self.repeat(bodies, 0);
        }
    }

    /// Goes on with some bodies at one of their places.
    fn repeat(&mut self, mut bodies: Bodies<N>, mut place: usize) {
        let (begun, of_members) = (self.hand.way.len(), self.hand.room.members.len());
        loop {
            if place == 0 {
                if bodies.missing.count_ones() <= 1 {
                    self.try_each(&bodies);
                    break;
                }
                if bodies.many() == 1 {
                    self.follow(&bodies);
                    break;
                }
                if !self.hand.way.goes_to(bodies.state) {
                    self.hand.found.tried += (self.prefixes.len() * bodies.many()) as u64;
                    break;
                }
            }
            let (members, choice) = (&self.hand.room.members[bodies.members[place].clone()], self.choices[place]);
            let steps = choice.columns().steps(bodies.state);
            // Mostly all go to the same state.
            match Step::common(members.iter().map(|&member| steps[usize::from(member)])) {
                Some(step) => (bodies.state, bodies.missing) = (step.state(), bodies.missing & !step.marks()),
                None => bodies = self.part(&bodies, place, steps),
            }
            place = (place + 1) % N;
        }
        self.hand.way.back_to(begun);
        self.hand.room.members.truncate(of_members);
    }

    /// Parts bodies by where what stands at a place leads to, goes on with all parts but the largest, and gives that one: so calls are open for
    /// halves of halves at most.
    fn part(&mut self, bodies: &Bodies<N>, place: usize, steps: &[Step]) -> Bodies<N> {
        let room = &mut self.hand.room;
        let (mut begin, first) = (room.members.len(), room.branches.len());
        room.part(&bodies.members[place], steps);
        let mut largest = bodies.clone();
        let mut most = 0;
        for branch in first..self.hand.room.branches.len() {
            let Branch { state, marks, end } = self.hand.room.branches[branch];
            let mut part = Bodies { state, missing: bodies.missing & !marks, ..bodies.clone() };
            part.members[place] = begin..end;
            if end - begin > most {
                (most, part) = (end - begin, std::mem::replace(&mut largest, part));
            }
            begin = end;
            if branch > first {
                self.repeat(part, (place + 1) % N);
            }
        }
        self.hand.room.branches.truncate(first);
        largest
    }

    /// Goes on with a single body.
    fn follow(&mut self, bodies: &Bodies<N>) {
        let Hand { way, room, visits, visit, found, .. } = &mut *self.hand;
        let parts: [(&Columns, usize); N] = std::array::from_fn(|place| {
            let member = room.members[bodies.members[place].start];
            (self.choices[place].columns(), usize::from(member))
        });
        let (mut state, mut missing) = (bodies.state, bodies.missing);
        *visit += 1;
        while !way.is_on(state) && std::mem::replace(&mut visits[usize::from(state)], *visit) != *visit {
            for (columns, member) in &parts {
                let step = columns.steps(state)[*member];
                (state, missing) = (step.state(), missing & !step.marks());
            }
        }
        if missing.count_ones() <= 1 {
            self.try_each(bodies);
        } else {
            found.tried += self.prefixes.len() as u64;
        }
    }

    /// Tries bodies one by one.
    fn try_each(&mut self, bodies: &Bodies<N>) {
        let choices = self.choices;
        let members = bodies.members.clone().map(|range| self.hand.room.members[range].to_vec());
        let parts: [Vec<Part<'_>>; N] = std::array::from_fn(|place| {
            members[place].iter().map(|&member| choices[place].parts[usize::from(member)]).collect()
        });
        each_of(parts.each_ref().map(Vec::as_slice), |parts| {
            self.prefixes.iter().for_each(|prefix| self.hand.try_behind(prefix, parts));
        });
    }
}
