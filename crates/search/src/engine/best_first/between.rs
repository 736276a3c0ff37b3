//! What the parts of a best-first search hand to each other, and to what runs between its layers.

use crate::domain::Cost;
use crate::engine::outcome::Solution;
use crate::store::Nodes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An item of a queue: open nodes of one g.
pub(super) type Item = (Cost, Nodes);

/// A function that is called between layers, with the expansions so far and the incumbent.
pub(in crate::engine) type BetweenLayersHook<'a> = dyn Fn(Expanded, Option<Solution>) -> BetweenLayers + Sync + 'a;

/// Numbers of expanded states.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Expanded {
    /// In all layers, earlier sessions included.
    pub(in crate::engine) in_layers: u64,
    /// In this session, by all engines. It counts against the limits of the session.
    pub(in crate::engine) in_session: u64,
}

/// What another engine did between two layers.
#[derive(Default)]
pub(in crate::engine) struct BetweenLayers {
    /// A solution that may be better than the incumbent.
    pub(in crate::engine) better: Option<Solution>,
    /// States that the other engine expanded. They count against the limits of this search and appear in its progress.
    pub(in crate::engine) expanded: u64,
}

/// Locks a mutex. A panic under the lock ends the search, so what it left behind does no harm.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
