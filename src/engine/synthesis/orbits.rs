//! What repeating a fragment comes to.

use super::behaviour::Behaviour;
use crate::board::MAX_COUNT;

/// The most counts of one body that are tried beyond its longest tail. Where there are more, nothing is proven any more.
const MOST_COUNTS: u64 = 4_096;

/// How the states go round when a fragment is repeated: each comes to a cycle behind a tail.
#[derive(Clone, Debug, Default)]
pub(super) struct Orbits {
    /// States on cycles, one cycle after the other.
    cycles: Vec<u16>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// The other states, each behind the one that it leads to.
    tails: Vec<(u16, u16)>,
    /// Steps until every state is on its cycle.
    pub(super) tail: u64,
    /// The least common multiple of the lengths of the cycles.
    pub(super) period: u64,
    /// The length of the longest one.
    pub(super) longest: u64,
    next: Vec<u16>,
    depths: Vec<u32>,
    path: Vec<u16>,
}

/// The depth of a state that was not visited, and of one on the path under way.
const UNSEEN: u32 = u32::MAX;
const ON_PATH: u32 = u32::MAX - 1;

impl Orbits {
    /// Follows all states.
    pub(super) fn follow(&mut self, body: &Behaviour) {
        self.next.clear();
        self.next.extend(body.ends());
        let next = &self.next;
        self.cycles.clear();
        self.ends.clear();
        self.tails.clear();
        (self.tail, self.period, self.longest) = (0, 1, 0);
        self.depths.clear();
        self.depths.resize(next.len(), UNSEEN);
        for start in 0..next.len() {
            self.path.clear();
            let mut state = start;
            while self.depths[state] == UNSEEN {
                self.depths[state] = ON_PATH;
                self.path.push(state as u16);
                state = usize::from(next[state]);
            }
            if self.depths[state] == ON_PATH {
                let begin = self.path.iter().rposition(|&on| usize::from(on) == state).unwrap_or(0);
                let cycle = self.path.drain(begin..);
                self.longest = self.longest.max(cycle.len() as u64);
                self.period = least_common_multiple(self.period, cycle.len() as u64);
                for on in cycle {
                    self.depths[usize::from(on)] = 0;
                    self.cycles.push(on);
                }
                self.ends.push(self.cycles.len());
            }
            while let Some(on) = self.path.pop() {
                let to = next[usize::from(on)];
                let depth = self.depths[usize::from(to)] + 1;
                self.depths[usize::from(on)] = depth;
                self.tail = self.tail.max(depth.into());
                self.tails.push((on, to));
            }
        }
    }

    /// The marks of endlessly many repetitions of a body with these `marks`, of each state; `full` keeps the bits that are `kept`.
    pub(super) fn fill(&self, marks: &[u64], full: &mut [u64], kept: u64) {
        let put = |word: &mut u64, all: u64| *word = *word & kept | all & !kept;
        let mut begin = 0;
        for &end in &self.ends {
            let cycle = &self.cycles[begin..end];
            let all = cycle.iter().fold(0, |all, &state| all | marks[usize::from(state)]);
            cycle.iter().for_each(|&state| put(&mut full[usize::from(state)], all));
            begin = end;
        }
        for &(state, to) in &self.tails {
            let behind = full[usize::from(to)];
            put(&mut full[usize::from(state)], marks[usize::from(state)] | behind);
        }
    }
}

/// [`u64::MAX`] when it is larger than that.
fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}

/// The counts of the loops around a body.
pub(super) struct Counts {
    /// Counts from 2 up to here, this one not among them, are all different.
    pub(super) exact: u16,
    /// From here on everything is marked, with a count for each remainder.
    full: u16,
    remainders: u16,
    /// Whether there are more.
    pub(super) left_out: bool,
}

impl Counts {
    pub(super) fn of(orbits: &Orbits) -> Self {
        let most = u64::from(MAX_COUNT) - MOST_COUNTS;
        let (exact, full) = (orbits.tail.max(2), orbits.tail.max(2) + orbits.longest);
        let remainders = if full > most { 0 } else { orbits.period.min(MOST_COUNTS) };
        let left_out = remainders < orbits.period;
        let [exact, full] = [exact, full].map(|count| count.min(most) as u16);
        Self { exact, full, remainders: remainders as u16, left_out }
    }

    /// All that are tried.
    pub(super) fn all(&self) -> impl Iterator<Item = u16> + use<> {
        (2..self.exact).chain(self.full())
    }

    /// Counts of each remainder that mark all there is.
    pub(super) fn full(&self) -> impl Iterator<Item = u16> + use<> {
        self.full..self.full + self.remainders
    }
}
