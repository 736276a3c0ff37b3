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
//! **Memory.** Of every fragment there is its recipe, and a place in an index of fingerprints. Behaviours are held of the lower levels, as far
//! as memory allows; others are made again from their recipes. Equality is decided on whole behaviours, made again
//! where they are not held.

mod growth;
mod recipe;
mod saved;
#[cfg(test)]
mod tests;

use super::behaviour::{Behaviour, Shape};
use super::orbits::{Counts, Orbits};
use super::share::Workers;
use crate::domain::Machine;
use crate::store::Catalogue;
use std::cmp::Ordering;
use std::ops::Range;

use growth::Growth;
use recipe::RECIPE;
pub(super) use recipe::Recipe;
pub(super) use saved::SavedLevels;

/// A fragment, numbered level by level.
pub(super) type Id = u32;

/// The programs of fragments up to this level are at hand.
const OPENINGS: usize = 3;

/// So many fragments have a number of their own, a place in the index, and blocks that end behind them.
const MOST_FRAGMENTS: usize = Id::MAX as usize - (1 << 16);

/// Comparisons that a thread takes at a time.
const CHUNK: usize = 16;

/// What levels may take.
#[derive(Debug)]
pub(super) struct Room {
    /// Bytes of behaviours that may be held.
    pub(super) held: u64,
    /// How many fragments there may be.
    pub(super) fragments: usize,
}

impl Room {
    /// Behaviours of so many bytes.
    pub(super) fn for_behaviours(held: u64) -> Self {
        Self { held, fragments: MOST_FRAGMENTS }
    }
}

/// All levels made so far.
pub(super) struct Levels<'m, M> {
    machine: &'m M,
    pub(super) shape: Shape,
    /// The bit of each goal in sets of goals.
    places: Vec<u16>,
    /// Of each its recipe, and the most goals that it marks, or more; by their fingerprints.
    fragments: Catalogue<RECIPE>,
    /// Where each level ends.
    ends: Vec<Id>,
    /// Behaviours of the first fragments.
    held: Vec<Behaviour>,
    /// The programs of the first fragments.
    openings: Vec<Vec<u16>>,
    /// The most goals that a fragment of each level marks, or one of a lower level.
    most: Vec<u32>,
    /// Whether loops have more counts than are tried.
    pub(super) left_out: bool,
    /// The level above the highest, as far as it is.
    growth: Option<Growth>,
    room: Room,
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

impl<'m, M: Machine> Levels<'m, M> {
    /// Level 0, the empty program, and nothing else.
    pub(super) fn new(machine: &'m M, places: Vec<u16>, room: Room) -> Self {
        let shape = Shape::of(machine);
        let nothing = Behaviour::nothing(shape);
        let mut fragments = Catalogue::default();
        fragments.add(nothing.fingerprint(), &Recipe::Nothing.to_row(0));
        Self {
            machine,
            shape,
            places,
            fragments,
            ends: vec![1],
            held: vec![nothing],
            openings: Vec::new(),
            most: vec![0],
            left_out: false,
            growth: None,
            room,
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
        let end = |level: usize| self.ends.get(level).copied().unwrap_or(self.fragments.len());
        tokens.checked_sub(1).map_or(0, end)..end(tokens)
    }

    /// How many tokens a fragment takes.
    pub(super) fn tokens(&self, id: Id) -> usize {
        self.ends.partition_point(|&end| end <= id)
    }

    pub(super) fn len(&self) -> usize {
        self.fragments.len() as usize
    }

    /// How a fragment is put together, and the most goals that it marks, or more.
    #[inline]
    fn known(&self, id: Id) -> (Recipe, u16) {
        Recipe::from_row(self.fragments.row(id)).unwrap_or((Recipe::Nothing, 0))
    }

    #[inline]
    pub(super) fn recipe(&self, id: Id) -> Recipe {
        self.known(id).0
    }

    pub(super) fn is_loop(&self, id: Id) -> bool {
        matches!(self.recipe(id), Recipe::Loop { .. })
    }

    /// The most goals that a program of so many tokens marks, from whatever state.
    pub(super) fn most_marks(&self, tokens: usize) -> u32 {
        let known = self.most.get(..=tokens).and_then(|most| most.iter().max());
        known.copied().unwrap_or(u32::MAX)
    }

    /// Bytes of everything.
    pub(super) fn bytes(&self) -> u64 {
        self.held.len() as u64 * self.shape.bytes() + self.fragments.bytes()
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

    /// Holds the behaviours of whole levels, but the highest, as far as there is room.
    fn hold(&mut self, workers: &Workers<'_>) {
        let shape = self.shape;
        while let Some(level) =
            (0..self.depth()).map(|level| self.level(level)).find(|l| l.end as usize > self.held.len())
        {
            if u64::from(level.end) * self.shape.bytes() > self.room.held {
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

    /// The most goals that a fragment marks, or more.
    pub(super) fn marks_of(&self, id: Id) -> u32 {
        self.known(id).1.into()
    }

    fn end_level(&mut self, most: u32, workers: &Workers<'_>) {
        self.most.push(most);
        self.tried_before.push(self.tried);
        self.ends.push(self.fragments.len());
        if self.depth() <= OPENINGS {
            self.openings = (0..self.fragments.len()).map(|id| self.codes(id)).collect();
        }
        self.hold(workers);
    }
}
