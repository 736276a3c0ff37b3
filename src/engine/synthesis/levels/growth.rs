//! How a level is made from those below it.

use super::recipe::Row;
use super::{Bench, CHUNK, Id, Levels, Machine, Recipe, Workers};
use crate::engine::synthesis::behaviour::{Behaviour, Shape};
use crate::runtime::{Event, Stage, StopReason};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Units that make up a batch: large enough to keep threads busy, small enough to be taken in by one of them meanwhile. Few under test, so that
/// levels have several.
const BATCH: usize = if cfg!(test) { 1 << 7 } else { 1 << 12 };

/// The most atoms of a unit.
const SLICE: Id = 256;

/// How far a level is that is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Growth {
    /// Units that are done.
    units: u64,
    /// The most goals that a fragment so far marks.
    most: u32,
}

/// Fragments of one size that end with the same one.
struct Unit {
    /// What is last.
    rest: Id,
    /// What comes before it, as far as these are atoms.
    firsts: Range<Id>,
    /// Whether loops around `rest` have that size too, if that is no loop.
    is_body: bool,
}

/// A fragment that may be new.
struct Candidate {
    fingerprint: u32,
    recipe: Recipe,
    /// The most goals that it marks, or more.
    marks: u16,
}

impl Candidate {
    fn row(&self) -> Row {
        self.recipe.to_row(self.marks)
    }
}

/// Where candidates are made in short, and whole where that has to be.
struct Benches {
    short: Bench,
    whole: Bench,
}

impl Benches {
    fn new(shape: Shape) -> Self {
        Self { short: Bench::new(shape.in_short()), whole: Bench::new(shape) }
    }
}

impl<M: Machine> Levels<'_, M> {
    /// Makes the next level, or more of it, and calls `between` from time to time. `None` when the search is to stop.
    pub(in crate::engine::synthesis) fn grow(
        &mut self,
        workers: &Workers<'_>,
        mut between: impl FnMut(&Self),
    ) -> Option<()> {
        let tokens = self.depth() + 1;
        let Growth { units: done, mut most } = self.growth.unwrap_or_default();
        most = most.max(self.most_marks(self.depth()));
        if tokens == 1 {
            let mut instructions = Extended::default();
            for instruction in 0..self.machine.instructions() {
                let recipe = Recipe::Instruction(instruction);
                let does = self.make(recipe, &mut Bench::new(self.shape));
                instructions.add(&does, recipe, does.most_marks());
            }
            most = instructions.most;
            self.take_in(&instructions.candidates, workers);
        }
        let total = self.count_units(tokens);
        let mut units = self.units(tokens).skip(done as usize);
        let mut done = done;
        loop {
            let batch: Vec<Unit> = units.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let shape = self.shape;
            let extend = |benches: &mut Benches, unit: &Unit| self.extend(unit, most, benches);
            let found = workers.as_many(&batch, 1, || Benches::new(shape), extend);
            let is_stopped = found.len() < batch.len();
            done += found.len() as u64;
            self.left_out |= found.iter().any(|extended| extended.left_out);
            most = found.iter().map(|extended| extended.most).fold(most, u32::max);
            let candidates: Vec<_> = found.into_iter().flat_map(|extended| extended.candidates).collect();
            if self.len() + candidates.len() > self.room.fragments {
                workers.monitor.end(StopReason::MemoryLimit);
                return None;
            }
            self.take_in(&candidates, workers);
            self.growth = Some(Growth { units: done, most });
            workers.monitor.tell(&Event::Stage { stage: Stage::Fragments(tokens), done, total });
            let gauges = &workers.monitor.gauges;
            gauges.stored.store(self.len() as u64, Relaxed);
            gauges.generated.store(self.tried, Relaxed);
            gauges.hold(self.bytes());
            if is_stopped {
                return None;
            }
            between(self);
        }
        self.growth = None;
        self.end_level(most, workers);
        Some(())
    }

    /// What makes fragments of so many tokens.
    fn units(&self, tokens: usize) -> impl Iterator<Item = Unit> + use<M> {
        let of_size = |of_rest| (self.level(of_rest), self.level(tokens - of_rest), of_rest == tokens - 1);
        let sizes: Vec<_> = (1..tokens).map(of_size).collect();
        sizes.into_iter().flat_map(|(rests, Range { start, end }, is_body)| {
            let slices = (start..end).step_by(SLICE as usize).map(move |from| from..end.min(from + SLICE));
            rests.flat_map(move |rest| slices.clone().map(move |firsts| Unit { rest, firsts, is_body }))
        })
    }

    /// How many there are.
    fn count_units(&self, tokens: usize) -> u64 {
        let of_size = |of_rest| {
            let [rests, firsts] = [of_rest, tokens - of_rest].map(|size| self.level(size).len() as u64);
            rests * firsts.div_ceil(SLICE.into())
        };
        (1..tokens).map(of_size).sum()
    }

    /// All sequences that a unit makes, and the loops. So many goals are known to be marked by some fragment of the level, or of a lower one.
    fn extend(&self, unit: &Unit, most: u32, benches: &mut Benches) -> Extended {
        let mut extended = Extended { most, ..Extended::default() };
        let rest = unit.rest;
        let is_body = unit.is_body && !self.is_loop(rest);
        let bench = if is_body { &mut benches.whole } else { &mut benches.short };
        let rest_does = self.behaviour(rest, bench);
        let mut made = benches.short.take();
        let marks_of_rest = self.marks_of(rest);
        for first in unit.firsts.clone() {
            let (recipe, marks_of_first) = self.known(first);
            if !recipe.is_atom() {
                continue;
            }
            let first_does = self.behaviour(first, &mut benches.short);
            made.become_sequence(&first_does, &rest_does);
            first_does.give_back(&mut benches.short);
            let recipe = Recipe::Sequence { first, rest };
            let mut marks = u32::from(marks_of_first) + marks_of_rest;
            if marks > extended.most {
                let whole = self.make(recipe, &mut benches.whole);
                marks = whole.most_marks();
                benches.whole.give(whole);
            }
            extended.add(&made, recipe, marks);
        }
        if is_body {
            self.repeat(rest, &rest_does, &mut made, &mut benches.whole, &mut extended);
        }
        benches.short.give(made);
        rest_does.give_back(if is_body { &mut benches.whole } else { &mut benches.short });
        extended
    }

    /// All loops around a body, whose whole behaviour this is; they are `made` in short.
    fn repeat(&self, body: Id, does: &Behaviour, made: &mut Behaviour, bench: &mut Bench, extended: &mut Extended) {
        // None marks more than endlessly many repetitions. Where these end does not matter.
        let mut endless = bench.take();
        let counts = bench.counts(does, &mut endless);
        extended.left_out |= counts.left_out;
        let marks = endless.most_marks();
        counts.each(does, &endless, made, |made, count| extended.add(made, Recipe::Loop { body, count }, marks));
        bench.give(endless);
    }

    /// Takes candidates in, but those that behave like a fragment that is known. Fragments are numbered in the order of candidates, wherever
    /// batches begin: a test goes on with these numbers where a level was made again.
    fn take_in(&mut self, candidates: &[Candidate], workers: &Workers<'_>) {
        self.tried += candidates.len() as u64;
        let before = with_same_fingerprint(candidates);
        let is_doubtful =
            |&at: &usize| before[at].is_some() || self.fragments.find(candidates[at].fingerprint, |_| true).is_some();
        let doubtful: Vec<usize> = (0..candidates.len()).filter(is_doubtful).collect();
        let (this, shape) = (&*self, self.shape);
        // To its end: half a batch would leave fragments behind that nobody looks at again.
        let alike = workers.each_to_the_end(
            &doubtful,
            CHUNK,
            || Bench::new(shape),
            |bench, &at| this.find_alike(candidates, &before, at, bench),
        );
        let mut alike = doubtful.into_iter().zip(alike).peekable();
        let mut ids: Vec<Id> = Vec::with_capacity(candidates.len());
        for (at, candidate) in candidates.iter().enumerate() {
            let known = match alike.next_if(|(of, _)| *of == at).and_then(|(_, alike)| alike) {
                Some(Alike::Fragment(id)) => Some(id),
                Some(Alike::Candidate(at)) => Some(ids[at]),
                None => None,
            };
            ids.push(known.unwrap_or(self.fragments.len()));
            match known {
                Some(known) => self.settle(known, candidate),
                None => self.fragments.add(candidate.fingerprint, &candidate.row()),
            }
        }
    }

    /// What behaves like one of some candidates, of which each has perhaps one `before` it with the same fingerprint.
    fn find_alike(
        &self,
        candidates: &[Candidate],
        before: &[Option<usize>],
        at: usize,
        bench: &mut Bench,
    ) -> Option<Alike> {
        let made = self.make(candidates[at].recipe, bench);
        let mut others = std::iter::successors(before[at], |&other| before[other]);
        let of_candidates = others.find(|&other| {
            let other = self.make(candidates[other].recipe, bench);
            let is_alike = made == other;
            bench.give(other);
            is_alike
        });
        let alike = of_candidates.map(Alike::Candidate).or_else(|| {
            let known = self.fragments.find(candidates[at].fingerprint, |known| {
                let known = self.behaviour(known, bench);
                let is_alike = made == *known;
                known.give_back(bench);
                is_alike
            });
            known.map(Alike::Fragment)
        });
        bench.give(made);
        alike
    }

    /// Of two fragments that behave alike the smaller one stays, if they take equally many tokens.
    fn settle(&mut self, known: Id, candidate: &Candidate) {
        let is_new = known >= self.ends.last().copied().unwrap_or(0);
        let (recipe, marks) = self.known(known);
        let smaller = is_new && self.order(candidate.recipe, recipe).is_lt();
        let settled = (if smaller { candidate.recipe } else { recipe }, candidate.marks.min(marks));
        if settled != (recipe, marks) {
            self.fragments.replace(known, &settled.0.to_row(settled.1));
        }
    }
}

/// What behaves like a candidate.
enum Alike {
    Fragment(Id),
    /// One before it, by its place.
    Candidate(usize),
}

/// Of each candidate the last one before it that has the same fingerprint.
fn with_same_fingerprint(candidates: &[Candidate]) -> Vec<Option<usize>> {
    let mut last: HashMap<u32, usize, FixedState> = HashMap::default();
    candidates.iter().enumerate().map(|(at, candidate)| last.insert(candidate.fingerprint, at)).collect()
}

/// What becomes of one fragment.
#[derive(Default)]
struct Extended {
    candidates: Vec<Candidate>,
    /// The most goals that one of them marks, or a fragment that was known before.
    most: u32,
    left_out: bool,
}

impl Extended {
    /// Adds a fragment that marks so many goals at most, and so many exactly where that is more than others mark.
    fn add(&mut self, behaviour: &Behaviour, recipe: Recipe, marks: u32) {
        self.most = self.most.max(marks);
        let marks = marks.min(u16::MAX.into()) as u16;
        self.candidates.push(Candidate { fingerprint: behaviour.fingerprint(), recipe, marks });
    }
}
