//! The changes of a store with files, for the journal.

use super::record::Id;
use std::fmt::Debug;

/// A change of a store.
#[derive(Debug)]
pub(crate) enum Change {
    /// The packed marks of new records with consecutive positions.
    NewRecords { shard: u32, first: u32, marks: Vec<u8> },
    /// Ids of [`Id::BYTES`] bytes, each followed by a mark to join to the mark of its record.
    ChangedMarks(Vec<u8>),
    /// Closed records.
    Closed(Vec<Id>),
    /// A segment is full.
    FullSegment { shard: u32, segment: u32 },
}

/// Receives the changes of a store, in order for each shard. Must not wait, because shards report under their locks.
pub(crate) trait ChangeSink: Send + Sync + Debug {
    /// Receives a change.
    fn report(&self, change: Change);
}
