//! Hooks through which the library uses the allocator of a program. Without them nothing is purged or held in reserve.
//!
//! An allocator keeps freed memory for a while, because giving it back to the system and taking it anew costs time.
//! Such memory is still resident, and counts against a limit of resident memory.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static PURGE: OnceLock<fn()> = OnceLock::new();

static RESERVE: OnceLock<AddressReserve> = OnceLock::new();

static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// Sets the function behind [`purge`]; the first call counts.
pub fn set_purge(purge: fn()) {
    let _ = PURGE.set(purge);
}

/// Gives freed memory back to the system, as far as the allocator can from this thread. Called on any thread before a
/// search is ended for lack of memory, and before tables are sized. Takes up to some milliseconds for 100 MB.
pub fn purge() {
    if let Some(purge) = PURGE.get() {
        purge();
    }
}

/// Address space that a program holds in reserve for a failed allocation. The functions must not allocate.
#[derive(Clone, Copy, Debug)]
pub struct AddressReserve {
    /// Acquires the reserve, for the first time or again. Returns true if the reserve is held now, or if none is
    /// needed.
    pub acquire: fn() -> bool,
    /// Releases the reserve to the system.
    pub release: fn(),
}

/// Sets the reserve of the program, and acquires it; the first call counts.
pub fn set_reserve(reserve: AddressReserve) {
    (RESERVE.get_or_init(|| reserve).acquire)();
}

/// Releases the reserve after a failed allocation. The allocation is then tried once more, even if the reserve was
/// released before. From now on all searches end with what they have found, as at a limit of memory.
pub fn on_failed_allocation() {
    HAS_FAILED.store(true, Relaxed);
    if let Some(reserve) = RESERVE.get() {
        (reserve.release)();
    }
}

/// Acquires the reserve again when a search begins, if earlier searches have left enough address space.
pub fn renew_reserve() {
    if has_allocation_failed() && RESERVE.get().is_none_or(|reserve| (reserve.acquire)()) {
        HAS_FAILED.store(false, Relaxed);
    }
}

/// Whether an allocation has failed since the reserve was acquired.
#[must_use]
pub fn has_allocation_failed() -> bool {
    HAS_FAILED.load(Relaxed)
}
