//! The candidates of a level, composed of fragments of lower levels.

use super::candidates::Candidate;
use super::fragments::Fragments;
use super::recipe::{Id, Recipe};
use crate::semantics::{Semantics, SemanticsShape};
use crate::workspace::Workspace;
use gridhunt_search::runtime::Stopped;
use std::ops::Range;

/// The largest number of fragments before the rest of a unit.
const MAX_FIRSTS: Id = 256;

/// A unit of work: sequences of one level with the same rest, and the loops around this rest.
pub(super) struct Unit {
    /// The end of each sequence.
    rest: Id,
    /// The fragments before the rest. Only atoms are used.
    firsts: Range<Id>,
    /// Whether loops around `rest` belong to the level.
    is_body: bool,
}

/// The units of a level, in the order in which they are numbered.
pub(super) fn units(fragments: &Fragments<'_>, tokens: usize) -> impl Iterator<Item = Unit> + use<> {
    let of_size = |rest| (fragments.level(rest), fragments.level(tokens - rest), rest == tokens - 1);
    let sizes: Vec<_> = (1..tokens).map(of_size).collect();
    sizes.into_iter().flat_map(|(rests, Range { start, end }, is_body)| {
        let slices = (start..end).step_by(MAX_FIRSTS as usize).map(move |from| from..end.min(from + MAX_FIRSTS));
        rests.flat_map(move |rest| slices.clone().map(move |firsts| Unit { rest, firsts, is_body }))
    })
}

/// The number of units of a level.
pub(super) fn count_units(fragments: &Fragments<'_>, tokens: usize) -> u64 {
    let of_size = |rest_size| {
        let [rests, firsts] = [rest_size, tokens - rest_size].map(|size| fragments.level(size).len() as u64);
        rests * firsts.div_ceil(MAX_FIRSTS.into())
    };
    (1..tokens).map(of_size).sum()
}

/// Workspaces for projections and for complete semantics.
pub(super) struct Workspaces {
    projected: Workspace,
    complete: Workspace,
}

impl Workspaces {
    pub(super) fn new(shape: SemanticsShape) -> Self {
        Self { projected: Workspace::new(shape.projected()), complete: Workspace::new(shape) }
    }
}

/// The candidates of a unit, or of level 1.
#[derive(Default)]
pub(super) struct UnitCandidates {
    pub(super) candidates: Vec<Candidate>,
    /// The largest number of goals that a candidate or a known fragment marks.
    pub(super) max_marks: u32,
    /// Whether a loop has untried counts.
    pub(super) has_untried_counts: bool,
}

impl UnitCandidates {
    /// Adds a candidate. `marks` is an upper bound on the number of its marks, exact if it is larger than `max_marks`.
    fn add(&mut self, semantics: &Semantics, recipe: Recipe, marks: u32) {
        self.max_marks = self.max_marks.max(marks);
        let marks = marks.min(u16::MAX.into()) as u16;
        self.candidates.push(Candidate { fingerprint: semantics.fingerprint(), recipe, max_marks: marks });
    }
}

/// The candidates of level 1, which are the instructions.
pub(super) fn instructions(fragments: &Fragments<'_>, max_marks: u32) -> UnitCandidates {
    let mut generated = UnitCandidates { max_marks, ..UnitCandidates::default() };
    for instruction in 0..fragments.machine.instructions() {
        let recipe = Recipe::Instruction(instruction);
        let semantics = fragments.compute(recipe, &mut Workspace::new(fragments.shape));
        generated.add(&semantics, recipe, semantics.max_marks());
    }
    generated
}

/// Generates all sequences and loops of a unit. `max_marks` is the largest number of goals that a known fragment marks.
/// Ends as soon as `should_stop` returns true.
pub(super) fn candidates_of(
    fragments: &Fragments<'_>,
    unit: &Unit,
    max_marks: u32,
    workspaces: &mut Workspaces,
    should_stop: &dyn Fn() -> bool,
) -> Result<UnitCandidates, Stopped> {
    let mut generated = UnitCandidates { max_marks, ..UnitCandidates::default() };
    let Workspaces { projected, complete } = workspaces;
    let rest = unit.rest;
    // A loop around a loop is equivalent to a single loop.
    let is_body = unit.is_body && !fragments.is_loop(rest);
    let rest_semantics = fragments.semantics(rest, if is_body { &mut *complete } else { &mut *projected });
    let mut sequence = projected.take();
    let marks_of_rest = fragments.max_marks_of(rest);
    for first in unit.firsts.clone() {
        if should_stop() {
            return Err(Stopped);
        }
        let (recipe, marks_of_first) = fragments.entry(first);
        if !recipe.is_atom() {
            continue;
        }
        let first_semantics = fragments.semantics(first, projected);
        sequence.set_to_sequence(&first_semantics, &rest_semantics);
        projected.recycle_computed(first_semantics);
        let recipe = Recipe::Sequence { first, rest };
        let mut marks = u32::from(marks_of_first) + marks_of_rest;
        if marks > generated.max_marks {
            let semantics = fragments.compute(recipe, complete);
            marks = semantics.max_marks();
            complete.recycle(semantics);
        }
        generated.add(&sequence, recipe, marks);
    }
    if is_body {
        add_loops(rest, &rest_semantics, &mut sequence, complete, &mut generated, should_stop)?;
    }
    projected.recycle(sequence);
    if is_body { complete } else { projected }.recycle_computed(rest_semantics);
    Ok(generated)
}

/// Adds all loops around a body. `buffer` is a projection and is overwritten.
fn add_loops(
    body: Id,
    semantics: &Semantics,
    buffer: &mut Semantics,
    complete: &mut Workspace,
    generated: &mut UnitCandidates,
    should_stop: &dyn Fn() -> bool,
) -> Result<(), Stopped> {
    // No loop around the body marks more than endless repetition.
    let mut endless = complete.take();
    let counts = complete.loop_counts(semantics, &mut endless);
    generated.has_untried_counts |= counts.has_untried_counts;
    let marks = endless.max_marks();
    semantics.for_each_loop(&counts, &endless, buffer, should_stop, |repeated, count| {
        generated.add(repeated, Recipe::Loop { body, count }, marks);
    })?;
    complete.recycle(endless);
    Ok(())
}
