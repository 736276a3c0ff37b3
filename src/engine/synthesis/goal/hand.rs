//! Trying one body: an endless loop around it, behind every prefix.

use super::counts::Paths;
use super::together::Room;
use super::{Found, Test, keep_smaller};
use crate::board::MAX_COUNT;
use crate::domain::Machine;
use crate::engine::synthesis::LOOP;
use crate::engine::synthesis::behaviour::Behaviour;
use crate::engine::synthesis::levels::{Bench, Id, Loan};
use crate::engine::synthesis::prefix::{Prefix, count};
use std::sync::atomic::Ordering::Relaxed;

/// A part of a body.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) what: What<'a>,
    /// What all of it does, in short.
    pub(super) does: &'a Behaviour,
}

/// What a part is.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    Fragment(Id),
    /// A loop that is stored nowhere.
    Loop {
        body: &'a [Part<'a>],
        count: u16,
    },
}

impl<'a> Part<'a> {
    pub(super) fn of(id: Id, does: &'a Behaviour) -> Self {
        Self { what: What::Fragment(id), does }
    }
}

/// A part of a body, with what it does to all goals.
pub(super) enum WholePart<'a> {
    Fragment(Loan<'a>),
    Loop { body: Vec<WholePart<'a>>, count: u16 },
}

/// The states that repetitions of bodies began in, until now.
pub(super) struct Way {
    on: Vec<bool>,
    states: Vec<u16>,
}

impl Way {
    fn new(states: usize) -> Self {
        Self { on: vec![false; states], states: Vec::new() }
    }

    /// Another repetition begins in a state; `false` where one did before: nothing new comes then.
    #[inline]
    pub(super) fn goes_to(&mut self, state: u16) -> bool {
        let is_new = !std::mem::replace(&mut self.on[usize::from(state)], true);
        if is_new {
            self.states.push(state);
        }
        is_new
    }

    /// Whether a repetition began there.
    #[inline]
    pub(super) fn is_on(&self, state: u16) -> bool {
        self.on[usize::from(state)]
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Takes back what came behind so many of them.
    #[inline]
    pub(super) fn back_to(&mut self, len: usize) {
        self.states.drain(len..).for_each(|state| self.on[usize::from(state)] = false);
    }
}

/// What one thread tries bodies with.
pub(super) struct Hand<'a, 'm, M> {
    pub(super) test: &'a Test<'a, 'm, M>,
    /// Where behaviours are made in short.
    pub(super) bench: Bench,
    whole_bench: Bench,
    /// States to go on from, behind up to two repetitions of something; there is room for one more than all of these.
    pub(super) open: Vec<(u16, u32)>,
    /// What marks too little as head and rest of something, with any number of its repetitions.
    pub(super) refuted_pairs: Vec<[Id; 2]>,
    /// When each state was last come by.
    pub(super) visits: Vec<u64>,
    pub(super) visit: u64,
    pub(super) way: Way,
    pub(super) room: Room,
    pub(super) paths: Paths,
    missing: Vec<u64>,
    pub(super) found: Found,
    /// Bodies that may be tried still where not all have to be.
    pub(super) to_try: u64,
    /// The test's best program at the time of its last change that was seen.
    best: Option<Vec<u16>>,
    changes: u64,
    /// Whether something was left away because the search is to stop.
    is_broken_off: bool,
}

impl<'a, 'm, M: Machine> Hand<'a, 'm, M> {
    pub(super) fn new(test: &'a Test<'a, 'm, M>) -> Self {
        let shape = test.levels.shape;
        Self {
            test,
            bench: Bench::new(shape.in_short()),
            whole_bench: Bench::new(shape),
            open: vec![(0, 0); 3 * shape.states + 1],
            refuted_pairs: Vec::new(),
            visits: vec![0; shape.states],
            visit: 0,
            way: Way::new(shape.states),
            room: Room::new(shape.states),
            paths: Paths::new(shape.states),
            missing: vec![0; shape.planes],
            found: Found::default(),
            to_try: u64::MAX,
            best: None,
            changes: 0,
            is_broken_off: false,
        }
    }

    /// Whether the search is to stop, asked wherever work may be long: what is done from then on counts for nothing. Nothing is broken off for a
    /// checkpoint, or what takes longer than the time between two of them would never be done.
    pub(super) fn breaks_off(&mut self) -> bool {
        let monitor = self.test.monitor;
        if !self.is_broken_off {
            monitor.check_limits();
            self.is_broken_off = monitor.stopped().is_some();
        }
        self.is_broken_off
    }

    /// What comes of some work, that knows the best program so far; `None` where it was broken off.
    pub(super) fn do_with_best(&mut self, work: impl FnOnce(&mut Self)) -> Option<Found> {
        let changes = self.test.changes.load(Relaxed);
        if changes != self.changes {
            self.best.clone_from(&self.test.best());
            self.changes = changes;
        }
        work(self);
        let found = std::mem::take(&mut self.found);
        (!self.is_broken_off).then_some(found)
    }

    /// Tries an endless loop around a body behind every prefix of so many tokens.
    pub(super) fn try_body<const N: usize>(&mut self, of_prefix: usize, parts: &[Part<'_>; N]) {
        for prefix in &self.test.prefixes[of_prefix] {
            self.try_behind(prefix, parts);
        }
    }

    /// Tries an endless loop around a body behind a prefix.
    #[inline]
    pub(super) fn try_behind<const N: usize>(&mut self, prefix: &Prefix, parts: &[Part<'_>; N]) {
        if !self.may_be_smaller(prefix, parts[0].what) {
            return;
        }
        self.found.tried += 1;
        if self.leaves_at_most(1, prefix, parts) {
            self.repeat(prefix, parts);
        }
    }

    /// Whether a prefix and an endless loop around a body may be smaller than the best program in lexical order, as far as the first part of
    /// the body tells.
    #[inline]
    pub(super) fn may_be_smaller(&self, prefix: &Prefix, first: What<'_>) -> bool {
        let Some(best) = &self.best else { return true };
        let of_first = match first {
            What::Fragment(id) => self.test.levels.opening(id),
            What::Loop { .. } => &[LOOP],
        };
        let codes = prefix.codes.iter().chain(&[LOOP]).chain(of_first);
        let differ =
            codes.zip(best).map(|(one, other)| (one.min(&LOOP), other.min(&LOOP))).find(|(one, other)| one != other);
        differ.is_none_or(|(one, other)| one < other)
    }

    /// Whether an endless loop leaves so many goals or fewer.
    #[inline(always)]
    pub(super) fn leaves_at_most<const N: usize>(&mut self, most: u32, prefix: &Prefix, parts: &[Part<'_>; N]) -> bool {
        // The goals that are marked most seldom tell mostly.
        self.first_missing(prefix, parts).count_ones() <= most
            && (prefix.missing.len() == 1 || self.leaves_at_most_of_all(most, prefix, parts))
    }

    /// The first goals that endless repetition leaves.
    #[inline(always)]
    fn first_missing<const N: usize>(&mut self, prefix: &Prefix, parts: &[Part<'_>; N]) -> u64 {
        let (mut missing, mut state) = (prefix.missing[0], prefix.state);
        self.visit += 1;
        // Where a repetition begins in a state where another one did, nothing new comes.
        while missing != 0 && std::mem::replace(&mut self.visits[usize::from(state)], self.visit) != self.visit {
            state = step(parts, state, &mut missing);
        }
        missing
    }

    fn leaves_at_most_of_all(&mut self, most: u32, prefix: &Prefix, parts: &[Part<'_>]) -> bool {
        let whole = self.make_whole(parts);
        self.missing.copy_from_slice(&prefix.missing);
        let mut state = prefix.state;
        self.visit += 1;
        while self.visits[usize::from(state)] != self.visit {
            self.visits[usize::from(state)] = self.visit;
            state = run(&whole, state, &mut self.missing);
        }
        self.give_back(whole);
        count(&self.missing) <= most
    }

    /// What some parts do, one after the other, in short.
    pub(super) fn joined(&mut self, parts: &[Part<'_>]) -> Behaviour {
        let mut does = self.bench.take();
        does.copy_from(parts[0].does);
        parts[1..].iter().for_each(|part| does.append(part.does));
        does
    }

    /// All that some parts do.
    pub(super) fn make_whole(&mut self, parts: &[Part<'_>]) -> Vec<WholePart<'a>> {
        let levels = self.test.levels;
        let whole = |part: &Part<'_>| match part.what {
            What::Fragment(id) => WholePart::Fragment(levels.behaviour(id, &mut self.whole_bench)),
            What::Loop { body, count } => WholePart::Loop { body: self.make_whole(body), count },
        };
        parts.iter().map(whole).collect()
    }

    pub(super) fn give_back(&mut self, parts: Vec<WholePart<'a>>) {
        for part in parts {
            match part {
                WholePart::Fragment(does) => does.give_back(&mut self.whole_bench),
                WholePart::Loop { body, .. } => self.give_back(body),
            }
        }
    }

    /// Repeats a body and keeps the programs that come of it: the endless loop, if it marks everything, and a loop with an instruction behind
    /// it that marks the last goal.
    fn repeat(&mut self, prefix: &Prefix, parts: &[Part<'_>]) {
        let whole = self.make_whole(parts);
        self.repeat_whole(prefix, parts, &whole);
        self.give_back(whole);
    }

    fn repeat_whole(&mut self, prefix: &Prefix, parts: &[Part<'_>], whole: &[WholePart<'_>]) {
        let levels = self.test.levels;
        self.missing.copy_from_slice(&prefix.missing);
        let mut state = prefix.state;
        self.visit += 1;
        let (mut times, mut left) = (0_u16, count(&prefix.missing));
        while self.visits[usize::from(state)] != self.visit {
            self.visits[usize::from(state)] = self.visit;
            state = run(whole, state, &mut self.missing);
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
                1 if times > MAX_COUNT => self.found.left_out = true,
                1 if times > 1 && self.best.is_none() => {
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
        self.write(parts, &mut codes);
        codes.push(0);
        if let Some(last) = last {
            levels.write(last, &mut codes);
        }
        codes
    }

    /// Adds the codes of some parts.
    pub(super) fn write(&self, parts: &[Part<'_>], codes: &mut Vec<u16>) {
        for part in parts {
            match part.what {
                What::Fragment(id) => self.test.levels.write(id, codes),
                What::Loop { body, count } => {
                    codes.push(LOOP + count);
                    self.write(body, codes);
                    codes.push(0);
                }
            }
        }
    }
}

/// Where parts lead, one after the other; the first goals that they mark are taken out of `missing`.
#[inline(always)]
pub(super) fn step(parts: &[Part<'_>], state: u16, missing: &mut u64) -> u16 {
    parts.iter().fold(state, |state, part| part.does.step(state, missing))
}

/// Where parts lead, one after the other; what they mark is taken out of `missing`.
#[inline]
pub(super) fn run(parts: &[WholePart<'_>], state: u16, missing: &mut [u64]) -> u16 {
    parts.iter().fold(state, |state, part| match part {
        WholePart::Fragment(does) => does.apply(state, missing),
        WholePart::Loop { body, count } => (0..*count).fold(state, |state, _| run(body, state, missing)),
    })
}
