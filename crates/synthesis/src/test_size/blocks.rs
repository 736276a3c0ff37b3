//! Blocks: the units of work of a test, in the order in which they are tried.

use super::body_part::Alternatives;
use crate::bank::{Fragments, Id};
use std::ops::Range;

/// The number of fragments in a block of new loops. Their semantics fit in the first-level cache.
pub(super) const LOOP_BLOCK_LEN: usize = 8;

/// The kind of bodies that are tried with the fragments of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Bodies with loops around the fragments, and with loops around these loops. They come first, because they are few
    /// and include most solutions.
    Loops,
    /// Bodies with loops around longer bodies whose largest part is one of the fragments.
    LongerLoops,
    /// All other bodies.
    Other,
}

/// Fragments of one level that are tried together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) ids: Range<Id>,
}

/// All blocks of a test. They are numerous, so each block is computed on demand.
pub(super) struct Blocks(Vec<Span>);

/// Blocks of one kind and one level.
struct Span {
    kind: BlockKind,
    ids: Range<Id>,
    /// The largest number of fragments of a block.
    max_block_len: Id,
    /// Whether the last fragments are tried first.
    is_backwards: bool,
}

impl Span {
    fn len(&self) -> usize {
        self.ids.len().div_ceil(self.max_block_len as usize)
    }

    fn block(&self, number: usize) -> Block {
        let number = if self.is_backwards { self.len() - 1 - number } else { number };
        let start = self.ids.start + number as Id * self.max_block_len;
        Block { kind: self.kind, ids: start..self.ids.end.min(start + self.max_block_len) }
    }
}

impl Blocks {
    /// The blocks of a test with levels up to `depth` and bodies of up to `extra_tokens` more tokens.
    pub(super) fn of(fragments: &Fragments<'_>, depth: usize, extra_tokens: usize) -> Self {
        let span = |kind, size| {
            let max_block_len = if kind == BlockKind::Other { Alternatives::MAX_LEN } else { LOOP_BLOCK_LEN } as Id;
            Span { kind, ids: fragments.level(size), max_block_len, is_backwards: kind != BlockKind::Other }
        };
        let mut spans = Vec::new();
        if extra_tokens > 1 {
            // Backwards: most solutions have a large loop around another large loop, and loops are the last fragments
            // of a level.
            spans.push(span(BlockKind::Loops, depth));
            spans.extend((1..=depth).rev().map(|size| span(BlockKind::LongerLoops, size)));
        }
        spans.extend((1..=depth).map(|size| span(BlockKind::Other, size)));
        Self(spans)
    }

    /// The total number of fragments in the first `blocks` blocks.
    pub(super) fn count_fragments(&self, mut blocks: usize) -> u64 {
        let mut total = 0;
        for span in &self.0 {
            let of_span = blocks.min(span.len());
            blocks -= of_span;
            // The block at the end of the level may be smaller. Among backward blocks, this block comes first.
            let missing = span.len() as u64 * u64::from(span.max_block_len) - span.ids.len() as u64;
            let has_smaller = if span.is_backwards { of_span > 0 } else { of_span == span.len() };
            total += of_span as u64 * u64::from(span.max_block_len) - if has_smaller { missing } else { 0 };
        }
        total
    }

    /// The untried blocks of the current batch after `tried` blocks. Empty if all blocks were tried.
    pub(super) fn rest_of_batch(&self, tried: usize, batch_size: usize) -> Vec<Block> {
        let (mut begin, mut blocks) = (0, Vec::new());
        let untried = tried..(tried / batch_size + 1) * batch_size;
        for span in &self.0 {
            let end = begin + span.len();
            let numbers = untried.start.max(begin)..untried.end.min(end);
            blocks.extend(numbers.map(|number| span.block(number - begin)));
            begin = end;
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that is stopped within a batch goes on to the end of that batch.
    #[test]
    fn batches_end_at_fixed_blocks() {
        let of = |kind, ids, is_backwards| Span { kind, ids, max_block_len: 2, is_backwards };
        let all = Blocks(vec![
            of(BlockKind::Loops, 5..12, true),
            of(BlockKind::LongerLoops, 12..12, true),
            of(BlockKind::Other, 1..12, false),
        ]);
        let order: Vec<Id> =
            (0..10).step_by(4).flat_map(|tried| all.rest_of_batch(tried, 4)).map(|block| block.ids.start).collect();
        assert_eq!(order, [11, 9, 7, 5, 1, 3, 5, 7, 9, 11]);
        let left = |tried| all.rest_of_batch(tried, 4).len();
        assert_eq!([0, 1, 3, 4, 7, 8, 9, 10, 11, 13].map(left), [4, 3, 1, 4, 1, 2, 1, 0, 0, 0]);
        let fragments = [0, 1, 2, 4, 5, 9, 10, 11].map(|tried| all.count_fragments(tried));
        assert_eq!(fragments, [0, 1, 3, 7, 9, 17, 18, 18]);
        let ends = all.rest_of_batch(0, 100).into_iter().map(|block| block.ids.end);
        assert_eq!(ends.collect::<Vec<_>>(), [12, 11, 9, 7, 3, 5, 7, 9, 11, 12]);
    }
}
