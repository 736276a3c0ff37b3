//! Bodies as sequences of parts.

use crate::bank::Id;
use crate::semantics::Semantics;
use crate::workspace::SemanticsRef;

#[derive(Clone, Copy)]
pub(super) struct BodyPart<'a> {
    pub(super) kind: BodyPartKind<'a>,
    /// The projection of its semantics.
    pub(super) semantics: &'a Semantics,
}

#[derive(Clone, Copy)]
pub(super) enum BodyPartKind<'a> {
    Fragment(Id),
    /// A loop that is not in the bank.
    Loop {
        body: &'a [BodyPart<'a>],
        count: u16,
    },
}

impl<'a> BodyPart<'a> {
    pub(super) fn of(id: Id, semantics: &'a Semantics) -> Self {
        Self { kind: BodyPartKind::Fragment(id), semantics }
    }
}

/// The end state of some parts. Removes from `missing` the goals of the projection that the parts mark.
#[inline(always)]
pub(super) fn run_projected(parts: &[BodyPart<'_>], state: u16, missing: &mut u64) -> u16 {
    parts.iter().fold(state, |state, part| part.semantics.step(state, missing))
}

/// The fragments from which one part of a body is chosen.
pub(super) struct Alternatives<'a>(pub(super) Vec<BodyPart<'a>>);

impl Alternatives<'_> {
    /// The largest number of fragments for one part. Their steps from one state fit in the first-level cache. In tests,
    /// a level has several sets of alternatives.
    pub(super) const MAX_LEN: usize = if cfg!(test) { 11 } else { 1 << 10 };
}

/// A part of a body with its complete semantics.
pub(super) enum CompletePart<'a> {
    Fragment(SemanticsRef<'a>),
    Loop { body: Vec<CompletePart<'a>>, count: u16 },
}

/// The end state of some parts. Removes from `missing` all goals that the parts mark.
#[inline]
pub(super) fn run_complete(parts: &[CompletePart<'_>], state: u16, missing: &mut [u64]) -> u16 {
    parts.iter().fold(state, |state, part| match part {
        CompletePart::Fragment(semantics) => semantics.apply(state, missing),
        CompletePart::Loop { body, count } => (0..*count).fold(state, |state, _| run_complete(body, state, missing)),
    })
}

/// Calls `work` with all combinations of one part of each set. The last set changes fastest.
pub(super) fn for_each_combination<'a, const N: usize>(
    sets: &[&Alternatives<'a>; N],
    mut work: impl FnMut(&[BodyPart<'a>; N]),
) {
    let combinations: usize = sets.iter().map(|set| set.0.len()).product();
    for mut number in 0..combinations {
        let mut digits = [0; N];
        for (digit, set) in digits.iter_mut().zip(sets).rev() {
            (*digit, number) = (number % set.0.len(), number / set.0.len());
        }
        work(&std::array::from_fn(|place| sets[place].0[digits[place]]));
    }
}
