//! Gathers a page of every rank, and spreads all pages to all ranks.

use super::tree::Tree;
use serde_bytes::ByteBuf;

/// Pages with the ranks that laid them down.
pub(super) type Laid = Vec<(u32, ByteBuf)>;

/// The part of one rank in the rounds of pages.
#[derive(Debug)]
pub(super) struct Pages {
    tree: Tree,
    /// The number of the round under way.
    round: u64,
    /// The pages of this part of the tree so far.
    gathered: Laid,
    /// All pages of the last round, until they are taken.
    all: Option<Vec<ByteBuf>>,
}

impl Pages {
    pub(super) fn new(tree: Tree) -> Self {
        Self { tree, round: 0, gathered: Vec::new(), all: None }
    }

    pub(super) fn tree(&self) -> Tree {
        self.tree
    }

    /// Adds the page of this rank.
    pub(super) fn lay_down(&mut self, page: ByteBuf) {
        self.gathered.push((self.tree.rank() as u32, page));
    }

    /// Adds the pages of a child's part of the tree. A child is at most in the round of its parent.
    pub(super) fn gather(&mut self, round: u64, pages: Laid) {
        debug_assert_eq!(round, self.round);
        self.gathered.extend(pages);
    }

    /// The number of the round and the pages of this part of the tree, once, when they are complete. They are in the
    /// order of the ranks.
    pub(super) fn complete(&mut self) -> Option<(u64, Laid)> {
        if self.gathered.len() < self.tree.size() {
            return None;
        }
        let mut pages = std::mem::take(&mut self.gathered);
        pages.sort_unstable_by_key(|&(rank, _)| rank);
        Some((self.round, pages))
    }

    /// Ends the round with all pages.
    pub(super) fn end(&mut self, round: u64, pages: Vec<ByteBuf>) {
        debug_assert_eq!(round, self.round);
        self.round += 1;
        self.all = Some(pages);
    }

    /// All pages, once.
    pub(super) fn all(&mut self) -> Option<Vec<ByteBuf>> {
        self.all.take()
    }
}
