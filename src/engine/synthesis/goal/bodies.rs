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

use super::hand::{Hand, Part, run, step};
use crate::board::MAX_COUNT;
use crate::domain::Machine;
use crate::engine::synthesis::LOOP;
use crate::engine::synthesis::behaviour::Behaviour;
use crate::engine::synthesis::levels::{Id, Loan};
use crate::engine::synthesis::orbits::Counts;
use crate::engine::synthesis::prefix::{Prefix, count};
use std::ops::Range;

/// A body that is put together, for loops around it.
struct Whole {
    does: Behaviour,
    counts: Counts,
}

impl<M: Machine> Hand<'_, '_, M> {
    /// Tries all bodies that have one of these fragments of a level for their larger part. What each of them goes with is at hand for all of
    /// them then: how fast this is depends on the cache alone.
    pub(super) fn try_block(&mut self, ids: &Range<Id>) {
        let test = self.test;
        let (levels, depth, size) = (test.levels, test.depth, test.levels.tokens(ids.start));
        let does: Vec<Loan<'_>> = ids.clone().map(|id| levels.behaviour(id, &mut self.bench)).collect();
        let parts: Vec<Part<'_>> = ids.clone().zip(&does).map(|(id, does)| Part::of(id, does)).collect();
        let (loops, others): (Vec<_>, Vec<_>) = parts.iter().partition(|part| levels.is_loop(part.ids[1]));
        if size >= test.beyond {
            others.iter().for_each(|&part| self.try_body(test.tokens - 1 - size, &[part]));
        }
        if test.beyond > 0 {
            let longest = depth + test.beyond;
            if size == depth {
                self.try_last(&parts);
                others.iter().for_each(|&part| self.try_repeated(&[part], size));
            }
            let fewest = depth + 1 - size;
            if !loops.is_empty() {
                for of_rest in fewest..=size.min(depth - 1).min(longest - size) {
                    for rest in levels.level(of_rest) {
                        self.with(rest, |hand, rest| hand.try_splits(&loops, &[rest], size + of_rest));
                    }
                }
            }
            if size < depth {
                for of_atom in fewest.max(2)..=(size - 1).min(longest - size) {
                    for atom in levels.level(of_atom).filter(|&atom| levels.is_loop(atom)) {
                        self.with(atom, |hand, atom| hand.try_splits(&[atom], &parts, of_atom + size));
                    }
                }
            }
        }
        does.into_iter().for_each(|does| does.give_back(&mut self.bench));
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
                    for &rest in rests {
                        hand.try_body(test.beyond - of_head, &[head, rest]);
                        if of_head == 1 {
                            hand.try_repeated(&[head, rest], test.depth + 1);
                        }
                    }
                });
            }
        }
    }

    /// Bodies that end with a loop and a rest, which have so many tokens together.
    fn try_splits(&mut self, atoms: &[Part<'_>], rests: &[Part<'_>], tokens: usize) {
        let test = self.test;
        let left = test.depth + test.beyond - tokens;
        let pairs = || atoms.iter().flat_map(|&atom| rests.iter().map(move |&rest| [atom, rest]));
        for pair in pairs() {
            self.try_body(left, &pair);
            if tokens == test.depth + 1 {
                self.try_repeated(&pair, tokens);
            }
        }
        for of_head in 1..=left {
            for head in test.levels.level(of_head) {
                self.with(head, |hand, head| {
                    pairs().for_each(|[atom, rest]| hand.try_body(left - of_head, &[head, atom, rest]));
                });
            }
        }
    }

    /// Loops around something of so many tokens that is no loop: at the end of a prefix, and in a body between a head and a rest.
    fn try_repeated(&mut self, inner: &[Part<'_>], tokens: usize) {
        let test = self.test;
        let Some(left) = (test.depth + test.beyond).checked_sub(tokens + 1) else { return };
        for of_prefix in 0..left {
            for prefix in &test.prefixes[of_prefix] {
                self.begin_with_loop(prefix, inner, of_prefix + tokens + 1);
            }
        }
        let mut whole = None;
        for of_prefix in 0..left {
            let (prefixes, beside) = (&test.prefixes[of_prefix], left - of_prefix);
            self.refuted.clear();
            for id in test.levels.level(beside) {
                if test.powers.iter().any(|(power, of)| *power == id && self.refuted.contains(of)) {
                    continue;
                }
                self.with(id, |hand, only| {
                    if hand.may_mark_all(prefixes, &[only], inner) {
                        hand.try_counts(prefixes, inner, &mut whole, ([only; 2], 1));
                        hand.try_counts(prefixes, inner, &mut whole, ([only; 2], 0));
                    } else {
                        hand.refuted.push(id);
                    }
                });
            }
            for of_head in 1..beside {
                for head in test.levels.level(of_head) {
                    for rest in test.levels.level(beside - of_head) {
                        self.with(head, |hand, head| {
                            hand.with(rest, |hand, rest| {
                                if hand.may_mark_all(prefixes, &[rest, head], inner) {
                                    hand.try_counts(prefixes, inner, &mut whole, ([head, head, rest], 1));
                                }
                            });
                        });
                    }
                }
            }
        }
        if let Some(Whole { does, .. }) = whole {
            self.bench.give(does);
        }
    }

    /// Bodies with a loop at one place, for each of its counts.
    fn try_counts<const N: usize>(
        &mut self,
        prefixes: &[Prefix],
        inner: &[Part<'_>],
        whole: &mut Option<Whole>,
        (mut parts, at): ([Part<'_>; N], usize),
    ) {
        let Whole { does, counts } = whole.get_or_insert_with(|| self.whole(inner));
        self.found.left_out |= counts.left_out;
        let ids = [if inner.len() > 1 { inner[0].ids[1] } else { 0 }, inner[inner.len() - 1].ids[1]];
        for times in counts.all() {
            parts[at] = Part { ids, does, times };
            prefixes.iter().for_each(|prefix| self.try_behind(prefix, &parts));
        }
    }

    fn whole(&mut self, inner: &[Part<'_>]) -> Whole {
        let mut does = self.bench.take();
        match inner {
            [one] => does.copy_from(one.does),
            [one, other, ..] => does.become_sequence(one.does, other.does),
            [] => {}
        }
        let counts = self.bench.counts(&does);
        Whole { does, counts }
    }

    /// Whether a loop with these beside it, as rest and head, may leave one of the first goals or none behind any of the prefixes,
    /// whatever its count is each time.
    fn may_mark_all(&mut self, prefixes: &[Prefix], beside: &[Part<'_>], inner: &[Part<'_>]) -> bool {
        let mut missing = prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0]);
        let Self { open, visits, visit, .. } = self;
        *visit += 1;
        let mut queued = 0;
        // Without branches, and first in, first out: what is done with one state does not wait for the one before.
        let mut queue = |open: &mut [u16], state: u16| {
            let is_new = std::mem::replace(&mut visits[usize::from(state)], *visit) != *visit;
            open[queued] = state;
            queued += usize::from(is_new);
            queued
        };
        let mut end = 0;
        for prefix in prefixes {
            for begin in 0..=beside.len() {
                end = queue(open, step(&beside[begin..], prefix.state, &mut missing));
            }
        }
        let mut at = 0;
        while at < end && missing.count_ones() > 1 {
            let state = open[at];
            at += 1;
            queue(open, step(beside, state, &mut missing));
            end = queue(open, step(inner, state, &mut missing));
        }
        missing.count_ones() <= 1
    }

    /// Prefixes of so many tokens that are a shorter one and a loop.
    fn begin_with_loop(&mut self, prefix: &Prefix, inner: &[Part<'_>], tokens: usize) {
        let test = self.test;
        let most = test.most_missing(tokens);
        if !self.leaves_at_most(most, prefix, inner) {
            return;
        }
        let (mut state, mut goals) = (prefix.state, prefix.missing.clone());
        self.visit += 1;
        let mut left = u32::MAX;
        for times in 1..=MAX_COUNT {
            state = run(inner, state, &mut goals);
            let now = count(&goals);
            if now < left {
                (left, self.visit) = (now, self.visit + 1);
            } else if self.visits[usize::from(state)] == self.visit {
                return;
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
        self.found.left_out = true;
    }

    fn with(&mut self, id: Id, try_one: impl FnOnce(&mut Self, Part<'_>)) {
        let does = self.test.levels.behaviour(id, &mut self.bench);
        try_one(self, Part::of(id, &does));
        does.give_back(&mut self.bench);
    }
}
