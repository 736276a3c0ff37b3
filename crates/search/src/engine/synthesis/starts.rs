//! Machines with several starts: which goals each start may mark, and when a rejection is right.
//!
//! One program is run from all starts. The run from one start never changes what the run from another start does. So
//! the goals that a program marks are the union of the goals that its runs mark. Two starts belong to one *region* if
//! some goal can be marked from both. The goals of different regions are disjoint. So:
//!
//! * **A rejection in one region is final.** What the starts of a region leave, no other start marks.
//! * **An instruction marks at most one goal from each start.** So a loop that leaves more goals in a region than the
//!   region has starts is not followed by one last instruction, and is rejected.
//! * **The remaining tokens** mark from each start at most as many goals as a fragment of so many tokens marks from any
//!   state. This bound times the starts of a region is admissible for the goals that are left in the region.
//! * **Endless repetition** marks the same whether the starts are followed together or one after the other. So the
//!   starts are followed one after the other. A repetition that begins in a state where another one began, from
//!   whichever start, marks nothing new: the other one goes on the same way for ever.
//! * **A loop that counts** ends in a tuple of states. Prefixes are merged only if all states and all goals left are
//!   equal. The tuple takes as many repetitions to come round as the least common multiple of its cycles says
//!   (`JointVisits` in [`test_size`](super::test_size)).
//! * **A region without goals left** needs nothing more. Its starts are [`SETTLED`] and no longer followed. Prefixes
//!   that differ only there are merged.
//!
//! Fragments know nothing of starts: they are compared on all states of the machine, which includes every state of
//! every run. So the bank and its loop counts need no tuples: the tails and the period of a loop are those of all
//! states.
//!
//! With one start there is one region, with all goals.

use crate::domain::Machine;

/// The state of a start whose region has no goals left. No machine has so many states.
pub(super) const SETTLED: u16 = u16::MAX;

/// Starts that may mark goals in common.
#[derive(Debug)]
struct Region {
    /// The number after that of its last start.
    end: usize,
    /// The number of its starts.
    starts: u32,
    /// The set of goals that its starts may mark. No other start marks any of these.
    goals: Vec<u64>,
}

impl Region {
    /// The number of its goals that are left.
    fn left(&self, missing: &[u64]) -> u32 {
        missing.iter().zip(&self.goals).map(|(missing, goals)| (missing & goals).count_ones()).sum()
    }
}

/// The starts of a machine, region by region. Regions with many goals come first.
#[derive(Debug)]
pub(super) struct Starts {
    states: Box<[u16]>,
    regions: Vec<Region>,
    /// The region of each start.
    region_of: Vec<usize>,
}

impl Starts {
    /// `bits` has the bit number of each goal in sets of `planes` words.
    pub(super) fn of(machine: &dyn Machine, bits: &[u16], planes: usize) -> Self {
        let [single] = machine.starts() else { return Self::of_several(machine, bits, planes) };
        let regions = vec![Region { end: 1, starts: 1, goals: vec![u64::MAX; planes] }];
        Self { states: Box::new([*single]), regions, region_of: vec![0] }
    }

    fn of_several(machine: &dyn Machine, bits: &[u16], planes: usize) -> Self {
        let mut regions: Vec<(Vec<u16>, Vec<u64>)> = Vec::new();
        for &start in machine.starts() {
            let mut united = (vec![start], goals_from(machine, start, bits, planes));
            let overlaps = |one: &[u64], other: &[u64]| one.iter().zip(other).any(|(one, other)| one & other != 0);
            for (starts, goals) in regions.extract_if(.., |(_, goals)| overlaps(goals, &united.1)).collect::<Vec<_>>() {
                united.0.splice(0..0, starts);
                united.1.iter_mut().zip(goals).for_each(|(united, goals)| *united |= goals);
            }
            regions.push(united);
        }
        // Regions with many goals reject most.
        let size = |goals: &[u64]| goals.iter().map(|word| word.count_ones()).sum::<u32>();
        regions.sort_by_key(|(_, goals)| std::cmp::Reverse(size(goals)));
        // Goals that no start may mark stay left for ever, in any region.
        if let Some(((_, first), others)) = regions.split_first_mut() {
            for (plane, goals) in first.iter_mut().enumerate() {
                *goals = !others.iter().fold(0, |of_others, (_, goals)| of_others | goals[plane]);
            }
        }
        let mut all = Self { states: Box::default(), regions: Vec::new(), region_of: Vec::new() };
        let mut states = Vec::new();
        for (number, (starts, goals)) in regions.into_iter().enumerate() {
            all.region_of.extend(starts.iter().map(|_| number));
            let of_region = starts.len() as u32;
            states.extend(starts);
            all.regions.push(Region { end: states.len(), starts: of_region, goals });
        }
        all.states = states.into();
        all
    }

    /// The states in which the program begins.
    pub(super) fn states(&self) -> &[u16] {
        &self.states
    }

    #[inline(always)]
    fn is_single(&self) -> bool {
        self.states.len() == 1
    }

    /// Whether every region has at most `most` of the first goals left for each of its starts.
    #[inline(always)]
    pub(super) fn allow(&self, missing: u64, most: u32) -> bool {
        missing.count_ones() <= most || !self.is_single() && self.allow_each(&[missing], most)
    }

    /// Whether every region has at most `most` goals left for each of its starts.
    pub(super) fn allow_all(&self, missing: &[u64], most: u32) -> bool {
        let left: u32 = missing.iter().map(|word| word.count_ones()).sum();
        left <= most || !self.is_single() && self.allow_each(missing, most)
    }

    /// The last region first: the starts of the others were followed before.
    #[inline(never)]
    fn allow_each(&self, missing: &[u64], most: u32) -> bool {
        self.regions.iter().rev().all(|region| region.left(missing) <= most.saturating_mul(region.starts))
    }

    /// Whether one instruction, carried out from all starts, may mark all of these first goals.
    #[inline(always)]
    pub(super) fn may_end(&self, missing: u64) -> bool {
        self.allow(missing, 1)
    }

    /// The first goals that a start may mark.
    #[inline]
    pub(super) fn first_goals(&self, start: usize) -> u64 {
        if self.is_single() { u64::MAX } else { self.regions[self.region_of[start]].goals[0] }
    }

    /// Whether the region of a start is rejected after this start was followed: all starts of the region were, and more
    /// than `most` of its first goals are left for each of them.
    #[inline]
    pub(super) fn is_rejected_behind(&self, start: usize, missing: u64, most: u32) -> bool {
        if self.is_single() {
            return missing.count_ones() > most;
        }
        let region = &self.regions[self.region_of[start]];
        region.end == start + 1 && (missing & region.goals[0]).count_ones() > most.saturating_mul(region.starts)
    }

    /// [`Starts::is_rejected_behind`] with all goals.
    pub(super) fn is_rejected_on_all_behind(&self, start: usize, missing: &[u64], most: u32) -> bool {
        let region = &self.regions[self.region_of[start]];
        region.end == start + 1 && region.left(missing) > most.saturating_mul(region.starts)
    }

    /// Settles the starts whose region has no goals left.
    pub(super) fn settle(&self, states: &mut [u16], missing: &[u64]) {
        for (start, state) in states.iter_mut().enumerate() {
            if !self.is_open(start, missing) {
                *state = SETTLED;
            }
        }
    }

    /// Whether the region of a start has goals left. The region of a single start counts as open always.
    fn is_open(&self, start: usize, missing: &[u64]) -> bool {
        let region = &self.regions[self.region_of[start]];
        self.is_single() || missing.iter().zip(&region.goals).any(|(missing, goals)| missing & goals != 0)
    }

    /// The numbers of the starts whose region has goals left.
    pub(super) fn unsettled(&self, missing: &[u64], into: &mut Vec<usize>) {
        into.clear();
        into.extend((0..self.states.len()).filter(|&start| self.is_open(start, missing)));
    }

    /// The number of the region of a goal, which has this bit number.
    pub(super) fn region_of_goal(&self, bit: u16) -> usize {
        let has_bit = |region: &Region| region.goals[usize::from(bit) / 64] >> (bit % 64) & 1 == 1;
        self.regions.iter().position(has_bit).unwrap_or(0)
    }
}

/// The goals that can be marked from a state.
fn goals_from(machine: &dyn Machine, start: u16, bits: &[u16], planes: usize) -> Vec<u64> {
    let mut goals = vec![0; planes];
    let mut is_reached = vec![false; machine.states()];
    let mut open = vec![start];
    is_reached[usize::from(start)] = true;
    while let Some(state) = open.pop() {
        for instruction in 0..machine.instructions() {
            let (next, goal) = machine.step(state, instruction);
            if let Some(goal) = goal {
                let bit = bits[usize::from(goal)];
                goals[usize::from(bit) / 64] |= 1 << (bit % 64);
            }
            if !std::mem::replace(&mut is_reached[usize::from(next)], true) {
                open.push(next);
            }
        }
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::super::semantics::{SemanticsSize, goal_bits};
    use super::super::tests::Table;
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// Starts that come to a common goal share a region. Every goal belongs to one region, unreachable goals too.
    #[test]
    fn regions_part_the_goals() {
        let mut rng = ChaCha8Rng::seed_from_u64(80);
        let machine = Table::turning(&mut rng, 3).with_starts(vec![0, 5]).beside(&Table::turning(&mut rng, 60));
        let machine = machine.without_solution();
        let bits: Vec<u16> = goal_bits().take(machine.goals()).collect();
        let planes = SemanticsSize::of(&machine).planes;
        let starts = Starts::of(&machine, &bits, planes);
        // The region with more goals comes first.
        assert_eq!((&starts.states[..], &starts.region_of[..]), (&[12, 0, 5][..], &[0, 1, 1][..]));
        assert_eq!(
            starts.regions.iter().map(|region| (region.end, region.starts)).collect::<Vec<_>>(),
            [(1, 1), (3, 2)]
        );
        for plane in 0..planes {
            let [first, second] = [0, 1].map(|region| starts.regions[region].goals[plane]);
            assert_eq!((first & second, first | second), (0, u64::MAX));
        }
        let set = |goals: &[usize]| {
            let mut set = vec![0; planes];
            goals.iter().for_each(|&goal| set[usize::from(bits[goal]) / 64] |= 1 << (bits[goal] % 64));
            set
        };
        let small = (0..3).filter(|&goal| starts.region_of_goal(bits[goal]) == 1).collect::<Vec<_>>();
        assert!(small.len() > 1, "{small:?}");
        let [one_each, two_left, two_far] = [set(&[small[0], small[1], 9]), set(&small), set(&[9, 10])];
        assert!(starts.allow_all(&one_each, 1) && !starts.allow_all(&two_far, 1) && starts.allow_all(&two_far, 2));
        assert_eq!(starts.allow_all(&two_left, 1), small.len() == 2);
        let mut states = [12, 0, 5];
        starts.settle(&mut states, &two_far);
        assert_eq!(states, [12, SETTLED, SETTLED]);
        let mut unsettled = Vec::new();
        starts.unsettled(&one_each, &mut unsettled);
        assert_eq!(&unsettled[..], &[0, 1, 2][..]);
    }
}
