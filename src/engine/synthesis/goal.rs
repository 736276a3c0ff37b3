//! The test whether a program of so many tokens marks every goal.
//!
//! A program ends with a loop, which may as well be endless, or with an instruction that marks the last goal. So one of `t` tokens, two or
//! more, is
//!
//! * a *prefix* of `p` tokens and an endless loop around a *body* of `t - 1 - p` tokens,
//! * a prefix, a loop that leaves one goal after some repetition, and an instruction: found where bodies are tried for `t - 1` tokens, and
//!   handed on, or
//! * a prefix of `t - 2` tokens and two instructions.
//!
//! **Bodies** need not be stored. With levels up to `d = t - 3`, those of `d + 1` and `d + 2` tokens are put together from two or three fragments
//! while they are tried; a loop of `d + 1` tokens in them is a fragment of level `d`, some times. A body that is one loop does what the body of
//! that does.
//!
//! **Prefixes** that leave more goals than any program of the remaining tokens marks are dropped.
//!
//! **Which program** is found does not depend on the number of threads: it is the smallest one in lexical order (a closing brace before `F`, `L`,
//! `R` and loops; counts at the very end). All of a size are tried for that.

use super::behaviour::Behaviour;
use super::levels::{Bench, Id, Levels};
use super::orbits::Counts;
use super::prefix::{Prefix, count, distinct};
use super::share::Workers;
use super::{LOOP, order};
use crate::domain::Machine;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Up to here every body is stored: levels are small.
pub(super) const ALL_STORED: usize = 5;

/// Fragments between two looks at what else there is to do.
const BATCH: usize = 1 << 13;

/// The highest level that a test of so many tokens needs, when every body is stored for tests of up to `all_stored`.
pub(super) fn depth(tokens: usize, all_stored: usize) -> usize {
    if tokens <= all_stored { tokens.saturating_sub(1) } else { tokens - 3 }
}

/// What a test finds; programs are codes of [`crate::board::Program`].
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Found {
    /// The smallest program of this size.
    pub(super) program: Option<Vec<u16>>,
    /// The smallest one of one token more that ends with an instruction behind a loop.
    pub(super) next: Option<Vec<u16>>,
    /// Bodies tried.
    pub(super) tried: u64,
    /// Whether a loop has more counts than are tried.
    pub(super) left_out: bool,
    /// Prefixes of two tokens less that are loops which are stored nowhere.
    prefixes: Vec<Prefix>,
}

impl Found {
    fn absorb(&mut self, other: Self) {
        keep_smaller(&mut self.program, other.program);
        keep_smaller(&mut self.next, other.next);
        self.tried += other.tried;
        self.left_out |= other.left_out;
        self.prefixes.extend(other.prefixes);
    }
}

/// How far a test is.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Testing {
    /// Fragments of two tokens and more that are done.
    fragments: u64,
    /// What they gave.
    pub(super) found: Found,
}

/// Keeps the smaller program in lexical order.
pub(super) fn keep_smaller(held: &mut Option<Vec<u16>>, other: Option<Vec<u16>>) {
    if let Some(other) = other
        && held.as_ref().is_none_or(|held| order(&other, held).is_lt())
    {
        *held = Some(other);
    }
}

/// The test of one size.
pub(super) struct Test<'a, 'm, M> {
    levels: &'a Levels<'m, M>,
    tokens: usize,
    /// The highest level that is used.
    depth: usize,
    /// By their tokens.
    prefixes: Vec<Vec<Prefix>>,
    /// The smallest program of this size so far: only smaller ones are tried.
    best: Mutex<Option<Vec<u16>>>,
    /// How often it has changed.
    changes: AtomicU64,
}

impl<'a, 'm, M: Machine> Test<'a, 'm, M> {
    /// Tries all programs of so many tokens, two or more, with [so many](depth) levels, from where `testing` is, and calls `between` from time to time. `None` when the
    /// search is to stop.
    pub(super) fn run(
        levels: &'a Levels<'m, M>,
        (tokens, depth): (usize, usize),
        workers: &Workers<'_>,
        testing: &mut Testing,
        mut between: impl FnMut(&Testing),
    ) -> Option<Found> {
        let best = Mutex::new(testing.found.program.clone());
        let mut test = Self { levels, tokens, depth, prefixes: Vec::new(), best, changes: AtomicU64::new(1) };
        for size in 0..=test.depth.min(tokens - 2) {
            test.begin_with(size, workers)?;
        }
        let long: Vec<Id> = (levels.level(2).start..levels.level(test.depth).end).collect();
        for batch in long[long.len().min(testing.fragments as usize)..].chunks(BATCH) {
            let (found, tried) = test.try_all(batch, workers);
            testing.found.absorb(found);
            testing.found.program.clone_from(&test.best());
            testing.fragments += tried as u64;
            if tried < batch.len() {
                return None;
            }
            between(testing);
        }
        let mut found = testing.found.clone();
        if test.depth < tokens - 2 {
            test.begin_longest(std::mem::take(&mut found.prefixes));
        }
        let short: Vec<Id> = levels.level(1).collect();
        let (of_short, tried) = test.try_all(&short, workers);
        if tried < short.len() {
            return None;
        }
        found.absorb(of_short);
        found.absorb(test.two_instructions());
        keep_smaller(&mut found.program, test.best().clone());
        Some(found)
    }

    /// The most goals that a prefix may leave: those that the remaining tokens mark, and one more for an instruction behind them.
    fn most_missing(&self, size: usize) -> u32 {
        self.levels.most_marks(self.tokens - size).saturating_add(1)
    }

    /// Prefixes that are one fragment.
    fn begin_with(&mut self, size: usize, workers: &Workers<'_>) -> Option<()> {
        let (levels, most) = (self.levels, self.most_missing(size));
        let ids: Vec<Id> = levels.level(size).collect();
        let start = Prefix::nothing(levels);
        let prefixes = workers.each(&ids, 256, || (), |(), &id| start.then(levels, id, most))?;
        self.prefixes.push(distinct(prefixes.into_iter().flatten().collect()));
        Some(())
    }

    /// Prefixes of one token more than the highest level has: these loops, and shorter prefixes with an atom behind them.
    fn begin_longest(&mut self, mut prefixes: Vec<Prefix>) {
        let size = self.depth + 1;
        let most = self.most_missing(size);
        for of_atom in 1..=self.depth {
            for atom in self.atoms(of_atom) {
                let shorter = self.prefixes[size - of_atom].iter();
                prefixes.extend(shorter.filter_map(|prefix| prefix.then(self.levels, atom, most)));
            }
        }
        self.prefixes.push(distinct(prefixes));
    }

    /// Fragments of a level that are no sequences.
    fn atoms(&self, tokens: usize) -> impl Iterator<Item = Id> {
        self.levels.level(tokens).filter(move |&id| tokens == 1 || self.levels.is_loop(id))
    }

    /// Tries everything that begins or ends with one of these fragments, or with the first of them when the search is to stop; tells how
    /// many these are.
    fn try_all(&self, ids: &[Id], workers: &Workers<'_>) -> (Found, usize) {
        let gauges = &workers.monitor.gauges;
        let found = workers.as_many(
            ids,
            8,
            || Hand::new(self),
            |hand, &id| {
                let found = hand.try_fragment(id);
                gauges.expanded.fetch_add(found.tried, Relaxed);
                found
            },
        );
        let tried = found.len();
        let mut all = Found::default();
        found.into_iter().for_each(|found| all.absorb(found));
        (all, tried)
    }

    fn best(&self) -> MutexGuard<'_, Option<Vec<u16>>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a prefix and an endless loop around a body may be smaller than a program in lexical order, as far as the first part of the
    /// body tells.
    fn may_be_smaller(&self, best: &[u16], prefix: &Prefix, parts: &[Part<'_>]) -> bool {
        let first = parts[0];
        let of_first = if first.times > 1 { &[LOOP][..] } else { self.levels.opening(first.id) };
        let codes = prefix.codes.iter().chain(&[LOOP]).chain(of_first);
        let differ =
            codes.zip(best).map(|(one, other)| (one.min(&LOOP), other.min(&LOOP))).find(|(one, other)| one != other);
        differ.is_none_or(|(one, other)| one < other)
    }

    /// Takes a program if it is smaller than the one held.
    fn offer(&self, program: Vec<u16>) {
        keep_smaller(&mut self.best(), Some(program));
        self.changes.fetch_add(1, Relaxed);
    }

    /// Two instructions behind a prefix.
    fn two_instructions(&self) -> Found {
        let mut found = Found::default();
        for prefix in &self.prefixes[self.tokens - 2] {
            for first in self.levels.level(1) {
                let Some(longer) = prefix.then(self.levels, first, 1) else { continue };
                for second in self.levels.level(1) {
                    let done = longer.then(self.levels, second, 0);
                    keep_smaller(&mut found.program, done.map(|program| program.codes));
                }
            }
        }
        found
    }
}

/// A part of a body: a fragment, some times.
#[derive(Clone, Copy)]
struct Part<'a> {
    id: Id,
    does: &'a Behaviour,
    times: u16,
}

/// What one thread tries bodies with.
struct Hand<'a, 'm, M> {
    test: &'a Test<'a, 'm, M>,
    bench: Bench,
    /// States to go on from.
    open: Vec<u16>,
    /// When each state was last come by.
    visits: Vec<u64>,
    visit: u64,
    missing: Vec<u64>,
    found: Found,
    /// The test's best program at the time of its last change that was seen.
    best: Option<Vec<u16>>,
    changes: u64,
}

impl<'a, 'm, M: Machine> Hand<'a, 'm, M> {
    fn new(test: &'a Test<'a, 'm, M>) -> Self {
        let shape = test.levels.shape;
        let (bench, visits, missing) = (Bench::new(shape), vec![0; shape.states], vec![0; shape.planes]);
        Self {
            test,
            bench,
            open: Vec::new(),
            visits,
            visit: 0,
            missing,
            found: Found::default(),
            best: None,
            changes: 0,
        }
    }

    fn try_fragment(&mut self, id: Id) -> Found {
        let changes = self.test.changes.load(Relaxed);
        if changes != self.changes {
            self.best.clone_from(&self.test.best());
            self.changes = changes;
        }
        let (levels, tokens, depth) = (self.test.levels, self.test.tokens, self.test.depth);
        let (size, is_loop) = (levels.tokens(id), levels.is_loop(id));
        let does = levels.behaviour(id, &mut self.bench);
        let part = Part { id, does: &does, times: 1 };
        if !is_loop {
            self.try_body(tokens - 1 - size, &[part]);
        }
        if depth < tokens - 2 && size > 1 {
            if is_loop {
                self.try_loop_first(part, size);
            }
            if size == depth {
                self.try_last(part);
                if !is_loop {
                    self.try_repeated(part);
                }
            }
        }
        does.give_back(&mut self.bench);
        std::mem::take(&mut self.found)
    }

    /// Bodies of one and two tokens more than the highest level has that begin with this loop, or with an instruction and it.
    fn try_loop_first(&mut self, part: Part<'_>, size: usize) {
        let (levels, depth) = (self.test.levels, self.test.depth);
        // The loop and a rest of `depth + 1` tokens together.
        for rest in levels.level(depth + 1 - size) {
            self.with(rest, |hand, rest| {
                hand.try_body(1, &[part, rest]);
                hand.behind_instructions(|hand, first| hand.try_body(0, &[first, part, rest]));
            });
        }
        // A loop of two tokens before a fragment of the highest level is tried with the fragment.
        if size > 2 {
            for rest in levels.level(depth + 2 - size) {
                self.with(rest, |hand, rest| hand.try_body(0, &[part, rest]));
            }
        }
    }

    /// Bodies that end with a fragment of the highest level, with one and two tokens before it.
    fn try_last(&mut self, part: Part<'_>) {
        self.behind_instructions(|hand, first| hand.try_body(1, &[first, part]));
        for first in self.test.levels.level(2) {
            self.with(first, |hand, first| hand.try_body(0, &[first, part]));
        }
    }

    /// Loops around a fragment of the highest level: in bodies with an instruction, and at the start of a program.
    fn try_repeated(&mut self, part: Part<'_>) {
        self.behind_instructions(|hand, one| {
            if !hand.may_mark_all(part, one) {
                return;
            }
            hand.bench.follow(part.id, part.does);
            let counts = Counts::of(&hand.bench.orbits);
            hand.found.left_out |= counts.left_out;
            for times in (2..counts.exact).chain(counts.full()) {
                let part = Part { times, ..part };
                hand.try_body(0, &[one, part]);
                hand.try_body(0, &[part, one]);
            }
        });
        self.begin_with_loop(part);
    }

    /// Whether two fragments, one after the other in any order and number, leave one goal or none of the first plane.
    fn may_mark_all(&mut self, one: Part<'_>, other: Part<'_>) -> bool {
        let prefix = &self.test.prefixes[0][0];
        let mut missing = prefix.missing[0];
        self.visit += 1;
        self.open.clear();
        self.open.push(prefix.state);
        self.visits[usize::from(prefix.state)] = self.visit;
        while let Some(state) = self.open.pop() {
            for part in [one, other] {
                missing &= !part.does.marks(0, state);
                let next = part.does.next(state);
                let visit = &mut self.visits[usize::from(next)];
                if *visit != self.visit {
                    *visit = self.visit;
                    self.open.push(next);
                }
            }
            if missing.count_ones() <= 1 {
                return true;
            }
        }
        false
    }

    /// The prefixes that are loops around this fragment.
    fn begin_with_loop(&mut self, part: Part<'_>) {
        let (levels, most) = (self.test.levels, self.test.most_missing(self.test.depth + 1));
        let mut state = levels.start();
        let mut goals = levels.all_goals();
        self.visit += 1;
        let mut left = u32::MAX;
        for times in 1_u16.. {
            for (plane, word) in goals.iter_mut().enumerate() {
                *word &= !part.does.marks(plane, state);
            }
            state = part.does.next(state);
            let now = count(&goals);
            if now < left {
                (left, self.visit) = (now, self.visit + 1);
            } else if self.visits[usize::from(state)] == self.visit {
                return;
            }
            self.visits[usize::from(state)] = self.visit;
            if times > 1 && now <= most {
                let mut codes = vec![LOOP + times];
                levels.write(part.id, &mut codes);
                codes.push(0);
                self.found.prefixes.push(Prefix { state, missing: goals.clone(), codes });
            }
        }
    }

    fn behind_instructions(&mut self, mut try_one: impl FnMut(&mut Self, Part<'_>)) {
        for id in self.test.levels.level(1) {
            self.with(id, &mut try_one);
        }
    }

    fn with(&mut self, id: Id, try_one: impl FnOnce(&mut Self, Part<'_>)) {
        let does = self.test.levels.behaviour(id, &mut self.bench);
        try_one(self, Part { id, does: &does, times: 1 });
        does.give_back(&mut self.bench);
    }

    /// Tries an endless loop around a body behind every prefix of so many tokens.
    fn try_body(&mut self, of_prefix: usize, parts: &[Part<'_>]) {
        let test = self.test;
        for prefix in &test.prefixes[of_prefix] {
            if self.best.as_ref().is_some_and(|best| !test.may_be_smaller(best, prefix, parts)) {
                continue;
            }
            self.found.tried += 1;
            if self.leaves_at_most_one(prefix, parts) {
                self.repeat(prefix, parts);
            }
        }
    }

    /// Whether an endless loop leaves one goal or none.
    #[inline]
    fn leaves_at_most_one(&mut self, prefix: &Prefix, parts: &[Part<'_>]) -> bool {
        let mut left = 0;
        for (plane, &missing) in prefix.missing.iter().enumerate() {
            let (mut missing, mut state) = (missing, prefix.state);
            self.visit += 1;
            // Where a repetition begins in a state where another one did, nothing new comes.
            while missing != 0 && self.visits[usize::from(state)] != self.visit {
                self.visits[usize::from(state)] = self.visit;
                for part in parts {
                    for _ in 0..part.times {
                        missing &= !part.does.marks(plane, state);
                        state = part.does.next(state);
                    }
                }
            }
            left += missing.count_ones();
            if left > 1 {
                return false;
            }
        }
        true
    }

    /// Repeats a body and keeps the programs that come of it: the endless loop, if it marks everything, and a loop with an instruction behind
    /// it that marks the last goal.
    fn repeat(&mut self, prefix: &Prefix, parts: &[Part<'_>]) {
        let levels = self.test.levels;
        self.missing.copy_from_slice(&prefix.missing);
        let mut state = prefix.state;
        self.visit += 1;
        let (mut times, mut left) = (0_u16, count(&prefix.missing));
        while self.visits[usize::from(state)] != self.visit {
            self.visits[usize::from(state)] = self.visit;
            for part in parts {
                for _ in 0..part.times {
                    for (plane, missing) in self.missing.iter_mut().enumerate() {
                        *missing &= !part.does.marks(plane, state);
                    }
                    state = part.does.next(state);
                }
            }
            times = times.saturating_add(1);
            let before = std::mem::replace(&mut left, count(&self.missing));
            if left < before {
                // What was come by before may be the place for a last instruction now.
                self.visit += 1;
            }
            match left {
                0 => {
                    let program = self.program(prefix, 0, parts, None);
                    return self.test.offer(program);
                }
                1 if times > 1 && self.best.is_none() && times < u16::MAX - LOOP => {
                    for last in levels.level(1) {
                        let mut missing = self.missing.clone();
                        levels.apply(last, state, &mut missing);
                        if count(&missing) == 0 {
                            let program = self.program(prefix, times, parts, Some(last));
                            keep_smaller(&mut self.found.next, Some(program));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A prefix, a loop of so many repetitions, or endless for 0, and perhaps an instruction.
    fn program(&self, prefix: &Prefix, times: u16, parts: &[Part<'_>], last: Option<Id>) -> Vec<u16> {
        let levels = self.test.levels;
        let mut codes = prefix.codes.clone();
        codes.push(LOOP + times);
        for part in parts {
            if part.times > 1 {
                codes.push(LOOP + part.times);
            }
            levels.write(part.id, &mut codes);
            if part.times > 1 {
                codes.push(0);
            }
        }
        codes.push(0);
        if let Some(last) = last {
            levels.write(last, &mut codes);
        }
        codes
    }
}
