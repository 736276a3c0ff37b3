//! An index of sets that finds a superset of a set.
//!
//! A binary tree. An inner node splits its sets by one element: those with the element, and those without. A superset
//! of a set with the element lies among the former; a superset of a set without it may lie on either side. Each node
//! knows the union of its sets, and a set that is no subset of the union has no superset there. A leaf holds up to
//! [`LEAF`] sets side by side.
//!
//! A full leaf is split by the element whose number of sets is nearest [`SHARE`]. Elements that are in
//! nearly all sets, or in few, would leave one side as large as the leaf.

use super::packed_sets::{contains, is_subset};
use crate::for_each_level;

/// The most sets of a leaf.
const LEAF: usize = 24;

/// The number of sets of a full leaf that have the element by which the leaf is split, at best.
const SHARE: usize = 15;

/// Planes of a counter that counts to [`LEAF`].
const PLANES: usize = 5;

const _: () = assert!(LEAF < 1 << PLANES);

#[derive(Clone, Copy, Debug)]
enum Node {
    /// The sets with the element lie in one node, the others in another one.
    Inner { element: u32, with: u32, without: u32 },
    /// The sets of a block, from its beginning on.
    Leaf { block: u32, len: u32 },
}

/// Sets that are asked for supersets. Sets may be added, not removed.
#[derive(Clone, Debug)]
pub(super) struct SupersetIndex {
    words: usize,
    nodes: Vec<Node>,
    /// The union of the sets of each node.
    unions: Vec<u64>,
    /// The sets of each leaf, [`LEAF`] places for each block.
    blocks: Vec<u64>,
}

/// The places that are asked first: those of the last supersets found.
const RECENT: usize = 32;

/// The memory of queries.
#[derive(Clone, Debug, Default)]
pub(super) struct Queries {
    /// Nodes that are still to be visited.
    stack: Vec<u32>,
    /// Places of the supersets found last. Whatever set is there by now is a set of the index.
    recent: Vec<usize>,
    /// The number of the place that is replaced next.
    oldest: usize,
}

impl Queries {
    #[inline(always)]
    fn remember(&mut self, place: usize) {
        if self.recent.len() < RECENT {
            self.recent.push(place);
        } else {
            self.recent[self.oldest] = place;
            self.oldest = (self.oldest + 1) % RECENT;
        }
    }
}

impl SupersetIndex {
    /// An index without sets, for sets of so many words.
    pub(super) fn new(words: usize) -> Self {
        let mut new = Self { words, nodes: Vec::new(), unions: Vec::new(), blocks: Vec::new() };
        new.add_leaf();
        new
    }

    /// Drops all sets.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.unions.clear();
        self.blocks.clear();
        self.add_leaf();
    }

    /// Whether a superset of `set`, or `set` itself, is in the index.
    pub(super) fn has_superset(&self, set: &[u64], queries: &mut Queries) -> bool {
        find(self, set, false, queries).is_some()
    }

    /// Whether a superset of `set` other than `set` itself is in the index.
    pub(super) fn has_strict_superset(&self, set: &[u64], queries: &mut Queries) -> bool {
        find(self, set, true, queries).is_some()
    }

    #[inline(always)]
    fn at(&self, place: usize) -> &[u64] {
        &self.blocks[place * self.words..][..self.words]
    }

    /// Adds a set. It must not be in the index.
    pub(super) fn insert(&mut self, set: &[u64]) {
        let mut node = 0;
        loop {
            let union = &mut self.unions[node as usize * self.words..][..self.words];
            for (all, word) in union.iter_mut().zip(set) {
                *all |= word;
            }
            match self.nodes[node as usize] {
                Node::Inner { element, with, without } => node = if contains(set, element) { with } else { without },
                Node::Leaf { len, .. } if len as usize == LEAF => self.split(node),
                Node::Leaf { block, len } => {
                    let place = block as usize * LEAF + len as usize;
                    self.blocks[place * self.words..][..self.words].copy_from_slice(set);
                    self.nodes[node as usize] = Node::Leaf { block, len: len + 1 };
                    return;
                }
            }
        }
    }

    fn add_leaf(&mut self) -> u32 {
        let block = (self.blocks.len() / (LEAF * self.words)) as u32;
        self.blocks.resize(self.blocks.len() + LEAF * self.words, 0);
        self.nodes.push(Node::Leaf { block, len: 0 });
        self.unions.resize(self.unions.len() + self.words, 0);
        self.nodes.len() as u32 - 1
    }

    /// Splits a full leaf.
    fn split(&mut self, node: u32) {
        let Node::Leaf { block, .. } = self.nodes[node as usize] else { return };
        let sets = self.blocks[block as usize * LEAF * self.words..][..LEAF * self.words].to_vec();
        let element = splitting_element(&sets, self.words);
        // The block goes to one of the new leaves.
        let (with, without) = (self.nodes.len() as u32, self.nodes.len() as u32 + 1);
        self.nodes.push(Node::Leaf { block, len: 0 });
        self.unions.resize(self.unions.len() + self.words, 0);
        self.add_leaf();
        self.nodes[node as usize] = Node::Inner { element, with, without };
        for set in sets.chunks(self.words) {
            let side = if contains(set, element) { with } else { without };
            let Node::Leaf { block, len } = self.nodes[side as usize] else { continue };
            let place = block as usize * LEAF + len as usize;
            self.blocks[place * self.words..][..self.words].copy_from_slice(set);
            self.nodes[side as usize] = Node::Leaf { block, len: len + 1 };
            let union = &mut self.unions[side as usize * self.words..][..self.words];
            for (all, word) in union.iter_mut().zip(set) {
                *all |= word;
            }
        }
    }
}

/// The element whose number among the [`LEAF`] sets is nearest [`SHARE`]; the lowest among equals. There is one that
/// some sets have and others lack, because the sets are distinct.
fn splitting_element(sets: &[u64], words: usize) -> u32 {
    let mut planes = vec![[0_u64; PLANES]; words];
    for set in sets.chunks(words) {
        for (counter, &word) in planes.iter_mut().zip(set) {
            let mut carry = word;
            for plane in counter {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
            }
        }
    }
    let with = |number: usize| {
        planes.iter().enumerate().find_map(|(at, counter)| {
            let mut equal = u64::MAX;
            for (bit, plane) in counter.iter().enumerate() {
                equal &= if number >> bit & 1 == 1 { *plane } else { !*plane };
            }
            (equal != 0).then(|| at as u32 * 64 + equal.trailing_zeros())
        })
    };
    let mut numbers: Vec<usize> = (1..LEAF).collect();
    numbers.sort_by_key(|number| number.abs_diff(SHARE));
    numbers.into_iter().find_map(with).unwrap_or(0)
}

#[inline(always)]
fn is_contained(set: &[u64], other: &[u64], strict: bool) -> bool {
    is_subset(set, other) && !(strict && set == other)
}

for_each_level! {
    /// The place of a superset.
    fn find(index: &SupersetIndex, set: &[u64], strict: bool, queries: &mut Queries) -> Option<usize> = find_superset
}

#[inline(always)]
fn find_superset(index: &SupersetIndex, set: &[u64], strict: bool, queries: &mut Queries) -> Option<usize> {
    for at in 0..queries.recent.len() {
        let place = queries.recent[at];
        if is_contained(set, index.at(place), strict) {
            return Some(place);
        }
    }
    queries.stack.clear();
    let mut node = 0;
    loop {
        if is_subset(set, &index.unions[node as usize * index.words..][..index.words]) {
            match index.nodes[node as usize] {
                Node::Inner { element, with, without } => {
                    if !contains(set, element) {
                        queries.stack.push(without);
                    }
                    node = with;
                    continue;
                }
                Node::Leaf { block, len } => {
                    let first = block as usize * LEAF;
                    for place in first..first + len as usize {
                        if is_contained(set, index.at(place), strict) {
                            queries.remember(place);
                            return Some(place);
                        }
                    }
                }
            }
        }
        let next = queries.stack.pop()?;
        node = next;
    }
}
