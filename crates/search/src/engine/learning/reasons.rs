//! The reasons of one move.

use super::bits::{contains, is_subset};
use crate::domain::{Cost, MoveIndex};

#[derive(Default)]
pub(super) struct MoveReasons {
    pub(super) mv: MoveIndex,
    pub(super) budget: Cost,
    /// Whether the lower bound refutes the child of the refuted set. Then it may refute larger children too.
    pub(super) by_bound: bool,
    /// Sets that are refuted for the remaining budget, one after another.
    pub(super) sets: Vec<u64>,
    /// The regression of the reason in use, and other regressions that contain the no-good too, one after another.
    pub(super) regressions: Vec<u64>,
    pub(super) current: usize,
}

impl MoveReasons {
    /// Clears the reasons, for another move. Memory is kept.
    pub(super) fn begin(&mut self, mv: MoveIndex, budget: Cost) {
        (self.mv, self.budget, self.by_bound, self.current) = (mv, budget, false, 0);
        self.sets.clear();
        self.regressions.clear();
    }

    /// Regression number `at`. A set has `words` words.
    pub(super) fn regression(&self, at: usize, words: usize) -> &[u64] {
        &self.regressions[at * words..][..words]
    }

    /// The number of a regression that contains an element: the one in use if it does, otherwise the first one.
    pub(super) fn regression_with(&self, element: u32, words: usize) -> Option<usize> {
        if contains(self.regression(self.current, words), element) {
            return Some(self.current);
        }
        self.regressions.chunks_exact(words).position(|regression| contains(regression, element))
    }

    /// Drops the regressions that do not contain the no-good.
    pub(super) fn retain(&mut self, no_good: &[u64], words: usize) {
        let (mut kept, mut current) = (0, 0);
        for at in 0..self.regressions.len() / words {
            if is_subset(no_good, self.regression(at, words)) {
                if at == self.current {
                    current = kept;
                }
                self.regressions.copy_within(at * words..(at + 1) * words, kept * words);
                kept += 1;
            }
        }
        self.regressions.truncate(kept * words);
        self.current = current;
    }
}
