//! Which rank owns which shards.

use std::ops::Range;

/// The rank that owns a shard.
#[must_use]
pub fn rank_of_shard(shard: usize, ranks: usize, shards: usize) -> usize {
    shard * ranks / shards
}

/// The shards that a rank owns. With more ranks than shards, some ranks own none.
#[must_use]
pub fn shards_of_rank(rank: usize, ranks: usize, shards: usize) -> Range<usize> {
    let first = |rank: usize| (rank * shards).div_ceil(ranks);
    first(rank)..first(rank + 1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_shard_has_one_owner() {
        let (many, more) = if cfg!(miri) { (64, 128) } else { (16_384, 1_024) };
        for (ranks, shards) in [(1, 8), (2, 16), (3, 64), (5, 64), (7, 8), (20, 8), (64, many), (100, more)] {
            let all: Vec<_> = (0..ranks).flat_map(|rank| shards_of_rank(rank, ranks, shards)).collect();
            assert_eq!(all, (0..shards).collect::<Vec<_>>());
            let is_owner =
                |rank| shards_of_rank(rank, ranks, shards).all(|shard| rank_of_shard(shard, ranks, shards) == rank);
            assert!((0..ranks).all(is_owner));
        }
    }
}
