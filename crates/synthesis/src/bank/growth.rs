//! The candidates of a level, composed of fragments of lower levels.

use super::candidates::Candidate;
use super::fragments::Fragments;
use super::recipe::{Id, Recipe};
use crate::semantics::{Semantics, SemanticsSize};
use crate::workspace::Workspace;
use gridhunt_search::runtime::Stopped;
use std::ops::Range;

/// The most atoms of a unit.
const MOST_ATOMS: Id = 256;

/// A unit of work: fragments of one level with the same rest.
pub(super) struct Unit {
    /// The rest, with which each of these fragments ends.
    rest: Id,
    /// Fragments before the rest. Only the atoms among them are used.
    firsts: Range<Id>,
    /// Whether loops around `rest` belong to the level too.
    is_body: bool,
}

/// The units of a level, in the order in which they are numbered.
pub(super) fn units(fragments: &Fragments<'_>, tokens: usize) -> impl Iterator<Item = Unit> + use<> {
    let of_size = |of_rest| (fragments.level(of_rest), fragments.level(tokens - of_rest), of_rest == tokens - 1);
    let sizes: Vec<_> = (1..tokens).map(of_size).collect();
    sizes.into_iter().flat_map(|(rests, Range { start, end }, is_body)| {
        let slices = (start..end).step_by(MOST_ATOMS as usize).map(move |from| from..end.min(from + MOST_ATOMS));
        rests.flat_map(move |rest| slices.clone().map(move |firsts| Unit { rest, firsts, is_body }))
    })
}

/// The number of units of a level.
pub(super) fn count_units(fragments: &Fragments<'_>, tokens: usize) -> u64 {
    let of_size = |of_rest| {
        let [rests, firsts] = [of_rest, tokens - of_rest].map(|size| fragments.level(size).len() as u64);
        rests * firsts.div_ceil(MOST_ATOMS.into())
    };
    (1..tokens).map(of_size).sum()
}

/// Workspaces for projections and for whole semantics.
pub(super) struct Workspaces {
    projected: Workspace,
    whole: Workspace,
}

impl Workspaces {
    pub(super) fn new(shape: SemanticsSize) -> Self {
        Self { projected: Workspace::new(shape.projected()), whole: Workspace::new(shape) }
    }
}

/// The candidates of some units.
#[derive(Default)]
pub(super) struct Generated {
    pub(super) candidates: Vec<Candidate>,
    /// The most goals that a candidate, or a fragment known before, marks.
    pub(super) most: u32,
    /// Whether a loop has more counts than are tried.
    pub(super) truncated: bool,
}

impl Generated {
    /// Adds a candidate. `marks` is an upper bound on the number of its marks. The bound is exact if it is larger than
    /// `most`.
    fn add(&mut self, semantics: &Semantics, recipe: Recipe, marks: u32) {
        self.most = self.most.max(marks);
        let marks = marks.min(u16::MAX.into()) as u16;
        self.candidates.push(Candidate { fingerprint: semantics.fingerprint(), recipe, marks });
    }
}

/// The candidates of level 1, which are the instructions.
pub(super) fn instructions(fragments: &Fragments<'_>, most: u32) -> Generated {
    let mut generated = Generated { most, ..Generated::default() };
    for instruction in 0..fragments.machine.instructions() {
        let recipe = Recipe::Instruction(instruction);
        let semantics = fragments.compute(recipe, &mut Workspace::new(fragments.shape));
        generated.add(&semantics, recipe, semantics.most_marks());
    }
    generated
}

/// Generates all sequences and loops of a unit. Some fragment of the level, or of a lower one, is known to mark `most`
/// goals. Ends as soon as `stops` returns true.
pub(super) fn candidates_of(
    fragments: &Fragments<'_>,
    unit: &Unit,
    most: u32,
    workspaces: &mut Workspaces,
    stops: &dyn Fn() -> bool,
) -> Result<Generated, Stopped> {
    let mut generated = Generated { most, ..Generated::default() };
    let Workspaces { projected, whole } = workspaces;
    let rest = unit.rest;
    // A loop around a loop does what one loop does.
    let is_body = unit.is_body && !fragments.is_loop(rest);
    let rest_semantics = fragments.semantics(rest, if is_body { &mut *whole } else { &mut *projected });
    let mut sequence = projected.take();
    let marks_of_rest = fragments.marks_of(rest);
    for first in unit.firsts.clone() {
        if stops() {
            return Err(Stopped);
        }
        let (recipe, marks_of_first) = fragments.entry(first);
        if !recipe.is_atom() {
            continue;
        }
        let first_semantics = fragments.semantics(first, projected);
        sequence.set_to_sequence(&first_semantics, &rest_semantics);
        projected.give_back(first_semantics);
        let recipe = Recipe::Sequence { first, rest };
        let mut marks = u32::from(marks_of_first) + marks_of_rest;
        if marks > generated.most {
            let semantics = fragments.compute(recipe, whole);
            marks = semantics.most_marks();
            whole.give(semantics);
        }
        generated.add(&sequence, recipe, marks);
    }
    if is_body {
        add_loops(rest, &rest_semantics, &mut sequence, whole, &mut generated, stops)?;
    }
    projected.give(sequence);
    if is_body { whole } else { projected }.give_back(rest_semantics);
    Ok(generated)
}

/// Adds all loops around a body. `buffer` is a projection and is overwritten.
fn add_loops(
    body: Id,
    semantics: &Semantics,
    buffer: &mut Semantics,
    whole: &mut Workspace,
    generated: &mut Generated,
    stops: &dyn Fn() -> bool,
) -> Result<(), Stopped> {
    // No loop around the body marks more than endless repetition.
    let mut endless = whole.take();
    let counts = whole.loop_counts(semantics, &mut endless);
    generated.truncated |= counts.truncated;
    let marks = endless.most_marks();
    semantics.each_loop(&counts, &endless, buffer, stops, |repeated, count| {
        generated.add(repeated, Recipe::Loop { body, count }, marks);
    })?;
    whole.give(endless);
    Ok(())
}
