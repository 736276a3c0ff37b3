//! A best-first search that was stopped and can continue in the same process.

use crate::engine::checkpoints::Snapshot;
use crate::store::{Frontier, Store};

/// A search that was stopped, with its store and its open nodes. Another search with the same lower bound can continue.
pub(in crate::engine) struct ResumePoint {
    pub(in crate::engine) store: Store,
    pub(in crate::engine) snapshot: Snapshot,
    /// The open nodes, each in the layer of its f.
    pub(in crate::engine) open: Frontier,
}
