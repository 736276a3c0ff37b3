//! Orbits of states when a fragment is repeated, and the loop counts that have to be tried.
//!
//! A fragment maps each state to one end state. Repeating the fragment leads every state along a *tail* onto a cycle.

use crate::codes::MAX_COUNT;

/// The most counts of one loop that are tried beyond the longest tail. A loop with more counts ends the proof.
pub(crate) const MOST_COUNTS: u64 = 4_096;

/// The cycles and tails of all states under one map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orbits {
    /// States on cycles, one cycle after the other.
    cycles: Vec<u16>,
    /// The end of each cycle in `cycles`.
    ends: Vec<usize>,
    /// The states on tails with their successors. The successor of a state is on a cycle or comes before the state in
    /// this list.
    tails: Vec<(u16, u16)>,
    /// The length of the longest tail.
    pub(crate) tail: u64,
    /// The least common multiple of the lengths of all cycles.
    pub(crate) period: u64,
    /// The length of the longest cycle.
    pub(crate) longest: u64,
    next: Vec<u16>,
    /// The number of predecessors of each state that were not removed yet.
    sources: Vec<u32>,
    removed: Vec<u16>,
    depths: Vec<u32>,
}

impl Orbits {
    /// Follows the map that leads each state to its entry in `next`. States without predecessors are removed one after
    /// the other (Kahn's algorithm); the cycles remain.
    pub(crate) fn follow(&mut self, next: impl Iterator<Item = u16>) {
        self.next.clear();
        self.next.extend(next);
        let states = self.next.len();
        self.sources.clear();
        self.sources.resize(states, 0);
        for &to in &self.next {
            self.sources[usize::from(to)] += 1;
        }
        self.removed.resize(states, 0);
        let mut len = 0;
        // Without branches, because no processor predicts which states have predecessors.
        for state in 0..states {
            self.removed[len] = state as u16;
            len += usize::from(self.sources[state] == 0);
        }
        let mut at = 0;
        while at < len {
            let to = self.next[usize::from(self.removed[at])];
            let sources = &mut self.sources[usize::from(to)];
            *sources -= 1;
            self.removed[len] = to;
            len += usize::from(*sources == 0);
            at += 1;
        }
        self.find_cycles();
        self.measure_tails(len);
    }

    /// Finds the cycles: exactly the states on cycles have predecessors left.
    fn find_cycles(&mut self) {
        self.cycles.clear();
        self.ends.clear();
        (self.period, self.longest) = (1, 0);
        for start in 0..self.next.len() {
            let (begin, mut state) = (self.cycles.len(), start);
            while std::mem::take(&mut self.sources[state]) != 0 {
                self.cycles.push(state as u16);
                state = usize::from(self.next[state]);
            }
            let length = (self.cycles.len() - begin) as u64;
            if length > 0 {
                self.ends.push(self.cycles.len());
                self.longest = self.longest.max(length);
                self.period = least_common_multiple(self.period, length);
            }
        }
    }

    /// Measures how far the removed states are from their cycles, the last removed state first.
    fn measure_tails(&mut self, removed: usize) {
        let Self { next, depths, tail, .. } = self;
        depths.clear();
        depths.resize(next.len(), 0);
        let mut longest = 0;
        let tails = self.removed[..removed].iter().rev().map(|&state| {
            let to = next[usize::from(state)];
            let depth = depths[usize::from(to)] + 1;
            depths[usize::from(state)] = depth;
            longest = longest.max(depth);
            (state, to)
        });
        self.tails.clear();
        self.tails.extend(tails);
        *tail = longest.into();
    }

    /// Sets each word of `union` to the union of `marks` over the whole orbit of its state. Bits of `kept` stay as they
    /// are.
    pub(crate) fn unite(&self, marks: &[u64], union: &mut [u64], kept: u64) {
        let put = |word: &mut u64, all: u64| *word = *word & kept | all & !kept;
        let mut begin = 0;
        for &end in &self.ends {
            let cycle = &self.cycles[begin..end];
            let all = cycle.iter().fold(0, |all, &state| all | marks[usize::from(state)]);
            cycle.iter().for_each(|&state| put(&mut union[usize::from(state)], all));
            begin = end;
        }
        for &(state, to) in &self.tails {
            let behind = union[usize::from(to)];
            put(&mut union[usize::from(state)], marks[usize::from(state)] | behind);
        }
    }
}

/// The least common multiple, or [`u64::MAX`] if it does not fit.
pub(crate) fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}

/// The counts of loops around one body that have to be tried.
///
/// Let `t` be the length of the longest tail and `c` the period. Counts below `t` are tried one by one. From `t` on the
/// end states depend on the count modulo `c` alone, and more repetitions never mark less. So for each residue one count
/// is tried, which is large enough to mark everything that any count marks.
pub(crate) struct LoopCounts {
    /// Counts from 2 up to this one, exclusive, are all tried.
    pub(crate) exact: u16,
    /// The first of `residues` counts that mark everything.
    pub(crate) full: u16,
    pub(crate) residues: u16,
    /// The number of repetitions that lead from the end states of count `exact` - 1 to those of count `full` - 1: their
    /// distance modulo the period.
    pub(crate) gap: u16,
    /// Whether there are more counts than are tried.
    pub(crate) truncated: bool,
}

impl LoopCounts {
    pub(crate) fn of(orbits: &Orbits) -> Self {
        let most = u64::from(MAX_COUNT) - MOST_COUNTS;
        let (exact, full) = (orbits.tail.max(2), orbits.tail.max(2) + orbits.longest);
        let residues = if full > most { 0 } else { orbits.period.min(MOST_COUNTS) };
        let truncated = residues < orbits.period;
        let [exact, full] = [exact, full].map(|count| count.min(most) as u16);
        let gap = (u64::from(full - exact) % orbits.period) as u16;
        Self { exact, full, residues: residues as u16, gap, truncated }
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
            orbits.follow(next.iter().map(|&to| to as u16));
            let lengths = || paths.iter().map(|(path, at)| (path.len() - at) as u64);
            assert_eq!(orbits.tail, paths.iter().map(|(_, at)| *at as u64).max().unwrap());
            assert_eq!(orbits.longest, lengths().max().unwrap());
            assert_eq!(orbits.period, lengths().fold(1, least_common_multiple));
            assert!(orbits.longest <= orbits.period && lengths().all(|length| orbits.period % length == 0));
            let marks: Vec<u64> = next.iter().map(|_| 1 << (rng.next_u32() % 64)).collect();
            let mut union = vec![u64::MAX; next.len()];
            orbits.unite(&marks, &mut union, 1);
            for (all, (path, _)) in union.iter().zip(&paths) {
                assert_eq!(*all, path.iter().fold(1, |all, &state| all | marks[state]));
            }
            longest = longest.max(orbits.tail.min(orbits.longest));
        }
        assert!(longest > 5, "{longest}: too easy");
    }
}
