//! What a program tells the library of its allocator.
//!
//! Memory that is free, but not given back to the system: an allocator keeps it for a while, because giving it back and
//! taking it anew costs time. To a limit of resident memory it counts as used.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static PURGE: OnceLock<fn()> = OnceLock::new();

static RESERVE: OnceLock<fn()> = OnceLock::new();

static IS_REFUSED: AtomicBool = AtomicBool::new(false);

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

/// Sets how the program gives address space back that it holds for the moment at which the system refuses memory; the
/// first call counts. The function allocates nothing.
pub fn set_reserve(give_back: fn()) {
    let _ = RESERVE.set(give_back);
}

/// Called when the system refuses memory, before it is asked again: another thread may have given the reserve back.
/// From then on all searches end with what they have, as at a limit of memory.
pub fn give_back_reserve() {
    IS_REFUSED.store(true, Relaxed);
    if let Some(give_back) = RESERVE.get() {
        give_back();
    }
}

/// Whether the system has refused memory.
#[must_use]
pub fn is_refused() -> bool {
    IS_REFUSED.load(Relaxed)
}
