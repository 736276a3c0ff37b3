//! Which bodies there are.
//!
//! A body of up to `d` tokens, with `d` the highest level, is a fragment. One that is a single loop does what the body of that does. A longer
//! one is a sequence of atoms. Its *rest* is the longest end that has at most `d` tokens, then there is the *atom* with which it would have more,
//! and what comes before is its *head*, which has fewer tokens than the body has beyond `d`. So it is
//!
//! * a head of one token or more, and a rest of `d` tokens: the atom goes with the head,
//! * a head, a stored loop and a rest of fewer than `d` tokens, but more than `d` together with the loop, or
//! * a head, a loop around another body of `d` tokens or more, and a rest: the loop is made while it is tried, with each of its counts.
//!
//! Head, rest and what is in the loop are fragments that nothing smaller stands for, since a smaller one in their place would make the whole
//! smaller. Everything is tried with its largest stored part, by which threads share the work.

use super::counts::{Beside, OpenLoop};
use super::hand::{Hand, Part, What, WholePart, run};
use super::together::{Choice, each_of};
use super::{Block, Kind};
use crate::board::MAX_COUNT;
use crate::domain::Machine;
use crate::engine::synthesis::LOOP;
use crate::engine::synthesis::levels::{Id, Loan};
use crate::engine::synthesis::prefix::{Prefix, count};
use std::ops::Range;

/// Which generators mark too little beside a loop, however often they come and whatever the loop's counts are: a bit for each of the first.
struct Generators {
    refuted: u64,
    /// These may mark enough.
    passed: u64,
}

/// What is refuted beside a loop before that is looked at.
#[derive(Clone, Copy)]
struct Known<'k> {
    refuted: &'k [u64],
    /// The generators of which this is to be known.
    of: u64,
}

impl Known<'_> {
    const NOTHING: Self = Self { refuted: &[], of: 0 };

    fn behind(&self, of_prefix: usize) -> u64 {
        self.refuted.get(of_prefix).map_or(0, |refuted| refuted & self.of)
    }
}

/// The bit of a generator; there is none for those that come late.
fn bit(generator: Id) -> u64 {
    1_u64.checked_shl(generator).unwrap_or(0)
}

/// What is done with bodies.
pub(super) trait Use {
    /// With all those of so many tokens that consist of one of each of these.
    fn bodies<M: Machine, const N: usize>(hand: &mut Hand<'_, '_, M>, choices: &[&Choice<'_>; N], tokens: usize);
}

/// Each is the last thing of a program, and repeated without end.
struct Endless;

impl Use for Endless {
    fn bodies<M: Machine, const N: usize>(hand: &mut Hand<'_, '_, M>, choices: &[&Choice<'_>; N], tokens: usize) {
        hand.try_all(hand.test.tokens - 1 - tokens, choices);
    }
}

/// Each is in a loop that is not the whole body.
struct Counted;

impl Use for Counted {
    fn bodies<M: Machine, const N: usize>(hand: &mut Hand<'_, '_, M>, choices: &[&Choice<'_>; N], tokens: usize) {
        each_of(choices.map(|choice| choice.parts.as_slice()), |parts| {
            hand.try_repeated(parts, tokens, Known::NOTHING)
        });
    }
}

impl<'a, M: Machine> Hand<'a, '_, M> {
    /// Tries bodies that have one of these fragments of a level for their largest part.
    pub(super) fn try_block(&mut self, Block { kind, ids }: &Block) {
        let size = self.test.levels.tokens(ids.start);
        self.with_all(ids.clone(), |hand, all| match kind {
            Kind::Around => hand.without_loops(all).for_each(|part| hand.try_repeated(&[part], size, Known::NOTHING)),
            // There is room for the loop, and for something beside it.
            Kind::AroundLonger => hand.with_bodies::<Counted>(all, size, hand.test.longest() - 2),
            Kind::Other => hand.try_others(all, size),
        });
    }

    /// Bodies without loops that are stored nowhere.
    fn try_others(&mut self, all: &Choice<'_>, size: usize) {
        let test = self.test;
        if size >= test.beyond {
            let alone = Choice::of(self.without_loops(all).collect());
            self.try_all(test.tokens - 1 - size, &[&alone]);
        }
        self.with_bodies::<Endless>(all, size, test.longest());
    }

    /// Those that are no loops.
    pub(super) fn without_loops<'p>(&self, all: &'p Choice<'p>) -> impl Iterator<Item = Part<'p>> + use<'a, 'p, M> {
        let levels = self.test.levels;
        all.parts.iter().copied().filter(|part| matches!(part.what, What::Fragment(id) if !levels.is_loop(id)))
    }

    /// All bodies of more tokens than the highest level has, but `longest` at most, which have one of these fragments of a level for their largest
    /// part, and loops that are stored.
    pub(super) fn with_bodies<U: Use>(&mut self, all: &Choice<'_>, size: usize, longest: usize) {
        let (levels, depth) = (self.test.levels, self.test.depth);
        if longest <= depth {
            return;
        }
        if size == depth {
            for of_head in 1..=longest - depth {
                self.with_all(levels.level(of_head), |hand, heads| U::bodies(hand, &[heads, all], of_head + depth));
            }
        }
        let (fewest, most) = (depth + 1 - size, longest - size);
        let is_loop = |part: &Part<'_>| matches!(part.what, What::Fragment(id) if levels.is_loop(id));
        let loops = Choice::of(all.parts.iter().copied().filter(is_loop).collect());
        for of_rest in fewest..=most.min(size).min(depth - 1) {
            self.with_all(levels.level(of_rest), |hand, rests| {
                hand.with_heads::<U>(&loops, rests, size + of_rest, longest);
            });
        }
        if size < depth {
            for of_atom in fewest.max(2)..=most.min(size - 1) {
                let atoms = levels.level(of_atom).filter(|&atom| levels.is_loop(atom));
                self.with_all(atoms, |hand, atoms| hand.with_heads::<U>(atoms, all, of_atom + size, longest));
            }
        }
    }

    /// Bodies of one of these loops and one of these rests, of so many tokens together, and the same behind a head.
    fn with_heads<U: Use>(&mut self, loops: &Choice<'_>, rests: &Choice<'_>, tokens: usize, longest: usize) {
        U::bodies(self, &[loops, rests], tokens);
        for of_head in 1..=longest - tokens {
            self.with_all(self.test.levels.level(of_head), |hand, heads| {
                U::bodies(hand, &[heads, loops, rests], of_head + tokens);
            });
        }
    }

    /// Does `work` with these fragments, as many together as a choice has at most.
    pub(super) fn with_all(&mut self, ids: impl Iterator<Item = Id>, mut work: impl FnMut(&mut Self, &Choice<'_>)) {
        let levels = self.test.levels;
        for ids in ids.collect::<Vec<_>>().chunks(Choice::MOST) {
            if self.breaks_off() {
                break;
            }
            let does: Vec<Loan<'_>> = ids.iter().map(|&id| levels.behaviour(id, &mut self.bench)).collect();
            work(self, &Choice::of(ids.iter().zip(&does).map(|(&id, does)| Part::of(id, does)).collect()));
            does.into_iter().for_each(|does| does.give_back(&mut self.bench));
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

    /// Loops around a body of so many tokens: at the end of a prefix, and in a body between a head and a rest, but for what is `known` to fail
    /// there.
    fn try_repeated<const K: usize>(&mut self, inner: &[Part<'_>; K], tokens: usize, known: Known<'_>) {
        let test = self.test;
        let Some(left) = test.longest().checked_sub(tokens + 1) else { return };
        if self.breaks_off() {
            return;
        }
        for of_prefix in 0..left {
            for prefix in &test.prefixes[of_prefix] {
                self.begin_with_loop(prefix, inner, of_prefix + tokens + 1);
            }
        }
        let open = self.open(inner);
        let mut refuted = Vec::with_capacity(left);
        for of_prefix in 0..left {
            let mut generators = Generators { refuted: known.behind(of_prefix), passed: 0 };
            let beside = left - of_prefix;
            self.refuted_pairs.clear();
            for of_head in 1..beside {
                for head in test.levels.level(of_head) {
                    for rest in test.levels.level(beside - of_head) {
                        self.try_around(of_prefix, [head, rest], inner, open, &mut generators);
                    }
                }
            }
            for id in test.levels.level(beside) {
                self.try_alone(of_prefix, id, inner, open, &mut generators);
            }
            refuted.push(generators.refuted);
        }
        // Beside it in another loop there is something, and beside that too.
        let beside = left.saturating_sub(2);
        if beside > 0 {
            self.each_count(inner, |hand, repeated| hand.try_in_loop(repeated, tokens + 1, beside, &refuted));
        }
    }

    /// Whether all of these repeat the same fragment, which marks too little beside a loop behind prefixes of so many tokens.
    fn repeat_refuted<const K: usize>(
        &mut self,
        of_prefix: usize,
        ids: &[Id],
        inner: &[Part<'_>; K],
        generators: &mut Generators,
    ) -> bool {
        let test = self.test;
        let Some(generator) = self.common_generator(ids) else { return false };
        let bit = bit(generator);
        // A longer one by itself is asked more exactly.
        let is_alone = ids == [generator] && test.levels.tokens(generator) > 1;
        if bit & (generators.refuted | generators.passed) != 0 || is_alone {
            return bit & generators.refuted != 0;
        }
        let prefixes = &test.prefixes[of_prefix];
        let is_refuted = !self.may_mark_with(prefixes, generator, inner);
        let verdict = if is_refuted { &mut generators.refuted } else { &mut generators.passed };
        *verdict |= bit;
        is_refuted
    }

    /// What all of these repeat, if it is the same and has a bit.
    fn common_generator(&self, ids: &[Id]) -> Option<Id> {
        let mut generators = ids.iter().map(|&id| self.test.generator(id));
        let first = generators.next().flatten().filter(|&first| bit(first) != 0)?;
        generators.all(|other| other == Some(first)).then_some(first)
    }

    /// A loop between a head and a rest behind prefixes of so many tokens, unless it marks too little there whatever its count is.
    fn try_around<const K: usize>(
        &mut self,
        of_prefix: usize,
        ids: [Id; 2],
        inner: &[Part<'_>; K],
        open: OpenLoop<'_>,
        generators: &mut Generators,
    ) {
        if !self.repeat_refuted(of_prefix, &ids, inner, generators) {
            let test = self.test;
            let does = ids.map(|id| test.levels.behaviour(id, &mut self.bench));
            let [head, rest] = [0, 1].map(|at| Part::of(ids[at], &does[at]));
            let passes = self.may_mark_all::<false, _, _>(&test.prefixes[of_prefix], &[rest, head], inner);
            if passes {
                self.try_open(of_prefix, open, &Beside::Around([head], [rest]));
            }
            does.into_iter().for_each(|does| does.give_back(&mut self.bench));
            if passes {
                return;
            }
        }
        self.refuted_pairs.push(ids);
    }

    /// A loop before and behind a fragment behind prefixes of so many tokens, unless it marks too little there whatever its count is.
    fn try_alone<const K: usize>(
        &mut self,
        of_prefix: usize,
        id: Id,
        inner: &[Part<'_>; K],
        open: OpenLoop<'_>,
        generators: &mut Generators,
    ) {
        let test = self.test;
        // What comes to the same in an endless loop: the end of the fragment as a head, and its beginning as a rest.
        let is_of_pair = |[first, rest]: [Id; 2]| self.refuted_pairs.contains(&[rest, first]);
        let is_of_pair = test.sequences.get(id as usize).copied().flatten().is_some_and(is_of_pair);
        if is_of_pair || self.repeat_refuted(of_prefix, &[id], inner, generators) {
            return;
        }
        self.with(id, |hand, part| {
            if hand.may_mark_all::<false, _, _>(&test.prefixes[of_prefix], &[part], inner) {
                hand.try_open(of_prefix, open, &Beside::Behind([part]));
                hand.try_open(of_prefix, open, &Beside::Before([part]));
            }
        });
    }

    /// Calls `work` with a loop around a body, for each of its counts.
    pub(super) fn each_count(&mut self, body: &[Part<'_>], mut work: impl FnMut(&mut Self, Part<'_>)) {
        let does = self.joined(body);
        let [mut endless, mut all] = [(); 2].map(|()| self.bench.take());
        let counts = self.bench.counts(&does, &mut endless);
        self.found.left_out |= counts.left_out;
        counts.each(&does, &endless, &mut all, |does, count| {
            work(self, Part { what: What::Loop { body, count }, does });
        });
        [does, endless, all].into_iter().for_each(|made| self.bench.give(made));
    }

    /// A loop of so many tokens in another one, with up to `beside` tokens beside it. What is `refuted` beside it, whatever its counts are, is
    /// so beside the other one too, where nothing else stands in that.
    fn try_in_loop(&mut self, inner: Part<'_>, tokens: usize, beside: usize, refuted: &[u64]) {
        let levels = self.test.levels;
        for of_one in 1..=beside {
            for one in levels.level(of_one) {
                let known = |hand: &Self, ids: &[Id]| Known { refuted, of: hand.common_generator(ids).map_or(0, bit) };
                let of_one_alone = known(self, &[one]);
                self.with(one, |hand, part| {
                    hand.try_repeated(&[part, inner], tokens + of_one, of_one_alone);
                    hand.try_repeated(&[inner, part], tokens + of_one, of_one_alone);
                    for of_rest in 1..=beside - of_one {
                        for rest in levels.level(of_rest) {
                            let of_both = known(hand, &[one, rest]);
                            hand.with(rest, |hand, rest| {
                                hand.try_repeated(&[part, inner, rest], tokens + of_one + of_rest, of_both);
                            });
                        }
                    }
                });
            }
        }
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
                self.write(inner, &mut codes);
                codes.push(0);
                let prefix = Prefix { state, missing: goals.clone(), codes };
                self.found.prefixes.push((tokens, prefix));
            }
        }
        false
    }

    pub(super) fn with<T>(&mut self, id: Id, try_one: impl FnOnce(&mut Self, Part<'_>) -> T) -> T {
        let does = self.test.levels.behaviour(id, &mut self.bench);
        let tried = try_one(self, Part::of(id, &does));
        does.give_back(&mut self.bench);
        tried
    }
}
