//! The stream of changes of a store with files, from which a journal is written.

use super::record::Id;
use std::fmt::Debug;

/// A change of a store.
#[derive(Debug)]
pub(crate) enum Change {
    /// Marks of new records with consecutive positions, packed in the width of a mark.
    Born { shard: u32, first: u32, marks: Vec<u8> },
    /// Ids, each followed by the mark that is to be joined to the mark of its record. An id takes [`Id::BYTES`] bytes,
    /// and a mark its width.
    Marked(Vec<u8>),
    /// Closed records.
    Closed(Vec<Id>),
    /// A segment is full.
    Sealed { shard: u32, segment: u32 },
}

/// Takes the changes of a store, in the order in which each shard makes them.
///
/// Shards call this under their locks, so an implementation must not wait.
pub(crate) trait ChangeSink: Send + Sync + Debug {
    /// Takes a change.
    fn take(&self, change: Change);
}
