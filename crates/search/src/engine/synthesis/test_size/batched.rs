//! Many bodies at once.
//!
//! If each part of a body may be any of several fragments, the number of bodies is the product of these numbers. But
//! the paths of the bodies differ little, because only the end state of a part matters to the parts that follow. So
//! endless loops around all bodies are followed together, and parted where they lead to different states. When a
//! repetition begins in a state where another one began, none of the bodies marks anything new. Each group of bodies
//! has the union of the goals that its members mark. If the union leaves two goals or more, no member has to be tried
//! alone.
//!
//! Several starts are followed one after the other. A group that was parted on the way from one start stays parted on
//! the way from the next start. If the starts of a region leave more goals than there are such starts, no further start
//! is followed: see [`starts`](crate::engine::synthesis::starts).

use super::body_part::{BodyPart, each_combination};
use super::evaluator::Evaluator;
use super::prefix::{Prefix, common_missing};
use super::visits::{Trail, Visits};
use crate::engine::synthesis::semantics::{Step, StepTable};
use crate::engine::synthesis::starts::Starts;
use std::cell::OnceCell;
use std::ops::Range;

/// Fragments of which any may be one part of a body.
pub(super) struct Alternatives<'a> {
    pub(super) parts: Vec<BodyPart<'a>>,
    table: OnceCell<StepTable>,
}

impl<'a> Alternatives<'a> {
    /// The most fragments of one part: their steps from one state stay in the first-level cache. Few in tests, so that
    /// levels have several.
    pub(super) const MOST: usize = if cfg!(test) { 11 } else { 1 << 10 };

    pub(super) fn of(parts: Vec<BodyPart<'a>>) -> Self {
        Self { parts, table: OnceCell::new() }
    }

    fn table(&self) -> &StepTable {
        self.table.get_or_init(|| StepTable::of(self.parts.iter().map(|part| part.semantics)))
    }
}

/// Members of a range that lead to the same state.
struct Branch {
    state: u16,
    /// The union of the goals that the members mark.
    marks: u64,
    /// First the number of members, then the end of their range.
    end: usize,
}

/// The members of groups, and how ranges of members are parted.
struct Partition {
    /// Numbers of fragments within their alternatives. A group has a range of them for each part.
    members: Vec<u16>,
    /// The branches of each range that is being parted, one range after the other.
    branches: Vec<Branch>,
    /// The branch of each member of the range that is being parted.
    branch_of: Vec<u16>,
    /// For each state, the branch that leads to it, and when the branch was found.
    branch_to: Vec<(u64, u16)>,
    time: u64,
}

impl Partition {
    fn new(states: usize) -> Self {
        let branch_to = vec![(0, 0); states];
        Self { members: Vec::new(), branches: Vec::new(), branch_of: Vec::new(), branch_to, time: 0 }
    }

    /// Parts a range of members by the states that their steps lead to. Appends the branches, and the members of each
    /// branch as a new range.
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

/// A group of bodies that were on the same path so far.
#[derive(Clone)]
struct Group<const N: usize> {
    /// A range of members for each part.
    members: [Range<usize>; N],
    /// The start that is followed, and the state there.
    start: usize,
    state: u16,
    /// Goals that every body of the group leaves.
    missing: u64,
}

impl<const N: usize> Group<N> {
    fn bodies(&self) -> usize {
        self.members.iter().map(Range::len).product()
    }
}

/// The buffers with which a thread follows groups.
pub(super) struct BatchedSearch {
    partition: Partition,
    trail: Trail,
    visits: Visits,
}

impl BatchedSearch {
    pub(super) fn new(states: usize) -> Self {
        Self { partition: Partition::new(states), trail: Trail::new(states), visits: Visits::new(states) }
    }

    /// Tries endless loops around all bodies that consist of one of each of these alternatives, behind every prefix of
    /// so many tokens.
    pub(super) fn try_all<const N: usize>(
        &mut self,
        evaluator: &mut Evaluator<'_, '_>,
        of_prefix: usize,
        alternatives: &[&Alternatives<'_>; N],
    ) {
        let context = evaluator.context;
        for prefixes in context.prefixes[of_prefix].chunk_by(|one, other| one.tuple == other.tuple) {
            self.partition.members.clear();
            let members = alternatives.map(|alternatives| {
                let begin = self.partition.members.len();
                self.partition.members.extend((0..).take(alternatives.parts.len()));
                begin..self.partition.members.len()
            });
            let (start, state) = Starts::first(&prefixes[0].states);
            let group = Group { members, start, state, missing: common_missing(prefixes) };
            if group.bodies() > 0 {
                Batch { search: &mut *self, evaluator: &mut *evaluator, prefixes, alternatives }.repeat(group, 0);
            }
        }
    }
}

/// All bodies that some alternatives make, behind prefixes that lead to the same states.
struct Batch<'s, 'a, 'm, const N: usize> {
    search: &'s mut BatchedSearch,
    evaluator: &'s mut Evaluator<'a, 'm>,
    prefixes: &'s [Prefix],
    alternatives: &'s [&'s Alternatives<'s>; N],
}

impl<const N: usize> Batch<'_, '_, '_, N> {
    /// Follows a group from one of its parts on.
    fn repeat(&mut self, mut group: Group<N>, mut place: usize) {
        let (begun, of_members) = (self.search.trail.len(), self.search.partition.members.len());
        let starts = &self.evaluator.context.fragments.starts;
        loop {
            if place == 0 {
                if starts.may_end(group.missing) {
                    self.try_each(&group);
                    break;
                }
                if group.bodies() == 1 {
                    self.follow_one(&group);
                    break;
                }
                if !self.search.trail.begin(group.state) {
                    let states = &self.prefixes[0].states;
                    if let Some(next) = starts.next(group.start, states, group.missing) {
                        (group.start, group.state) = (next, states[next]);
                        continue;
                    }
                    self.evaluator.findings.tried += (self.prefixes.len() * group.bodies()) as u64;
                    break;
                }
            }
            let members = &self.search.partition.members[group.members[place].clone()];
            let steps = self.alternatives[place].table().steps(group.state);
            // In most cases all lead to the same state.
            match Step::union(members.iter().map(|&member| steps[usize::from(member)])) {
                Some(step) => (group.state, group.missing) = (step.state(), group.missing & !step.marks()),
                None => group = self.part(&group, place, steps),
            }
            place = (place + 1) % N;
        }
        self.search.trail.truncate(begun);
        self.search.partition.members.truncate(of_members);
    }

    /// Parts a group by the states that the part at `place` leads to, follows all branches but the largest, and returns
    /// the largest. So each open call has at most half of the members of the call before.
    fn part(&mut self, group: &Group<N>, place: usize, steps: &[Step]) -> Group<N> {
        let partition = &mut self.search.partition;
        let (mut begin, first) = (partition.members.len(), partition.branches.len());
        partition.part(&group.members[place], steps);
        let mut largest = group.clone();
        let mut most = 0;
        for branch in first..self.search.partition.branches.len() {
            let Branch { state, marks, end } = self.search.partition.branches[branch];
            let mut part = Group { state, missing: group.missing & !marks, ..group.clone() };
            part.members[place] = begin..end;
            if end - begin > most {
                (most, part) = (end - begin, std::mem::replace(&mut largest, part));
            }
            begin = end;
            if branch > first {
                self.repeat(part, (place + 1) % N);
            }
        }
        self.search.partition.branches.truncate(first);
        largest
    }

    /// Follows a group of a single body.
    fn follow_one(&mut self, group: &Group<N>) {
        let BatchedSearch { partition, trail, visits } = &mut *self.search;
        let parts: [(&StepTable, usize); N] = std::array::from_fn(|place| {
            let member = partition.members[group.members[place].start];
            (self.alternatives[place].table(), usize::from(member))
        });
        let starts = &self.evaluator.context.fragments.starts;
        let (mut start, mut state, mut missing) = (group.start, group.state, group.missing);
        visits.restart();
        loop {
            while !trail.contains(state) && visits.visit(state) {
                for (table, member) in &parts {
                    let step = table.steps(state)[*member];
                    (state, missing) = (step.state(), missing & !step.marks());
                }
            }
            let states = &self.prefixes[0].states;
            let Some(next) = starts.next(start, states, missing) else { break };
            (start, state) = (next, states[next]);
        }
        if starts.may_end(missing) {
            self.try_each(group);
        } else {
            self.evaluator.findings.tried += self.prefixes.len() as u64;
        }
    }

    /// Tries the bodies of a group one by one.
    fn try_each(&mut self, group: &Group<N>) {
        let alternatives = self.alternatives;
        let parts: [Vec<BodyPart<'_>>; N] = std::array::from_fn(|place| {
            let members = &self.search.partition.members[group.members[place].clone()];
            members.iter().map(|&member| alternatives[place].parts[usize::from(member)]).collect()
        });
        each_combination(parts.each_ref().map(Vec::as_slice), |body| {
            self.prefixes.iter().for_each(|prefix| self.evaluator.try_behind(prefix, body));
        });
    }
}
