//! Which bodies there are.
//!
//! A body of up to `d` tokens, with `d` the highest level, is a fragment. One that is a single loop does what the body of that does. A longer
//! one is a sequence of atoms. Its *rest* is the longest end that has at most `d` tokens, then there is the *atom* with which it would have more,
//! and what comes before is its *head*, which has fewer tokens than the body has beyond `d`. So it is
//!
//! * a head of one token or more, and a rest of `d` tokens: the atom goes with the head,
//! * a head, a stored loop and a rest of fewer than `d` tokens, but more than `d` together with the loop, or
//! * a head, a loop around a body of `d` tokens or more, and a rest.
//!
//! Head, rest and what is in the loop are fragments that nothing smaller stands for, since a smaller one in their place would make the whole
//! smaller. Everything is tried with its larger part, by which threads share the work.

use super::hand::{Hand, Part, WholePart, run, step};
use super::{Block, Kind};
use crate::board::MAX_COUNT;
use crate::domain::Machine;
use crate::engine::synthesis::LOOP;
use crate::engine::synthesis::levels::{Id, Loan, Recipe};
use crate::engine::synthesis::prefix::{Prefix, count};
use std::ops::{Range, RangeInclusive};

/// Each of some atoms with each of some rests.
fn pairs<'a>(atoms: &[Part<'a>], rests: &[Part<'a>]) -> impl Iterator<Item = [Part<'a>; 2]> {
    atoms.iter().flat_map(|&atom| rests.iter().map(move |&rest| [atom, rest]))
}

impl<'a, M: Machine> Hand<'a, '_, M> {
    /// Tries bodies that have one of these fragments of a level for their larger part. What each of them goes with is at hand for all of
    /// them then: how fast this is depends on the cache alone.
    pub(super) fn try_block(&mut self, Block { kind, ids }: &Block) {
        let (levels, size) = (self.test.levels, self.test.levels.tokens(ids.start));
        let does: Vec<Loan<'_>> = ids.clone().map(|id| levels.behaviour(id, &mut self.bench)).collect();
        let parts: Vec<Part<'_>> = ids.clone().zip(&does).map(|(id, does)| Part::of(id, does)).collect();
        match kind {
            Kind::AroundLarge => self.try_around_large(&parts, size),
            Kind::Other => self.try_others(&parts, size),
        }
        does.into_iter().for_each(|does| does.give_back(&mut self.bench));
    }

    /// Loops around bodies of one token more than the highest level has, or as many, at the end of a prefix or in a body.
    fn try_around_large(&mut self, parts: &[Part<'_>], size: usize) {
        let (levels, depth) = (self.test.levels, self.test.depth);
        let whole = depth + 1;
        if size == depth {
            let inner = parts.iter().filter(|part| !levels.is_loop(part.ids[1]));
            inner.for_each(|&part| self.try_repeated(&[part], depth));
            for head in levels.level(1) {
                self.with(head, |hand, head| {
                    parts.iter().for_each(|&rest| hand.try_repeated(&[head, rest], whole));
                });
            }
        }
        self.with_loops(parts, size, whole - size..=whole - size, |hand, atoms, rests, tokens| {
            pairs(atoms, rests).for_each(|inner| hand.try_repeated(&inner, tokens));
        });
    }

    /// All other bodies.
    fn try_others(&mut self, parts: &[Part<'_>], size: usize) {
        let test = self.test;
        if size >= test.beyond {
            let bodies = parts.iter().filter(|part| !test.levels.is_loop(part.ids[1]));
            bodies.for_each(|&part| self.try_body(test.tokens - 1 - size, &[part]));
        }
        if test.beyond > 0 {
            if size == test.depth {
                self.try_last(parts);
            }
            let longest = test.depth + test.beyond;
            self.with_loops(parts, size, test.depth + 1 - size..=longest - size, Self::try_splits);
        }
    }

    /// Does `work` with all pairs of a loop and a rest that have one of these fragments for their larger part, and a smaller fragment, or a rest
    /// that is as large, of `beside` tokens; with loops, rests, and the tokens of both.
    fn with_loops(
        &mut self,
        parts: &[Part<'_>],
        size: usize,
        beside: RangeInclusive<usize>,
        mut work: impl FnMut(&mut Self, &[Part<'_>], &[Part<'_>], usize),
    ) {
        let (levels, depth) = (self.test.levels, self.test.depth);
        let (fewest, most) = beside.into_inner();
        let loops: Vec<_> = parts.iter().filter(|part| levels.is_loop(part.ids[1])).copied().collect();
        if !loops.is_empty() {
            for of_rest in fewest..=most.min(size).min(depth - 1) {
                for rest in levels.level(of_rest) {
                    self.with(rest, |hand, rest| work(hand, &loops, &[rest], size + of_rest));
                }
            }
        }
        if size < depth {
            for of_atom in fewest.max(2)..=most.min(size - 1) {
                for atom in levels.level(of_atom).filter(|&atom| levels.is_loop(atom)) {
                    self.with(atom, |hand, atom| work(hand, &[atom], parts, of_atom + size));
                }
            }
        }
    }

    /// Tries these fragments of a level as bodies.
    pub(super) fn try_stored(&mut self, ids: &Range<Id>) {
        let levels = self.test.levels;
        let of_prefix = self.test.tokens - 1 - levels.tokens(ids.start);
        for id in ids.clone().filter(|&id| !levels.is_loop(id)) {
            self.with(id, |hand, part| hand.try_body(of_prefix, &[part]));
        }
    }

    /// Bodies that end with a fragment of the highest level.
    fn try_last(&mut self, rests: &[Part<'_>]) {
        let test = self.test;
        for of_head in 1..=test.beyond {
            for head in test.levels.level(of_head) {
                self.with(head, |hand, head| {
                    rests.iter().for_each(|&rest| hand.try_body(test.beyond - of_head, &[head, rest]));
                });
            }
        }
    }

    /// Bodies that end with a loop and a rest, which have so many tokens together.
    fn try_splits(&mut self, atoms: &[Part<'_>], rests: &[Part<'_>], tokens: usize) {
        let test = self.test;
        let left = test.depth + test.beyond - tokens;
        pairs(atoms, rests).for_each(|pair| self.try_body(left, &pair));
        for of_head in 1..=left {
            for head in test.levels.level(of_head) {
                self.with(head, |hand, head| {
                    pairs(atoms, rests).for_each(|[atom, rest]| hand.try_body(left - of_head, &[head, atom, rest]));
                });
            }
        }
    }

    /// Loops around something of so many tokens that is no loop: at the end of a prefix, and in a body between a head and a rest.
    fn try_repeated<const K: usize>(&mut self, inner: &[Part<'_>; K], tokens: usize) {
        let test = self.test;
        let Some(left) = (test.depth + test.beyond).checked_sub(tokens + 1) else { return };
        for of_prefix in 0..left {
            for prefix in &test.prefixes[of_prefix] {
                self.begin_with_loop(prefix, inner, of_prefix + tokens + 1);
            }
        }
        let (mut alone, mut around) = (Vec::new(), Vec::new());
        for of_prefix in 0..left {
            self.find_refuted_generators(&test.prefixes[of_prefix], inner);
            let beside = left - of_prefix;
            self.refuted_pairs.clear();
            for of_head in 1..beside {
                for head in test.levels.level(of_head) {
                    for rest in test.levels.level(beside - of_head) {
                        around.extend(self.around(of_prefix, [head, rest], inner));
                    }
                }
            }
            for id in test.levels.level(beside) {
                alone.extend(self.alone(of_prefix, id, inner));
            }
        }
        if !alone.is_empty() || !around.is_empty() {
            self.try_counts(inner, &alone, &around);
        }
        let of_around = around.into_iter().flat_map(|(.., does)| does);
        alone.into_iter().map(|(.., does)| does).chain(of_around).for_each(|does| does.give_back(&mut self.bench));
    }

    /// Finds what marks too little beside a loop, however often it comes and whatever the loop's counts are.
    fn find_refuted_generators<const K: usize>(&mut self, prefixes: &[Prefix], inner: &[Part<'_>; K]) {
        self.refuted.clear();
        let levels = self.test.levels;
        for id in levels.level(1).filter(|&id| self.test.generator(id) == Some(id)) {
            self.with(id, |hand, part| {
                if !hand.may_mark_all::<true, _, _>(prefixes, &[part], inner) {
                    hand.refuted.push(id);
                }
            });
        }
    }

    /// Whether all of these repeat the same fragment, which was refuted.
    fn repeat_refuted(&self, ids: &[Id]) -> bool {
        let of = |id: &Id| self.test.generator(*id);
        ids.first()
            .and_then(of)
            .is_some_and(|one| self.refuted.contains(&one) && ids.iter().all(|id| of(id) == Some(one)))
    }

    /// A head and a rest behind prefixes of so many tokens, unless a loop between them marks too little.
    fn around<const K: usize>(
        &mut self,
        of_prefix: usize,
        ids: [Id; 2],
        inner: &[Part<'_>; K],
    ) -> Option<(usize, [Id; 2], [Loan<'a>; 2])> {
        let test = self.test;
        if !self.repeat_refuted(&ids) {
            let does = ids.map(|id| test.levels.behaviour(id, &mut self.bench));
            let [head, rest] = [0, 1].map(|at| Part::of(ids[at], &does[at]));
            if self.may_mark_all::<false, _, _>(&test.prefixes[of_prefix], &[rest, head], inner) {
                return Some((of_prefix, ids, does));
            }
            does.into_iter().for_each(|does| does.give_back(&mut self.bench));
        }
        self.refuted_pairs.push(ids);
        None
    }

    /// A fragment behind prefixes of so many tokens, unless it marks too little before or behind a loop.
    fn alone<const K: usize>(
        &mut self,
        of_prefix: usize,
        id: Id,
        inner: &[Part<'_>; K],
    ) -> Option<(usize, Id, Loan<'a>)> {
        let test = self.test;
        // What comes to the same in an endless loop: the end of the fragment as a head, and its beginning as a rest.
        let is_of_pair = match test.levels.recipe(id) {
            Recipe::Sequence { first, rest } => self.refuted_pairs.contains(&[rest, first]),
            _ => false,
        };
        if is_of_pair || self.repeat_refuted(&[id]) {
            return None;
        }
        let does = test.levels.behaviour(id, &mut self.bench);
        if self.may_mark_all::<false, _, _>(&test.prefixes[of_prefix], &[Part::of(id, &does)], inner) {
            return Some((of_prefix, id, does));
        }
        does.give_back(&mut self.bench);
        None
    }

    /// Bodies with a loop and one fragment more, or between two, behind prefixes of so many tokens; for each of its counts.
    fn try_counts<const K: usize>(
        &mut self,
        inner: &[Part<'_>; K],
        alone: &[(usize, Id, Loan<'_>)],
        around: &[(usize, [Id; 2], [Loan<'_>; 2])],
    ) {
        let (mut does, mut all) = (self.bench.take(), self.bench.take());
        match inner.as_slice() {
            [one] => does.copy_from(one.does),
            [one, other, ..] => does.become_sequence(one.does, other.does),
            [] => {}
        }
        let counts = self.bench.counts(&does);
        self.found.left_out |= counts.left_out;
        let ids = [if inner.len() > 1 { inner[0].ids[1] } else { 0 }, inner[inner.len() - 1].ids[1]];
        all.copy_from(&does);
        let mut done = 1;
        for times in counts.all() {
            (done..times).for_each(|_| all.append(&does));
            done = times;
            let repeated = Part { ids, times, does: &all };
            for (of_prefix, id, does) in alone {
                let part = Part::of(*id, does);
                self.try_body(*of_prefix, &[repeated, part]);
                self.try_body(*of_prefix, &[part, repeated]);
            }
            for (of_prefix, ids, does) in around {
                let [head, rest] = [0, 1].map(|at| Part::of(ids[at], &does[at]));
                self.try_body(*of_prefix, &[head, repeated, rest]);
            }
        }
        self.bench.give(does);
        self.bench.give(all);
    }

    /// Whether a loop with these beside it, as rest and head, may leave one of the first goals or none behind any of the prefixes,
    /// whatever its count is each time. What is beside it comes once between two loops; with `OFTEN` any number of times, none too.
    fn may_mark_all<const OFTEN: bool, const B: usize, const K: usize>(
        &mut self,
        prefixes: &[Prefix],
        beside: &[Part<'_>; B],
        inner: &[Part<'_>; K],
    ) -> bool {
        /// Repetitions that come first: all counts are at least as many.
        const FEWEST: u32 = 2;
        let mut missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let Self { open, visits, visit, .. } = self;
        // A visit says how many repetitions there were; one with more of them can be followed by all that one with fewer can.
        let begun = *visit + 1;
        *visit = begun + u64::from(FEWEST);
        let mut queued = 0;
        // Without branches, and first in, first out: what is done with one state does not wait for the one before.
        let mut queue = |open: &mut [(u16, u32)], state: u16, repetitions: u32| {
            let seen = &mut visits[usize::from(state)];
            let now = begun + u64::from(repetitions);
            open[queued] = (state, repetitions);
            queued += usize::from(*seen < now);
            *seen = now.max(*seen);
            queued
        };
        let behind_beside = if OFTEN { FEWEST } else { 0 };
        let mut end = 0;
        for prefix in prefixes {
            for begin in 0..=beside.len() {
                end = queue(open, step(&beside[begin..], prefix.state, &mut missing), behind_beside);
            }
        }
        let mut at = 0;
        while at < end && missing.count_ones() > 1 {
            let (state, repetitions) = open[at];
            at += 1;
            if repetitions == FEWEST {
                queue(open, step(beside, state, &mut missing), behind_beside);
            }
            end = queue(open, step(inner, state, &mut missing), FEWEST.min(repetitions + 1));
        }
        missing.count_ones() <= 1
    }

    /// Prefixes of so many tokens that are a shorter one and a loop.
    fn begin_with_loop<const K: usize>(&mut self, prefix: &Prefix, inner: &[Part<'_>; K], tokens: usize) {
        if !self.leaves_at_most(self.test.most_missing(tokens), prefix, inner) {
            return;
        }
        let whole = self.make_whole(inner);
        self.found.left_out |= !self.begin_with_whole_loop(prefix, inner, &whole, tokens);
        self.give_back(whole);
    }

    /// The same with what the loop does to all goals; `false` where it has more counts than are tried.
    fn begin_with_whole_loop(
        &mut self,
        prefix: &Prefix,
        inner: &[Part<'_>],
        whole: &[WholePart<'_>],
        tokens: usize,
    ) -> bool {
        let test = self.test;
        let most = test.most_missing(tokens);
        let (mut state, mut goals) = (prefix.state, prefix.missing.clone());
        self.visit += 1;
        let mut left = u32::MAX;
        for times in 1..=MAX_COUNT {
            state = run(whole, state, &mut goals);
            let now = count(&goals);
            if now < left {
                (left, self.visit) = (now, self.visit + 1);
            } else if self.visits[usize::from(state)] == self.visit {
                return true;
            }
            self.visits[usize::from(state)] = self.visit;
            if times > 1 && now <= most {
                let mut codes = prefix.codes.clone();
                codes.push(LOOP + times);
                inner.iter().flat_map(|part| part.ids).for_each(|id| test.levels.write(id, &mut codes));
                codes.push(0);
                let prefix = Prefix { state, missing: goals.clone(), codes };
                self.found.prefixes[tokens - test.depth - 1].push(prefix);
            }
        }
        false
    }

    fn with(&mut self, id: Id, try_one: impl FnOnce(&mut Self, Part<'_>)) {
        let does = self.test.levels.behaviour(id, &mut self.bench);
        try_one(self, Part::of(id, &does));
        does.give_back(&mut self.bench);
    }
}
