//! Evaluates the refined lower bound at the children of a level.
//!
//! An antitone bound refutes no set that contains a set which it does not refute. So the same sets are left whether the
//! bound is asked before the maximal ones are sought, or after. Before, the bound is asked at more sets, and the
//! maximal ones of fewer sets are sought. This pays where the bound refutes most sets. It is decided for each level by
//! what the bound has refuted of the level before.

use super::packed_sets::{PackedSets, key_of_words};
use crate::domain::Cost;
use crate::engine::parallel::Workers;
use crate::expand::{Expander, Reach, StateSpace};

/// Sets that a thread takes at a time.
const CHUNK: usize = 64;

/// The sets at which the refined bound was evaluated, those of them that it has refuted, and the least f of these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refuted {
    pub(super) evaluated: u64,
    number: u64,
    pub(super) cut: Cost,
}

impl Default for Refuted {
    fn default() -> Self {
        Self { evaluated: 0, number: 0, cut: Cost::MAX }
    }
}

impl Refuted {
    /// Whether more than half of the sets were refuted.
    pub(super) fn is_most(&self) -> bool {
        2 * self.number > self.evaluated
    }

    pub(super) fn add(&mut self, other: Self) {
        self.evaluated += other.evaluated;
        self.number += other.number;
        self.cut = self.cut.min(other.cut);
    }
}

/// The working memory of a thread that evaluates the refined bound.
pub(super) struct Evaluator<'a> {
    expander: Box<dyn Expander + 'a>,
    key: Vec<u8>,
    parent_key: Vec<u8>,
    memo: Vec<u8>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(refined: &'a dyn StateSpace) -> Self {
        let key = vec![0; refined.key_len()];
        Self { expander: refined.expander(), parent_key: key.clone(), key, memo: Vec::new() }
    }

    /// The memo of a set of cost `g`, unless the bound refutes the set. `number` is that of its parent in `parents`, if
    /// the parent is there.
    pub(super) fn memo(
        &mut self,
        set: &[u64],
        (parents, number): (&PackedSets, Option<usize>),
        (g, f): (Cost, Cost),
        refuted: &mut Refuted,
    ) -> Option<&[u8]> {
        let Self { expander, key, parent_key, memo } = self;
        key_of_words(set, key);
        let parent = number.and_then(|number| Some((parents.get(number), parents.memo(number)?)));
        let parent = parent.map(|(set, memo)| {
            key_of_words(set, parent_key);
            (&parent_key[..], memo)
        });
        memo.clear();
        refuted.evaluated += 1;
        match expander.reach_refined(parent, key, g, f, memo) {
            Reach::Within(_) => return Some(memo),
            Reach::Beyond(f) => refuted.cut = refuted.cut.min(f),
            Reach::DeadEnd => {}
        }
        refuted.number += 1;
        None
    }
}

/// Drops the sets of cost `g` that the refined bound refutes, and keeps the order of the others. Sets with a memo stay.
/// The parents of those without one are `parents`, from number `first` on, but for sets that a checkpoint held. `None`
/// when the search is to stop.
pub(super) fn refute(
    refined: &dyn StateSpace,
    sets: &PackedSets,
    (parents, first): (&PackedSets, usize),
    (g, f): (Cost, Cost),
    workers: &Workers<'_>,
) -> Option<(PackedSets, Refuted)> {
    let mut refuted = Refuted::default();
    // Children of one parent look at the same entries of tables.
    let mut by_parent: Vec<u32> = (0..sets.len() as u32).collect();
    by_parent.sort_unstable_by_key(|&number| sets.origin(number as usize).link.parent);
    let chunks: Vec<&[u32]> = by_parent.chunks(CHUNK).collect();
    let evaluate = |evaluator: &mut Evaluator<'_>, chunk: &&[u32]| {
        let (mut left, mut numbers, mut refuted) = (sets.none_alike(), Vec::new(), Refuted::default());
        for &number in *chunk {
            let (set, origin) = (sets.get(number as usize), sets.origin(number as usize));
            let parent = (origin.link.parent as usize).checked_sub(first);
            let known = sets.memo(number as usize);
            let memo = known.or_else(|| evaluator.memo(set, (parents, parent), (g, f), &mut refuted));
            if let Some(memo) = memo {
                left.push_with_memo(set, origin, memo);
                numbers.push(number);
            }
        }
        (left, numbers, refuted)
    };
    let (mut left, mut numbers) = (sets.none_alike(), Vec::new());
    for (mut of_part, of_numbers, of_refuted) in workers.map(&chunks, 1, || Evaluator::new(refined), evaluate)? {
        left.append(&mut of_part);
        numbers.extend(of_numbers);
        refuted.add(of_refuted);
    }
    let mut places: Vec<u32> = (0..numbers.len() as u32).collect();
    places.sort_unstable_by_key(|&place| numbers[place as usize]);
    Some((left.select(&places), refuted))
}
