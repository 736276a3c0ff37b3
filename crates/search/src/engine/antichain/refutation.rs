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
use serde::{Deserialize, Serialize};

/// Sets that a thread takes at a time.
const CHUNK: usize = 64;

/// The sets at which the refined bound was evaluated, those of them that it has refuted, and the least f of these.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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

/// Those of some sets that were not refuted.
#[derive(Default, Serialize, Deserialize)]
struct Unrefuted {
    numbers: Vec<u32>,
    /// The memos of those that had none, one behind the other.
    #[serde(with = "serde_bytes")]
    memos: Vec<u8>,
    refuted: Refuted,
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
    let memo_len = refined.bound().memo_len;
    // Children of one parent look at the same entries of tables.
    let mut by_parent: Vec<u32> = (0..sets.len() as u32).collect();
    by_parent.sort_unstable_by_key(|&number| sets.origin(number as usize).link.parent);
    let chunks: Vec<&[u32]> = by_parent.chunks(CHUNK).collect();
    let evaluate = |evaluator: &mut Evaluator<'_>, chunk: &&[u32]| {
        let mut part = Unrefuted::default();
        for &number in *chunk {
            let set = sets.get(number as usize);
            let parent = (sets.origin(number as usize).link.parent as usize).checked_sub(first);
            if sets.memo(number as usize).is_some() {
                part.numbers.push(number);
            } else if let Some(memo) = evaluator.memo(set, (parents, parent), (g, f), &mut part.refuted) {
                part.numbers.push(number);
                let place = part.memos.len();
                part.memos.extend_from_slice(memo);
                part.memos.resize(place + memo_len, 0);
            }
        }
        part
    };
    let parts = workers.map_together(&chunks, || Evaluator::new(refined), evaluate)?;
    let mut refuted = Refuted::default();
    let mut left = Vec::new();
    for part in &parts {
        refuted.add(part.refuted);
        let mut memos = &part.memos[..];
        for &number in &part.numbers {
            let memo = sets.memo(number as usize).unwrap_or_else(|| {
                let (memo, rest) = memos.split_at(memo_len);
                memos = rest;
                memo
            });
            left.push((number, memo));
        }
    }
    left.sort_unstable_by_key(|&(number, _)| number);
    let numbers: Vec<u32> = left.iter().map(|&(number, _)| number).collect();
    let mut kept = sets.select(&numbers);
    left.iter().enumerate().for_each(|(at, (_, memo))| kept.set_memo(at, memo));
    Some((kept, refuted))
}
