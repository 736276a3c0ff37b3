//! How often the searched sets of one budget contain each element.

use super::bits::{for_each, insert};
use std::cmp::Reverse;

/// An element is frequent if more than one in this number of searched sets contains it.
const FREQUENT: u64 = 100;

/// Counts the elements of the searched sets of one budget. No-goods grow by frequent elements first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ElementFrequencies {
    /// The number of searched sets that contain each element.
    counts: Vec<u64>,
    sets: u64,
    /// The elements that some searched set contains, the most frequent first, at the last update.
    order: Vec<u32>,
    /// The frequent elements, at the last update.
    frequent: Vec<u64>,
    /// The number of sets at which the order is computed again.
    next_update: u64,
}

impl ElementFrequencies {
    /// Frequencies without sets. Before the first set all elements are frequent.
    pub(super) fn new(elements: usize, all: &[u64]) -> Self {
        Self { counts: vec![0; elements], frequent: all.to_vec(), next_update: 1, ..Self::default() }
    }

    /// Counts a set.
    pub(super) fn add(&mut self, set: &[u64]) {
        for_each(set, |element| self.counts[element as usize] += 1);
        self.sets += 1;
        if self.sets < self.next_update {
            return;
        }
        self.next_update = self.sets + self.sets / 2 + 8;
        self.frequent.fill(0);
        self.order.clear();
        for (element, &count) in (0..).zip(&self.counts) {
            if count > 0 {
                self.order.push(element);
            }
            if count.saturating_mul(FREQUENT) > self.sets {
                insert(&mut self.frequent, element);
            }
        }
        self.order.sort_by_key(|&element| (Reverse(self.counts[element as usize]), element));
    }

    /// The elements in the order in which growing tries them.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The frequent elements.
    pub(super) fn frequent(&self) -> &[u64] {
        &self.frequent
    }

    /// The share of sets that contain an element.
    pub(super) fn share(&self, element: u32) -> f64 {
        let count = self.counts.get(element as usize).copied().unwrap_or(0);
        if self.sets == 0 { 0.5 } else { count as f64 / self.sets as f64 }
    }

    /// The number of bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.counts.capacity() * 8 + self.order.capacity() * 4 + self.frequent.capacity() * 8) as u64
    }
}
