//! Expands the states of one level.

use super::packed_sets::{Origin, PackedSets, is_subset, key_of_words, words_of_key};
use crate::domain::Cost;
use crate::engine::incumbent::Incumbent;
use crate::engine::links::{Link, path};
use crate::engine::parallel::Workers;
use crate::expand::{Child, Counts, Expander, Reach, Slot, StateSpace};
use crate::for_each_level;
use std::ops::Range;

/// What an iteration works with.
pub(super) struct IterationContext<'a> {
    pub(super) space: &'a dyn StateSpace,
    pub(super) workers: &'a Workers<'a>,
    pub(super) incumbent: &'a Incumbent<'a>,
    /// The memory limit of the search, in bytes.
    pub(super) memory: Option<u64>,
}

/// The states of one g.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) g: Cost,
    pub(super) sets: PackedSets,
    /// The number of the first state among all states of the iteration; the root is number 0.
    pub(super) first: usize,
}

/// The states up to a level, and the threshold.
#[derive(Clone, Copy)]
pub(super) struct View<'v> {
    pub(super) level: &'v Level,
    /// How each state was reached up to the level.
    pub(super) links: &'v [Link],
    pub(super) f: Cost,
}

/// What came of some states of a level.
#[derive(Default)]
pub(super) struct Expansion {
    /// States that were expanded.
    pub(super) expanded: usize,
    /// The children that may be of use, by their g.
    pub(super) children: Vec<(Cost, PackedSets)>,
    pub(super) counts: Counts,
    /// The least f of a state that the lower bound has refuted; [`Cost::MAX`] if there is none.
    pub(super) cut: Cost,
}

impl Expansion {
    /// The children of cost `g`, of so many words each.
    fn children_at(&mut self, g: Cost, words: usize) -> &mut PackedSets {
        let at = self.children.iter().position(|&(of, _)| of == g).unwrap_or_else(|| {
            self.children.push((g, PackedSets::new(words)));
            self.children.len() - 1
        });
        &mut self.children[at].1
    }
}

/// The working memory of a thread.
pub(super) struct Scratch<'a> {
    expander: Box<dyn Expander + 'a>,
    is_antitone: bool,
    children: Vec<Child>,
    key: Vec<u8>,
    /// The sets of the children, one behind the other.
    sets: Vec<u64>,
    costs: Vec<Cost>,
    contained: Vec<bool>,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(search: &IterationContext<'a>) -> Self {
        let key = vec![0; search.space.key_len()];
        Self {
            expander: search.space.expander(),
            is_antitone: search.space.bound().is_antitone,
            children: Vec::new(),
            key,
            sets: Vec::new(),
            costs: Vec::new(),
            contained: Vec::new(),
        }
    }
}

impl IterationContext<'_> {
    /// Expands some states of a level, and evaluates their children.
    pub(super) fn expand(&self, view: View<'_>, numbers: Range<usize>, scratch: &mut Scratch<'_>) -> Expansion {
        let before = scratch.expander.counts();
        let mut expansion = Expansion { expanded: numbers.len(), cut: Cost::MAX, ..Expansion::default() };
        for number in numbers {
            key_of_words(view.level.sets.get(number), &mut scratch.key);
            self.expand_one(view, number, scratch, &mut expansion);
        }
        let Counts { generated, evaluated } = scratch.expander.counts();
        expansion.counts = Counts { generated: generated - before.generated, evaluated: evaluated - before.evaluated };
        expansion
    }

    /// Expands a state of the level, whose key is in `scratch`.
    fn expand_one(&self, view: View<'_>, number: usize, scratch: &mut Scratch<'_>, expansion: &mut Expansion) {
        let View { level, links, f, .. } = view;
        let Scratch { expander, children, key, sets, costs, contained, is_antitone } = scratch;
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
                self.incumbent.offer(cost, || path(links, link(child)));
                if cost <= f {
                    // Nothing costs less than f, the proven lower bound.
                    self.workers.monitor.finish();
                }
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
            let most_f = if most_f <= f && *is_antitone && is_subset(level.sets.get(number), set) {
                most_f
            } else {
                match expander.reach(slot(at), g, f) {
                    Reach::Within(most_f) => most_f,
                    Reach::Beyond(f) => {
                        expansion.cut = expansion.cut.min(f);
                        continue;
                    }
                    Reach::DeadEnd => continue,
                }
            };
            expansion.children_at(g, words).push(set, Origin { link: link(child), most_f });
        }
    }
}

for_each_level! {
    /// Marks each child that another one contains which costs no more; of equal ones with equal costs all but the
    /// first.
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
