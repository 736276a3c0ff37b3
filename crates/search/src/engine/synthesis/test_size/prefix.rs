//! Prefixes: the part of a program before its endless loop.

use crate::engine::synthesis::bank::{Fragments, Id};
use crate::engine::synthesis::codes::Codes;
use crate::engine::synthesis::starts::SETTLED;

/// A prefix with its effect.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "SavedPrefix", try_from = "SavedPrefix")]
pub(super) struct Prefix {
    /// The end states, one for each start; [`SETTLED`] where nothing is left to be marked.
    pub(super) states: Box<[u16]>,
    /// The set of goals that the prefix leaves unmarked.
    pub(super) missing: Vec<u64>,
    /// The program, as [`Codes`].
    pub(super) codes: Vec<u16>,
}

impl Prefix {
    /// The empty prefix.
    pub(super) fn empty(fragments: &Fragments<'_>) -> Self {
        let (mut states, missing) = (Box::from(fragments.starts.states()), fragments.all_goals());
        fragments.starts.settle(&mut states, &missing);
        Self { states, missing, codes: Vec::new() }
    }

    /// Whether there is a state for each start, and a word for each plane of goals.
    pub(super) fn is_sound(&self, fragments: &Fragments<'_>) -> bool {
        let is_state = |&state: &u16| state == SETTLED || usize::from(state) < fragments.shape.states;
        [self.states.len(), self.missing.len()] == [fragments.starts.states().len(), fragments.shape.planes]
            && self.states.iter().all(is_state)
    }

    /// This prefix followed by a fragment; `None` where more than `most` goals are left for a start.
    pub(super) fn then(&self, fragments: &Fragments<'_>, id: Id, most: u32) -> Option<Self> {
        let (mut missing, mut states) = (self.missing.clone(), self.states.clone());
        for state in states.iter_mut().filter(|state| **state != SETTLED) {
            *state = fragments.apply(id, *state, &mut missing);
        }
        fragments.starts.allow_all(&missing, most).then(|| {
            fragments.starts.settle(&mut states, &missing);
            let mut codes = self.codes.clone();
            fragments.write(id, &mut codes);
            Self { states, missing, codes }
        })
    }
}

/// The number of goals of a set.
#[inline]
pub(super) fn count(goals: &[u64]) -> u32 {
    goals.iter().map(|word| word.count_ones()).sum()
}

/// The first goals that every one of these prefixes leaves.
pub(super) fn common_missing(prefixes: &[Prefix]) -> u64 {
    prefixes.iter().fold(u64::MAX, |missing, prefix| missing & prefix.missing[0])
}

/// One of all prefixes that lead to the same states and leave the same goals: the lexically smallest. Sorted by states.
pub(super) fn distinct(codes: Codes, mut prefixes: Vec<Prefix>) -> Vec<Prefix> {
    let order = |a: &Prefix, b: &Prefix| (&a.states, &a.missing).cmp(&(&b.states, &b.missing));
    prefixes.sort_by(|a, b| order(a, b).then_with(|| codes.order(&a.codes, &b.codes)));
    prefixes.dedup_by(|a, b| (&a.states, &a.missing) == (&b.states, &b.missing));
    prefixes
}

/// A prefix in a checkpoint. The states of the second start and of further ones stand before the codes: a 0, with which
/// no program begins, the number of these states, and the states.
#[derive(serde::Serialize, serde::Deserialize)]
struct SavedPrefix {
    state: u16,
    missing: Vec<u64>,
    codes: Vec<u16>,
}

impl From<Prefix> for SavedPrefix {
    fn from(Prefix { states, missing, codes, .. }: Prefix) -> Self {
        let (state, others) = states.split_first().map_or((0, &[][..]), |(first, others)| (*first, others));
        let codes = match others.len() {
            0 => codes,
            more => [&[0, more as u16][..], others, &codes].concat(),
        };
        Self { state, missing, codes }
    }
}

impl TryFrom<SavedPrefix> for Prefix {
    type Error = &'static str;

    fn try_from(SavedPrefix { state, missing, codes }: SavedPrefix) -> Result<Self, Self::Error> {
        let (others, codes) = match &codes[..] {
            [0, more, rest @ ..] => {
                rest.split_at_checked(usize::from(*more)).ok_or("found a prefix without the states of all starts")?
            }
            codes => (&[][..], codes),
        };
        Ok(Self { states: [&[state], others].concat().into(), codes: codes.to_vec(), missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prefix of one start has the form that older versions wrote. What is read is what was written.
    #[test]
    fn prefixes_are_read_back() {
        let prefix = |states: &[u16], codes: &[u16]| Prefix {
            states: states.into(),
            missing: vec![5, 9],
            codes: codes.to_vec(),
        };
        let single = SavedPrefix::from(prefix(&[7], &[6, 1, 0]));
        assert_eq!((single.state, single.codes), (7, vec![6, 1, 0]));
        for (states, codes) in
            [(&[7][..], &[][..]), (&[7], &[6, 1, 0]), (&[7, SETTLED, 3], &[]), (&[7, 0], &[2, 6, 1, 0])]
        {
            let prefix = prefix(states, codes);
            assert_eq!(Prefix::try_from(SavedPrefix::from(prefix.clone())).as_ref(), Ok(&prefix));
        }
        let short = SavedPrefix { state: 7, missing: vec![5], codes: vec![0, 3, 1, 1] };
        assert!(Prefix::try_from(short).is_err());
    }
}
