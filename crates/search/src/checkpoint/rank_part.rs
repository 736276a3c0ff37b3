//! The parts of a checkpoint: each rank makes its part durable, then the leader names all parts in a manifest.

use super::manifest::{JournalState, Manifest, ShardState};
use serde::{Deserialize, Serialize};

/// The part of one rank in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RankPart {
    /// The number of the checkpoint.
    pub(super) sequence: u64,
    pub(super) rank: u32,
    /// The shards that the rank owns, in their order.
    pub(super) shards: Vec<ShardState>,
    /// The rank's journal; `None` for an engine without records.
    pub(super) journal: Option<JournalState>,
}

/// A checkpoint that waits for the parts of ranks.
pub(super) struct PendingCheckpoint {
    /// The manifest, without shards and journals.
    pub(super) manifest: Manifest,
    parts: Vec<Option<RankPart>>,
}

impl PendingCheckpoint {
    pub(super) fn new(manifest: Manifest, ranks: usize) -> Self {
        Self { manifest, parts: vec![None; ranks] }
    }

    /// Adds a part. Parts of other checkpoints are ignored. A repeated part is equal.
    pub(super) fn add(&mut self, part: RankPart) {
        if part.sequence == self.manifest.sequence
            && let Some(slot) = self.parts.get_mut(part.rank as usize)
        {
            *slot = Some(part);
        }
    }

    /// The manifest, if all parts are there. `other_journals` have higher numbers than any rank has now: an earlier
    /// session with more ranks wrote them.
    pub(super) fn complete_manifest(&self, other_journals: &[JournalState]) -> Option<Manifest> {
        let parts: Vec<&RankPart> = self.parts.iter().map(Option::as_ref).collect::<Option<_>>()?;
        let mut manifest = self.manifest.clone();
        manifest.shards = parts.iter().flat_map(|part| part.shards.iter().cloned()).collect();
        manifest.journals = parts.iter().filter_map(|part| part.journal.clone()).collect();
        manifest.journals.extend_from_slice(other_journals);
        Some(manifest)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::runtime::{decode, encode};

    fn part(sequence: u64, rank: u32) -> RankPart {
        let state = |tail_crc| ShardState { records: 5 + rank, tail_crc, places: Vec::new() };
        let journal = JournalState { length: 70, shards: (2 * rank, 2 * rank + 2) };
        RankPart { sequence, rank, shards: vec![state(1), state(2)], journal: Some(journal) }
    }

    #[test]
    fn a_manifest_is_made_of_the_parts_of_all_ranks() {
        let (identity, payload, shards, journals, body) = (String::new(), vec![1], Vec::new(), Vec::new(), None);
        let (sequence, time, key_len, mask_bits, segment) = (4, 9, 3, 2, 8);
        let bare = Manifest { sequence, time, identity, payload, key_len, mask_bits, segment, shards, journals, body };
        let other_journals = [JournalState { length: 8, shards: (0, 6) }];
        let mut pending = PendingCheckpoint::new(bare, 3);
        // Parts come in any order. Those of other checkpoints do not count.
        for part in [part(4, 2), part(4, 0), part(3, 1), part(5, 1), part(4, 2), part(4, 9)] {
            pending.add(decode(&encode(&part)).expect("a part"));
            assert_eq!(pending.complete_manifest(&other_journals), None);
        }
        pending.add(part(4, 1));
        let whole = pending.complete_manifest(&other_journals).expect("all parts");
        assert_eq!(whole.shards.iter().map(|shard| shard.records).collect::<Vec<_>>(), [5, 5, 6, 6, 7, 7]);
        assert_eq!(whole.journals.iter().map(|journal| journal.shards.1).collect::<Vec<_>>(), [2, 4, 6, 6]);
        assert_eq!(decode::<RankPart>(&encode(&part(1, 1))[1..]), None);
    }
}
