//! Blocks: the units of work of a test, in the order in which they are tried.

use super::body_part::Alternatives;
use crate::bank::{Fragments, Id};
use std::ops::Range;

/// The number of fragments in a block from which loops are made that the bank does not have. They are so few that they
/// stay in the first-level cache.
pub(super) const LOOPS: usize = 8;

/// The bodies that are tried with the fragments of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bodies with loops around the fragments, and with loops around these loops. They are few, and most solutions are
    /// among them, so they are tried first.
    Loops,
    /// Bodies with loops around longer bodies. One of the fragments is the largest part of such a longer body.
    LongerLoops,
    /// All other bodies.
    Other,
}

/// Fragments of one level that are tried together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) ids: Range<Id>,
}

/// All blocks of a test. There may be as many blocks as memory holds fragments, so each block is made when its turn
/// comes.
pub(super) struct Blocks {
    spans: Vec<Span>,
}

/// Blocks of one kind and one level.
struct Span {
    kind: Kind,
    ids: Range<Id>,
    /// The most fragments of a block.
    most: Id,
    /// Whether the last fragments are tried first.
    is_backwards: bool,
}

impl Span {
    fn len(&self) -> usize {
        self.ids.len().div_ceil(self.most as usize)
    }

    fn block(&self, number: usize) -> Block {
        let number = if self.is_backwards { self.len() - 1 - number } else { number };
        let start = self.ids.start + number as Id * self.most;
        Block { kind: self.kind, ids: start..self.ids.end.min(start + self.most) }
    }
}

impl Blocks {
    /// The blocks of a test with levels up to `depth`, whose bodies have up to `beyond` tokens more.
    pub(super) fn of(fragments: &Fragments<'_>, depth: usize, beyond: usize) -> Self {
        let span = |kind, size| {
            let most = if kind == Kind::Other { Alternatives::MOST } else { LOOPS } as Id;
            Span { kind, ids: fragments.level(size), most, is_backwards: kind != Kind::Other }
        };
        let mut spans = Vec::new();
        if beyond > 1 {
            // Backwards: in most solutions the large loop is around another large loop, and loops are the last
            // fragments of a level.
            spans.push(span(Kind::Loops, depth));
            spans.extend((1..=depth).rev().map(|size| span(Kind::LongerLoops, size)));
        }
        spans.extend((1..=depth).map(|size| span(Kind::Other, size)));
        Self { spans }
    }

    /// The number of fragments in the first blocks. A fragment counts once for each of its blocks.
    pub(super) fn fragments(&self, mut blocks: usize) -> u64 {
        let mut all = 0;
        for span in &self.spans {
            let of_span = blocks.min(span.len());
            blocks -= of_span;
            // The block at the end of the level may be smaller than the others. Backwards it comes first.
            let missing = span.len() as u64 * u64::from(span.most) - span.ids.len() as u64;
            let has_smaller = if span.is_backwards { of_span > 0 } else { of_span == span.len() };
            all += of_span as u64 * u64::from(span.most) - if has_smaller { missing } else { 0 };
        }
        all
    }

    /// The blocks of the batch under way that were not tried yet, if `tried` blocks were tried so far. Empty if all
    /// blocks were tried.
    pub(super) fn rest_of_batch(&self, tried: usize, batch: usize) -> Vec<Block> {
        let (mut begin, mut rest) = (0, Vec::new());
        let wanted = tried..(tried / batch + 1) * batch;
        for span in &self.spans {
            let end = begin + span.len();
            let numbers = wanted.start.max(begin)..wanted.end.min(end);
            rest.extend(numbers.map(|number| span.block(number - begin)));
            begin = end;
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that is stopped within a batch goes on to the end of that batch.
    #[test]
    fn batches_end_at_fixed_blocks() {
        let of = |kind, ids, is_backwards| Span { kind, ids, most: 2, is_backwards };
        let all = Blocks {
            spans: vec![
                of(Kind::Loops, 5..12, true),
                of(Kind::LongerLoops, 12..12, true),
                of(Kind::Other, 1..12, false),
            ],
        };
        let order: Vec<Id> =
            (0..10).step_by(4).flat_map(|tried| all.rest_of_batch(tried, 4)).map(|block| block.ids.start).collect();
        assert_eq!(order, [11, 9, 7, 5, 1, 3, 5, 7, 9, 11]);
        let left = |tried| all.rest_of_batch(tried, 4).len();
        assert_eq!([0, 1, 3, 4, 7, 8, 9, 10, 11, 13].map(left), [4, 3, 1, 4, 1, 2, 1, 0, 0, 0]);
        let fragments = [0, 1, 2, 4, 5, 9, 10, 11].map(|tried| all.fragments(tried));
        assert_eq!(fragments, [0, 1, 3, 7, 9, 17, 18, 18]);
        let ends = all.rest_of_batch(0, 100).into_iter().map(|block| block.ids.end);
        assert_eq!(ends.collect::<Vec<_>>(), [12, 11, 9, 7, 3, 5, 7, 9, 11, 12]);
    }
}
