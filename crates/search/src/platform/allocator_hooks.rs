//! Hooks through which the library uses the allocator of a program. A program need not set them.
//!
//! An allocator keeps freed memory for a while, because returning it and mapping it again costs time. Such memory is
//! still resident, and counts against a limit of resident memory.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static PURGE: OnceLock<fn()> = OnceLock::new();

static RESERVE: OnceLock<AddressReserve> = OnceLock::new();

static HAS_ALLOCATION_FAILED: AtomicBool = AtomicBool::new(false);

/// Sets the function behind [`purge`]. Later calls have no effect.
pub fn set_purge(purge: fn()) {
    let _ = PURGE.set(purge);
}

/// Returns freed memory to the system, as far as the allocator can from this thread. Takes up to a few milliseconds for
/// 100 MB.
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

/// Sets the reserve of the program, and acquires it. Later calls only acquire the first reserve again.
pub fn set_reserve(reserve: AddressReserve) {
    (RESERVE.get_or_init(|| reserve).acquire)();
}

/// Releases the reserve after a failed allocation. The caller then retries the allocation once. All searches stop, as
/// at a limit of memory.
pub fn on_failed_allocation() {
    HAS_ALLOCATION_FAILED.store(true, Relaxed);
    if let Some(reserve) = RESERVE.get() {
        (reserve.release)();
    }
}

/// Acquires the reserve again at the start of a search, if there is enough address space.
pub fn renew_reserve() {
    if has_allocation_failed() && RESERVE.get().is_none_or(|reserve| (reserve.acquire)()) {
        HAS_ALLOCATION_FAILED.store(false, Relaxed);
    }
}

/// Whether an allocation has failed since the reserve was acquired.
#[must_use]
pub fn has_allocation_failed() -> bool {
    HAS_ALLOCATION_FAILED.load(Relaxed)
}
