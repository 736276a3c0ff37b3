//! Orbits of states when a fragment is repeated, and the loop counts that have to be tried.
//!
//! A fragment maps each state to one end state. Repeating the fragment leads every state along a *tail* onto a cycle.

use crate::codes::MAX_COUNT;

/// The largest number of counts of one loop that are tried beyond the longest tail. A loop with more counts ends the
/// proof.
pub(crate) const MAX_TRIED_COUNTS: u64 = 4_096;

/// The cycles and tails of all states under one map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orbits {
    /// States on cycles, one cycle after the other.
    cycles: Vec<u16>,
    /// The end index of each cycle in `cycles`.
    cycle_ends: Vec<usize>,
    /// The states on tails with their successors. The successor of a state is on a cycle or comes before the state in
    /// this list.
    tails: Vec<(u16, u16)>,
    /// The length of the longest tail.
    pub(crate) max_tail: u64,
    /// The least common multiple of the lengths of all cycles.
    pub(crate) period: u64,
    /// The length of the longest cycle.
    pub(crate) max_cycle: u64,
    successors: Vec<u16>,
    /// The number of remaining predecessors of each state.
    predecessor_counts: Vec<u32>,
    removal_order: Vec<u16>,
    depths: Vec<u32>,
}

impl Orbits {
    /// Computes the orbits of the map from each state to its entry in `successors`. States without predecessors are
    /// removed one after the other (Kahn's algorithm); the cycles remain.
    pub(crate) fn recompute(&mut self, successors: impl Iterator<Item = u16>) {
        self.successors.clear();
        self.successors.extend(successors);
        let states = self.successors.len();
        self.predecessor_counts.clear();
        self.predecessor_counts.resize(states, 0);
        for &to in &self.successors {
            self.predecessor_counts[usize::from(to)] += 1;
        }
        self.removal_order.resize(states, 0);
        let mut len = 0;
        // Branch-free, because the branch would be unpredictable.
        for state in 0..states {
            self.removal_order[len] = state as u16;
            len += usize::from(self.predecessor_counts[state] == 0);
        }
        let mut at = 0;
        while at < len {
            let to = self.successors[usize::from(self.removal_order[at])];
            let count = &mut self.predecessor_counts[usize::from(to)];
            *count -= 1;
            self.removal_order[len] = to;
            len += usize::from(*count == 0);
            at += 1;
        }
        self.find_cycles();
        self.measure_tails(len);
    }

    /// Finds the cycles: only states on cycles still have predecessors.
    fn find_cycles(&mut self) {
        self.cycles.clear();
        self.cycle_ends.clear();
        (self.period, self.max_cycle) = (1, 0);
        for start in 0..self.successors.len() {
            let (begin, mut state) = (self.cycles.len(), start);
            while std::mem::take(&mut self.predecessor_counts[state]) != 0 {
                self.cycles.push(state as u16);
                state = usize::from(self.successors[state]);
            }
            let length = (self.cycles.len() - begin) as u64;
            if length > 0 {
                self.cycle_ends.push(self.cycles.len());
                self.max_cycle = self.max_cycle.max(length);
                self.period = least_common_multiple(self.period, length);
            }
        }
    }

    /// Measures the distances of the removed states from their cycles, last removed state first.
    fn measure_tails(&mut self, removed_count: usize) {
        let Self { successors, depths, max_tail, .. } = self;
        depths.clear();
        depths.resize(successors.len(), 0);
        let mut longest = 0;
        let tails = self.removal_order[..removed_count].iter().rev().map(|&state| {
            let to = successors[usize::from(state)];
            let depth = depths[usize::from(to)] + 1;
            depths[usize::from(state)] = depth;
            longest = longest.max(depth);
            (state, to)
        });
        self.tails.clear();
        self.tails.extend(tails);
        *max_tail = longest.into();
    }

    /// Sets each word of `union` to the union of `marks` over the whole orbit of its state. The bits in `fixed_bits` do
    /// not change.
    pub(crate) fn unite(&self, marks: &[u64], union: &mut [u64], fixed_bits: u64) {
        let put = |word: &mut u64, all: u64| *word = *word & fixed_bits | all & !fixed_bits;
        let mut begin = 0;
        for &end in &self.cycle_ends {
            let cycle = &self.cycles[begin..end];
            let all = cycle.iter().fold(0, |all, &state| all | marks[usize::from(state)]);
            cycle.iter().for_each(|&state| put(&mut union[usize::from(state)], all));
            begin = end;
        }
        for &(state, to) in &self.tails {
            let of_successor = union[usize::from(to)];
            put(&mut union[usize::from(state)], marks[usize::from(state)] | of_successor);
        }
    }
}

/// The least common multiple, or [`u64::MAX`] if it does not fit.
pub(crate) fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut remainder) = (a, b);
    while remainder != 0 {
        (divisor, remainder) = (remainder, divisor % remainder);
    }
    (a / divisor).saturating_mul(b)
}

/// The counts of loops around one body that have to be tried.
///
/// Let `t` be the length of the longest tail and `c` the period. All counts below `t` are tried. From `t` on, the end
/// states depend on the count modulo `c` alone, and more repetitions never mark less. So one count is tried for each
/// residue, large enough to mark everything that any count marks.
pub(crate) struct LoopCounts {
    /// All counts from 2 to this one, exclusive, are tried.
    pub(crate) exact_end: u16,
    /// The first of `residues` consecutive counts that mark everything.
    pub(crate) full_start: u16,
    pub(crate) residues: u16,
    /// The number of repetitions from the end states of count `exact_end` - 1 to those of count `full_start` - 1: their
    /// distance modulo the period.
    pub(crate) gap: u16,
    /// Whether some counts are not tried.
    pub(crate) has_untried_counts: bool,
}

impl LoopCounts {
    pub(crate) fn of(orbits: &Orbits) -> Self {
        let max_count = u64::from(MAX_COUNT) - MAX_TRIED_COUNTS;
        let (exact_end, full_start) = (orbits.max_tail.max(2), orbits.max_tail.max(2) + orbits.max_cycle);
        let residues = if full_start > max_count { 0 } else { orbits.period.min(MAX_TRIED_COUNTS) };
        let has_untried_counts = residues < orbits.period;
        let [exact_end, full_start] = [exact_end, full_start].map(|count| count.min(max_count) as u16);
        let gap = (u64::from(full_start - exact_end) % orbits.period) as u16;
        Self { exact_end, full_start, residues: residues as u16, gap, has_untried_counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// The states that `start` leads to, itself first, until a state repeats; and the place of that state.
    fn path(next: &[usize], start: usize) -> (Vec<usize>, usize) {
        let mut path = vec![start];
        loop {
            let state = next[path[path.len() - 1]];
            if let Some(at) = path.iter().position(|&on| on == state) {
                return (path, at);
            }
            path.push(state);
        }
    }

    #[test]
    fn orbits_are_those_of_single_steps() {
        let mut rng = ChaCha8Rng::seed_from_u64(65);
        let (mut orbits, mut longest) = (Orbits::default(), 0);
        for _ in 0..300 {
            let states = 1 + rng.next_u32() % 40;
            let next: Vec<usize> = (0..states).map(|_| (rng.next_u32() % states) as usize).collect();
            let paths: Vec<_> = (0..next.len()).map(|start| path(&next, start)).collect();
            orbits.recompute(next.iter().map(|&to| to as u16));
            let lengths = || paths.iter().map(|(path, at)| (path.len() - at) as u64);
            assert_eq!(orbits.max_tail, paths.iter().map(|(_, at)| *at as u64).max().unwrap());
            assert_eq!(orbits.max_cycle, lengths().max().unwrap());
            assert_eq!(orbits.period, lengths().fold(1, least_common_multiple));
            assert!(orbits.max_cycle <= orbits.period && lengths().all(|length| orbits.period % length == 0));
            let marks: Vec<u64> = next.iter().map(|_| 1 << (rng.next_u32() % 64)).collect();
            let mut union = vec![u64::MAX; next.len()];
            orbits.unite(&marks, &mut union, 1);
            for (all, (path, _)) in union.iter().zip(&paths) {
                assert_eq!(*all, path.iter().fold(1, |all, &state| all | marks[state]));
            }
            longest = longest.max(orbits.max_tail.min(orbits.max_cycle));
        }
        assert!(longest > 5, "{longest}: too easy");
    }
}
