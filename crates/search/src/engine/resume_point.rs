//! A best-first search that was stopped and can continue in the same process.

use super::snapshot::Snapshot;
use crate::store::{Frontier, Store};

/// A search that was stopped, with its store and its open nodes. Another search with the same lower bound can continue.
pub(super) struct ResumePoint {
    pub(super) store: Store,
    pub(super) snapshot: Snapshot,
    /// The open nodes, each in the layer of its f.
    pub(super) open: Frontier,
}
