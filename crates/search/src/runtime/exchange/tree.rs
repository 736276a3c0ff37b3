//! The binary tree in which ranks gather and spread.

/// The place of one rank in the tree of all ranks. Rank 0 is the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    pub(super) rank: usize,
    ranks: usize,
}

impl Tree {
    pub(super) fn new(rank: usize, ranks: usize) -> Self {
        Self { rank, ranks }
    }

    pub(super) fn parent(self) -> Option<usize> {
        self.rank.checked_sub(1).map(|number| number / 2)
    }

    pub(super) fn children(self) -> impl Iterator<Item = usize> {
        (2 * self.rank + 1..=2 * self.rank + 2).filter(move |&child| child < self.ranks)
    }

    /// The number of ranks in the subtree of this rank.
    pub(super) fn size(self) -> usize {
        1 + self.children().map(|child| Self::new(child, self.ranks).size()).sum::<usize>()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_one_parent_and_the_root_has_all() {
        for ranks in 1..20 {
            let trees = (0..ranks).map(|rank| Tree::new(rank, ranks));
            let mut reached: Vec<_> = trees.clone().flat_map(Tree::children).collect();
            reached.sort_unstable();
            assert_eq!(reached, (1..ranks).collect::<Vec<_>>());
            assert!(trees.clone().all(|tree| tree.children().all(|c| Tree::new(c, ranks).parent() == Some(tree.rank))));
            assert_eq!(Tree::new(0, ranks).size(), ranks);
        }
    }
}
