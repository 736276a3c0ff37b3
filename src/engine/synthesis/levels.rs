//! Fragments of programs, each behaviour once, by how many tokens it takes.
//!
//! **Level** `k` has the behaviours that no program of fewer than `k` tokens has. A fragment is put together from smaller ones: an
//! *atom* (an instruction or a loop) and the rest, or a loop around a body. When two fragments of one level behave alike, the smaller one in
//! lexical order stands for both. A piece of a fragment that stands for its behaviour stands for its own: if another one took its
//! place, the whole would be smaller. So nothing has to be put together from anything but such fragments.
//!
//! **Counts.** With the longest tail `t` and the least common multiple `c` of the cycles of a body's orbits, counts below `t` are taken as
//! they are. From there on only the remainder by `c` tells where a loop ends, and more repetitions mark no less: of each remainder one count
//! is taken that is large enough to mark all there is to mark. It does whatever another one does.
//!
//! **Memory.** Of every fragment there is its recipe. Behaviours are held of the lower levels, as far as memory allows; others are made
//! again from their recipes, which takes less time than to read them from a disk. Equality is decided on whole behaviours, made again
//! where they are not held.

mod recipe;
mod saved;
#[cfg(test)]
mod tests;

use super::behaviour::{Behaviour, Shape};
use super::orbits::{Counts, Orbits};
use super::share::Workers;
use crate::domain::Machine;
use crate::runtime::table_bytes;
use foldhash::fast::FixedState;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

pub(super) use recipe::Recipe;
pub(super) use saved::SavedLevels;

/// A fragment, numbered level by level.
pub(super) type Id = u32;

/// Units that make up a batch: large enough to keep threads busy, small enough to be taken in by one of them meanwhile.
const BATCH: usize = 1 << 12;

/// The programs of fragments up to this level are at hand.
const OPENINGS: usize = 3;

/// The most atoms of a unit.
const SLICE: Id = 256;

/// Comparisons that a thread takes at a time.
const CHUNK: usize = 16;

/// How far a level is that is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Growth {
    /// Units that are done.
    units: u64,
    /// The most goals that a fragment so far marks.
    most: u32,
}

/// All levels made so far.
pub(super) struct Levels<'m, M> {
    machine: &'m M,
    pub(super) shape: Shape,
    /// The bit of each goal in sets of goals.
    places: Vec<u16>,
    recipes: Vec<Recipe>,
    /// Of each fragment the most goals that it marks, or more.
    marks: Vec<u16>,
    /// Where each level ends.
    ends: Vec<Id>,
    /// Behaviours of the first fragments.
    held: Vec<Behaviour>,
    /// Fragments by their fingerprints; where two have the same, one stands behind the other.
    index: HashMap<u64, Id, FixedState>,
    /// The programs of the first fragments.
    openings: Vec<Vec<u16>>,
    /// The most goals that a fragment of each level marks, or one of a lower level.
    most: Vec<u32>,
    /// Whether loops have more counts than are tried.
    pub(super) left_out: bool,
    /// The level above the highest, as far as it is.
    growth: Option<Growth>,
    /// Bytes of behaviours that may be held.
    budget: u64,
    /// Fragments tried, and until each level was done.
    pub(super) tried: u64,
    tried_before: Vec<u64>,
}

/// What several behaviours are made in.
pub(super) struct Bench {
    /// Of those that are made.
    shape: Shape,
    spare: Vec<Behaviour>,
    orbits: Orbits,
}

impl Bench {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, spare: Vec::new(), orbits: Orbits::default() }
    }

    /// The counts of loops around a behaviour, whose orbits it follows; `endless` marks what endlessly many repetitions do.
    pub(super) fn counts(&mut self, does: &Behaviour, endless: &mut Behaviour) -> Counts {
        self.orbits.follow(does);
        endless.fill(does, &self.orbits);
        Counts::of(&self.orbits)
    }

    pub(super) fn take(&mut self) -> Behaviour {
        self.spare.pop().unwrap_or_else(|| Behaviour::nothing(self.shape))
    }

    pub(super) fn give(&mut self, behaviour: Behaviour) {
        self.spare.push(behaviour);
    }
}

/// A behaviour that is held, or was made.
pub(super) enum Loan<'a> {
    Held(&'a Behaviour),
    Made(Behaviour),
}

impl Loan<'_> {
    pub(super) fn give_back(self, bench: &mut Bench) {
        if let Self::Made(behaviour) = self {
            bench.give(behaviour);
        }
    }
}

impl std::ops::Deref for Loan<'_> {
    type Target = Behaviour;

    fn deref(&self) -> &Behaviour {
        match self {
            Self::Held(behaviour) => behaviour,
            Self::Made(behaviour) => behaviour,
        }
    }
}

/// Fragments of one size that end with the same one.
struct Unit {
    /// What is last.
    rest: Id,
    /// What comes before it, as far as these are atoms.
    firsts: Range<Id>,
    /// Whether loops around `rest` have that size too.
    is_body: bool,
}

/// A fragment that may be new.
struct Candidate {
    fingerprint: u64,
    recipe: Recipe,
    /// The most goals that it marks, or more.
    marks: u16,
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

impl<'m, M: Machine> Levels<'m, M> {
    /// Levels 0, the empty program, and nothing else. Behaviours of so many bytes may be held.
    pub(super) fn new(machine: &'m M, places: Vec<u16>, budget: u64) -> Self {
        let shape = Shape::of(machine);
        let nothing = Behaviour::nothing(shape);
        let mut index = HashMap::default();
        index.insert(nothing.fingerprint(), 0);
        let (recipes, held, ends) = (vec![Recipe::Nothing], vec![nothing], vec![1]);
        Self {
            machine,
            shape,
            places,
            recipes,
            marks: vec![0],
            ends,
            held,
            index,
            openings: Vec::new(),
            most: vec![0],
            left_out: false,
            growth: None,
            budget,
            tried: 0,
            tried_before: vec![0],
        }
    }

    /// The highest level.
    pub(super) fn depth(&self) -> usize {
        self.ends.len() - 1
    }

    /// The fragments of a level.
    pub(super) fn level(&self, tokens: usize) -> Range<Id> {
        let end = |level: usize| self.ends.get(level).copied().unwrap_or(self.recipes.len() as Id);
        tokens.checked_sub(1).map_or(0, end)..end(tokens)
    }

    /// How many tokens a fragment takes.
    pub(super) fn tokens(&self, id: Id) -> usize {
        self.ends.partition_point(|&end| end <= id)
    }

    pub(super) fn len(&self) -> usize {
        self.recipes.len()
    }

    pub(super) fn recipe(&self, id: Id) -> Recipe {
        self.recipes[id as usize]
    }

    pub(super) fn is_loop(&self, id: Id) -> bool {
        matches!(self.recipe(id), Recipe::Loop { .. })
    }

    /// Whether it is an instruction or a loop.
    pub(super) fn is_atom(&self, id: Id) -> bool {
        matches!(self.recipe(id), Recipe::Instruction(_) | Recipe::Loop { .. })
    }

    /// The most goals that a program of so many tokens marks, from whatever state.
    pub(super) fn most_marks(&self, tokens: usize) -> u32 {
        let known = self.most.get(..=tokens).and_then(|most| most.iter().max());
        known.copied().unwrap_or(u32::MAX)
    }

    /// Bytes of everything.
    pub(super) fn bytes(&self) -> u64 {
        let held = self.held.len() as u64 * self.shape.bytes();
        let recipes = self.recipes.capacity() * size_of::<Recipe>() + self.marks.capacity() * size_of::<u16>();
        held + recipes as u64 + table_bytes(&self.index)
    }

    /// What a fragment does; where that is not held, as `bench` makes it.
    pub(super) fn behaviour(&self, id: Id, bench: &mut Bench) -> Loan<'_> {
        match self.held.get(id as usize) {
            Some(behaviour) => Loan::Held(behaviour),
            None => Loan::Made(self.make(self.recipe(id), bench)),
        }
    }

    fn make(&self, recipe: Recipe, bench: &mut Bench) -> Behaviour {
        match recipe {
            Recipe::Nothing => Behaviour::nothing(bench.shape),
            Recipe::Instruction(instruction) => {
                Behaviour::of_instruction(self.machine, instruction, &self.places, bench.shape)
            }
            Recipe::Sequence { first, rest } => {
                let first = self.behaviour(first, bench);
                let rest = self.behaviour(rest, bench);
                let mut made = bench.take();
                made.become_sequence(&first, &rest);
                first.give_back(bench);
                rest.give_back(bench);
                made
            }
            Recipe::Loop { body, count } => {
                let does = self.behaviour(body, bench);
                let mut made = bench.take();
                let mut spare = bench.take();
                made.become_loop(&does, count, &mut spare);
                bench.give(spare);
                does.give_back(bench);
                made
            }
        }
    }

    /// From how many states the fragments that are held mark each goal, by their places.
    pub(super) fn chances(&self) -> Vec<u64> {
        let mut chances = vec![0; self.shape.planes * 64];
        self.held.iter().for_each(|does| does.add_chances(&mut chances));
        chances
    }

    /// Where programs begin.
    pub(super) fn start(&self) -> u16 {
        self.machine.start()
    }

    /// The set of all goals.
    pub(super) fn all_goals(&self) -> Vec<u64> {
        let mut goals = vec![0; self.shape.planes];
        self.places.iter().for_each(|&place| goals[usize::from(place) / 64] |= 1 << (place % 64));
        goals
    }

    /// Where a fragment leads from a state; it takes what it marks out of `missing`.
    pub(super) fn apply(&self, id: Id, state: u16, missing: &mut [u64]) -> u16 {
        if let Some(does) = self.held.get(id as usize) {
            return does.apply(state, missing);
        }
        match self.recipe(id) {
            Recipe::Nothing => state,
            Recipe::Instruction(instruction) => {
                let (next, goal) = self.machine.step(state, instruction);
                if let Some(goal) = goal {
                    let place = self.places[usize::from(goal)];
                    missing[usize::from(place) / 64] &= !(1 << (place % 64));
                }
                next
            }
            Recipe::Sequence { first, rest } => {
                let between = self.apply(first, state, missing);
                self.apply(rest, between, missing)
            }
            Recipe::Loop { body, count } => (0..count).fold(state, |state, _| self.apply(body, state, missing)),
        }
    }

    /// How the program of a fragment begins: all of an instruction and of what is stored in `openings`.
    pub(super) fn opening(&self, id: Id) -> &[u16] {
        self.openings.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// The program of a fragment, as codes of [`crate::board::Program`].
    pub(super) fn codes(&self, id: Id) -> Vec<u16> {
        let mut codes = Vec::new();
        self.write(id, &mut codes);
        codes
    }

    /// Adds it to `codes`.
    pub(super) fn write(&self, id: Id, codes: &mut Vec<u16>) {
        self.write_recipe(self.recipe(id), codes);
    }

    fn write_recipe(&self, recipe: Recipe, codes: &mut Vec<u16>) {
        match recipe {
            Recipe::Nothing => {}
            Recipe::Instruction(instruction) => codes.push(u16::from(instruction) + 1),
            Recipe::Sequence { first, rest } => {
                self.write(first, codes);
                self.write(rest, codes);
            }
            Recipe::Loop { body, count } => {
                codes.push(super::LOOP + count);
                self.write(body, codes);
                codes.push(0);
            }
        }
    }

    fn order(&self, one: Recipe, other: Recipe) -> Ordering {
        let codes = |recipe| {
            let mut codes = Vec::new();
            self.write_recipe(recipe, &mut codes);
            codes
        };
        super::order(&codes(one), &codes(other))
    }

    /// Makes the next level, or more of it, and calls `between` from time to time. `None` when the search is to stop.
    pub(super) fn grow(&mut self, workers: &Workers<'_>, mut between: impl FnMut(&Self)) -> Option<()> {
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
            self.take_in(instructions.candidates, workers);
        }
        let units = self.units(tokens);
        let mut done = (done as usize).min(units.len());
        for batch in units[done..].chunks(BATCH) {
            let shape = self.shape;
            let extend = |benches: &mut Benches, unit: &Unit| self.extend(unit, most, benches);
            let found = workers.as_many(batch, 1, || Benches::new(shape), extend);
            let is_stopped = found.len() < batch.len();
            done += found.len();
            self.left_out |= found.iter().any(|extended| extended.left_out);
            most = found.iter().map(|extended| extended.most).fold(most, u32::max);
            let candidates = found.into_iter().flat_map(|extended| extended.candidates).collect();
            self.take_in(candidates, workers);
            self.growth = Some(Growth { units: done as u64, most });
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

    /// Holds the behaviours of whole levels, but the highest, as far as there is room.
    fn hold(&mut self, workers: &Workers<'_>) {
        let shape = self.shape;
        while let Some(level) =
            (0..self.depth()).map(|level| self.level(level)).find(|l| l.end as usize > self.held.len())
        {
            if u64::from(level.end) * self.shape.bytes() > self.budget {
                return;
            }
            let ids: Vec<Id> = level.collect();
            let made = workers.each_to_the_end(
                &ids,
                CHUNK,
                || Bench::new(shape),
                |bench, &id| self.make(self.recipe(id), bench),
            );
            self.held.extend(made);
        }
    }

    /// What makes fragments of so many tokens.
    fn units(&self, tokens: usize) -> Vec<Unit> {
        let mut units = Vec::new();
        for of_rest in 1..tokens {
            let Range { start, end } = self.level(tokens - of_rest);
            let is_instruction = of_rest == tokens - 1;
            for rest in self.level(of_rest) {
                for from in (start..end).step_by(SLICE as usize) {
                    let firsts = from..end.min(from + SLICE);
                    units.push(Unit { rest, firsts, is_body: is_instruction && !self.is_loop(rest) });
                }
            }
        }
        units
    }

    /// All sequences that a unit makes, and the loops. So many goals are known to be marked by some fragment of the level, or of a lower one.
    fn extend(&self, unit: &Unit, most: u32, benches: &mut Benches) -> Extended {
        let mut extended = Extended { most, ..Extended::default() };
        let rest = unit.rest;
        let bench = if unit.is_body { &mut benches.whole } else { &mut benches.short };
        let rest_does = self.behaviour(rest, bench);
        let mut made = benches.short.take();
        for first in unit.firsts.clone().filter(|&first| self.is_atom(first)) {
            let first_does = self.behaviour(first, &mut benches.short);
            made.become_sequence(&first_does, &rest_does);
            first_does.give_back(&mut benches.short);
            let recipe = Recipe::Sequence { first, rest };
            let mut marks = self.marks_of(first) + self.marks_of(rest);
            if marks > extended.most {
                let whole = self.make(recipe, &mut benches.whole);
                marks = whole.most_marks();
                benches.whole.give(whole);
            }
            extended.add(&made, recipe, marks);
        }
        if unit.is_body {
            self.repeat(rest, &rest_does, &mut made, &mut benches.whole, &mut extended);
        }
        benches.short.give(made);
        rest_does.give_back(if unit.is_body { &mut benches.whole } else { &mut benches.short });
        extended
    }

    /// The most goals that a fragment marks, or more.
    pub(super) fn marks_of(&self, id: Id) -> u32 {
        self.marks[id as usize].into()
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

    /// Takes candidates in, in their order, but those that behave like a fragment that is known.
    fn take_in(&mut self, candidates: Vec<Candidate>, workers: &Workers<'_>) {
        self.tried += candidates.len() as u64;
        let mut doubtful = Vec::new();
        for candidate in candidates {
            match self.index.get(&candidate.fingerprint) {
                Some(&known) => doubtful.push((candidate, known)),
                None => self.add(&candidate),
            }
        }
        let shape = self.shape;
        // To its end: half a batch would leave fragments behind that nobody looks at again.
        let alike = workers.each_to_the_end(
            &doubtful,
            CHUNK,
            || Bench::new(shape),
            |bench, (candidate, known)| {
                let made = self.make(candidate.recipe, bench);
                let known = self.behaviour(*known, bench);
                let alike = made == *known;
                known.give_back(bench);
                bench.give(made);
                alike
            },
        );
        for ((candidate, known), alike) in doubtful.into_iter().zip(alike) {
            if alike {
                self.settle(known, &candidate);
            } else {
                self.take_in_behind(candidate);
            }
        }
    }

    fn end_level(&mut self, most: u32, workers: &Workers<'_>) {
        self.most.push(most);
        self.tried_before.push(self.tried);
        self.ends.push(self.recipes.len() as Id);
        if self.depth() <= OPENINGS {
            self.openings = (0..self.recipes.len() as Id).map(|id| self.codes(id)).collect();
        }
        self.hold(workers);
    }

    fn add(&mut self, candidate: &Candidate) {
        self.index.insert(candidate.fingerprint, self.recipes.len() as Id);
        self.recipes.push(candidate.recipe);
        self.marks.push(candidate.marks);
    }

    /// Of two fragments that behave alike the smaller one stays, if they take equally many tokens.
    fn settle(&mut self, known: Id, candidate: &Candidate) {
        let is_new = known >= self.ends.last().copied().unwrap_or(0);
        if is_new && self.order(candidate.recipe, self.recipe(known)).is_lt() {
            self.recipes[known as usize] = candidate.recipe;
        }
        let marks = &mut self.marks[known as usize];
        *marks = candidate.marks.min(*marks);
    }

    /// Takes in a candidate whose fingerprint is that of another behaviour.
    fn take_in_behind(&mut self, mut candidate: Candidate) {
        let mut bench = Bench::new(self.shape);
        let made = self.make(candidate.recipe, &mut bench);
        while let Some(&known) = self.index.get(&candidate.fingerprint) {
            let alike = *self.behaviour(known, &mut bench) == made;
            if alike {
                return self.settle(known, &candidate);
            }
            candidate.fingerprint = candidate.fingerprint.wrapping_add(1);
        }
        self.add(&candidate);
    }
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
