//! The fragments of all levels, by number and by fingerprint.

use super::recipe::{Id, ROW_BYTES, Recipe};
use crate::codes::Codes;
use crate::machine::Machine;
use crate::semantics::{Semantics, SemanticsShape};
use crate::workspace::{SemanticsRef, Workspace};
use gridhunt_search::engine::Workers;
use gridhunt_search::store::Catalogue;
use std::cmp::Ordering;
use std::ops::Range;

/// The number of fragments that a thread takes at a time, if their semantics are small.
const CHUNK: usize = 16;

/// Larger semantics take milliseconds to compute. So a thread takes one such fragment at a time, and soon sees a stop.
const LARGE_BYTES: u64 = 1 << 20;

/// The number of fragments that a thread takes at a time.
pub(super) fn chunk_len(shape: SemanticsShape) -> usize {
    if is_large(shape) { 1 } else { CHUNK }
}

/// Whether the semantics of a fragment take milliseconds to compute.
pub(super) fn is_large(shape: SemanticsShape) -> bool {
    shape.bytes() > LARGE_BYTES
}

/// Fragments with their recipes. The semantics are cached, or computed on demand.
pub(crate) struct Fragments<'m> {
    pub(crate) machine: &'m dyn Machine,
    pub(crate) codes: Codes,
    pub(crate) shape: SemanticsShape,
    /// The bit number of each goal in sets of goals.
    bits: Vec<u16>,
    pub(super) rows: Catalogue<ROW_BYTES>,
    /// For each complete level, the end of its range of ids.
    level_ends: Vec<Id>,
    /// For each complete level, the largest number of goals that a fragment of this level or of a lower one marks.
    max_marks_by_level: Vec<u32>,
    /// The semantics of the first fragments.
    cached_semantics: Vec<Semantics>,
}

impl<'m> Fragments<'m> {
    /// Begins with level 0, which is the empty program.
    pub(super) fn new(machine: &'m dyn Machine, bits: Vec<u16>) -> Self {
        let shape = SemanticsShape::of(machine);
        let empty = Semantics::identity(shape);
        let mut rows = Catalogue::default();
        rows.add(empty.fingerprint(), &Recipe::Empty.to_row(0));
        let (codes, cached_semantics) = (Codes::of(machine), vec![empty]);
        Self { machine, codes, shape, bits, rows, level_ends: vec![1], max_marks_by_level: vec![0], cached_semantics }
    }

    /// The highest complete level.
    pub(crate) fn depth(&self) -> usize {
        self.level_ends.len() - 1
    }

    /// The fragments of a level.
    pub(crate) fn level(&self, tokens: usize) -> Range<Id> {
        let end = |level: usize| self.level_ends.get(level).copied().unwrap_or(self.rows.len());
        tokens.checked_sub(1).map_or(0, end)..end(tokens)
    }

    /// The number of tokens of a fragment.
    pub(crate) fn tokens(&self, id: Id) -> usize {
        self.level_ends.partition_point(|&end| end <= id)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len() as usize
    }

    pub(crate) fn recipe(&self, id: Id) -> Recipe {
        self.entry(id).0
    }

    pub(crate) fn is_loop(&self, id: Id) -> bool {
        matches!(self.recipe(id), Recipe::Loop { .. })
    }

    /// The atoms of a complete level: its fragments that are not sequences.
    pub(crate) fn atoms(&self, tokens: usize) -> impl Iterator<Item = Id> {
        self.level(tokens).filter(move |&id| tokens == 1 || self.is_loop(id))
    }

    /// An upper bound on the number of goals that a fragment marks from any state.
    pub(crate) fn max_marks_of(&self, id: Id) -> u32 {
        self.entry(id).1.into()
    }

    /// The recipe of a fragment, and an upper bound on the number of goals that the fragment marks. Every row comes
    /// from [`Recipe::to_row`] or was checked, so the default is never used.
    #[inline]
    pub(super) fn entry(&self, id: Id) -> (Recipe, u16) {
        Recipe::from_row(self.rows.row(id)).unwrap_or((Recipe::Empty, 0))
    }

    /// The largest number of goals that a program of `tokens` tokens marks from any state; [`u32::MAX`] if the level is
    /// incomplete.
    pub(crate) fn max_marks(&self, tokens: usize) -> u32 {
        let max = self.max_marks_by_level.get(..=tokens).and_then(|levels| levels.iter().max());
        max.copied().unwrap_or(u32::MAX)
    }

    /// The number of bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.cached_semantics.len() as u64 * self.shape.bytes() + self.rows.bytes()
    }

    /// The semantics of a fragment. If it is not cached, it is computed in the shape of `workspace`.
    pub(crate) fn semantics(&self, id: Id, workspace: &mut Workspace) -> SemanticsRef<'_> {
        match self.cached_semantics.get(id as usize) {
            Some(semantics) => SemanticsRef::Cached(semantics),
            None => SemanticsRef::Computed(self.compute(self.recipe(id), workspace)),
        }
    }

    /// The semantics of a recipe, in a buffer of `workspace`.
    pub(super) fn compute(&self, recipe: Recipe, workspace: &mut Workspace) -> Semantics {
        match recipe {
            Recipe::Empty => Semantics::identity(workspace.shape),
            Recipe::Instruction(instruction) => {
                Semantics::of_instruction(self.machine, instruction, &self.bits, workspace.shape)
            }
            Recipe::Sequence { first, rest } => {
                let first = self.semantics(first, workspace);
                let rest = self.semantics(rest, workspace);
                let mut sequence = workspace.take();
                sequence.set_to_sequence(&first, &rest);
                workspace.recycle_computed(first);
                workspace.recycle_computed(rest);
                sequence
            }
            Recipe::Loop { body, count } => {
                let body = self.semantics(body, workspace);
                let mut repeated = workspace.take();
                let mut spare = workspace.take();
                repeated.set_to_loop(&body, count, &mut spare);
                workspace.recycle(spare);
                workspace.recycle_computed(body);
                repeated
            }
        }
    }

    /// For each bit number, the number of states from which a cached fragment marks the goal, summed over all cached
    /// fragments.
    pub(crate) fn mark_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.shape.planes * 64];
        self.cached_semantics.iter().for_each(|semantics| semantics.add_mark_counts(&mut counts));
        counts
    }

    /// The set of all goals.
    pub(crate) fn all_goals(&self) -> Vec<u64> {
        let mut goals = vec![0; self.shape.planes];
        self.bits.iter().for_each(|&bit| goals[usize::from(bit) / 64] |= 1 << (bit % 64));
        goals
    }

    /// The end state of a fragment from `state`. Removes from `missing` the goals that the fragment marks.
    pub(crate) fn apply(&self, id: Id, state: u16, missing: &mut [u64]) -> u16 {
        if let Some(semantics) = self.cached_semantics.get(id as usize) {
            return semantics.apply(state, missing);
        }
        match self.recipe(id) {
            Recipe::Empty => state,
            Recipe::Instruction(instruction) => {
                let (next, goal) = self.machine.step(state, instruction);
                if let Some(goal) = goal {
                    let bit = self.bits[usize::from(goal)];
                    missing[usize::from(bit) / 64] &= !(1 << (bit % 64));
                }
                next
            }
            Recipe::Sequence { first, rest } => {
                let state = self.apply(first, state, missing);
                self.apply(rest, state, missing)
            }
            Recipe::Loop { body, count } => (0..count).fold(state, |state, _| self.apply(body, state, missing)),
        }
    }

    /// Appends the codes of a fragment.
    pub(crate) fn write(&self, id: Id, codes: &mut Vec<u16>) {
        self.write_recipe(self.recipe(id), codes);
    }

    fn write_recipe(&self, recipe: Recipe, codes: &mut Vec<u16>) {
        match recipe {
            Recipe::Empty => {}
            Recipe::Instruction(instruction) => codes.push(u16::from(instruction) + 1),
            Recipe::Sequence { first, rest } => {
                self.write(first, codes);
                self.write(rest, codes);
            }
            Recipe::Loop { body, count } => {
                codes.push(self.codes.of_loop(count));
                self.write(body, codes);
                codes.push(0);
            }
        }
    }

    /// Compares the programs of two recipes lexically.
    pub(super) fn order(&self, a: Recipe, b: Recipe) -> Ordering {
        let codes = |recipe| {
            let mut codes = Vec::new();
            self.write_recipe(recipe, &mut codes);
            codes
        };
        self.codes.order(&codes(a), &codes(b))
    }

    /// The rows of the first `count` fragments.
    pub(super) fn first_rows(&self, count: Id) -> Vec<u8> {
        self.rows.rows().take(count as usize).flatten().copied().collect()
    }

    /// The ends and the largest numbers of marks of the complete levels.
    pub(super) fn levels(&self) -> (&[Id], &[u32]) {
        (&self.level_ends, &self.max_marks_by_level)
    }

    /// Completes the level under construction. `max_marks` is the largest number of goals that a fragment of this level
    /// or of a lower one marks.
    pub(super) fn complete_level(&mut self, max_marks: u32) {
        self.max_marks_by_level.push(max_marks);
        self.level_ends.push(self.rows.len());
    }

    /// Caches the semantics of further complete levels below the highest one, as long as all cached semantics fit into
    /// `max_bytes` and the search is not to stop.
    pub(super) fn fill_cache(&mut self, max_bytes: u64, workers: &Workers<'_>) {
        let shape = self.shape;
        let is_uncached = |level: &Range<Id>, cached: &[Semantics]| level.end as usize > cached.len();
        while let Some(level) =
            (0..self.depth()).map(|level| self.level(level)).find(|level| is_uncached(level, &self.cached_semantics))
        {
            if u64::from(level.end) * self.shape.bytes() > max_bytes {
                return;
            }
            let ids: Vec<Id> = level.collect();
            let compute = |workspace: &mut Workspace, &id: &Id| self.compute(self.recipe(id), workspace);
            let Ok(computed) = workers.map(&ids, chunk_len(shape), || Workspace::new(shape), compute) else { return };
            self.cached_semantics.extend(computed);
        }
    }
}
