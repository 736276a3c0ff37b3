//! Expands the states of one level.

use super::packed_sets::{Origin, PackedSets, hash, is_subset, key_of_words, words_of_key};
use super::spill::Spill;
use super::ways::Ways;
use crate::domain::{Cost, MoveIndex};
use crate::engine::checkpointer::Checkpointer;
use crate::engine::incumbent::Incumbent;
use crate::engine::links::Link;
use crate::engine::parallel::Workers;
use crate::expand::{Child, Counts, Expander, Reach, Slot, StateSpace};
use crate::platform::wide::for_each_level;
use crate::store::StorageError;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// What an iteration works with.
pub(super) struct Search<'a> {
    pub(super) space: &'a dyn StateSpace,
    /// The same space with the refined lower bound, if it was refined.
    pub(super) refined: Option<&'a dyn StateSpace>,
    pub(super) workers: &'a Workers<'a>,
    pub(super) incumbent: &'a Incumbent<'a>,
    pub(super) checkpointer: &'a Checkpointer<'a>,
    /// The memory limit of the search, in bytes.
    pub(super) memory: Option<u64>,
    /// Bytes of the refined lower bound, which count against the limit.
    pub(super) bound_bytes: u64,
    /// Where sets go when memory is short, if they may go to disk.
    pub(super) spill: Option<&'a Spill<'a>>,
}

/// The states of one g.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) g: Cost,
    pub(super) sets: PackedSets,
    /// The number of the first state among all states of the iteration; the root is number 0.
    pub(super) first: usize,
    /// The memos of the states that are done. A state is done when it is expanded, or refuted by the refined bound; then
    /// zeros stand for its memo.
    pub(super) memos: Vec<u8>,
}

impl Level {
    /// Bytes of the memory that the level takes.
    pub(super) fn bytes(&self) -> u64 {
        self.sets.bytes() + self.memos.capacity() as u64
    }
}

/// The states up to a level, and the threshold.
#[derive(Clone, Copy)]
pub(super) struct View<'v> {
    /// The level before, if there is one.
    pub(super) before: Option<&'v Level>,
    pub(super) level: &'v Level,
    /// How each state was reached up to the level.
    pub(super) links: &'v Ways,
    pub(super) f: Cost,
    /// States with a hash from here on are not sampled.
    pub(super) sampled_below: u64,
}

impl View<'_> {
    /// The set of the parent of a state of the level, and its memo; `None` if they are not at hand.
    fn parent(&self, number: usize, memo_len: usize) -> Option<(&[u64], &[u8])> {
        let before = self.before?;
        let at = (self.level.sets.origin(number).link.parent as usize).checked_sub(before.first)?;
        let memo = before.memos.get(at * memo_len..(at + 1) * memo_len)?;
        Some((before.sets.get(at), memo))
    }
}

/// What came of some states of a level.
#[derive(Default)]
pub(super) struct Expansion {
    /// States that are done.
    pub(super) done: usize,
    /// Those of them that were expanded.
    pub(super) expanded: u64,
    /// The memos of all that are done.
    pub(super) memos: Vec<u8>,
    /// The children that may be of use, by their g.
    pub(super) children: Vec<(Cost, PackedSets)>,
    pub(super) counts: Counts,
    /// The least f of a state that the lower bound has refuted; [`Cost::MAX`] if there is none.
    pub(super) cut: Cost,
    /// Hashes and keys of states that may belong to the sample.
    pub(super) sampled: Vec<(u64, Box<[u8]>)>,
}

impl Expansion {
    fn add(&mut self, g: Cost, set: &[u64], origin: Origin) {
        let at = self.children.iter().position(|&(of, _)| of == g).unwrap_or_else(|| {
            self.children.push((g, PackedSets::new(set.len())));
            self.children.len() - 1
        });
        self.children[at].1.push(set, origin);
    }
}

/// The working memory of a thread.
pub(super) struct Scratch<'a> {
    expander: Box<dyn Expander + 'a>,
    /// An expander with the refined bound.
    refined: Option<Box<dyn Expander + 'a>>,
    memo_len: usize,
    is_antitone: bool,
    children: Vec<Child>,
    key: Vec<u8>,
    parent_key: Vec<u8>,
    /// The sets of the children, one behind the other.
    sets: Vec<u64>,
    costs: Vec<Cost>,
    contained: Vec<bool>,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(search: &Search<'a>) -> Self {
        let key = vec![0; search.space.key_len()];
        Self {
            expander: search.space.expander(),
            refined: search.refined.map(|refined| refined.expander()),
            memo_len: search.refined.map_or(0, |refined| refined.memo_len()),
            is_antitone: search.space.is_antitone(),
            children: Vec::new(),
            parent_key: key.clone(),
            key,
            sets: Vec::new(),
            costs: Vec::new(),
            contained: Vec::new(),
        }
    }

    fn counts(&self) -> Counts {
        let Counts { generated, evaluated } = self.expander.counts();
        let refined = self.refined.as_ref().map_or(0, |refined| refined.counts().evaluated);
        Counts { generated, evaluated: evaluated + refined }
    }
}

impl Search<'_> {
    /// Offers a solution. Ends the search if it costs at most f, the proven lower bound.
    pub(super) fn take_solution(
        &self,
        cost: Cost,
        f: Cost,
        path: impl FnOnce() -> Result<Vec<MoveIndex>, StorageError>,
    ) {
        if cost >= self.incumbent.cost() {
            return;
        }
        match path() {
            Ok(moves) => self.incumbent.offer(cost, || moves),
            Err(error) => return self.checkpointer.fail(&error.into()),
        };
        if cost <= f {
            self.workers.monitor.finish();
        }
    }

    /// Expands some states of a level that the refined bound does not refute, and evaluates their children.
    pub(super) fn expand(&self, view: View<'_>, numbers: Range<usize>, scratch: &mut Scratch<'_>) -> Expansion {
        let before = scratch.counts();
        let mut expansion = Expansion { done: numbers.len(), cut: Cost::MAX, ..Expansion::default() };
        for number in numbers {
            key_of_words(view.level.sets.get(number), &mut scratch.key);
            if is_refuted(view, number, scratch, &mut expansion) {
                continue;
            }
            expansion.expanded += 1;
            let hash = hash(view.level.sets.get(number));
            if hash < view.sampled_below {
                expansion.sampled.push((hash, scratch.key[..].into()));
            }
            self.expand_one(view, number, scratch, &mut expansion);
        }
        let Counts { generated, evaluated } = scratch.counts();
        expansion.counts = Counts { generated: generated - before.generated, evaluated: evaluated - before.evaluated };
        let gauges = &self.workers.monitor.gauges;
        gauges.expanded.fetch_add(expansion.expanded, Relaxed);
        gauges.generated.fetch_add(expansion.counts.generated, Relaxed);
        expansion
    }

    /// Expands a state of the level, whose key is in `scratch`.
    fn expand_one(&self, view: View<'_>, number: usize, scratch: &mut Scratch<'_>, expansion: &mut Expansion) {
        let View { level, links, f, .. } = view;
        let Scratch { expander, children, key, sets, costs, contained, is_antitone, .. } = scratch;
        let (words, most_f) = (level.sets.words(), level.sets.origin(number).most_f);
        expander.truncate(0);
        children.clear();
        let frame = expander.expand_key(key, 0, None, children);
        sets.resize(children.len() * words, 0);
        costs.clear();
        let slot = |at: usize| Slot { frame, at: at as u32 };
        let link = |child: &Child| Link { parent: (level.first + number) as u32, mv: child.mv };
        for (at, (child, set)) in children.iter().zip(sets.chunks_exact_mut(words)).enumerate() {
            costs.push(child.cost);
            if let Some(stop) = child.terminal {
                let cost = level.g.saturating_add(child.cost).saturating_add(stop);
                self.take_solution(cost, f, || links.path(link(child)));
            }
            expander.pack(slot(at), key);
            words_of_key(key, set);
        }
        mark_contained(sets, words, costs, contained);
        for (at, (child, set)) in children.iter().zip(sets.chunks_exact(words)).enumerate() {
            if contained[at] {
                continue;
            }
            let g = level.g.saturating_add(child.cost);
            // An antitone bound is no greater at the child than at the set that it contains.
            let most_f = most_f.saturating_add(child.cost);
            if most_f <= f && *is_antitone && is_subset(level.sets.get(number), set) {
                expansion.add(g, set, Origin { link: link(child), most_f });
                continue;
            }
            match expander.reach(slot(at), g, f) {
                Reach::Within(most_f) => expansion.add(g, set, Origin { link: link(child), most_f }),
                Reach::Beyond(f) => expansion.cut = expansion.cut.min(f),
                Reach::DeadEnd => {}
            }
        }
    }
}

/// Whether the refined bound refutes a state of the level, whose key is in `scratch`. Keeps the memo of the state.
fn is_refuted(view: View<'_>, number: usize, scratch: &mut Scratch<'_>, expansion: &mut Expansion) -> bool {
    let Scratch { refined: Some(refined), memo_len, key, parent_key, .. } = scratch else { return false };
    let parent = view.parent(number, *memo_len).map(|(set, memo)| {
        key_of_words(set, parent_key);
        (&parent_key[..], memo)
    });
    let end = expansion.memos.len() + *memo_len;
    let reach = refined.reach_refined(parent, key, view.level.g, view.f, &mut expansion.memos);
    // A state that was refuted may have none.
    expansion.memos.resize(end, 0);
    match reach {
        Reach::Within(_) => return false,
        Reach::Beyond(f) => expansion.cut = expansion.cut.min(f),
        Reach::DeadEnd => {}
    }
    true
}

for_each_level! {
    /// Marks each child that another one contains which costs no more; of equal ones with equal costs all but the first.
    fn mark_contained(sets: &[u64], words: usize, costs: &[Cost], contained: &mut Vec<bool>) = mark
}

#[inline(always)]
fn mark(sets: &[u64], words: usize, costs: &[Cost], contained: &mut Vec<bool>) {
    contained.clear();
    for (at, &cost) in costs.iter().enumerate() {
        let set = &sets[at * words..][..words];
        let mut is_contained = false;
        for (of, &other_cost) in costs.iter().enumerate() {
            let other = &sets[of * words..][..words];
            if of != at && other_cost <= cost && is_subset(set, other) {
                is_contained |= of < at || other_cost < cost || set != other;
            }
        }
        contained.push(is_contained);
    }
}
