//! What repeating a fragment comes to.

use super::behaviour::Behaviour;
use crate::board::MAX_COUNT;

/// The most counts of one body that are tried beyond its longest tail. Where there are more, nothing is proven any more.
pub(super) const MOST_COUNTS: u64 = 4_096;

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
    /// From how many states each one comes that were not taken yet.
    sources: Vec<u32>,
    taken: Vec<u16>,
    depths: Vec<u32>,
}

impl Orbits {
    /// Follows all states: those that nothing leads to are taken away, one after the other, and cycles are left.
    pub(super) fn follow(&mut self, body: &Behaviour) {
        self.next.clear();
        self.next.extend(body.ends());
        let states = self.next.len();
        self.sources.clear();
        self.sources.resize(states, 0);
        for &to in &self.next {
            self.sources[usize::from(to)] += 1;
        }
        self.taken.resize(states, 0);
        let mut len = 0;
        // Without branches: what each state is can hardly be foreseen.
        for state in 0..states {
            self.taken[len] = state as u16;
            len += usize::from(self.sources[state] == 0);
        }
        let mut at = 0;
        while at < len {
            let to = self.next[usize::from(self.taken[at])];
            let sources = &mut self.sources[usize::from(to)];
            *sources -= 1;
            self.taken[len] = to;
            len += usize::from(*sources == 0);
            at += 1;
        }
        self.follow_cycles();
        self.measure_tails(len);
    }

    /// Finds the cycles: on them lies what has a source still.
    fn follow_cycles(&mut self) {
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

    /// Finds how far the states that were taken are from cycles: the last one leads to a cycle.
    fn measure_tails(&mut self, taken: usize) {
        let Self { next, depths, tail, .. } = self;
        depths.clear();
        depths.resize(next.len(), 0);
        let mut longest = 0;
        let tails = self.taken[..taken].iter().rev().map(|&state| {
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
pub(super) fn least_common_multiple(a: u64, b: u64) -> u64 {
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
    /// From the first count that is not exact to the first of the others, where it is only asked where loops end.
    gap: u16,
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
        // On cycles so many repetitions more come to the same as none.
        let gap = (u64::from(full - exact) % orbits.period) as u16;
        Self { exact, full, remainders: remainders as u16, gap, left_out }
    }

    /// Calls `work` with what `body` repeated comes to, for all counts that are tried; `endless` is what it marks without end.
    pub(super) fn each(
        &self,
        body: &Behaviour,
        endless: &Behaviour,
        made: &mut Behaviour,
        mut work: impl FnMut(&Behaviour, u16),
    ) {
        made.copy_from(body);
        for count in 2..self.exact {
            made.append(body);
            work(made, count);
        }
        if self.remainders > 0 {
            (0..self.gap).for_each(|_| made.append(body));
        }
        for count in self.full..self.full + self.remainders {
            made.append(body);
            if count == self.full {
                made.mark_as(endless);
            }
            work(made, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::behaviour::{Shape, places};
    use super::super::tests::Table;
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// The states that one leads to, itself first, until one comes again; and at which place that one was.
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
    fn states_go_round_as_they_do_step_by_step() {
        let mut rng = ChaCha8Rng::seed_from_u64(65);
        let (mut orbits, mut longest) = (Orbits::default(), 0);
        for _ in 0..300 {
            let states = 1 + rng.next_u32() % 40;
            let machine = Table::anyhow(&mut rng, states);
            let places: Vec<u16> = places().take(states as usize).collect();
            let body = Behaviour::of_instruction(&machine, 0, &places, Shape::of(&machine));
            let next: Vec<usize> = body.ends().map(usize::from).collect();
            let paths: Vec<_> = (0..next.len()).map(|start| path(&next, start)).collect();
            orbits.follow(&body);
            let lengths = || paths.iter().map(|(path, at)| (path.len() - at) as u64);
            assert_eq!(orbits.tail, paths.iter().map(|(_, at)| *at as u64).max().unwrap());
            assert_eq!(orbits.longest, lengths().max().unwrap());
            assert_eq!(orbits.period, lengths().fold(1, least_common_multiple));
            assert!(orbits.longest <= orbits.period && lengths().all(|length| orbits.period % length == 0));
            let marks: Vec<u64> = next.iter().map(|_| 1 << (rng.next_u32() % 64)).collect();
            let mut full = vec![u64::MAX; next.len()];
            orbits.fill(&marks, &mut full, 1);
            for (all, (path, _)) in full.iter().zip(&paths) {
                assert_eq!(*all, path.iter().fold(1, |all, &state| all | marks[state]));
            }
            longest = longest.max(orbits.tail.min(orbits.longest));
        }
        assert!(longest > 5, "{longest}: too easy");
    }

    /// What is made for each count is what so many repetitions do, also where counts between two that are tried are left away.
    #[test]
    fn counts_do_what_so_many_repetitions_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(74);
        let (mut orbits, mut with_gap, mut without) = (Orbits::default(), 0, 0);
        for _ in 0..200 {
            let machine = Table::telling(&mut rng, 20, 12);
            let body =
                Behaviour::of_instruction(&machine, 0, &places().take(100).collect::<Vec<_>>(), Shape::of(&machine));
            let [mut endless, mut made, mut exactly, mut spare] = [(); 4].map(|()| body.clone());
            orbits.follow(&body);
            endless.fill(&body, &orbits);
            let counts = Counts::of(&orbits);
            let mut all = Vec::new();
            counts.each(&body, &endless, &mut made, |made, count| {
                exactly.become_loop(&body, count, &mut spare);
                assert!(*made == exactly, "{count} repetitions");
                all.push(count);
            });
            let full = orbits.tail.max(2) + orbits.longest;
            assert!(
                all.iter().map(|&count| u64::from(count)).eq((2..orbits.tail.max(2)).chain(full..full + orbits.period))
            );
            with_gap += usize::from(counts.gap > 0);
            without += usize::from(counts.gap == 0 && orbits.longest > 1);
        }
        assert!(with_gap > 10 && without > 10, "{with_gap} and {without}");
    }
}
