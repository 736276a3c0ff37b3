//! What the parts of a best-first search hand to each other.

use crate::domain::Cost;
use crate::store::Nodes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An item of a queue: open nodes of one g.
pub(super) type Item = (Cost, Nodes);

/// Locks a mutex. A panic under the lock ends the search, so what it left behind does no harm.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
