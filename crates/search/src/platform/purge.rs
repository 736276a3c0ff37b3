//! Memory that is free, but not given back to the system: an allocator keeps it for a while, because giving it back and
//! taking it anew costs time. To a limit of resident memory it counts as used.

use std::sync::OnceLock;

static PURGE: OnceLock<fn()> = OnceLock::new();

/// Sets how the allocator of the program gives all free memory back to the system; the first call counts. The library
/// calls `purge` on any thread, before memory decides something: a search that would end, or tables that may have no
/// room.
pub fn set_purge(purge: fn()) {
    let _ = PURGE.set(purge);
}

/// Gives free memory back to the system, if the program has said how. Takes up to some milliseconds for 100 MB.
pub fn purge() {
    if let Some(purge) = PURGE.get() {
        purge();
    }
}
